/**
 * Makes a new data folder from a backup: files, WAL, recovery up to a time or to the end, and a clean stop. Nothing existing
 * is changed: the folder must be new or empty, and the cluster is renamed into its place when it is complete.
 *
 * WAL is put where PostgreSQL looks for it, so its recovery needs no program of ours. It ends on a timeline of its own.
 */
import { chown, mkdir, open, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beginRestore, makeDataFolder } from '../data-folder.ts'
import { codeOf, OperatorProblem } from '../operator-problem.ts'
import { preparePrograms } from '../postgres-binaries.ts'
import {
  type Account,
  type Home,
  makeWorkFolder,
  postgresFolder,
  prepareHome,
  readClusterId,
  rememberCluster,
  writeSecrets,
} from '../postgres-home.ts'
import { type BackupPlace, checkPiece, type Manifest, walFolder } from './backup-set.ts'
import { writeParts } from './cluster-files.ts'
import { type Recovered, recoverCluster } from './recover-cluster.ts'
import { opened } from './sealed-stream.ts'
import { storedWal } from './stored-wal.ts'
import { chainOf, partName, positionOf, segmentAt, segmentName, type WalPart } from './wal-position.ts'

type RestoreProgress = { phase: 'fetching'; bytes: number; total: number }

type RestoreCluster = {
  place: BackupPlace
  manifest: Manifest
  /** A time, or a position in WAL; null: everything that is stored. */
  until: Date | bigint | null
  into: string
  progress?: (done: RestoreProgress) => void
  stop?: AbortSignal
}

export type Restored = Recovered & {
  /** Segments beside those of the full backup. */
  walSegments: number
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

export async function restoreCluster(work: RestoreCluster): Promise<Restored> {
  const dataDir = await refuseUsedFolder(work.into)
  await makeDataFolder(dataDir)
  try {
    return await restoreInto(work, dataDir)
  } catch (error) {
    await removeDataFolder(dataDir)
    throw error
  }
}

/** A data folder that was empty before, with the cluster that belongs to it. */
export async function removeDataFolder(dataDir: string): Promise<void> {
  const namesIn = (path: string) => readdir(path).catch((): string[] => [])
  const remove = (path: string) => rm(path, { recursive: true, force: true })
  const folder = postgresFolder(dataDir)
  const id = await readClusterId(dataDir)
  if (id) await remove(join(folder, id))
  // As root the cluster is not in the data folder. A data folder that was at this path before, and was moved aside, still has
  // its cluster there.
  const others = await Promise.all((await namesIn(folder)).map((name) => namesIn(join(folder, name))))
  if (!others.some((names) => names.includes('cluster'))) await remove(folder)
  for (const name of await namesIn(dataDir)) await remove(join(dataDir, name))
  // The folder may be a link or a mount point.
  await rmdir(dataDir).catch(() => {})
}

async function restoreInto(work: RestoreCluster, dataDir: string): Promise<Restored> {
  const { manifest } = work
  await beginRestore(dataDir)
  await writeSecrets(dataDir, manifest.passwords)
  const home = await prepareHome(dataDir)
  const programs = await preparePrograms(home)
  if (programs.major !== manifest.postgres)
    throw new OperatorProblem(
      `The backup ${manifest.name} is of PostgreSQL ${manifest.postgres} and this Inlet brings PostgreSQL ${programs.major}; restore it with Inlet ${manifest.inlet}.`,
    )
  const walSegments = await fetchCluster(work, home)
  const { until, stop } = work
  const recovered = await recoverCluster({ home, programs, name: manifest.name, until, stop })
  await rememberCluster(home)
  return { ...recovered, walSegments }
}

async function fetchCluster(work: RestoreCluster, home: Home): Promise<number> {
  const { place, manifest, progress, stop } = work
  const parent = await makeWorkFolder(home.instance, home.account)
  const cluster = join(parent, 'cluster')
  try {
    await mkdir(cluster, { mode: 0o700 })
    await own(cluster, home.account)
    const total = manifest.pieces.reduce((sum, { bytes }) => sum + bytes, 0)
    let bytes = 0
    for (const piece of manifest.pieces) {
      stop?.throwIfAborted()
      await checkPiece(place.destination, piece)
      await writeParts(
        cluster,
        opened(place.vault, piece.name, place.destination.get(piece.name)),
        home.account,
      )
      bytes += piece.bytes
      progress?.({ phase: 'fetching', bytes, total })
    }
    const walSegments = await fetchWal(work, join(cluster, 'pg_wal'), home.account)
    const notes = [
      ['backup_label', manifest.backupLabel],
      ['recovery.signal', ''],
      ...(manifest.tablespaceMap ? [['tablespace_map', manifest.tablespaceMap]] : []),
    ] as [string, string][]
    for (const [name, text] of notes) {
      await writeFile(join(cluster, name), text, { mode: 0o600, flag: 'wx', flush: true })
      await own(join(cluster, name), home.account)
    }
    await rename(cluster, home.cluster)
    return walSegments
  } finally {
    await rm(parent, { recursive: true, force: true })
  }
}

async function own(path: string, account: Account): Promise<void> {
  if (account) await chown(path, account.uid, account.gid)
}

/** Segments from the backup's first on, as far as they follow each other; a part of the last one is filled with zeros. */
async function fetchWal(work: RestoreCluster, folder: string, account: Account): Promise<number> {
  const { place, manifest, stop } = work
  const line = { timeline: manifest.timeline, segmentBytes: BigInt(manifest.segmentBytes) }
  const stored = await storedWal(place, manifest.id)
  const own = segmentAt(positionOf(manifest.stopLsn) - 1n, line)
  let fetched = 0
  for (let segment = segmentAt(positionOf(manifest.startLsn), line); ; segment++) {
    stop?.throwIfAborted()
    const name = segmentName(segment, line)
    const chain = chainOf(stored.get(name) ?? [])
    // The full backup has its own segments whole.
    if (segment <= own) continue
    if (chain.length === 0) return fetched
    await writeSegment(work, join(folder, name), chain, account)
    fetched++
    if (chain[0]!.to !== null) return fetched
  }
}

async function writeSegment(
  { place, manifest }: RestoreCluster,
  path: string,
  chain: readonly WalPart[],
  account: Account,
): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    if (account) await file.chown(account.uid, account.gid)
    for (const part of chain) {
      const name = walFolder(manifest.id) + partName(part)
      let at = part.from
      for await (const chunk of opened(place.vault, name, place.destination.get(name))) {
        await file.write(chunk, 0, chunk.length, at)
        at += chunk.length
      }
    }
    await file.truncate(manifest.segmentBytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
