/**
 * Copies WAL while it is written: segments that are full as a whole, and the one that is being written up to what is on the
 * disk, so that a loss is a matter of seconds and not of 16 MB. A replication slot keeps what is not stored yet; how much that
 * may be is PostgreSQL's `max_slot_wal_keep_size`. When more was held back, or the slot is gone, copying starts again and a
 * full backup is needed.
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { bounds } from '../bounds.ts'
import { codeOf, OperatorProblem } from '../operator-problem.ts'
import { type BackupPlace, type Manifest, walFolder } from './backup-set.ts'
import { opened, sealed, Unreadable } from './sealed-stream.ts'
import { refuseSetBack } from './set-back.ts'
import { storedWal } from './stored-wal.ts'
import { type EmbeddedCluster, openSession } from './take-backup.ts'
import {
  chainOf,
  partName,
  positionOf,
  positionText,
  segmentAt,
  segmentName,
  type WalLine,
  type WalPart,
} from './wal-position.ts'

const slot = 'inlet_backup'

type WalCopy = {
  /**
   * Stores what is new. Returns the database's time from before: what was committed until then is stored, unless earlier WAL
   * was dropped and copying has started again.
   */
  round(): Promise<{ at: Date; hasRestarted: boolean }>
  /** Whether everything between the end of a full backup and what is copied now is stored. */
  followsOn(manifest: Manifest): Promise<boolean>
  close(): Promise<void>
}

/** The segment that is being copied, and how far. */
type Place = { segment: bigint; parts: WalPart[]; bytes: number }

type Facts = {
  at: Date
  flushed: string
  timeline: string
  segment_bytes: string
  restart: string | null
  status: string | null
}

/** `undeleted`: called if the store refuses to delete parts that are also stored in another file; copying goes on. */
export function createWalCopy(
  place: BackupPlace,
  cluster: EmbeddedCluster,
  undeleted: (error: unknown) => void = () => {},
): WalCopy {
  let session: pg.Client | undefined
  let copied: Place | undefined
  // It stays set until a round succeeds, because the store may be unavailable when the slot is created again.
  let wasRestarted = false

  const store = async (part: WalPart, file: string, to: number): Promise<void> => {
    const name = walFolder(cluster.id) + partName(part)
    const bytes = readBytes(join(cluster.folder, 'pg_wal', file), part.from, to)
    await place.destination.put(name, sealed(place.vault, name, bytes))
  }
  const drop = async (parts: readonly WalPart[]): Promise<void> => {
    for (const part of parts)
      await place.destination.delete(walFolder(cluster.id) + partName(part)).catch(undeleted)
  }
  /** A program that stores may have received half a file, and taken it for a whole one. */
  const isWhole = async (part: WalPart): Promise<boolean> => {
    const name = walFolder(cluster.id) + partName(part)
    try {
      for await (const _chunk of opened(place.vault, name, place.destination.get(name)));
      return true
    } catch (error) {
      if (error instanceof Unreadable) return false
      throw error
    }
  }
  const placeAt = async (position: bigint, line: WalLine): Promise<Place> => {
    await refuseSetBack(place, cluster.id, line, async () => (await ask(session!)).flushed)
    const segment = segmentAt(position, line)
    const parts: WalPart[] = []
    for (const part of (await storedWal(place, cluster.id)).get(segmentName(segment, line)) ?? [])
      if (await isWhole(part)) parts.push(part)
      else await drop([part])
    const end = chainOf(parts).at(-1)
    return { segment, parts, bytes: end?.to ?? (end ? Number(line.segmentBytes) : 0) }
  }

  async function copyFull(at: Place, line: WalLine): Promise<Place> {
    const name = segmentName(at.segment, line)
    if (!at.parts.some(({ to }) => to === null))
      await store({ segment: name, from: 0, to: null }, name, Number(line.segmentBytes))
    await session!.query('select pg_replication_slot_advance($1, $2)', [
      slot,
      positionText((at.segment + 1n) * line.segmentBytes),
    ])
    await drop(at.parts.filter(({ to }) => to !== null))
    return { segment: at.segment + 1n, parts: [], bytes: 0 }
  }

  async function copyPart(at: Place, to: number, line: WalLine): Promise<Place> {
    const segment = segmentName(at.segment, line)
    const isTooMany = at.parts.length >= bounds.backup.partsOfSegment
    const part = { segment, from: isTooMany ? 0 : at.bytes, to }
    await store(part, segment, to)
    if (isTooMany) await drop(at.parts)
    return { ...at, parts: isTooMany ? [part] : [...at.parts, part], bytes: to }
  }

  async function begin(): Promise<Facts> {
    session ??= await openSession(cluster.superuser)
    const facts = await ask(session)
    if (facts.restart !== null && facts.status !== 'lost') return facts
    copied = undefined
    wasRestarted = true
    await dropSlot(session)
    await session.query('select pg_create_physical_replication_slot($1, true)', [slot])
    return ask(session)
  }

  const close = async (): Promise<void> => {
    const open = session
    session = undefined
    copied = undefined
    await open?.end().catch(() => {})
  }

  return {
    async round() {
      try {
        const facts = await begin()
        const line = lineOf(facts)
        const flushed = positionOf(facts.flushed)
        copied ??= await placeAt(positionOf(facts.restart!), line)
        while ((copied.segment + 1n) * line.segmentBytes <= flushed) copied = await copyFull(copied, line)
        const to = Number(flushed - copied.segment * line.segmentBytes)
        if (to > copied.bytes) copied = await copyPart(copied, to, line)
        const hasRestarted = wasRestarted
        wasRestarted = false
        return { at: facts.at, hasRestarted }
      } catch (error) {
        // The position is looked up again in the store.
        await close()
        throw error
      }
    },
    async followsOn({ stopLsn, timeline, segmentBytes }) {
      const facts = await begin()
      const line = lineOf(facts)
      if (line.timeline !== timeline || line.segmentBytes !== BigInt(segmentBytes)) return false
      const stored = await storedWal(place, cluster.id)
      const end = segmentAt(positionOf(facts.restart!), line)
      for (let segment = segmentAt(positionOf(stopLsn) - 1n, line) + 1n; segment < end; segment++)
        if (!stored.get(segmentName(segment, line))?.some(({ to }) => to === null)) return false
      return true
    },
    close,
  }
}

