/** Measures of the callback queue: the work that its statements do, counted by PostgreSQL, and their times. */
import { laneRules } from '../../src/domain/callbacks/delivery/lane.ts'
import type { Recorded } from '../../src/domain/callbacks/delivery/phases.ts'
import { writeResults } from '../../src/domain/callbacks/delivery/record-store.ts'
import { claimLanes, type Head, readHeads } from '../../src/domain/callbacks/delivery/store.ts'
import { newId } from '../../src/platform/clock.ts'
import { type Db, type Queryable, sql } from '../../src/platform/db.ts'

export const isLong = process.env.INLET_FAULTS === 'long'

/** On deliveries and its indexes: pages touched, index entries and rows read, and scans of the whole table. */
export type Work = { pages: number; entries: number; rows: number; scans: number }

/** Twice the widest window: what an engine reads at once for a lane in full swing. */
export const headsMost = 2 * laneRules.windowMost

class Undo extends Error {}

export type Round = { claim: Work; read: Work; write: Work; heads: number }

/** What a round costs now: one claim, one read for what it claimed, one write that all was taken. All is undone. */
export async function workOfRound(db: Db): Promise<Round> {
  const node = newId()
  let round: Round | undefined
  const undone = db.transaction(async (tx) => {
    const begin = await counted(tx)
    const { claimed } = await claimLanes(tx, { node, most: 256 })
    const isClaimed = await counted(tx)
    const lanes = claimed.map(({ id, epoch }) => ({ id, epoch, most: headsMost }))
    const heads = await readHeads(tx, { node, lanes, taken: [] })
    const isRead = await counted(tx)
    await writeResults(tx, node, heads.map(taken))
    round = {
      claim: minus(isClaimed, begin),
      read: minus(isRead, isClaimed),
      write: minus(await counted(tx), isRead),
      heads: heads.length,
    }
    throw new Undo()
  })
  await undone.catch((error) => {
    if (!(error instanceof Undo)) throw error
  })
  return round!
}

const taken = (head: Head): Recorded => ({ ...head, outcome: 'ok', epoch: 1n, at: 0, ms: 1, status: 200 })

async function counted(tx: Queryable): Promise<Work> {
  const [work] = await tx.query<Work>(sql`
    select
      sum(pg_stat_get_xact_blocks_fetched(c.oid))::int as pages,
      sum(pg_stat_get_xact_tuples_returned(c.oid)) filter (where c.relkind = 'i')::int as entries,
      sum(pg_stat_get_xact_tuples_fetched(c.oid)) filter (where c.relkind = 'r')::int as rows,
      sum(pg_stat_get_xact_numscans(c.oid)) filter (where c.relkind = 'r')::int as scans
    from pg_class c
    where c.oid = 'deliveries'::regclass
      or c.oid in (select indexrelid from pg_index where indrelid = 'deliveries'::regclass)`)
  return work!
}

const minus = (after: Work, before: Work): Work => ({
  pages: after.pages - before.pages,
  entries: after.entries - before.entries,
  rows: after.rows - before.rows,
  scans: after.scans - before.scans,
})

/** A database whose claims and reads are timed, for an engine of its own. */
export function timed(db: Db): { db: Db; claims: number[]; reads: number[] } {
  const claims: number[] = []
  const reads: number[] = []
  const query: Db['query'] = async (statement) => {
    const began = performance.now()
    const rows = await db.query<never>(statement)
    if (statement.text.includes('for no key update of p')) claims.push(performance.now() - began)
    if (statement.text.includes('cross join lateral')) reads.push(performance.now() - began)
    return rows
  }
  return { db: { ...db, query }, claims, reads }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((value, other) => value - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const p50and99 = (values: readonly number[]): string =>
  `p50 ${percentile(values, 0.5).toFixed(1)} ms, p99 ${percentile(values, 0.99).toFixed(1)} ms (${values.length})`
