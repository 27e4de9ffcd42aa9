/** Accounts and requisites as the office lists them: with their load, and how many deposits were paid to each. */
import { fragment, type Queryable, sql } from '../../platform/db.ts'
import type { ListPage } from '../../platform/list-page.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Cents, Currency } from '../money.ts'
import type { AccountLoad } from './choice.ts'
import { type AccountLoadRow, accountColumns, accountLoadFrom, dayCents } from './load-store.ts'
import type { AmountMatching, ReceivingAccount, RequisiteDraft } from './requisite.ts'

/** To choose from. */
export const listAccountNames = (db: Queryable, { mode = null }: { mode?: Mode | null } = {}) =>
  db.query<{ id: string; label: string; mode: Mode; currency: Currency; number: string | null }>(sql`
    select id, label, mode, currency, number
    from receiving_accounts
    where ${mode}::text is null or mode = ${mode}
    order by mode, label, id
    limit 1000`)

/** The sums of the requisites `ur` with their loads `ul`. */
const sums = fragment`
  coalesce(sum(ul.open_deposits), 0)::int as open_deposits,
  coalesce(sum(ul.day_cents) filter (
    where ul.day = bank_day(ur.currency, (select inlet_now()))), 0)::bigint as day_cents,
  coalesce(sum(ul.month_cents) filter (
    where ul.month = bank_month(ur.currency, (select inlet_now()))), 0)::bigint as month_cents`

export type ListedAccount = Omit<ReceivingAccount, 'number'> & {
  enabled: boolean
  number: string | null
  heardAt: Date | null
  dayLimit: Cents | null
  monthLimit: Cents | null
  openLimit: number | null
  silentHours: number | null
  amountMatching: AmountMatching
  open: number
  dayCents: Cents
  monthCents: Cents
  requisites: number
  requisitesOn: number
}

/** `patterns` are words as regular expressions of PostgreSQL: each is in a name, an owner or a bank, or ends a number. */
type AccountSearch = {
  id?: string | null
  patterns?: readonly string[]
  mode?: Mode | null
  currency?: Currency | null
}

export const listAccounts = (
  db: Queryable,
  { id = null, patterns = [], mode = null, currency = null }: AccountSearch,
  { after, limit }: ListPage = { after: null, limit: 1 },
) =>
  db.query<ListedAccount>(sql`
    select a.id, a.mode, a.currency, a.merchant_id as "merchantId", a.label, a.owner_legal_name as "ownerLegalName",
      a.owner_public_name as "ownerPublicName", a.owner_tax_id as "ownerTaxId",
      a.owner_agreement as "ownerAgreement", a.added_by as "addedBy", a.enabled, a.number, a.heard_at as "heardAt",
      a.day_cents as "dayLimit", a.month_cents as "monthLimit", a.open_deposits as "openLimit",
      a.silent_hours as "silentHours", a.amount_matching as "amountMatching", u.open_deposits as open,
      u.day_cents as "dayCents", u.month_cents as "monthCents", u.requisites, u.requisites_on as "requisitesOn"
    from receiving_accounts a
    cross join lateral (
      select ${sums}, count(*)::int as requisites, (count(*) filter (where ur.enabled))::int as requisites_on
      from requisites ur
      join requisite_loads ul on ul.requisite_id = ur.id
      where ur.account_id = a.id
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

export type ListedRequisite = Omit<RequisiteDraft, 'currency'> & {
  id: string
  currency: Currency
  mode: Mode
  accountId: string
  accountLabel: string
  ownerLegalName: string
  bankCode: string | null
  isOn: boolean
  isAccountOn: boolean
  minCents: Cents | null
  maxCents: Cents | null
  dailyCents: Cents | null
  openLimit: number | null
  openDeposits: number
  dayCents: Cents
  monthCents: Cents
  account: AccountLoad
  /** Of the newest deposits of all merchants. */
  confirmed: number
  ended: number
  lastConfirmedAt: Date | null
}

type RequisiteSearch = {
  id?: string | null
  accountId?: string | null
  patterns?: readonly string[]
  mode?: Mode | null
  currency?: Currency | null
}

/** A requisite without recent deposits has no health. */
export async function listRequisites(
  db: Queryable,
  { id = null, accountId = null, patterns = [], mode = null, currency = null }: RequisiteSearch,
  { after, limit }: ListPage = { after: null, limit: 1 },
): Promise<ListedRequisite[]> {
  const rows = await db.query<Omit<ListedRequisite, 'account'> & AccountLoadRow>(sql`
    with page as materialized (
      select r.id, r.account_id
      from requisites r
      join receiving_accounts a on a.id = r.account_id
      where (${id}::uuid is null or r.id = ${id})
        and (${accountId}::uuid is null or r.account_id = ${accountId})
        and (${mode}::text is null or r.mode = ${mode})
        and (${currency}::text is null or r.currency = ${currency})
        and not exists (
          select
          from unnest(${patterns}::text[]) as w (pattern)
          where r.bank_name !~ w.pattern
            and r.holder !~ w.pattern
            and a.label !~ w.pattern
            and right(r.number, 6) !~ (w.pattern || '$')
        )
        and (${after}::uuid is null or (r.created_at, r.id) > (
          select b.created_at, b.id from requisites b where b.id = ${after}))
      order by r.created_at, r.id
      limit ${limit}
    ), used as (
      select ur.account_id, ${sums}
      from requisites ur
      join requisite_loads ul on ul.requisite_id = ur.id
      where ur.account_id in (select account_id from page)
      group by ur.account_id
    ), recent as materialized (
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
    select ${accountColumns},
      r.id, r.account_id as "accountId", a.label as "accountLabel", a.owner_legal_name as "ownerLegalName", r.mode,
      r.currency, r.kind, r.number, r.holder, r.bank_name as "bankName", r.bank_code as "bankCode", r.bic,
      r.corr_account as "corrAccount", r.tax_id as "taxId", r.kpp, r.kbe, r.knp, r.link, r.enabled as "isOn",
      a.enabled as "isAccountOn", r.min_cents as "minCents", r.max_cents as "maxCents",
      r.daily_cents as "dailyCents", r.open_deposits as "openLimit", l.open_deposits as "openDeposits",
      ${dayCents} as "dayCents",
      case when l.month = bank_month(r.currency, (select inlet_now())) then l.month_cents else 0 end as "monthCents",
      coalesce(h.confirmed, 0) as confirmed, coalesce(h.ended, 0) as ended, h.last_confirmed_at as "lastConfirmedAt"
    from page
    join requisites r on r.id = page.id
    join receiving_accounts a on a.id = r.account_id
    join requisite_loads l on l.requisite_id = r.id
    join used u on u.account_id = r.account_id
    left join health h on h.requisite_id = r.id
    order by r.created_at, r.id`)
  return rows.map((row) => ({ ...row, account: accountLoadFrom(row) }))
}
