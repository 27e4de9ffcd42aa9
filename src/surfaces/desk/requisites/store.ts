/** The queries of accounts with their load, and of requisites with their health. */

import { dayCents } from '../../../domain/requisites/load-store.ts'
import { bounds } from '../../../platform/bounds.ts'
import { type Queryable, sql } from '../../../platform/db.ts'
import type { ListPage } from '../../../platform/list-page.ts'
import type { AccountRow, AccountSearch, ListedRequisite, RequisiteRow } from './rows.ts'

/** Accounts that contain every word of the search, with the load of all their requisites. */
export const readAccounts = (
  db: Queryable,
  id: string | null,
  { patterns = [], mode = null, currency = null }: AccountSearch = {},
  { after, limit }: ListPage = { after: null, limit: 1 },
) =>
  db.query<AccountRow>(sql`
    select a.id, a.mode, a.currency, a.label, a.owner_legal_name as "ownerLegalName",
      a.owner_public_name as "ownerPublicName", a.owner_tax_id as "ownerTaxId",
      a.owner_agreement as "ownerAgreement", a.added_by as "addedBy", a.enabled, a.number, a.heard_at as "heardAt",
      a.day_cents as "dayLimit", a.month_cents as "monthLimit", a.open_deposits as "openLimit",
      a.silent_hours as "silentHours", a.amount_matching as "amountMatching", u.open, u.day_cents as "dayCents", u.month_cents as "monthCents", u.requisites, u.requisites_on as "requisitesOn"
    from receiving_accounts a
    cross join lateral (
      select
        coalesce(sum(l.open_deposits), 0)::int as open,
        coalesce(sum(l.day_cents) filter (
          where l.day = bank_day(r.currency, (select inlet_now()))), 0)::bigint as day_cents,
        coalesce(sum(l.month_cents) filter (
          where l.month = bank_month(r.currency, (select inlet_now()))), 0)::bigint as month_cents,
        count(*)::int as requisites,
        (count(*) filter (where r.enabled))::int as requisites_on
      from requisites r
      join requisite_loads l on l.requisite_id = r.id
      where r.account_id = a.id
    ) u
    where (${id}::uuid is null or a.id = ${id})
      and (${mode}::text is null or a.mode = ${mode})
      and (${currency}::text is null or a.currency = ${currency})
      and not exists (
        select
        from unnest(${patterns}::text[]) as w (pattern)
        where a.label !~ w.pattern
          and a.owner_legal_name !~ w.pattern
          and a.owner_public_name !~ w.pattern
          and right(coalesce(a.number, ''), 6) !~ (w.pattern || '$')
          and not exists (
            select
            from requisites r
            where r.account_id = a.id
              and (r.bank_name ~ w.pattern or right(r.number, 6) ~ (w.pattern || '$'))
          )
      )
      and (${after}::uuid is null or (a.mode, a.created_at, a.id) > (
        select b.mode, b.created_at, b.id from receiving_accounts b where b.id = ${after}))
    order by a.mode, a.created_at, a.id
    limit ${limit}`)

/** The first requisites of each of these accounts, for the list. */
export const listRequisitesOf = (db: Queryable, accountIds: readonly string[]) =>
  db.query<ListedRequisite>(sql`
    select r.id, r.account_id as "accountId", r.kind, right(r.number, 4) as digits, r.bank_name as "bankName", r.enabled
    from unnest(${accountIds}::uuid[]) as a (id)
    cross join lateral (
      select id, account_id, kind, number, bank_name, enabled
      from requisites
      where account_id = a.id
      order by created_at, id
      limit ${bounds.requisitesOfRow}
    ) r`)

/** Health is computed from the newest deposits of all merchants: a requisite without recent deposits has none. */
export const readRequisites = (
  db: Queryable,
  { accountId = null, id = null, page }: { accountId?: string | null; id?: string | null; page?: ListPage },
) =>
  db.query<RequisiteRow>(sql`
    with recent as materialized (
      select requisite_id, state, final_at
      from deposits
      where requisite_id is not null
      order by id desc
      limit 5000
    ), health as (
      select
        requisite_id,
        (count(*) filter (where state = 'confirmed'))::int as confirmed,
        (count(*) filter (where state in ('confirmed', 'rejected', 'expired', 'reversed')))::int as ended,
        max(final_at) filter (where state = 'confirmed') as last_confirmed_at
      from recent
      group by requisite_id
    )
    select r.id, r.account_id as "accountId", r.currency, r.kind, r.number, r.holder, r.bank_name as "bankName", r.enabled,
      r.min_cents as "minCents", r.max_cents as "maxCents", r.daily_cents as "dailyCents",
      r.open_deposits as "openLimit", l.open_deposits as open,
      ${dayCents} as "dayCents",
      case when l.month = bank_month(r.currency, (select inlet_now())) then l.month_cents else 0 end as "monthCents",
      coalesce(h.confirmed, 0) as confirmed, coalesce(h.ended, 0) as ended, h.last_confirmed_at as "lastConfirmedAt"
    from requisites r
    join requisite_loads l on l.requisite_id = r.id
    left join health h on h.requisite_id = r.id
    where (${accountId}::uuid is null or r.account_id = ${accountId})
      and (${id}::uuid is null or r.id = ${id})
      and (${page?.after ?? null}::uuid is null or (r.created_at, r.id) > (
        select b.created_at, b.id from requisites b where b.id = ${page?.after ?? null}))
    order by r.created_at, r.id
    limit ${page?.limit ?? 1}`)

/** The account of a requisite. */
export async function accountOfRequisite(db: Queryable, id: string): Promise<string | undefined> {
  const [row] = await db.query<{ account_id: string }>(
    sql`select account_id from requisites where id = ${id}`,
  )
  return row?.account_id
}
