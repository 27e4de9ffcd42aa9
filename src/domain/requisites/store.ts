/** Receiving accounts, requisites and their loads in the database. */

import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Cents, Currency } from '../money.ts'
import { type AccountLoad, type Candidate, slotKey, type TakenSlots } from './choice.ts'
import type { RequisiteGroup, Serving } from './requisite.ts'
import {
  type AmountMatching,
  carriesReference,
  type RequisiteDraft,
  type RequisiteKind,
  type RequisiteLimits,
} from './requisite.ts'

export type ReceivingAccount = {
  id: string
  mode: Mode
  currency: Currency
  merchantId: string | null
  label: string
  ownerLegalName: string
  ownerPublicName: string
  ownerTaxId: string
  ownerAgreement: string
  addedBy: string
  /** Under which the bank's statements know it. */
  number?: string | null
}

export async function insertAccount(tx: Tx, account: ReceivingAccount): Promise<void> {
  await tx.query(sql`
    insert into receiving_accounts
      (id, mode, currency, merchant_id, label, owner_legal_name, owner_public_name, owner_tax_id,
       owner_agreement, added_by, number)
    values
      (${account.id}, ${account.mode}, ${account.currency}, ${account.merchantId}, ${account.label},
       ${account.ownerLegalName}, ${account.ownerPublicName}, ${account.ownerTaxId}, ${account.ownerAgreement},
       ${account.addedBy}, ${account.number ?? null})`)
}

/** The number that statements know the account by; an account requisite names it where the operator has not. */
export async function setAccountNumber(
  tx: Tx,
  id: string,
  number: string,
  { onlyIfNone = false } = {},
): Promise<boolean> {
  const rows = await tx.query(sql`
    update receiving_accounts
    set number = ${number}
    where id = ${id} and (not ${onlyIfNone}::boolean or number is null)
    returning id`)
  return rows.length > 0
}

export async function findAccount(db: Queryable, id: string) {
  const [row] = await db.query<{ id: string; mode: Mode; currency: Currency; label: string }>(sql`
    select id, mode, currency, label
    from receiving_accounts
    where id = ${id}`)
  return row
}

export async function listAccounts(db: Queryable) {
  return db.query<{
    id: string
    mode: Mode
    currency: Currency
    merchant_id: string | null
    label: string
    owner_legal_name: string
    owner_public_name: string
    owner_tax_id: string
    owner_agreement: string
    added_by: string
    enabled: boolean
    number: string | null
    day_cents: bigint | null
    month_cents: bigint | null
    open_deposits: number | null
    silent_hours: number | null
    amount_matching: AmountMatching
    heard_at: Date | null
  }>(sql`
    select
      id, mode, currency, merchant_id, label, owner_legal_name, owner_public_name, owner_tax_id,
      owner_agreement, added_by, enabled, number, day_cents, month_cents, open_deposits, silent_hours,
      amount_matching, heard_at
    from receiving_accounts
    order by created_at, id
    limit 5000`)
}

/** What the operator may change about an account. Null is no limit, and no alarm about silence. */
export type AccountSettings = {
  enabled: boolean
  dayCents: Cents | null
  monthCents: Cents | null
  openDeposits: number | null
  silentHours: number | null
  amountMatching: AmountMatching
}

export async function lockAccountSettings(tx: Tx, id: string): Promise<AccountSettings | undefined> {
  const [row] = await tx.query<AccountSettings>(sql`
    select enabled, day_cents as "dayCents", month_cents as "monthCents", open_deposits as "openDeposits",
      silent_hours as "silentHours", amount_matching as "amountMatching"
    from receiving_accounts
    where id = ${id}
    for no key update`)
  return row
}

/** How the money of an account is read. */
export type AccountReading = {
  mode: Mode
  label: string
  number: string | null
  amountMatching: AmountMatching
}

export async function lockAccountReading(tx: Tx, id: string): Promise<AccountReading | undefined> {
  const [row] = await tx.query<AccountReading>(sql`
    select mode, label, number, amount_matching as "amountMatching"
    from receiving_accounts
    where id = ${id}
    for no key update`)
  return row
}

