/** Requisites in the database, and which of them may serve a deposit. */
import { type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Cents, Currency } from '../money.ts'
import { type AccountLoad, type Candidate, slotKey, type TakenSlots } from './choice.ts'
import {
  type AccountLoadRow,
  accountColumns,
  accountLoadFrom,
  dayCents,
  hasRoom,
  hasRoomFor,
  loadedRequisites,
} from './load-store.ts'
import {
  carriesReference,
  type RequisiteDraft,
  type RequisiteGroup,
  type RequisiteLimits,
  type Serving,
} from './requisite.ts'

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

export const lockRequisiteLimits = (tx: Tx, id: string) =>
  tx.find<RequisiteLimits>(sql`
    select min_cents as "minCents", max_cents as "maxCents", daily_cents as "dailyCents",
      open_deposits as "openDeposits"
    from requisites
    where id = ${id}
    for no key update`)

export const updateRequisiteLimits = (tx: Tx, id: string, limits: RequisiteLimits) =>
  tx.run(sql`
    update requisites
    set
      min_cents = ${limits.minCents},
      max_cents = ${limits.maxCents},
      daily_cents = ${limits.dailyCents},
      open_deposits = ${limits.openDeposits}
    where id = ${id}`)

/** Whether an account or a requisite was on before the transaction that sets it. */
type WasEnabled = { wasEnabled: boolean }

/** Returns what was set before; undefined when there is no such requisite. */
export const setRequisiteEnabled = (tx: Tx, id: string, enabled: boolean) =>
  tx.find<WasEnabled>(sql`
    update requisites r
    set enabled = ${enabled}
    from (select id, enabled from requisites where id = ${id} for no key update) previous
    where r.id = previous.id
    returning previous.enabled as "wasEnabled"`)

const isLimited = ({ openLimit, dayLimit, monthLimit }: AccountLoad): boolean =>
  openLimit !== null || dayLimit !== null || monthLimit !== null

type CandidateRow = AccountLoadRow & Omit<Candidate, 'carriesReference' | 'account'>

export type Wanted = {
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
      r.id, r.account_id as "accountId", r.kind, r.number, r.holder, r.bank_name as "bankName", r.bic,
      r.corr_account as "corrAccount", r.tax_id as "taxId", r.kpp, r.kbe, r.knp, r.link, a.owner_public_name as seller,
      r.min_cents as "minCents", r.max_cents as "maxCents", r.daily_cents as "dailyCents",
      r.open_deposits as "openLimit", l.open_deposits as "openDeposits", ${dayCents} as "dayCents"
    from ${loadedRequisites}
    where r.mode = ${wanted.mode}
      and r.currency = ${wanted.currency}
      and split_part(r.kind, '_', 1) = ${wanted.type.group}
      and (${wanted.type.bankCode}::text is null or r.bank_code = ${wanted.type.bankCode})
      and (a.merchant_id is null or a.merchant_id = ${wanted.merchantId})
      and ${hasRoom}
    limit 5000`)
  const accounts = new Map<string, AccountLoad>()
  for (const row of rows) if (!accounts.has(row.accountId)) accounts.set(row.accountId, accountLoadFrom(row))
  const limited = (id: string) => (isLimited(accounts.get(id)!) ? accounts.get(id)! : null)
  return rows.map((row) => ({
    ...row,
    carriesReference: carriesReference(row.kind),
    account: limited(row.accountId),
  }))
}

/** The distinct groups and banks of requisites that could take this amount for this merchant now. */
export const readServing = (
  db: Queryable,
  deposit: { merchantId: string; mode: Mode; currency: Currency; amountCents: Cents },
) =>
  db.query<Serving>(sql`
    select distinct split_part(r.kind, '_', 1) as group, r.bank_code as "bankCode"
    from ${loadedRequisites}
    where r.mode = ${deposit.mode}
      and r.currency = ${deposit.currency}
      and (a.merchant_id is null or a.merchant_id = ${deposit.merchantId})
      and (r.min_cents is null or r.min_cents <= ${deposit.amountCents})
      and (r.max_cents is null or r.max_cents >= ${deposit.amountCents})
      and ${hasRoomFor(deposit.amountCents)}
      and (split_part(r.kind, '_', 1) = 'account' or not exists (
        select from deposit_slots s
        where s.currency = r.currency and s.amount_cents = ${deposit.amountCents} and s.account_id = r.account_id))`)

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
