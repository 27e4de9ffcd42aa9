/** What a report says of a line and of a sum, under the names of its columns: the same in CSV and JSON. */
import type { Cents } from '../money.ts'
import { differenceOf, type ReportLine, receivedOf, type Sums } from './report.ts'

export const lineTexts = (line: ReportLine) => ({
  line: line.kind,
  booked_on: line.bookedOn,
  currency: line.currency,
  merchant: line.merchantId,
  merchant_name: line.merchantName,
  requisite: line.requisite,
  deposit: line.depositId,
  order_id: line.orderId,
  deposit_state: line.depositState,
  transfer: line.transferId,
  bank_reference: line.bankReference,
  document_number: line.documentNumber,
  payer: line.payer,
  state: line.state,
  rule: line.rule,
  decided_by: line.decidedBy,
})

const amounts = {
  asked: 'askedCents',
  amount: 'amountCents',
  received: 'receivedCents',
  with_deposit: 'depositCents',
  refunded: 'refundCents',
  open: 'openCents',
  surplus: 'surplusCents',
  by_hand: 'byHandCents',
} as const satisfies Record<string, keyof Sums>
type Amount = keyof typeof amounts

export const moneyNames = [...(Object.keys(amounts) as Amount[]), 'difference'] as const
export type Money = Partial<Record<(typeof moneyNames)[number], Cents | null>>

export const sumMoney = (
  sums: { [key in (typeof amounts)[Amount]]: Cents | null },
  difference: Cents,
): Money => ({
  ...Object.fromEntries(Object.entries(amounts).map(([name, key]) => [name, sums[key]])),
  difference,
})

export const lineMoney = (line: ReportLine): Money =>
  sumMoney({ ...line, amountCents: line.cents, receivedCents: receivedOf(line) }, differenceOf(line))