export async function updateAccount(tx: Tx, id: string, account: AccountSettings): Promise<void> {
  await tx.query(sql`
    update receiving_accounts
    set
      enabled = ${account.enabled},
      day_cents = ${account.dayCents},
      month_cents = ${account.monthCents},
      open_deposits = ${account.openDeposits},
      silent_hours = ${account.silentHours},
      amount_matching = ${account.amountMatching}
    where id = ${id}`)
}

export async function insertRequisite(
  tx: Tx,
  requisite: RequisiteDraft &
    RequisiteLimits & { id: string; accountId: string; mode: Mode; bankCode: string | null },
): Promise<void> {
  await tx.query(sql`
    with added as (
      insert into requisites
        (id, account_id, mode, currency, kind, number, holder, bank_name, bank_code, bic, corr_account, tax_id,
         kpp, kbe, knp, link, min_cents, max_cents, daily_cents, open_deposits)
      values
        (${requisite.id}, ${requisite.accountId}, ${requisite.mode}, ${requisite.currency}, ${requisite.kind},
         ${requisite.number}, ${requisite.holder}, ${requisite.bankName}, ${requisite.bankCode},
         ${requisite.bic ?? null}, ${requisite.corrAccount ?? null}, ${requisite.taxId ?? null},
         ${requisite.kpp ?? null}, ${requisite.kbe ?? null}, ${requisite.knp ?? null}, ${requisite.link ?? null},
         ${requisite.minCents}, ${requisite.maxCents}, ${requisite.dailyCents}, ${requisite.openDeposits})
      returning id
    )
    insert into requisite_loads (requisite_id)
    select id from added`)
}

export async function lockRequisiteLimits(tx: Tx, id: string): Promise<RequisiteLimits | undefined> {
  const [row] = await tx.query<RequisiteLimits>(sql`
    select min_cents as "minCents", max_cents as "maxCents", daily_cents as "dailyCents",
      open_deposits as "openDeposits"
    from requisites
    where id = ${id}
    for no key update`)
  return row
}

export async function updateRequisiteLimits(tx: Tx, id: string, limits: RequisiteLimits): Promise<void> {
  await tx.query(sql`
    update requisites
    set
      min_cents = ${limits.minCents},
      max_cents = ${limits.maxCents},
      daily_cents = ${limits.dailyCents},
      open_deposits = ${limits.openDeposits}
    where id = ${id}`)
}

export async function setRequisiteEnabled(tx: Tx, id: string, enabled: boolean): Promise<boolean> {
  const rows = await tx.query(sql`update requisites set enabled = ${enabled} where id = ${id} returning id`)
  return rows.length === 1
}

/** Whether a requisite, or a whole account, is on; what people call it, and its currency. */
export async function findSwitch(
  db: Queryable,
  of: 'requisite' | 'account',
  id: string,
): Promise<{ enabled: boolean; label: string; currency: Currency } | undefined> {
  const [row] = await db.query<{ enabled: boolean; label: string; currency: Currency }>(
    of === 'account'
      ? sql`select enabled, label, currency from receiving_accounts where id = ${id}`
      : sql`
          select enabled, bank_name || ' …' || right(number, 4) as label, currency
          from requisites
          where id = ${id}`,
  )
  return row
}

export async function listRequisites(db: Queryable) {
  return db.query<{
    id: string
    account_id: string
    mode: Mode
    currency: Currency
    kind: RequisiteKind
    number: string
    holder: string
    bank_name: string
    bank_code: string | null
    bic: string | null
    enabled: boolean
    owner_legal_name: string
    min_cents: bigint | null
    max_cents: bigint | null
    daily_cents: bigint | null
    open_limit: number | null
    open_deposits: number
    day_cents: bigint
  }>(sql`
    select
      r.id, r.account_id, r.mode, r.currency, r.kind, r.number, r.holder, r.bank_name, r.bank_code, r.bic,
      r.enabled and a.enabled as enabled, a.owner_legal_name,
      r.min_cents, r.max_cents, r.daily_cents, r.open_deposits as open_limit, l.open_deposits,
      case when l.day = bank_day(r.currency, (select inlet_now())) then l.day_cents else 0 end as day_cents
    from requisites r
    join receiving_accounts a on a.id = r.account_id
    join requisite_loads l on l.requisite_id = r.id
    order by r.mode, r.currency, r.kind, r.created_at, r.id
    limit 5000`)
}

