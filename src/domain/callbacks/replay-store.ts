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
    from callback_attempts
    where made_on = c.made_on and callback_id = c.callback_id and at > inlet_now() - interval '1 day'
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
    from (select merchant_id, made_on, id as callback_id from callbacks where id = ${id}) c`)

export type FailedCallback = { id: string; diedAt: string; mustWait: boolean; now: string }

/** Callbacks of this merchant that were given up since a time and until another one, after the one before. */
export const listFailed = (
  tx: Tx,
  asked: { merchantId: MerchantId; since: string; last: FailedCallback | undefined; limit: number },
) =>
  tx.query<FailedCallback>(sql`
    select c.callback_id as id, c.died_at::text as "diedAt", ${replayableAt} is not null as "mustWait", c.now
    from (
      select callback_id, made_on, died_at, coalesce(${asked.last?.now ?? null}, inlet_now()::text) as now
      from callback_dead
      where merchant_id = ${asked.merchantId}
        and died_at >= ${asked.since}
        and died_at <= coalesce(${asked.last?.now ?? null}::timestamptz, inlet_now())
        and (${asked.last?.id ?? null}::uuid is null
          or (died_at, callback_id) > (${asked.last?.diedAt ?? null}::timestamptz, ${asked.last?.id ?? null}::uuid))
      order by died_at, callback_id
      limit ${asked.limit}
      for update skip locked) c
    order by c.died_at, c.callback_id`)

/**
 * Makes callbacks due now, with a fresh retry schedule. A replayed callback does not hold back later ones of its deposit,
 * unless it was still pending and held them back already.
 */
export const enqueueReplays = (tx: Tx, ids: readonly string[]) =>
  tx.run(sql`
    with again as (
      select c.lane_id, c.deposit_id, c.sequence, c.id, c.made_on
      from callbacks c
      where c.id = any(${ids}::uuid[])
      order by c.lane_id, c.deposit_id, c.sequence
    ), revived as (
      delete from callback_dead
      where callback_id = any(${ids}::uuid[])
    )
    insert into callback_due as e (lane_id, deposit_id, sequence, callback_id, made_on, due_at, holds)
    select lane_id, deposit_id, sequence, id, made_on, inlet_now(), false
    from again
    on conflict (lane_id, deposit_id, sequence) do update
    set due_at = excluded.due_at, attempts = 0, holds = ${stillHolds}`)
