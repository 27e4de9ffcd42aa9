/**
 * Finished segments of WAL: PostgreSQL's archive_command copies them into a folder beside the cluster, as PostgreSQL's user, and
 * the server compresses and encrypts them from there into the folder for backups. Where the first folder is missing, no backups
 * are made, and the command does nothing.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { chown, mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pg from 'pg'
import { sleep } from '../clock.ts'
import type { Login } from '../db.ts'
import { OperatorProblem } from '../operator-problem.ts'
import type { EmbeddedCluster } from '../postgres.ts'
import { type BackupFolder, type Bytes, get, store, Unreadable } from './backup-folder.ts'

export const isSegment = (name: string): boolean => /^[0-9A-F]{24}$/.test(name)

const folderOf = ({ home }: EmbeddedCluster): string => join(home.instance, 'wal')

/** True if nothing was archived before: WAL until now is stored nowhere. */
export async function beginArchiving(cluster: EmbeddedCluster): Promise<boolean> {
  const made = await mkdir(folderOf(cluster), { recursive: true, mode: 0o700 })
  const { account } = cluster.home
  if (account) await chown(folderOf(cluster), account.uid, account.gid)
  return made !== undefined
}

/** What is not stored yet is given up. */
export const endArchiving = (cluster: EmbeddedCluster): Promise<void> =>
  rm(folderOf(cluster), { recursive: true, force: true })

/** What PostgreSQL has copied and is not stored yet, in order: segments, and notes that nobody needs. */
const listWaiting = async (cluster: EmbeddedCluster): Promise<string[]> =>
  (await readdir(folderOf(cluster))).filter((name) => !name.startsWith('.')).sort()

export async function storeWal(backups: BackupFolder, cluster: EmbeddedCluster): Promise<void> {
  for (const segment of await listWaiting(cluster)) {
    const file = join(folderOf(cluster), segment)
    await storeSegment(backups, `${cluster.home.secrets.id}/wal/${segment}`, file).catch((error) => {
      // A command and the server may both be at it: the other one was quicker.
      if (existsSync(file)) throw error
    })
    await rm(file, { force: true })
  }
}

/** One that is stored already, as by a server that was killed, must be the same. */
async function storeSegment(backups: BackupFolder, name: string, file: string): Promise<void> {
  // One that was half on the disk when the power failed is stored again.
  const known = existsSync(join(backups.root, name))
    ? await digestOf(get(backups, name)).catch(undefinedIfUnreadable)
    : undefined
  if (known && known !== (await digestOf(createReadStream(file))))
    throw new OperatorProblem(
      `${name} in ${backups.root} is not what this database wrote: its files were set back to an earlier state, as by a snapshot. Move the folder of this installation there aside, and restart Inlet.`,
    )
  if (!known && isSegment(basename(name))) await store(backups, name, createReadStream(file))
}

async function digestOf(bytes: Bytes): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of bytes) digest.update(chunk)
  return digest.digest('hex')
}

const undefinedIfUnreadable = (error: unknown): undefined => {
  if (!(error instanceof Unreadable)) throw error
}

/** More than this is not kept for a folder that cannot be reached: 4 GB. */
const waitingMost = 256

export const isTooMuchWaiting = async (cluster: EmbeddedCluster): Promise<boolean> =>
  (await listWaiting(cluster)).length > waitingMost

/** Ends the segment that is being written, and waits five seconds until PostgreSQL has copied it. Returns its name. */
export const finishSegment = ({ superuser }: EmbeddedCluster): Promise<string> =>
  withSession(superuser, async (session) => {
    const { rows } = await session.query('select pg_walfile_name(pg_switch_wal()) as segment')
    for (let tries = 0; tries < 100; tries++) {
      const copied = 'select from pg_stat_archiver where last_archived_wal >= $1'
      if ((await session.query(copied, [rows[0].segment])).rowCount) break
      await sleep(50)
    }
    return rows[0].segment
  })

/** An open backup and a lock end with the session. */
export async function withSession<Result>(
  superuser: Login,
  work: (session: pg.Client) => Promise<Result>,
): Promise<Result> {
  const session = new pg.Client({ ...superuser, ssl: false, application_name: 'inlet backup' })
  session.on('error', () => {}) // The next query says so.
  await session.connect()
  return work(session).finally(() => session.end().catch(() => {}))
}
