/** All requisites that serve a payment type, whether on or off, full or not: those that a create chooses from. */
import type { PaymentType } from '../../../domain/catalogue/payment-type.ts'
import type { Merchant } from '../../../domain/merchants/merchant.ts'
import type { Currency } from '../../../domain/money.ts'
import {
  type AccountLoadRow,
  accountColumns,
  accountLoadFrom,
  dayCents,
  loadedRequisites,
} from '../../../domain/requisites/load-store.ts'
import { type Queryable, sql } from '../../../platform/db.ts'
import type { RequisiteLoad } from './rows.ts'

export async function readRequisites(
  db: Queryable,
  { merchant, currency, type }: { merchant: Merchant; currency: Currency; type: PaymentType },
): Promise<RequisiteLoad[]> {
  const group = type.group === 'select' ? null : type.group
  const rows = await db.query<Omit<RequisiteLoad, 'account'> & AccountLoadRow>(sql`
    select ${accountColumns}, r.id, r.kind, r.number, r.bank_name as "bankName", a.id as "accountId", a.label as "accountLabel",
      r.enabled and a.enabled as "isOn",
      r.min_cents as "minCents", r.max_cents as "maxCents", r.daily_cents as "dailyCents",
      r.open_deposits as "openLimit", l.open_deposits as "openDeposits",
      ${dayCents} as "dayCents"
    from ${loadedRequisites}
    where r.mode = ${merchant.mode}
      and r.currency = ${currency}
      and (${group}::text is null or split_part(r.kind, '_', 1) = ${group})
      and (${type.bankCode}::text is null or r.bank_code = ${type.bankCode})
      and (a.merchant_id is null or a.merchant_id = ${merchant.id})
    order by a.label, r.created_at, r.id
    limit 500`)
  return rows.map((row) => ({ ...row, account: accountLoadFrom(row) }))
}