/** What the account `a` carries over all of its requisites, as `u`. Not asked where it has no limits. */
export const accountLoad = fragment`
  cross join lateral (
    select
      coalesce(sum(ul.open_deposits), 0)::int as open_deposits,
      coalesce(sum(ul.day_cents) filter (
        where ul.day = bank_day(ur.currency, (select inlet_now()))), 0)::bigint as day_cents,
      coalesce(sum(ul.month_cents) filter (
        where ul.month = bank_month(ur.currency, (select inlet_now()))), 0)::bigint as month_cents
    from requisites ur
    join requisite_loads ul on ul.requisite_id = ur.id
    where ur.account_id = a.id
      and (a.open_deposits is not null or a.day_cents is not null or a.month_cents is not null)
  ) u`

export type AccountLoadRow = {
  account_open_limit: number | null
  account_day_limit: bigint | null
  account_month_limit: bigint | null
  account_open: number
  account_day_cents: bigint
  account_month_cents: bigint
}

export const accountColumns = fragment`
  a.open_deposits as account_open_limit, a.day_cents as account_day_limit, a.month_cents as account_month_limit,
  u.open_deposits as account_open, u.day_cents as account_day_cents, u.month_cents as account_month_cents`

export const accountLoadFrom = (row: AccountLoadRow): AccountLoad => ({
  openLimit: row.account_open_limit,
  dayLimit: row.account_day_limit,
  monthLimit: row.account_month_limit,
  openDeposits: row.account_open,
  dayCents: row.account_day_cents,
  monthCents: row.account_month_cents,
})

const isLimited = ({ openLimit, dayLimit, monthLimit }: AccountLoad): boolean =>
  openLimit !== null || dayLimit !== null || monthLimit !== null

type CandidateRow = AccountLoadRow & {
  id: string
  account_id: string
  kind: RequisiteKind
  number: string
  holder: string
  bank_name: string
  bic: string | null
  corr_account: string | null
  tax_id: string | null
  kpp: string | null
  kbe: string | null
  knp: string | null
  link: string | null
  seller: string
  min_cents: bigint | null
  max_cents: bigint | null
  daily_cents: bigint | null
  open_limit: number | null
  open_deposits: number
  day_cents: bigint
}

type Wanted = {
  merchantId: string
  mode: Mode
  currency: Currency
  type: { group: RequisiteGroup | 'select'; bankCode: string | null }
}

/** Every requisite that may serve this merchant with this type, with its load of this moment. */
export async function readCandidates(db: Queryable, wanted: Wanted): Promise<Candidate[]> {
  const rows = await db.query<CandidateRow>(sql`
    select
      ${accountColumns},
      r.id, r.account_id, r.kind, r.number, r.holder, r.bank_name, r.bic, r.corr_account, r.tax_id, r.kpp,
      r.kbe, r.knp, r.link, a.owner_public_name as seller,
      r.min_cents, r.max_cents, r.daily_cents, r.open_deposits as open_limit, l.open_deposits,
      case when l.day = bank_day(r.currency, (select inlet_now())) then l.day_cents else 0 end as day_cents
    from requisites r
    join receiving_accounts a on a.id = r.account_id
    join requisite_loads l on l.requisite_id = r.id
    ${accountLoad}
    where r.mode = ${wanted.mode}
      and r.currency = ${wanted.currency}
      and split_part(r.kind, '_', 1) = ${wanted.type.group}
      and (${wanted.type.bankCode}::text is null or r.bank_code = ${wanted.type.bankCode})
      and r.enabled
      and a.enabled
      and (a.merchant_id is null or a.merchant_id = ${wanted.merchantId})
      and (r.open_deposits is null or l.open_deposits < r.open_deposits)
      and (a.open_deposits is null or u.open_deposits < a.open_deposits)
      and (a.day_cents is null or u.day_cents < a.day_cents)
      and (a.month_cents is null or u.month_cents < a.month_cents)
    limit 5000`)
  const accounts = new Map<string, AccountLoad>()
  for (const row of rows)
    if (!accounts.has(row.account_id)) accounts.set(row.account_id, accountLoadFrom(row))
  const limited = (id: string) => (isLimited(accounts.get(id)!) ? accounts.get(id)! : null)
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    number: row.number,
    holder: row.holder,
    bankName: row.bank_name,
    bic: row.bic,
    corrAccount: row.corr_account,
    taxId: row.tax_id,
    kpp: row.kpp,
    kbe: row.kbe,
    knp: row.knp,
    link: row.link,
    seller: row.seller,
    carriesReference: carriesReference(row.kind),
    minCents: row.min_cents,
    maxCents: row.max_cents,
    dailyCents: row.daily_cents,
    openLimit: row.open_limit,
    openDeposits: row.open_deposits,
    dayCents: row.day_cents,
    account: limited(row.account_id),
  }))
}

