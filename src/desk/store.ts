/** What waits for people, counted up to a bound: every page of the desk shows it. */
import { type Queryable, sql } from '../platform/db.ts'

/** Further than this nobody counts: the queue is long. */
export const countedMost = 1_000

export async function readWaiting(
  db: Queryable,
): Promise<{ now: Date; queue: number; approvals: number; kinds: Record<string, number> }> {
  const [row] = await db.query<Record<string, number> & { now: Date }>(sql`
    select inlet_now() as now,
      (select count(*)::int from (
        select from transfers where state = 'ambiguous' limit ${countedMost}) t) as ambiguous,
      (select count(*)::int from (
        select from transfers where state = 'unmatched' limit ${countedMost}) t) as unmatched,
      (select count(*)::int from (
        select
        from deposits
        where claimed_at is not null
          and received_cents = 0
          and state in ('created', 'expired')
          and late_until > (select inlet_now())
          and not labels @> '{review}'
        limit ${countedMost}) d) as claimed,
      (select count(*)::int from (
        select from deposits where labels @> '{review}' limit ${countedMost}) d) as review,
      (select count(*)::int from (
        select from proposals where state = 'open' limit ${countedMost}) o) as proposal`)
  const { now, ...kinds } = row! as { now: Date } & Record<string, number>
  const { ambiguous = 0, unmatched = 0, claimed = 0, review = 0, proposal = 0 } = kinds
  return { now, queue: ambiguous + unmatched + claimed + review + proposal, approvals: proposal, kinds }
}
