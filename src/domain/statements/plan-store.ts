/** What the rule of identity looks at among the staged rows of a file, and what it says of them, in the database. */
import { fragment, type Queryable, sql } from '../../platform/db.ts'
import type { Told } from '../transfers/identity.ts'
import type { Role } from '../transfers/voice.ts'
import type { PlannedVerdict } from './store.ts'

type Of = { runId: string; accountId: string }

/** Rows are staged as booked, so that only those of other days are written once more. */
export async function setDays(
  db: Queryable,
  { runId, accountId }: Of,
  days: readonly { day: string; role: Role | 'parked' }[],
): Promise<void> {
  const others = days.filter(({ role }) => role !== 'booked')
  if (others.length === 0) return
  await db.run(sql`
    update staged_entries s
    set role = d.role
    from unnest(${others.map(({ day }) => day)}::date[], ${others.map(({ role }) => role)}::text[]) as d (day, role)
    where s.run_id = ${runId} and s.account_id = ${accountId} and s.booked_on = d.day`)
}

/**
 * Rows that their source has told under the same key, in the same words. Each is looked up by itself: the new rows are not in the
 * table's statistics, and a join would be planned for a few.
 */
export async function setKnown(db: Queryable, { runId, accountId }: Of, sourceId: string): Promise<void> {
  const known = fragment`(
    select k.transfer_id
    from transfer_keys k
    where k.account_id = s.account_id
      and k.source_id = ${sourceId}
      and k.role = s.role
      and k.key = s.key
      and k.variant = s.variant)`
  await db.run(sql`
    update staged_entries s
    set outcome = 'known', transfer_id = ${known}
    where s.run_id = ${runId} and s.account_id = ${accountId} and ${known} is not null`)
}

export type PlanRow = Told & { place: number; key: Buffer; variant: Buffer; hasKey: boolean }

/** The next credits that nothing is known about. `hasKey`: their source has told their id in other words. */
export async function readUnjudged(
  db: Queryable,
  { runId, accountId }: Of,
  { sourceId, role, after, limit }: { sourceId: string; role: Role; after: number; limit: number },
): Promise<PlanRow[]> {
  return db.query<PlanRow>(sql`
    select s.place, s.cents, s.direction, s.booked_on as day, s.names as references, s.is_sum as "isSum",
      s.tax_id as "taxId", s.bank_id as "lastingId", s.key, s.variant,
      octet_length(s.variant) > 4 and exists (
        select from transfer_keys k
        where k.account_id = s.account_id and k.source_id = ${sourceId} and k.role = s.role and k.key = s.key) as "hasKey"
    from staged_entries s
    where s.run_id = ${runId}
      and s.account_id = ${accountId}
      and s.role = ${role}
      and s.direction = 'credit'
      and s.place > ${after}
      and s.outcome is null
    order by s.place
    limit ${limit}`)
}

export async function findTold(
  db: Queryable,
  runId: string,
  transferIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select distinct transfer_id as id
    from staged_entries
    where run_id = ${runId} and transfer_id = any(${transferIds}::uuid[])`)
  return new Set(rows.map(({ id }) => id))
}

export type Planned = { place: number; verdict: PlannedVerdict | { as: 'new' } }

/** What is new is not noted. */
export async function saveVerdicts(db: Queryable, runId: string, planned: readonly Planned[]): Promise<void> {
  const rows = planned.flatMap(({ place, verdict }) =>
    verdict.as === 'new' ? [] : [{ place, as: verdict.as, told: [verdict.with].flat() }],
  )
  if (rows.length === 0) return
  await db.run(sql`
    update staged_entries s
    set outcome = n.outcome, transfer_id = case when n.outcome <> 'held' then n.told[1] end,
      held_with = case when n.outcome = 'held' then n.told end
    from (
      select unnest(${rows.map(({ place }) => place)}::int[]) as place, unnest(${rows.map((row) => row.as)}::text[]) as outcome,
        string_to_array(unnest(${rows.map(({ told }) => told.join(' '))}::text[]), ' ')::uuid[] as told
    ) n
    where s.run_id = ${runId} and s.place = n.place and s.outcome is null`)
}
