/**
 * Finished segments of WAL: PostgreSQL's archive_command copies them into a folder beside the cluster, as PostgreSQL's user, and
 * the server compresses and encrypts them from there into the folder for backups. Where the first folder is missing, no backups
 * are made, and the command does nothing.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chown, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sleep } from '../clock.ts'
import { OperatorProblem } from '../operator-problem.ts'
import type { EmbeddedCluster } from '../postgres.ts'
import { type BackupFolder, type Bytes, get, list, store, Unreadable } from './backup-folder.ts'
import { isSegment, withSession } from './take-backup.ts'

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

/** A segment that is stored already, as by a server that was killed, must be the same one. */
export async function storeWal(backups: BackupFolder, cluster: EmbeddedCluster): Promise<void> {
  const { id } = cluster.home.secrets
  const waiting = await listWaiting(cluster)
  const stored = waiting.length === 0 ? [] : await list(backups, `${id}/wal`)
  for (const segment of waiting) {
    const [file, name] = [join(folderOf(cluster), segment), `${id}/wal/${segment}`]
    // One that was half on the disk when the power failed is stored again.
    const known = stored.includes(segment)
      ? await digestOf(get(backups, name)).catch(undefinedIfUnreadable)
      : undefined
    if (known && known !== (await digestOf(createReadStream(file))))
      throw new OperatorProblem(
        `${name} in ${backups.root} is not what this database wrote: its files were set back to an earlier state, as by a snapshot. Move the folder ${id} there aside, and restart Inlet.`,
      )
    if (!known && isSegment(segment)) await store(backups, name, createReadStream(file))
    await rm(file)
  }
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
