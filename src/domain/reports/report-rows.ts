/**
 * A report as rows, the same in CSV, in JSON and in the terminal. The first column says what a row is: `transfer` or `deposit`
 * for the lines, then `total` for each merchant, currency and requisite, and for each currency `proof`, `apart` and
 * `control`. Filter by it before you sum a column.
 */
import { bankZone, type Cents } from '../money.ts'
import type { Cell } from './csv.ts'
import {
  apartStates,
  differenceOf,
  differenceOfSums,
  type Proof,
  type ReportLine,
  receivedOf,
  type Sums,
  type Total,
} from './report.ts'

const moneyColumns = [
  ...['asked', 'amount', 'received', 'with_deposit', 'refunded', 'open', 'surplus', 'by_hand', 'difference'],
] as const
export const columns = [
  ...['line', 'booked_on', 'bank_zone', 'currency', 'merchant', 'merchant_name', 'requisite', 'deposit'],
  ...['order_id', 'deposit_state', 'labels', 'transfer', 'bank_reference', 'document_number', 'payer'],
  ...['state', 'rule', 'decided_by', 'transfers'],
  ...moneyColumns,
  ...['callback_event', 'callback_state', 'callback_delivered_at'],
] as const
export type Column = (typeof columns)[number]
export type Row = Partial<Record<Column, Cell>>

export const isMoney = (column: Column): boolean => (moneyColumns as readonly string[]).includes(column)

type Amounts = Record<keyof Omit<Sums, 'transfers' | 'byHandDeposits' | 'askedCents'>, Cents>

const money = (sums: Amounts & { askedCents: Cents | null }, difference: Cents): Row => ({
  asked: sums.askedCents,
  amount: sums.amountCents,
  received: sums.receivedCents,
  with_deposit: sums.depositCents,
  refunded: sums.refundCents,
  open: sums.openCents,
  surplus: sums.surplusCents,
  by_hand: sums.byHandCents,
  difference,
})

export const lineRow = (line: ReportLine): Row => ({
  line: line.kind,
  booked_on: line.bookedOn,
  bank_zone: bankZone[line.currency],
  currency: line.currency,
  merchant: line.merchantId,
  merchant_name: line.merchantName,
  requisite: line.requisite,
  deposit: line.depositId,
  order_id: line.orderId,
  deposit_state: line.depositState,
  labels: line.labels.join(' '),
  transfer: line.transferId,
  bank_reference: line.bankReference,
  document_number: line.documentNumber,
  payer: line.payer,
  state: line.state,
  rule: line.rule,
  decided_by: line.decidedBy,
  ...money({ ...line, amountCents: line.cents, receivedCents: receivedOf(line) }, differenceOf(line)),
  callback_event: line.callback?.event ?? null,
  callback_state: line.callback?.state ?? null,
  callback_delivered_at: line.callback?.deliveredAt?.toISOString() ?? null,
})

const sumCells = (sums: Sums): Row => ({
  transfers: sums.transfers,
  ...money(sums, differenceOfSums(sums)),
})

export const totalRow = (total: Total): Row => ({
  line: 'total',
  currency: total.currency,
  merchant: total.merchantId,
  merchant_name: total.merchantName,
  requisite: total.requisite,
  ...sumCells(total),
})

export const proofRows = ({ currency, apart, control, ...proof }: Proof): Row[] => [
  { line: 'proof', currency, state: proof.holds ? 'holds' : 'broken', ...sumCells(proof) },
  ...apartStates.map((state) => ({
    ...{ line: 'apart', currency, state },
    ...{ transfers: apart[state].transfers, amount: apart[state].cents },
  })),
  {
    ...{ line: 'control', currency, transfers: control.transfers, amount: control.cents },
    difference: control.cents - proof.amountCents,
  },
]
