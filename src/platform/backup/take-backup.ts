/**
 * A full backup of the embedded PostgreSQL while it runs: between `pg_backup_start` and `pg_backup_stop` our process reads the
 * files of the cluster, one behind the other. What changes meanwhile is put right by the WAL of that time, which is stored
 * beside all other WAL: without it the backup does not count.
 */
import { existsSync } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type pg from 'pg'
import { codeOf, OperatorProblem } from '../operator-problem.ts'
import type { EmbeddedCluster } from '../postgres.ts'
import type { Passwords } from '../postgres-home.ts'
import { storeWal, withSession } from './archived-wal.ts'
import { type BackupFolder, get, list, store, Unreadable, unusable } from './backup-folder.ts'

export type Manifest = {
  id: string
  name: string
  endedAt: string
  inlet: string
  /** In the cluster, and as they are stored. */
  bytes: number
  storedBytes: number
  backupLabel: string
  passwords: Passwords
}

export const baseFolder = ({ id, name }: Pick<Manifest, 'id' | 'name'>): string => `${id}/base/${name}`

/** The first segment of WAL that a backup needs, by its name. */
export const firstSegmentOf = (name: string): string => name.slice(0, 24)

/** Work under a lock: nobody else stores a backup of this cluster, or deletes one. */
export async function withBackupLock<Result>(
  { superuser }: EmbeddedCluster,
  work: (session: pg.Client) => Promise<Result>,
): Promise<Result> {
  return withSession(superuser, async (session) => {
    // Beside the locks of postgres.ts: "inlt", 3.
    const { rows } = await session.query('select pg_try_advisory_lock(1768844404, 3) as yes')
    if (!rows[0].yes) throw new OperatorProblem('Another backup is under way; wait until it has ended.')
    return work(session)
  })
}

export type TakeBackup = {
  backups: BackupFolder
  inlet: string
  progress: (done: { phase: string; bytes: number; total: number }) => void
}

/** In a full backup this line stands before the bytes of each file; a folder has none, and comes before what it contains. */
export type Entry = { path: string; bytes: number | null }

const lineOf = (entry: Entry): Buffer => Buffer.from(`${JSON.stringify(entry)}\n`)

export async function takeBackup(
  live: EmbeddedCluster,
  { backups, inlet, progress }: TakeBackup,
  session: pg.Client,
): Promise<Manifest> {
  const ask = async <Row>(text: string): Promise<Row> => (await session.query(text)).rows[0]
  const { name, total } = await ask<{ name: string; total: number }>(
    `select pg_walfile_name(lsn + 1) || to_char(clock_timestamp() at time zone 'UTC', '-YYYYMMDD"T"HH24MISS"Z"') as name,
       (select sum(pg_database_size(oid))::float8 from pg_database) as total
     from pg_backup_start('inlet', true) as b (lsn)`,
  )
  const { id, ...passwords } = live.home.secrets
  let bytes = 0
  async function* files(): AsyncGenerator<Buffer> {
    for await (const chunk of bytesOf(live.home.cluster)) {
      bytes += chunk.length
      progress({ phase: 'storing', bytes, total: Math.max(bytes, total) })
      yield chunk
    }
  }
  const folder = baseFolder({ id, name })
  const storedBytes = await store(backups, `${folder}/cluster`, files())
  // Waits until PostgreSQL has copied the WAL of this time.
  const end = await ask<{ label: string; at: Date; last: string }>(
    'select labelfile as label, clock_timestamp() as at, pg_walfile_name(lsn) as last from pg_backup_stop(true)',
  )
  await storeWal(backups, live)
  const wal = await list(backups, `${id}/wal`)
  if (!wal.includes(firstSegmentOf(name)) || !wal.includes(end.last))
    throw new OperatorProblem('WAL that the backup needs was given up meanwhile; back up again.')
  const endedAt = end.at.toISOString()
  const manifest: Manifest = {
    id,
    name,
    endedAt,
    inlet,
    bytes,
    storedBytes,
    backupLabel: end.label,
    passwords,
  }
  await store(backups, `${folder}/manifest`, Readable.from([Buffer.from(JSON.stringify(manifest))]))
  return manifest
}

