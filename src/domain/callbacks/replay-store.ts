/** Which callbacks are sent again. */
import { bounds } from '../../platform/bounds.ts'
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { stillHolds } from './store.ts'

/**
 * When the callback `c` may be replayed again; null: now. A probe does not count, because it tests the endpoint and nobody asked for it.
 */
const replayableAt = fragment`(
  select a.at + interval '1 day'
  from (
    select at, outcome
    from delivery_attempts
    where made_on = c.made_on and event_id = c.event_id and at > inlet_now() - interval '1 day'
    order by at desc
    limit ${bounds.replays.lookedAt}) a
  where a.outcome <> 'probe'
  order by a.at desc
  offset ${bounds.replays.attemptsOfDay - 1}
  limit 1)`

/** What a replay has to know: whose callback it is, and for how long it has to wait. */
export const findReplayed = (db: Queryable, id: string) =>
  db.find<{ merchantId: string; waitSeconds: number | null }>(sql`
    select merchant_id as "merchantId", ceil(extract(epoch from ${replayableAt} - inlet_now()))::int as "waitSeconds"
    from (select merchant_id, made_on, id as event_id from events where id = ${id}) c`)

export type FailedCallback = { id: string; diedAt: string; mustWait: boolean; now: string }

/** Callbacks of this merchant that were given up since a time and until another one, after the one before. */
export const listFailed = (
  tx: Tx,
  asked: { merchantId: MerchantId; since: string; last: FailedCallback | undefined; limit: number },
) =>
  tx.query<FailedCallback>(sql`
    select c.event_id as id, c.died_at::text as "diedAt", ${replayableAt} is not null as "mustWait", c.now
    from (
      select event_id, made_on, died_at, coalesce(${asked.last?.now ?? null}, inlet_now()::text) as now
      from deliveries
      where state = 'dead' and merchant_id = ${asked.merchantId}
        and died_at >= ${asked.since}
        and died_at <= coalesce(${asked.last?.now ?? null}::timestamptz, inlet_now())
        and (${asked.last?.id ?? null}::uuid is null
          or (died_at, event_id) > (${asked.last?.diedAt ?? null}::timestamptz, ${asked.last?.id ?? null}::uuid))
      order by died_at, event_id
      limit ${asked.limit}
      for update skip locked) c
    order by c.died_at, c.event_id`)

/**
 * Makes events due now, with a fresh retry schedule: where they are open, were given up or were taken. A replay does not hold
 * back later events of its deposit, unless it was still open and held them back already.
 */
export const enqueueReplays = (tx: Tx, ids: readonly string[]) =>
  tx.run(sql`
    insert into deliveries as e
      (event_id, endpoint_id, merchant_id, deposit_id, sequence, made_on, due_at, holds)
    select c.id, sent.endpoint_id, c.merchant_id, c.deposit_id, c.sequence, c.made_on, inlet_now(), false
    from events c
    cross join lateral (
      select endpoint_id from deliveries where event_id = c.id
      union
      select endpoint_id
      from delivery_attempts
      where made_on = c.made_on and event_id = c.id and outcome = 'ok') sent
    where c.id = any(${ids}::uuid[])
    order by c.id
    on conflict (event_id, endpoint_id) do update
    set state = 'open', due_at = excluded.due_at, attempts = 0, holds = e.state = 'open' and ${stillHolds}, died_at = null,
      reason = null`)
