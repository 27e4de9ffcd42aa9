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

const failedOf = ({ merchantId, since }: { merchantId: MerchantId; since: string | null }) => fragment`
  state = 'dead' and merchant_id = ${merchantId}
  and died_at >= coalesce(${since}::timestamptz, '-infinity')`

export const countFailed = async (db: Queryable, asked: Parameters<typeof failedOf>[0]): Promise<number> => {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*)::int as count from deliveries where ${failedOf(asked)}`)
  return count
}

/**
 * Makes everything due now that was given up, since a time or ever, with a fresh retry schedule; what was sent too often is
 * left out. Returns how many.
 */
export async function replayFailed(db: Queryable, asked: Parameters<typeof failedOf>[0]): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    with reopened as (
      update deliveries e
      set state = 'open', due_at = inlet_now(), attempts = 0, holds = false, died_at = null, reason = null
      from (
        select event_id, endpoint_id, made_on
        from deliveries
        where ${failedOf(asked)}
        for update skip locked) c
      where e.event_id = c.event_id and e.endpoint_id = c.endpoint_id and ${replayableAt} is null
      returning true)
    select count(*)::int as count from reopened`)
  return count
}

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
