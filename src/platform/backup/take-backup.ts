/**
 * A full backup of the embedded PostgreSQL, by its own means and with nothing installed: between `pg_backup_start` and
 * `pg_backup_stop`, on one connection, our process reads the files of the running cluster. What changes meanwhile is put right
 * by the WAL of that time, which is stored with them: the backup can be restored without any other file.
 */
import pg from 'pg'
import { randomToken } from '../clock.ts'
import type { Login } from '../db.ts'
import { OperatorProblem } from '../operator-problem.ts'
import {
  type BackupPlace,
  baseFolder,
  checkPiece,
  type Manifest,
  measured,
  type Piece,
  writeManifest,
} from './backup-set.ts'
import { type ClusterFile, describeFolders, listCluster, readPart } from './cluster-files.ts'
import { type Bytes, sealed } from './sealed-stream.ts'
import { positionOf, segmentAt, segmentName, type WalLine } from './wal-position.ts'

/** The cluster that is backed up, as its own superuser sees it. */
export type EmbeddedCluster = {
  id: string
  folder: string
  major: number
  superuser: Login
  passwords: Manifest['passwords']
}

type BackupProgress = { phase: 'storing' | 'checking'; bytes: number; total: number }

type TakeBackup = {
  place: BackupPlace
  cluster: EmbeddedCluster
  inlet: string
  migration: string
  progress?: (done: BackupProgress) => void
  stop?: AbortSignal
}

const pieceBytes = 128 * 1024 * 1024

export async function takeBackup(work: TakeBackup): Promise<Manifest> {
  const { cluster } = work
  const session = await openSession(cluster.superuser)
  try {
    await takeLock(session)
    return await backUp(work, session)
  } finally {
    // An open backup, the lock and the temporary slot end with it.
    await session.end().catch(() => {})
  }
}

export async function openSession(superuser: Login): Promise<pg.Client> {
  const session = new pg.Client({ ...superuser, ssl: false, application_name: 'inlet backup' })
  session.on('error', () => {}) // The next query says so.
  await session.connect()
  return session
}

/** How far WAL is on the disk now. */
export async function readFlushed({ superuser }: EmbeddedCluster): Promise<string> {
  const session = await openSession(superuser)
  return ask<{ lsn: string }>(session, 'select pg_current_wal_flush_lsn()::text as lsn')
    .then(({ lsn }) => lsn)
    .finally(() => session.end())
}

async function takeLock(session: pg.Client): Promise<void> {
  // Beside the locks of postgres.ts: "inlt", 3.
  const { rows } = await session.query('select pg_try_advisory_lock(1768844404, 3) as yes')
  if (!rows[0].yes) throw new OperatorProblem('Another backup is under way; wait until it has ended.')
}

async function backUp(work: TakeBackup, session: pg.Client): Promise<Manifest> {
  const { cluster, place, inlet, migration } = work
  // Keeps the WAL of the backup until it has been read; it vanishes with the connection.
  await session.query(`select pg_create_physical_replication_slot($1, true, true)`, [
    `inlet_full_${randomToken(6)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '_')}`,
  ])
  const start = await ask<{ lsn: string; at: string; name: string; segment_bytes: string }>(
    session,
    `select pg_backup_start('inlet', true)::text as lsn, ${timeText} as at,
       to_char(clock_timestamp() at time zone 'UTC', 'YYYYMMDD"T"HH24MISS"Z"') as name,
       (select setting from pg_settings where name = 'wal_segment_size') as segment_bytes`,
  )
  const backup = { id: cluster.id, name: `${start.name}-${randomToken(3)}` }
  const { folders, files, bytes } = await listCluster(cluster.folder)
  const pieces = createPieces(work, baseFolder(backup), bytes)
  await pieces.add(describeFolders(folders))
  for (const file of files) await pieces.addFile(cluster.folder, file)
  const end = await ask<{ lsn: string; labelfile: string; spcmapfile: string; at: string }>(
    session,
    `select lsn::text, labelfile, spcmapfile, ${timeText} as at from pg_backup_stop(false)`,
  )
  const line = { timeline: timelineOf(end.labelfile), segmentBytes: BigInt(start.segment_bytes) }
  for (const file of walBetween(positionOf(start.lsn), positionOf(end.lsn), line))
    await pieces.addFile(cluster.folder, file)
  const stored = await pieces.end()
  await checkPieces(work, stored)
  const manifest: Manifest = {
    format: 1,
    ...backup,
    beganAt: start.at,
    endedAt: end.at,
    startLsn: start.lsn,
    stopLsn: end.lsn,
    timeline: line.timeline,
    segmentBytes: Number(line.segmentBytes),
    postgres: cluster.major,
    inlet,
    migration,
    files: files.length,
    bytes,
    pieces: stored,
    backupLabel: end.labelfile,
    tablespaceMap: end.spcmapfile,
    passwords: cluster.passwords,
  }
  await writeManifest(place, manifest)
  return manifest
}

