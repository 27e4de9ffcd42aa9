/** Receiving accounts in the database. */
import { type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Cents, Currency } from '../money.ts'
import type { AmountMatching, ReceivingAccount } from './requisite.ts'

export const insertAccount = (tx: Tx, account: ReceivingAccount) =>
  tx.run(sql`
    insert into receiving_accounts
      (id, mode, currency, merchant_id, label, owner_legal_name, owner_public_name, owner_tax_id,
       owner_agreement, added_by, number)
    values
      (${account.id}, ${account.mode}, ${account.currency}, ${account.merchantId}, ${account.label},
       ${account.ownerLegalName}, ${account.ownerPublicName}, ${account.ownerTaxId}, ${account.ownerAgreement},
       ${account.addedBy}, ${account.number ?? null})`)

/** Sets the number by which statements are assigned; an account requisite sets it if the operator has not. */
export const setAccountNumber = (tx: Tx, id: string, number: string, { onlyIfNone = false } = {}) =>
  tx.has(sql`
    update receiving_accounts
    set number = ${number}
    where id = ${id} and (not ${onlyIfNone}::boolean or number is null)
    returning id`)

export const findAccount = (db: Queryable, id: string) =>
  db.find<{ id: string; mode: Mode; currency: Currency; label: string }>(sql`
    select id, mode, currency, label
    from receiving_accounts
    where id = ${id}`)

/** The settings of an account. Null is no limit, or no alarm about silence. */
export type AccountSettings = {
  enabled: boolean
  dayCents: Cents | null
  monthCents: Cents | null
  openDeposits: number | null
  silentHours: number | null
  amountMatching: AmountMatching
}

export const lockAccountSettings = (tx: Tx, id: string) =>
  tx.find<AccountSettings>(sql`
    select enabled, day_cents as "dayCents", month_cents as "monthCents", open_deposits as "openDeposits",
      silent_hours as "silentHours", amount_matching as "amountMatching"
    from receiving_accounts
    where id = ${id}
    for no key update`)

export const updateAccount = (tx: Tx, id: string, account: AccountSettings) =>
  tx.run(sql`
    update receiving_accounts
    set
      enabled = ${account.enabled},
      day_cents = ${account.dayCents},
      month_cents = ${account.monthCents},
      open_deposits = ${account.openDeposits},
      silent_hours = ${account.silentHours},
      amount_matching = ${account.amountMatching}
    where id = ${id}`)

/** Records that a bank reported on these accounts, at most once a minute: frequent pushes must not update the row each time. */
export const recordBankData = (db: Queryable, accountIds: readonly string[]) =>
  db.run(sql`
    update receiving_accounts
    set heard_at = inlet_now()
    where id = any(${accountIds}::uuid[])
      and (heard_at is null or heard_at < inlet_now() - interval '1 minute')`)