/** What PostgreSQL's manual says to leave out, because a start creates it again: the content of folders, and files. */
const leftOut =
  /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/(?!.*\.history$)|(^|\/)(postmaster\.(pid|opts)|pg_internal\.init(\.\d+)?|postgresql\.auto\.conf\.tmp|current_logfiles(\.tmp)?|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest|(recovery|standby)\.signal|pgsql_tmp.*)$/
/** It is read when everything else has been. */
const controlFile = 'global/pg_control'

async function* bytesOf(cluster: string): AsyncGenerator<Buffer> {
  yield* entriesIn(cluster)
  yield* fileOf(cluster, controlFile)
}

/** The folders and files that are there now. */
async function* entriesIn(cluster: string, folder = ''): AsyncGenerator<Buffer> {
  for (const entry of await readdir(join(cluster, folder), { withFileTypes: true }).catch(orIfMissing([]))) {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (leftOut.test(path) || path === controlFile) continue
    if (entry.isFile()) yield* fileOf(cluster, path)
    else if (entry.isDirectory()) {
      yield lineOf({ path, bytes: null })
      yield* entriesIn(cluster, path)
    } else
      throw new OperatorProblem(`${join(cluster, path)} is no file or folder: tablespaces are not backed up.`)
  }
}

/** As long as it is when it is opened: WAL says what was added or cut off later, and which table is gone with its file. */
async function* fileOf(cluster: string, path: string): AsyncGenerator<Buffer> {
  const file = await open(join(cluster, path)).catch(orIfMissing(undefined))
  if (!file) return
  try {
    const { size } = await file.stat()
    yield lineOf({ path, bytes: size })
    for (let left = size; left > 0; ) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(left, chunkBytes)))
      // Zeros stand for what was cut off.
      const chunk = bytesRead > 0 ? buffer.subarray(0, bytesRead) : buffer
      left -= chunk.length
      yield chunk
    }
  } finally {
    await file.close()
  }
}

const chunkBytes = 256 * 1024

const orIfMissing =
  <Result>(result: Result) =>
  (error: unknown): Result => {
    if (codeOf(error) !== 'ENOENT') throw error
    return result
  }

/** Complete backups, the newest first; of one installation, or of all. One that cannot be read must not hide the others. */
export async function readBackups(backups: BackupFolder, installation?: string) {
  const [manifests, problems]: [Manifest[], string[]] = [[], []]
  for (const id of installation ? [installation] : await list(backups, ''))
    for (const name of (await listBases(backups, id)).complete.reverse())
      try {
        const parts = await Array.fromAsync(get(backups, `${baseFolder({ id, name })}/manifest`))
        manifests.push(JSON.parse(Buffer.concat(parts).toString()))
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error
        problems.push(error.message)
      }
  return { manifests, problems }
}

/** The full backups of an installation, oldest first: in the order of WAL, because a clock may have been wrong. */
export async function listBases(backups: BackupFolder, id: string) {
  const bases = Object.groupBy(await list(backups, `${id}/base`), (name) =>
    existsSync(join(backups.root, baseFolder({ id, name }), 'manifest')) ? 'complete' : 'interrupted',
  )
  return { complete: bases.complete ?? [], interrupted: bases.interrupted ?? [] }
}

/**
 * Deletes what retention no longer keeps, of one installation; returns how many backups and segments. Every backup that counts
 * was read back, so the newer ones may replace the older.
 */
export async function deleteOld(backups: BackupFolder, id: string, keep: number): Promise<number> {
  const { complete, interrupted } = await listBases(backups, id)
  const oldest = complete.at(-keep) ?? complete[0]!
  const bases = [...interrupted, ...complete.filter((name) => name < oldest)]
  const wal = (await list(backups, `${id}/wal`)).filter((name) => name < firstSegmentOf(oldest))
  // The manifest first: what is half deleted does not count as a backup.
  const paths = bases.flatMap((name) => [`${baseFolder({ id, name })}/manifest`, baseFolder({ id, name })])
  for (const path of [...paths, ...wal.map((name) => `${id}/wal/${name}`)])
    await rm(join(backups.root, path), { recursive: true, force: true }).catch((error) => {
      throw unusable(backups, error)
    })
  return bases.length + wal.length
}
