/**
 * Makes a new data folder from a backup: files and WAL, where PostgreSQL looks for it, so that its recovery needs no program of
 * ours. The recovery comes with the first start, up to a time or to the end of WAL, and ends on a timeline of its own. Nothing
 * existing is changed: the folder must be new or empty.
 */
import {
  chown,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  rmdir,
  writeFile,
} from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beginRestore, makeDataFolder } from '../data-folder.ts'
import { codeOf, OperatorProblem } from '../operator-problem.ts'
import { type Home, keepHome, newHome, postgresFolder, readHome } from '../postgres-home.ts'
import { findPostmaster, stopPostmaster } from '../postgres-process.ts'
import { isSegment } from './archived-wal.ts'
import { type Bytes, damaged, get, list } from './backup-folder.ts'
import { baseFolder, type Entry, firstSegmentOf, type Manifest, type TakeBackup } from './take-backup.ts'

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
  const { backups, manifest, stop, into, until } = work
  await makeDataFolder(into)
  await beginRestore(into)
  const home = await newHome(into, manifest.passwords)
  await keepHome(home)
  const { cluster } = home
  await unpack(work, home)
  // PostgreSQL syncs a cluster that was not shut down to the disk before it recovers it.
  const put = async (path: string, content: string | Bytes) => {
    stop.throwIfAborted()
    await writeFile(join(cluster, path), content, { flag: 'wx', mode: 0o600 })
    await own(home, path)
  }
  const isNeeded = (name: string) => isSegment(name) && name >= firstSegmentOf(manifest.name)
  const wal = (await list(backups, `${manifest.id}/wal`)).filter(isNeeded)
  for (const name of wal) await put(`pg_wal/${name}`, get(backups, `${manifest.id}/wal/${name}`))
  await put('backup_label', manifest.backupLabel)
  await put('recovery.signal', '')
  await setTarget(cluster, until)
  return { cluster, walSegments: wal.length }
}

/** Makes the folders and files of a full backup. That it was not changed is known only at its end. */
async function unpack({ backups, manifest, progress, stop }: RestoreCluster, home: Home): Promise<void> {
  const { cluster } = home
  const name = `${baseFolder(manifest)}/cluster`
  await mkdir(cluster, { mode: 0o700 })
  await own(home, '')
  let [line, left, done] = [Buffer.alloc(0), 0, 0]
  let file: FileHandle | undefined
  const begin = async ({ path, bytes }: Entry) => {
    await file?.close()
    file = undefined
    if (bytes === null) await mkdir(join(cluster, path), { mode: 0o700 })
    else file = await open(join(cluster, path), 'wx', 0o600)
    await own(home, path)
    left = bytes ?? 0
  }
  try {
    for await (const chunk of get(backups, name)) {
      stop.throwIfAborted()
      for (let rest = chunk; rest.length > 0; ) {
        const end = left > 0 ? Math.min(left, rest.length) : rest.indexOf('\n') + 1
        const part = rest.subarray(0, end || rest.length)
        rest = rest.subarray(part.length)
        if (left > 0) {
          await file!.writeFile(part)
          left -= part.length
        } else {
          line = Buffer.concat([line, part])
          if (end === 0) continue
          await begin(entryIn(line, name))
          line = Buffer.alloc(0)
        }
      }
      done += chunk.length
      progress({ phase: 'fetching', bytes: done, total: manifest.bytes })
    }
  } finally {
    await file?.close()
  }
}

function entryIn(line: Buffer, name: string): Entry {
  try {
    const entry: Entry = JSON.parse(line.toString())
    if (!entry.path.split('/').some((part) => ['', '.', '..'].includes(part))) return entry
  } catch {}
  throw damaged(name, 'it was changed')
}

const own = ({ cluster, account }: Home, path: string) =>
  account && chown(join(cluster, path), account.uid, account.gid)

const marker = '# inlet restore\n'

/** How far the recovery goes. After it PostgreSQL no longer looks at these settings. */
export async function setTarget(cluster: string, until: Date | null): Promise<void> {
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
  await writeFile(path, `${own}${marker}${settings.join('\n')}\n`)
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
