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
 * A success is final, whichever node reports it. A failure counts only while this node owns the lane, which the share lock
 * guarantees until the commit, and only for the attempt that it names: if it is written twice, or after a replay, it changes nothing.
 * A success that is written twice, because the first write got no answer, is counted once.
 *
 * `lane_id + 0` keeps the planner from the index of lanes: a row is found by its deposit, not among all rows of its lane.
 */
export const writeResults = (db: Queryable, node: string, results: readonly Result[]) =>
  db.run(sql`
    with async_commit as materialized (
      select set_config('synchronous_commit', 'off', true) as setting
    ), result as materialized (
      select "laneId" as lane_id, "depositId" as deposit_id, sequence, "callbackId" as callback_id,
        "madeOn" as made_on, attempts, outcome, epoch, "merchantId" as merchant_id, at, ms, status, error, answer,
        address, "dueAt" as due_at, reason
      from json_to_recordset(${JSON.stringify(results.map(rowFrom))}::json) as sent (
        "laneId" bigint, "depositId" uuid, sequence bigint, "callbackId" uuid, "madeOn" date, attempts smallint,
        outcome text, epoch bigint, "merchantId" uuid, at float8, ms integer, status smallint, error text,
        answer text, address text, "dueAt" float8, reason text)
    ), owned_lanes as materialized (
      select l.id, l.epoch
      from callback_lanes l
      where l.owner = ${node}
        and (l.id, l.epoch) in (
          select result.lane_id, result.epoch from result where result.outcome in ('retry', 'dead'))
      order by l.id
      for share of l
    ), delivered as (
      delete from callback_due d
      using result
      where result.outcome = 'ok'
        and d.lane_id + 0 = result.lane_id and d.deposit_id = result.deposit_id and d.sequence = result.sequence
        and d.callback_id = result.callback_id
    ), removed_dead as (
      delete from callback_dead d
      using result
      where result.outcome = 'ok' and d.callback_id = result.callback_id
    ), retried as (
      update callback_due d
      set attempts = result.attempts + 1, due_at = to_timestamp(result.due_at / 1000)
      from result
      join owned_lanes on owned_lanes.id = result.lane_id and owned_lanes.epoch = result.epoch
      where result.outcome = 'retry'
        and d.lane_id + 0 = result.lane_id and d.deposit_id = result.deposit_id and d.sequence = result.sequence
        and d.callback_id = result.callback_id and d.attempts = result.attempts
    ), given_up as (
      delete from callback_due d
      using result
      join owned_lanes on owned_lanes.id = result.lane_id and owned_lanes.epoch = result.epoch
      where result.outcome = 'dead'
        and d.lane_id + 0 = result.lane_id and d.deposit_id = result.deposit_id and d.sequence = result.sequence
        and d.callback_id = result.callback_id and d.attempts = result.attempts
      returning d.callback_id
    ), inserted_dead as (
      insert into callback_dead (callback_id, made_on, merchant_id, lane_id, deposit_id, sequence, died_at, reason)
      select result.callback_id, result.made_on, result.merchant_id, result.lane_id, result.deposit_id, result.sequence,
        inlet_now(), result.reason
      from result
      join given_up on given_up.callback_id = result.callback_id
      on conflict (callback_id) do update
      set died_at = excluded.died_at, reason = excluded.reason
    )
    -- Only here the result of a request is stored: the callback's own row, with its body, is never updated.
    insert into callback_attempts (made_on, callback_id, at, ms, outcome, status, error, answer, address, node)
    select result.made_on, result.callback_id, to_timestamp(result.at / 1000), result.ms, result.outcome, result.status,
      result.error, result.answer, result.address, ${node}::uuid
    from result
    join async_commit on async_commit.setting = 'off'
    on conflict do nothing`)

/**
 * A result for JSON: numbers that may be above 2⁵³ are written as text, and nulls are left out. The fields are listed, because
 * JSON.stringify is slow if it has to call a function for every value.
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

/** Numbers of JSON are floats, so a bigint is written as text. */
const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

/** Changes a lane only while this node owns it. A released lane is served again after all others. */
export const writeLanes = (db: Queryable, node: string, lanes: readonly LaneChange[]) =>
  db.run(sql`
    with async_commit as materialized (
      select set_config('synchronous_commit', 'off', true) as setting
    )
    update callback_lanes l
    set
      window_size = change.window,
      trips = change.trips,
      open_until = case when change."openUntil" > 0 then to_timestamp(change."openUntil" / 1000) else '-infinity' end,
      failing_since = to_timestamp(change."failingSince" / 1000),
      state = case when change.pauses and l.state = 'active' then 'paused' else l.state end,
      reason = case when change.pauses and l.state = 'active' then change.pause else l.reason end,
      owner_until = case when change.release then now() else l.owner_until end
    from (
      select sent.id, sent.epoch, sent.window, sent.trips, sent."openUntil", sent."failingSince", sent.pause,
        sent.release,
        sent.pause is not null
          and (lane.origin is not null or merchant.callback_url is not distinct from sent."pausedUrl") as pauses
      from json_to_recordset(${JSON.stringify(lanes, asText)}::json) as sent (
        id bigint, epoch bigint, "window" smallint, trips integer, "openUntil" float8, "failingSince" float8,
        pause text, "pausedUrl" text, release boolean)
      join async_commit on async_commit.setting = 'off'
      join callback_lanes lane on lane.id = sent.id
      join merchants merchant on merchant.id = lane.merchant_id
    ) change
    where l.id = change.id and l.epoch = change.epoch and l.owner = ${node}`)
