/**
 * Writes the results of delivery. If a crash loses the last of them, some callbacks are sent twice and nothing else
 * happens, so these two statements, and no others of the program, commit asynchronously.
 */

import { type Queryable, sql } from '../../../../platform/db.ts'
import type { MerchantId } from '../../../merchants/merchant.ts'
import type { Outcome } from '../attempt-outcome.ts'
import type { Head, LaneKey } from '../store.ts'

/** The result of one request. `probe`: it only tested the lane, and the callback stays as it was. */
export type Result = Pick<
  Head,
  'laneId' | 'depositId' | 'sequence' | 'callbackId' | 'madeOn' | 'attempts'
> & {
  outcome: Outcome
  /** Of the lane, when the request started. */
  epoch: bigint
  merchantId: MerchantId
  at: number
  ms: number
  status: number | null
  error: string | null
  answer: string | null
  address: string | null
  /** For a retry. */
  dueAt: number | null
  /** For a callback that is given up. */
  reason: string | null
}

export type LaneChange = LaneKey & {
  window: number
  trips: number
  openUntil: number
  failingSince: number | null
  pause: string | null
  /** The address that caused the pause: a new address is not paused for the old one. */
  pausedUrl: string | null
  release: boolean
}

/**
 * "+ 0" makes the planner find a row by its deposit, not among all rows of its lane.
 *
 * A success is final, whichever node had it. A failure counts only while this node owns the lane, which the share lock
 * guarantees until commit, and only for the attempt that it names: written twice, or after a replay, it changes nothing.
 * A success whose first write got no answer is not counted again.
 */
export const writeResults = (db: Queryable, node: string, results: readonly Result[]) =>
  db.run(sql`
    with quick as materialized (
      select set_config('synchronous_commit', 'off', true) as setting
    ), r as materialized (
      select "laneId" as lane_id, "depositId" as deposit_id, sequence, "callbackId" as callback_id,
        "madeOn" as made_on, attempts, outcome, epoch, "merchantId" as merchant_id, at, ms, status, error, answer,
        address, "dueAt" as due_at, reason
      from json_to_recordset(${JSON.stringify(results.map(rowFrom))}::json) as r (
        "laneId" bigint, "depositId" uuid, sequence bigint, "callbackId" uuid, "madeOn" date, attempts smallint,
        outcome text, epoch bigint, "merchantId" uuid, at float8, ms integer, status smallint, error text,
        answer text, address text, "dueAt" float8, reason text)
    ), mine as materialized (
      select l.id, l.epoch
      from callback_lanes l
      where l.owner = ${node}
        and (l.id, l.epoch) in (select r.lane_id, r.epoch from r where r.outcome in ('retry', 'dead'))
      order by l.id
      for share of l
    ), acked as (
      delete from callback_due d
      using r
      where r.outcome = 'ok'
        and d.lane_id + 0 = r.lane_id and d.deposit_id = r.deposit_id and d.sequence = r.sequence
        and d.callback_id = r.callback_id
    ), revived as (
      delete from callback_dead d
      using r
      where r.outcome = 'ok' and d.callback_id = r.callback_id
    ), retried as (
      update callback_due d
      set attempts = r.attempts + 1, due_at = to_timestamp(r.due_at / 1000)
      from r
      join mine on mine.id = r.lane_id and mine.epoch = r.epoch
      where r.outcome = 'retry'
        and d.lane_id + 0 = r.lane_id and d.deposit_id = r.deposit_id and d.sequence = r.sequence
        and d.callback_id = r.callback_id and d.attempts = r.attempts
    ), buried as (
      delete from callback_due d
      using r
      join mine on mine.id = r.lane_id and mine.epoch = r.epoch
      where r.outcome = 'dead'
        and d.lane_id + 0 = r.lane_id and d.deposit_id = r.deposit_id and d.sequence = r.sequence
        and d.callback_id = r.callback_id and d.attempts = r.attempts
      returning d.callback_id
    ), mourned as (
      insert into callback_dead (callback_id, made_on, merchant_id, lane_id, deposit_id, sequence, died_at, reason)
      select r.callback_id, r.made_on, r.merchant_id, r.lane_id, r.deposit_id, r.sequence, inlet_now(), r.reason
      from r
      join buried on buried.callback_id = r.callback_id
      on conflict (callback_id) do update
      set died_at = excluded.died_at, reason = excluded.reason
    )
    -- The only place where it is written what became of a callback: its row with the body is never written again.
    insert into callback_attempts (made_on, callback_id, at, ms, outcome, status, error, answer, address, node)
    select r.made_on, r.callback_id, to_timestamp(r.at / 1000), r.ms, r.outcome, r.status, r.error, r.answer,
      r.address, ${node}::uuid
    from r
    join quick on quick.setting = 'off'
    on conflict do nothing`)

/**
 * As JSON takes it: numbers that may pass 2⁵³ go as text, what is null is left out. Listed one by one: JSON.stringify is slow
 * where it has to call a function for every value.
 */
const rowFrom = (result: Result) => ({
  laneId: `${result.laneId}`,
  depositId: result.depositId,
  sequence: `${result.sequence}`,
  callbackId: result.callbackId,
  madeOn: result.madeOn,
  attempts: result.attempts,
  outcome: result.outcome,
  epoch: `${result.epoch}`,
  merchantId: result.merchantId,
  at: result.at,
  ms: result.ms,
  status: result.status ?? undefined,
  error: result.error ?? undefined,
  answer: result.answer ?? undefined,
  address: result.address ?? undefined,
  dueAt: result.dueAt ?? undefined,
  reason: result.reason ?? undefined,
})

/** JSON numbers are floats. */
const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

/** Only while this node owns the lane. A released lane is served again after all others. */
export const writeLanes = (db: Queryable, node: string, lanes: readonly LaneChange[]) =>
  db.run(sql`
    with quick as materialized (
      select set_config('synchronous_commit', 'off', true) as setting
    )
    update callback_lanes l
    set
      window_size = r.window,
      trips = r.trips,
      open_until = case when r."openUntil" > 0 then to_timestamp(r."openUntil" / 1000) else '-infinity' end,
      failing_since = to_timestamp(r."failingSince" / 1000),
      state = case when r.pauses and l.state = 'active' then 'paused' else l.state end,
      reason = case when r.pauses and l.state = 'active' then r.pause else l.reason end,
      owner_until = case when r.release then now() else l.owner_until end
    from (
      select n.id, n.epoch, n.window, n.trips, n."openUntil", n."failingSince", n.pause, n.release,
        n.pause is not null
          and (k.origin is not null or m.callback_url is not distinct from n."pausedUrl") as pauses
      from json_to_recordset(${JSON.stringify(lanes, asText)}::json) as n (
        id bigint, epoch bigint, "window" smallint, trips integer, "openUntil" float8, "failingSince" float8,
        pause text, "pausedUrl" text, release boolean)
      join quick on quick.setting = 'off'
      join callback_lanes k on k.id = n.id
      join merchants m on m.id = k.merchant_id
    ) r
    where l.id = r.id and l.epoch = r.epoch and l.owner = ${node}`)
