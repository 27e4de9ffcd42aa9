/**
 * A report as CSV. Every row has the same columns, and the first says what the row is: `transfer` or `deposit` for
 * the lines, then `total` for each merchant, currency and requisite, and for each currency `proof`, `apart` and
 * `control`. Filter by it before you sum a column.
 */
import { bankZone } from '../money.ts'
import { byteOrderMark, type Cell, csvRow, decimalMark, type Separator } from './csv.ts'
import {
  apartStates,
  differenceOfSums,
  type Proof,
  type ReportFormat,
  type ReportLine,
  type Sums,
  type Total,
} from './report.ts'
import { lineMoney, lineTexts, moneyNames, sumMoney } from './report-fields.ts'

export function csvFormat(separator: Separator): ReportFormat {
  const row = (cells: Cells) =>
    csvRow(
      columns.map((name) => cells[name] ?? null),
      separator,
    )
  return {
    begin: () => byteOrderMark + csvRow(headerOf(separator), separator),
    lines: (lines) => lines.map((line) => row(lineCells(line))).join(''),
    end: (totals, proofs) =>
      [...totals.map(totalCells), ...proofs.flatMap(proofRows)].map((cells) => row(cells)).join(''),
  }
}

const columns = [
  'line',
  'booked_on',
  'bank_zone',
  'currency',
  'merchant',
  'merchant_name',
  'requisite',
  'deposit',
  'order_id',
  'deposit_state',
  'labels',
  'transfer',
  'bank_reference',
  'document_number',
  'payer',
  'state',
  'rule',
  'decided_by',
  'transfers',
  ...moneyNames,
  'callback_event',
  'callback_state',
  'callback_delivered_at',
] as const
type Column = (typeof columns)[number]
type Cells = Partial<Record<Column, Cell>>

/** The header says what a reader of numbers and times has to know. */
const headerOf = (separator: Separator): string[] =>
  columns.map((name) => {
    if ((moneyNames as readonly string[]).includes(name)) return `${name} (0${decimalMark(separator)}00)`
    return name === 'callback_delivered_at' ? `${name} (UTC)` : name
  })

const lineCells = (line: ReportLine): Cells => ({
  ...lineTexts(line),
  ...lineMoney(line),
  bank_zone: bankZone[line.currency],
  labels: line.labels.join(' '),
  callback_event: line.callback?.event ?? null,
  callback_state: line.callback?.state ?? null,
  callback_delivered_at: line.callback?.deliveredAt?.toISOString() ?? null,
})

const sumCells = (sums: Sums): Cells => ({
  transfers: sums.transfers,
  ...sumMoney(sums, differenceOfSums(sums)),
})

const totalCells = (total: Total): Cells => ({
  line: 'total',
  currency: total.currency,
  merchant: total.merchantId,
  merchant_name: total.merchantName,
  requisite: total.requisite,
  ...sumCells(total),
})

const proofRows = (proof: Proof): Cells[] => [
  { line: 'proof', currency: proof.currency, state: proof.holds ? 'holds' : 'broken', ...sumCells(proof) },
  ...apartStates.map((state) => ({
    line: 'apart',
    currency: proof.currency,
    state,
    transfers: proof.apart[state].transfers,
    amount: proof.apart[state].cents,
  })),
  {
    line: 'control',
    currency: proof.currency,
    transfers: proof.control.transfers,
    amount: proof.control.cents,
    difference: proof.control.cents - proof.amountCents,
  },
]
