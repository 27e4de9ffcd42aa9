/**
 * Makes a new data folder from a backup: files and WAL, where PostgreSQL looks for it, so that its recovery needs no program of
 * ours. The recovery comes with the first start, up to a time or to the end of WAL, and ends on a timeline of its own. Nothing
 * existing is changed: the folder must be new or empty.
 */
import { chown, mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beginRestore, makeDataFolder } from '../data-folder.ts'
import { codeOf, OperatorProblem } from '../operator-problem.ts'
import { type Home, keepHome, newHome, postgresFolder, readHome } from '../postgres-home.ts'
import { findPostmaster, stopPostmaster } from '../postgres-process.ts'
import { type Content, get, list } from './backup-folder.ts'
import { baseFolder, firstSegmentOf, isSegment, type Manifest, type TakeBackup } from './take-backup.ts'

export type RestoreCluster = Pick<TakeBackup, 'backups' | 'progress'> & {
  manifest: Manifest
  /** null: everything that is stored. */
  until: Date | null
  into: string
  stop: AbortSignal
}

/** Refuses a folder that has something in it; returns its full path. */
export async function refuseUsedFolder(into: string): Promise<string> {
  const path = resolve(into)
  const names = await readdir(path).catch((error) => {
    if (codeOf(error) === 'ENOENT') return []
    throw new OperatorProblem(`${path} cannot be used: name a new folder.`)
  })
  if (names.length > 0)
    throw new OperatorProblem(`${path} is not empty, and a restore overwrites nothing: name a new folder.`)
  return path
}

/** Returns where the cluster is, and how many segments of WAL follow the full backup. */
export async function fetchCluster(work: RestoreCluster) {
  const { backups, manifest, progress, stop, into, until } = work
  await makeDataFolder(into)
  await beginRestore(into)
  const home = await newHome(into, manifest.passwords)
  await keepHome(home)
  const { cluster } = home
  let bytes = 0
  // PostgreSQL syncs a cluster that was not shut down to the disk before it recovers it.
  const fetchFile = async (name: string, path: string, expected?: Content) => {
    stop.throwIfAborted()
    await writeFile(join(cluster, path), get(backups, name, expected), { flag: 'wx', mode: 0o600 })
    await own(home, path)
    bytes += expected?.bytes ?? 0
    progress({ phase: 'fetching', bytes, total: manifest.bytes })
  }
  for (const folder of ['', ...manifest.folders]) {
    await mkdir(join(cluster, folder), { mode: 0o700 })
    await own(home, folder)
  }
  for (const file of manifest.files) await fetchFile(`${baseFolder(manifest)}/${file.path}`, file.path, file)
  const known = new Set(manifest.files.map(({ path }) => path))
  const wal = (await list(backups, `${manifest.id}/wal`)).filter(
    (name) => isSegment(name) && name >= firstSegmentOf(manifest.name) && !known.has(`pg_wal/${name}`),
  )
  for (const name of wal) await fetchFile(`${manifest.id}/wal/${name}`, `pg_wal/${name}`)
  for (const [name, text] of [
    ['backup_label', manifest.backupLabel],
    ['recovery.signal', ''],
  ] as const) {
    await writeFile(join(cluster, name), text, { flag: 'wx', mode: 0o600 })
    await own(home, name)
  }
  await setTarget(cluster, until)
  return { cluster, walSegments: wal.length }
}

const own = ({ cluster, account }: Home, path: string) =>
  account && chown(join(cluster, path), account.uid, account.gid)

const marker = '# inlet restore\n'

/** How far the recovery goes; undefined: it has ended. */
export async function setTarget(cluster: string, until: Date | null | undefined): Promise<void> {
  const path = join(cluster, 'postgresql.auto.conf')
  const [own] = (await readFile(path, 'utf8')).split(marker)
  const settings = [
    // All WAL is in pg_wal. PostgreSQL demands a command nevertheless: this one finds nothing, in every shell.
    `restore_command = 'exit 1'`,
    `recovery_target_time = '${until?.toISOString().replace('T', ' ').replace('Z', '+00') ?? ''}'`,
    `recovery_target_action = 'promote'`,
    // Nobody can connect before the end.
    `hot_standby = 'off'`,
  ]
  await writeFile(path, until === undefined ? own! : `${own}${marker}${settings.join('\n')}\n`)
}

/** A data folder that was empty before, with the cluster that belongs to it, and the PostgreSQL that may still run in it. */
export async function removeDataFolder(dataDir: string): Promise<void> {
  const namesIn = (path: string) => readdir(path).catch((): string[] => [])
  const remove = (path: string) => rm(path, { recursive: true, force: true })
  const folder = postgresFolder(dataDir)
  const home = await readHome(dataDir)
  if (home) {
    const { pid, isRunning } = await findPostmaster(home)
    if (isRunning) await stopPostmaster(home, pid)
    await remove(home.instance)
  }
  // As root the cluster is not in the data folder. A data folder that was at this path before, and was moved aside, still has
  // its cluster there.
  if ((await namesIn(folder)).every((name) => name.startsWith('postgres.log'))) await remove(folder)
  for (const name of await namesIn(dataDir)) await remove(join(dataDir, name))
  // The folder may be a link or a mount point.
  await rmdir(dataDir).catch(() => {})
}
