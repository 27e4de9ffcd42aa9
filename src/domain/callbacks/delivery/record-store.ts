/**
 * Writes what was recorded of deliveries. If a crash loses the last of it, some events are sent twice and nothing else
 * happens, so these two statements, and no others of the program, commit asynchronously.
 */

import { type Queryable, sql } from '../../../platform/db.ts'
import type { LaneChange } from './held-lane.ts'
import type { Recorded } from './phases.ts'

/**
 * A success is final, whichever node reports it. A failure counts only while this node owns the endpoint, which the share lock
 * guarantees until the commit, and only for the attempt that it names: if it is written twice, or after a replay, it changes nothing.
 * A success that is written twice, because the first write got no answer, is counted once.
 *
 * `endpoint_id + 0` keeps the planner from the index by endpoint: a row is found by its event, not among all rows of its endpoint.
 */
export const writeResults = (db: Queryable, node: string, results: readonly Recorded[]) =>
  db.run(sql`
    with async_commit as materialized (
      select set_config('synchronous_commit', 'off', true) as setting
    ), result as materialized (
      select event, endpoint, made_on, attempts, outcome, epoch, at, ms, status, error, answer, address, due, reason
      from json_to_recordset(${JSON.stringify(results.map(rowFrom))}::json) as sent (
        event uuid, endpoint bigint, made_on date, attempts smallint, outcome text, epoch bigint, at float8, ms integer,
        status smallint, error text, answer text, address text, due float8, reason text)
    ), owned as materialized (
      select p.id, p.epoch
      from endpoints p
      where p.owner = ${node}
        and (p.id, p.epoch) in (select endpoint, epoch from result where outcome in ('retry', 'dead'))
      order by p.id
      for share of p
    ), taken as (
      delete from deliveries d
      using result r
      where r.outcome = 'ok' and d.event_id = r.event and d.endpoint_id + 0 = r.endpoint
    ), failed as (
      update deliveries d
      set attempts = r.attempts + 1,
        due_at = case when r.outcome = 'dead' then 'infinity' else to_timestamp(r.due / 1000) end,
        state = case when r.outcome = 'dead' then 'dead' else 'open' end,
        died_at = case when r.outcome = 'dead' then inlet_now() end,
        reason = r.reason
      from result r
      join owned on owned.id = r.endpoint and owned.epoch = r.epoch
      where r.outcome in ('retry', 'dead')
        and d.event_id = r.event and d.endpoint_id + 0 = r.endpoint
        and d.state = 'open' and d.attempts = r.attempts
    )
    -- Only here the result of a request is stored: the event's own row, with its body, is never updated.
    insert into delivery_attempts (made_on, event_id, endpoint_id, at, ms, outcome, status, error, answer, address, node)
    select made_on, event, endpoint, to_timestamp(at / 1000), ms, outcome, status, error, answer, address, ${node}::uuid
    from result
    join async_commit on async_commit.setting = 'off'
    on conflict do nothing`)

/**
 * A result for JSON: numbers that may be above 2⁵³ are written as text, and absent ones are left out. The fields are listed, because
 * JSON.stringify is slow if it has to call a function for every value.
 */
const rowFrom = (result: Recorded) => ({
  event: result.eventId,
  endpoint: `${result.endpointId}`,
  made_on: result.madeOn,
  attempts: result.attempts,
  outcome: result.outcome,
  epoch: `${result.epoch}`,
  at: result.at,
  ms: Math.round(result.ms),
  status: result.status,
  error: result.error,
  answer: result.answer,
  address: result.address,
  due: result.dueAt,
  reason: result.reason,
})

/** Numbers of JSON are floats, so a bigint is written as text. */
const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

/** Changes an endpoint only while this node owns it. A released one is served again after all others. */
export const writeLanes = (db: Queryable, node: string, lanes: readonly LaneChange[]) =>
  db.run(sql`
    with async_commit as materialized (
      select set_config('synchronous_commit', 'off', true) as setting
    )
    update endpoints p
    set
      window_size = change.window,
      trips = change.trips,
      open_until = case when change."openUntil" > 0 then to_timestamp(change."openUntil" / 1000) else '-infinity' end,
      failing_since = to_timestamp(change."failingSince" / 1000),
      state = case when change.pauses and p.state = 'active' then 'paused' else p.state end,
      reason = case when change.pauses and p.state = 'active' then change.pause else p.reason end,
      owner_until = case when change.release then now() else p.owner_until end
    from (
      select sent.id, sent.epoch, sent.window, sent.trips, sent."openUntil", sent."failingSince", sent.pause,
        sent.release,
        sent.pause is not null
          and (endpoint.origin is not null or merchant.callback_url is not distinct from sent."pausedUrl") as pauses
      from json_to_recordset(${JSON.stringify(lanes, asText)}::json) as sent (
        id bigint, epoch bigint, "window" smallint, trips integer, "openUntil" float8, "failingSince" float8,
        pause text, "pausedUrl" text, release boolean)
      join async_commit on async_commit.setting = 'off'
      join endpoints endpoint on endpoint.id = sent.id
      join merchants merchant on merchant.id = endpoint.merchant_id
    ) change
    where p.id = change.id and p.epoch = change.epoch and p.owner = ${node}`)