/** Drops the slot, which would otherwise keep WAL that nobody copies any more. */
export async function endWalCopy({ superuser }: EmbeddedCluster): Promise<void> {
  const session = await openSession(superuser)
  await dropSlot(session).finally(() => session.end())
}

async function dropSlot(session: pg.Client): Promise<void> {
  await session.query(
    'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1',
    [slot],
  )
}

async function ask(session: pg.Client): Promise<Facts> {
  const { rows } = await session.query<Facts>(
    `select clock_timestamp() as at, f.lsn::text as flushed, left(pg_walfile_name(f.lsn), 8) as timeline,
       (select setting from pg_settings where name = 'wal_segment_size') as segment_bytes,
       s.restart_lsn::text as restart, s.wal_status as status
     from pg_current_wal_flush_lsn() as f (lsn)
     left join pg_replication_slots s on s.slot_name = $1`,
    [slot],
  )
  return rows[0]!
}

const lineOf = ({ timeline, segment_bytes }: Facts): WalLine => ({
  timeline: Number.parseInt(timeline, 16),
  segmentBytes: BigInt(segment_bytes),
})

async function* readBytes(path: string, from: number, to: number): AsyncGenerator<Buffer> {
  const file = await open(path, 'r').catch((error) => {
    throw new OperatorProblem(`PostgreSQL's WAL ${path} cannot be read (${codeOf(error)}).`, { cause: error })
  })
  try {
    for (let at = from; at < to; ) {
      const length = Math.min(1024 * 1024, to - at)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
      if (bytesRead === 0) throw new Error(`The segment ${path} is shorter than it must be.`)
      yield buffer.subarray(0, bytesRead)
      at += bytesRead
    }
  } finally {
    await file.close()
  }
}