/** What could take this amount for this merchant now, each kind and bank once. */
export async function readServing(
  db: Queryable,
  of: { merchantId: string; mode: Mode; currency: Currency; amountCents: Cents },
): Promise<Serving[]> {
  return db.query<Serving>(sql`
    select distinct split_part(r.kind, '_', 1) as group, r.bank_code as "bankCode"
    from requisites r
    join receiving_accounts a on a.id = r.account_id
    join requisite_loads l on l.requisite_id = r.id
    ${accountLoad}
    where r.mode = ${of.mode}
      and r.currency = ${of.currency}
      and r.enabled
      and a.enabled
      and (a.merchant_id is null or a.merchant_id = ${of.merchantId})
      and (r.min_cents is null or r.min_cents <= ${of.amountCents})
      and (r.max_cents is null or r.max_cents >= ${of.amountCents})
      and (r.open_deposits is null or l.open_deposits < r.open_deposits)
      and (r.daily_cents is null or r.daily_cents >= ${of.amountCents}
        + case when l.day = bank_day(r.currency, (select inlet_now())) then l.day_cents else 0 end)
      and (a.open_deposits is null or u.open_deposits < a.open_deposits)
      and (a.day_cents is null or u.day_cents + ${of.amountCents} <= a.day_cents)
      and (a.month_cents is null or u.month_cents + ${of.amountCents} <= a.month_cents)
      and (split_part(r.kind, '_', 1) = 'account' or not exists (
        select from deposit_slots s
        where s.currency = r.currency and s.amount_cents = ${of.amountCents} and s.account_id = r.account_id))`)
}

/** Which accounts already wait for one of these amounts. */
export async function readTakenSlots(
  db: Queryable,
  currency: Currency,
  amounts: readonly Cents[],
): Promise<TakenSlots> {
  const rows = await db.query<{ account_id: string; amount_cents: bigint }>(sql`
    select account_id, amount_cents
    from deposit_slots
    where currency = ${currency} and amount_cents = any(${amounts}::bigint[])`)
  return new Set(rows.map((row) => slotKey(row.account_id, row.amount_cents)))
}

/**
 * The loads of these accounts and requisites, locked together in id order, as every change of loads is; returns what
 * the accounts carry now. Before `addLoads`, where some account has limits: nobody else can then add to it.
 */
export async function holdAccounts(
  tx: Tx,
  { accountIds, requisiteIds }: { accountIds: readonly string[]; requisiteIds: readonly string[] },
): Promise<Map<string, AccountLoad>> {
  await tx.query(sql`
    select l.requisite_id
    from requisite_loads l
    where l.requisite_id in (
      select unnest(${requisiteIds}::uuid[])
      union
      select id from requisites where account_id = any(${accountIds}::uuid[]))
    order by l.requisite_id
    for update`)
  const rows = await tx.query<AccountLoadRow & { id: string }>(sql`
    select a.id, ${accountColumns}
    from receiving_accounts a
    ${accountLoad}
    where a.id = any(${accountIds}::uuid[])`)
  return new Map(rows.map((row) => [row.id, accountLoadFrom(row)]))
}

export type LoadIncrease = { requisiteId: string; deposits: number; cents: Cents }

