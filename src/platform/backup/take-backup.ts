/**
 * A full backup of the embedded PostgreSQL, which needs no other program: between `pg_backup_start` and `pg_backup_stop`, on
 * one connection, our process reads the files of the running cluster. What changes meanwhile is put right by the WAL of that
 * time, which is stored with them: the backup can be restored without any other file.
 */
import pg from 'pg'
import { monotonicMs, randomToken } from '../clock.ts'
import type { Login } from '../db.ts'
import { OperatorProblem } from '../operator-problem.ts'
import { type ArchiveFile, storeArchives } from './archive-copies.ts'
import {
  type BackupPlace,
  baseFolder,
  checkPiece,
  type Manifest,
  type Piece,
  writeManifest,
} from './backup-set.ts'
import { describeFolders, listCluster } from './cluster-files.ts'
import { deleteOld } from './delete-old.ts'
import { type BackupProgress, createPieces, type Pieces } from './pieces.ts'
import { refuseSetBack } from './set-back.ts'
import { positionOf, positionText, segmentAt, segmentName, type WalLine } from './wal-position.ts'

/** The cluster that is backed up, as its own superuser sees it. */
export type EmbeddedCluster = {
  id: string
  folder: string
  major: number
  superuser: Login
  passwords: Manifest['passwords']
}

type TakeBackup = {
  place: BackupPlace
  cluster: EmbeddedCluster
  inlet: string
  migration: string
  progress?: (done: BackupProgress) => void
  stop?: AbortSignal
  /** How many backups stay, where older ones are deleted. */
  keep?: number
  /** Files beside the cluster that belong to it. */
  archives?: readonly ArchiveFile[]
}

type TakenBackup = {
  manifest: Manifest
  /** How many files of older backups were deleted. */
  deleted: number
  /** What else failed: the backup itself is stored and complete. */
  warnings: string[]
}

export async function takeBackup(work: TakeBackup): Promise<TakenBackup> {
  const { cluster, place, keep, archives = [] } = work
  const session = await openSession(cluster.superuser)
  try {
    await takeLock(session)
    const missing = await storeArchives(place, cluster.id, archives)
    const manifest = await backUp(work, session)
    // This needs the lock: a backup that another process is storing has no manifest yet, and would be taken for an
    // interrupted one.
    const old = keep === undefined ? { deleted: 0, problem: null } : await deleteOld(place, cluster.id, keep)
    return {
      manifest,
      deleted: old.deleted,
      warnings: [
        ...(missing.length === 0 ? [] : [missingText(missing)]),
        ...(old.problem === null ? [] : [`Old backups could not be deleted: ${old.problem}`]),
      ],
    }
  } finally {
    // An open backup, the lock and the temporary slot end with it.
    await session.end().catch(() => {})
  }
}

const missingText = (missing: readonly ArchiveFile[]): string =>
  [
    missing.length === 1 ? '1 archive file is not stored' : `${missing.length} archive files are not stored`,
    `${missing[0]!.path} is missing or damaged.`,
  ].join(': ')

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
  const slot = `inlet_full_${randomToken(6)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '_')}`
  await session.query(`select pg_create_physical_replication_slot($1, true, true)`, [slot])
  const start = await ask<{ lsn: string; at: string; name: string; segment_bytes: string }>(
    session,
    `select pg_backup_start('inlet', true)::text as lsn, ${timeText} as at,
       to_char(clock_timestamp() at time zone 'UTC', 'YYYYMMDD"T"HH24MISS"Z"') as name,
       (select setting from pg_settings where name = 'wal_segment_size') as segment_bytes`,
  )
  const wal = await followWal(work, session, { slot, start: start.lsn, segmentBytes: start.segment_bytes })
  const backup = { id: cluster.id, name: `${start.name}-${randomToken(3)}` }
  const { folders, files, bytes } = await listCluster(cluster.folder)
  const pieces = createPieces(work, baseFolder(backup), bytes)
  const storeAll = async () => {
    await pieces.add(describeFolders(folders))
    for (const file of files) {
      await pieces.addFile(cluster.folder, file)
      await wal.addFull(pieces)
    }
    const end = await ask<{ lsn: string; labelfile: string; spcmapfile: string; at: string }>(
      session,
      `select lsn::text, labelfile, spcmapfile, ${timeText} as at from pg_backup_stop(false)`,
    )
    if (timelineOf(end.labelfile) !== wal.line.timeline) throw new Error('The timeline has changed.')
    await wal.addUpTo(positionOf(end.lsn), pieces)
    return end
  }
  const end = await storeAll().catch(pieces.abandon)
  const stored = await pieces.end()
  await checkPieces(work, stored)
  const manifest: Manifest = {
    format: 1,
    ...backup,
    key: place.vault.current.id,
    beganAt: start.at,
    endedAt: end.at,
    startLsn: start.lsn,
    stopLsn: end.lsn,
    timeline: wal.line.timeline,
    segmentBytes: Number(wal.line.segmentBytes),
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

const lookForWalMs = 10_000

/**
 * Stores the WAL of the time of the backup, segment by segment, and lets PostgreSQL drop what is stored: a long backup would
 * otherwise hold back more than a slot may.
 */
async function followWal(
  { cluster, place }: TakeBackup,
  session: pg.Client,
  { slot, start, segmentBytes }: { slot: string; start: string; segmentBytes: string },
) {
  const askPlace = () =>
    ask<{ lsn: string; timeline: string }>(
      session,
      `select lsn::text, left(pg_walfile_name(lsn), 8) as timeline from pg_current_wal_flush_lsn() as f (lsn)`,
    )
  const { timeline } = await askPlace()
  const line: WalLine = { timeline: Number.parseInt(timeline, 16), segmentBytes: BigInt(segmentBytes) }
  await refuseSetBack(place, cluster.id, line, async () => (await askPlace()).lsn)
  let next = segmentAt(positionOf(start), line)
  let lookedAt = monotonicMs()

  const addBefore = async (end: bigint, pieces: Pieces): Promise<void> => {
    for (; next < end; next++) {
      const path = `pg_wal/${segmentName(next, line)}`
      const isThere = await pieces.addFile(cluster.folder, { path, bytes: Number(segmentBytes) })
      const { rows } = await session.query(
        'select wal_status as status from pg_replication_slots where slot_name = $1',
        [slot],
      )
      if (!isThere || (rows[0]?.status ?? 'lost') === 'lost')
        throw new OperatorProblem(
          `PostgreSQL has removed WAL that the backup needs (${path}), because more was written meanwhile than it keeps; make the store faster, or back up when less happens.`,
        )
      await session.query('select pg_replication_slot_advance($1, $2)', [
        slot,
        positionText((next + 1n) * line.segmentBytes),
      ])
    }
  }
  return {
    line,
    async addFull(pieces: Pieces): Promise<void> {
      if (monotonicMs() - lookedAt < lookForWalMs) return
      lookedAt = monotonicMs()
      const { lsn } = await askPlace()
      await addBefore(segmentAt(positionOf(lsn), line), pieces)
    },
    /** The end of a backup begins a new segment, so that the last one is whole. */
    addUpTo: (stop: bigint, pieces: Pieces) => addBefore(segmentAt(stop - 1n, line) + 1n, pieces),
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
