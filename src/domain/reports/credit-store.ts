/** Credits that settle deposits, as a statement for 1C names them. */

import { fragment, sql, type Tx, unprepared } from '../../platform/db.ts'
import type { OneCAccount, OneCCredit } from './one-c-export.ts'
import { firstId, pagesOf, type ReportScope, reportBounds } from './store.ts'

/** An account as a statement names it, with the total of its exported credits. */
type CreditAccount = Omit<OneCAccount, 'number'> & {
  id: string
  label: string
  /** Null: neither the account nor its requisites have a number. */
  number: string | null
  count: number
}

/** The transfer `t` has paid a deposit of this merchant, if one is asked for. */
const isOfMerchant = ({ merchantId }: ReportScope) => fragment`
  (${merchantId}::uuid is null
    or exists (
      select from allocations s
      join deposits d on d.id = s.deposit_id
      where s.transfer_id = t.id and d.merchant_id = ${merchantId}))`

/** The accounts with credits of these days that settle deposits. */
export async function listCreditAccounts(tx: Tx, scope: ReportScope): Promise<CreditAccount[]> {
  const rows = await tx.query<Omit<CreditAccount, 'count'> & { count: bigint }>(
    unprepared(sql`
      select
        a.id, a.currency, a.label, coalesce(a.number, r.number) as number, a.owner_legal_name as owner,
        a.owner_tax_id as "taxId", coalesce(r.bank_name, '') as "bankName", coalesce(r.bic, '') as bic,
        coalesce(r.corr_account, '') as "corrAccount", coalesce(r.kpp, '') as kpp, sums.count, sums.cents
      from receiving_accounts a
      cross join lateral (
        select count(*) as count, sum(t.cents) as cents
        from transfers t
        where t.account_id = a.id
          and t.booked_on between ${scope.from}::date and ${scope.to}::date
          and t.state = 'matched'
          and (${scope.currency}::text is null or t.currency = ${scope.currency})
          and ${isOfMerchant(scope)}
      ) sums
      left join lateral (
        select r.number, r.bank_name, r.bic, r.corr_account, r.kpp
        from requisites r
        where r.account_id = a.id and r.kind like 'account%' and (a.number is null or r.number = a.number)
        order by r.created_at, r.id
        limit 1
      ) r on true
      where a.mode = ${scope.mode} and sums.count > 0
      order by a.currency, a.created_at, a.id`),
  )
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

type Credit = OneCCredit & { id: string }

/** The credits of an account that settle deposits, as the bank wrote them, a page at a time. */
export const creditPages = (tx: Tx, accountId: string, scope: ReportScope) =>
  pagesOf<Credit>((last) =>
    tx.query(sql`
      select
        t.id, t.cents, t.booked_on as "bookedOn", t.paid_on as "paidOn", t.document_number as "documentNumber",
        t.payer_name as "payerName", t.payer_account as "payerAccount", t.payer_tax_id as "payerTaxId",
        t.payer_bank as "payerBank", t.purpose
      from transfers t
      where t.account_id = ${accountId}
        and t.booked_on <= ${scope.to}::date
        and (t.booked_on, t.id) > (${last?.bookedOn ?? scope.from}::date, ${last?.id ?? firstId}::uuid)
        and t.state = 'matched'
        and (${scope.currency}::text is null or t.currency = ${scope.currency})
        and ${isOfMerchant(scope)}
      order by t.booked_on, t.id
      limit ${reportBounds.page}`),
  )