const timeText = `to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

async function ask<Row>(session: pg.Client, text: string): Promise<Row> {
  const { rows } = await session.query(text)
  return rows[0] as Row
}

function timelineOf(label: string): number {
  const timeline = Number(/^START TIMELINE: (\d+)$/m.exec(label)?.[1])
  if (!timeline) throw new Error('The label of the backup names no timeline.')
  return timeline
}

/** The end of a backup begins a new segment, so that the last one is whole. */
function walBetween(start: bigint, stop: bigint, line: WalLine): ClusterFile[] {
  const files: ClusterFile[] = []
  const last = segmentAt(stop - 1n, line)
  for (let segment = segmentAt(start, line); segment <= last; segment++)
    files.push({ path: `pg_wal/${segmentName(segment, line)}`, bytes: Number(line.segmentBytes) })
  return files
}

/** Cuts the stream of files into pieces, each stored on its own while it is read. */
function createPieces({ place, progress, stop }: TakeBackup, folder: string, total: number) {
  const { destination, vault } = place
  const stored: Piece[] = []
  let piece: { feed: Feed; done: Promise<void>; bytes: number } | undefined
  let read = 0

  const begin = () => {
    const name = `${folder}/${String(stored.length + 1).padStart(6, '0')}`
    const feed = createFeed()
    const { bytes, result } = measured(sealed(vault, name, feed.bytes))
    const done = destination.put(name, bytes).then(() => void stored.push({ name, ...result() }))
    done.catch((error) => feed.fail(error))
    return { feed, done, bytes: 0 }
  }
  const end = async () => {
    const ended = piece
    piece = undefined
    await ended?.feed.end()
    await ended?.done
  }
  const add = async (chunks: Iterable<Buffer> | Bytes) => {
    for await (const chunk of chunks) {
      stop?.throwIfAborted()
      piece ??= begin()
      await piece.feed.push(chunk)
      piece.bytes += chunk.length
      read += chunk.length
      progress?.({ phase: 'storing', bytes: Math.min(read, total), total })
    }
  }
  return {
    add,
    /** A file is cut where a piece is full. */
    async addFile(cluster: string, { path, bytes }: ClusterFile) {
      let at = 0
      do {
        if (piece && piece.bytes >= pieceBytes) await end()
        const room = pieceBytes - (piece?.bytes ?? 0)
        const part = Math.min(bytes - at, Math.max(room, 1))
        await add(readPart(cluster, { path, at, bytes: part }))
        at += part
      } while (at < bytes)
    },
    async end(): Promise<Piece[]> {
      await end()
      return stored
    },
  }
}

type Feed = {
  bytes: Bytes
  push(chunk: Buffer): Promise<void>
  end(): Promise<void>
  fail(error: unknown): void
}

/** Hands chunks from one loop to another, one at a time. */
function createFeed(): Feed {
  const { readable, writable } = new TransformStream<Buffer, Buffer>()
  const writer = writable.getWriter()
  writer.closed.catch(() => {})
  let failure: unknown
  const orFailure = (work: Promise<void>) =>
    work.catch((error) => {
      throw failure ?? error
    })
  return {
    bytes: readable as unknown as Bytes,
    async push(chunk) {
      await orFailure(writer.ready)
      await orFailure(writer.write(chunk))
    },
    end: () => orFailure(writer.close()),
    fail(error) {
      failure = error
      writer.abort(error).catch(() => {})
    },
  }
}

async function checkPieces({ place, progress, stop }: TakeBackup, pieces: readonly Piece[]): Promise<void> {
  const total = pieces.reduce((sum, { bytes }) => sum + bytes, 0)
  let bytes = 0
  for (const piece of pieces) {
    stop?.throwIfAborted()
    await checkPiece(place.destination, piece)
    bytes += piece.bytes
    progress?.({ phase: 'checking', bytes, total })
  }
}
