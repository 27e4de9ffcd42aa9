/** What the rule of identity looks at among the staged rows of a file, and what it says of them, in the database. */
import { type Queryable, sql } from '../../platform/db.ts'
import type { Told } from '../transfers/identity.ts'
import type { Role } from '../transfers/voice.ts'
import type { Planned } from './store.ts'

type Of = { runId: string; accountId: string }

export const setDays = (
  db: Queryable,
  { runId, accountId }: Of,
  days: readonly { day: string; role: Role | 'parked' }[],
) =>
  db.run(sql`
    insert into staged_days (run_id, account_id, day, role)
    select ${runId}, ${accountId}, unnest(${days.map(({ day }) => day)}::date[]), unnest(${days.map(({ role }) => role)}::text[])
    on conflict do nothing`)

/**
 * Rows that their source has told under the same key, in the same words. Each is looked up by itself: the new rows are not in the
 * table's statistics, and a join would be planned for a few.
 */
export const setKnown = (db: Queryable, { runId, accountId }: Of, sourceId: string) =>
  db.run(sql`
    insert into staged_outcomes (run_id, place, outcome, transfer_id)
    select ${runId}, place, 'known', known
    from (
      select s.place, (
          select k.transfer_id
          from transfer_keys k
          where k.account_id = s.account_id
            and k.source_id = ${sourceId}
            and k.role = (
              select d.role from staged_days d
              where d.run_id = s.run_id and d.account_id = s.account_id and d.day = s.booked_on)
            and k.key = s.key
            and k.variant = s.variant) as known
      from staged_entries s
      where s.run_id = ${runId} and s.account_id = ${accountId}
    ) n
    where known is not null
    on conflict do nothing`)

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
        where k.account_id = s.account_id and k.source_id = ${sourceId} and k.role = d.role and k.key = s.key) as "hasKey"
    from staged_entries s
    join staged_days d on d.run_id = s.run_id and d.account_id = s.account_id and d.day = s.booked_on
    where s.run_id = ${runId}
      and s.account_id = ${accountId}
      and d.role = ${role}
      and s.direction = 'credit'
      and s.place > ${after}
      and not exists (select from staged_outcomes o where o.run_id = s.run_id and o.place = s.place)
    order by s.place
    limit ${limit}`)
}

/** Those of these transfers that this file tells. */
export async function findTold(
  db: Queryable,
  runId: string,
  transferIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select distinct transfer_id as id
    from staged_outcomes
    where run_id = ${runId} and transfer_id = any(${transferIds}::uuid[])`)
  return new Set(rows.map(({ id }) => id))
}

/** What is new is not noted. */
export async function saveVerdicts(
  db: Queryable,
  runId: string,
  planned: readonly { place: number; verdict: Planned['verdict'] | { as: 'new' } }[],
): Promise<void> {
  const rows = planned.flatMap(({ place, verdict }) =>
    verdict.as === 'new' ? [] : [{ place, as: verdict.as, told: [verdict.with].flat() }],
  )
  if (rows.length === 0) return
  await db.run(sql`
    insert into staged_outcomes (run_id, place, outcome, transfer_id, held_with)
    select ${runId}, place, outcome, case when outcome <> 'held' then told[1] end, case when outcome = 'held' then told else '{}' end
    from (
      select unnest(${rows.map(({ place }) => place)}::int[]) as place, unnest(${rows.map((row) => row.as)}::text[]) as outcome,
        string_to_array(unnest(${rows.map(({ told }) => told.join(' '))}::text[]), ' ')::uuid[] as told
    ) n
    on conflict do nothing`)
}