/**
 * Adds to the loads of several requisites, locked in id order, each only if it stays enabled and inside its
 * limits. Returns the requisites that took it: one that is missing was filled or stopped by somebody else.
 */
export async function addLoads(tx: Tx, increases: readonly LoadIncrease[]): Promise<Set<string>> {
  const rows = await tx.query<{ requisite_id: string }>(sql`
    with added as (
      select requisite_id, deposits, cents
      from unnest(
        ${increases.map((one) => one.requisiteId)}::uuid[],
        ${increases.map((one) => one.deposits)}::int[],
        ${increases.map((one) => one.cents)}::bigint[]) as u (requisite_id, deposits, cents)
    ), locked as materialized (
      select l.requisite_id
      from requisite_loads l
      where l.requisite_id in (select requisite_id from added)
      order by l.requisite_id
      for update
    )
    update requisite_loads l
    set
      open_deposits = l.open_deposits + added.deposits,
      day_cents = added.cents
        + case when l.day = bank_day(r.currency, (select inlet_now())) then l.day_cents else 0 end,
      day = bank_day(r.currency, (select inlet_now())),
      month_cents = added.cents
        + case when l.month = bank_month(r.currency, (select inlet_now())) then l.month_cents else 0 end,
      month = bank_month(r.currency, (select inlet_now()))
    from added
    join locked on locked.requisite_id = added.requisite_id
    join requisites r on r.id = added.requisite_id
    join receiving_accounts a on a.id = r.account_id
    where l.requisite_id = added.requisite_id
      and r.enabled
      and a.enabled
      and (r.open_deposits is null or l.open_deposits + added.deposits <= r.open_deposits)
      and (r.daily_cents is null or r.daily_cents >= added.cents
        + case when l.day = bank_day(r.currency, (select inlet_now())) then l.day_cents else 0 end)
    returning l.requisite_id`)
  return new Set(rows.map((row) => row.requisite_id))
}

export type LoadMove = {
  depositId: string
  deposits: number
  cents: Cents
  /** The amount counts for today, not for the day the deposit was made. */
  today: boolean
}

/** Moves the loads of the deposits' requisites, locked in id order; a sum of a day or month gone by is let be. */
export async function moveLoads(tx: Tx, moves: readonly LoadMove[]): Promise<void> {
  if (moves.length === 0) return
  await tx.query(sql`
    with moved as (
      select
        d.requisite_id, u.deposits, u.cents,
        bank_day(d.currency, case when u.today then (select inlet_now()) else d.issued_at end) as day,
        bank_month(d.currency, case when u.today then (select inlet_now()) else d.issued_at end) as month
      from unnest(
        ${moves.map((move) => move.depositId)}::uuid[],
        ${moves.map((move) => move.deposits)}::int[],
        ${moves.map((move) => move.cents)}::bigint[],
        ${moves.map((move) => move.today)}::boolean[]) as u (deposit_id, deposits, cents, today)
      join deposits d on d.id = u.deposit_id
      where d.requisite_id is not null
    ), locked as materialized (
      select l.requisite_id
      from requisite_loads l
      where l.requisite_id in (select requisite_id from moved)
      order by l.requisite_id
      for update
    )
    update requisite_loads l
    set
      open_deposits = l.open_deposits + sums.deposits,
      day = greatest(l.day, sums.day),
      day_cents = greatest(0, case when sums.day > l.day then 0 else l.day_cents end + coalesce(
        (select sum(m.cents)
         from moved m
         where m.requisite_id = l.requisite_id and m.day = greatest(l.day, sums.day)), 0)),
      month = greatest(l.month, sums.month),
      month_cents = greatest(0, case when sums.month > l.month then 0 else l.month_cents end + coalesce(
        (select sum(m.cents)
         from moved m
         where m.requisite_id = l.requisite_id and m.month = greatest(l.month, sums.month)), 0))
    from (
      select requisite_id, sum(deposits) as deposits, max(day) filter (where cents > 0) as day,
        max(month) filter (where cents > 0) as month
      from moved
      group by requisite_id
    ) sums
    join locked on locked.requisite_id = sums.requisite_id
    where l.requisite_id = sums.requisite_id`)
}
