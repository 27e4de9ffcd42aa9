/** The rows of a report as CSV, as one JSON document and for a terminal, written as they come. */
import { foreignText } from '../../platform/foreign-text.ts'
import { bankZone, type Cents } from '../money.ts'
import { byteOrderMark, type Cell, csvRow, decimalMark, type Separator } from './csv.ts'
import { type ReportFormat, signed } from './report.ts'
import { type Column, columns, isMoney, lineRow, proofRows, type Row, totalRow } from './report-rows.ts'

export function csvFormat(separator: Separator): ReportFormat {
  const written = (row: Row) =>
    csvRow(
      columns.map((name) => row[name] ?? null),
      separator,
    )
  // The header says what a reader of numbers and times has to know.
  const header = columns.map((name) => {
    if (isMoney(name)) return `${name} (0${decimalMark(separator)}00)`
    return name === 'callback_delivered_at' ? `${name} (UTC)` : name
  })
  return {
    begin: () => byteOrderMark + csvRow(header, separator),
    lines: (lines) => lines.map((line) => written(lineRow(line))).join(''),
    end: (totals, proofs) => [...totals.map(totalRow), ...proofs.flatMap(proofRows)].map(written).join(''),
  }
}

/** Money is in whole minor units, exact however large. */
export function jsonFormat(): ReportFormat {
  let isFirst = true
  return {
    begin: ({ mode, from, to, merchantId, currency, madeAt }) =>
      `{"report":${JSON.stringify({ mode, from, to, merchant: merchantId, currency, made_at: madeAt })},\n"lines":[`,
    lines(lines) {
      if (lines.length === 0) return ''
      const text = lines.map((line) => jsonRow(lineRow(line))).join(',\n')
      const before = isFirst ? '\n' : ',\n'
      isFirst = false
      return before + text
    },
    end: (totals, proofs) =>
      `],\n"totals":[${totals.map((total) => jsonRow(totalRow(total)))}],\n"proof":[${proofs.flatMap(proofRows).map(jsonRow)}]}\n`,
  }
}

/** A monthly sum may exceed 2^53, where a JavaScript number would be rounded: bigints are written digit by digit. */
const jsonRow = (row: Row): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) =>
        isMoney(name as Column) ? [`${name}_cents`, cell === null ? null : raw(cell as Cents)] : [name, cell],
      ),
    ),
  )

const raw = (cents: Cents): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(cents.toString())

/** Widths of the lines are fixed, because they are printed as they are read. */
const lineWidths: Partial<Record<Column, number>> = {
  ...{ booked_on: 10, currency: 8, amount: 16, asked: 16, by_hand: 16, state: 10, rule: 19 },
  ...{ difference: 10, merchant_name: 20, requisite: 20, order_id: 36, deposit: 36, transfer: 36 },
  ...{ bank_reference: 20, document_number: 15, payer: 28, callback_state: 14, callback_delivered_at: 24 },
}
const sumColumns: readonly Column[] = [
  ...(['line', 'currency', 'merchant_name', 'requisite', 'state', 'transfers', 'asked', 'amount'] as const),
  ...(['received', 'with_deposit', 'refunded', 'open', 'surplus', 'by_hand', 'difference'] as const),
]

export const tableFormat: ReportFormat = {
  begin: ({ mode, from, to, merchantId, currency }) =>
    `${[
      `${mode === 'live' ? 'Live' : 'Test'} money of ${from === to ? from : `${from} to ${to}`}, by the days of the banks${currency ? ` (${bankZone[currency]})` : ''}.`,
      ...(merchantId ? [`Merchant ${merchantId}.`] : []),
      '',
      header(lineWidths),
    ].join('\n')}\n`,
  lines: (lines) => lines.map((line) => `${padded(lineRow(line), lineWidths)}\n`).join(''),
  end(totals, proofs) {
    if (proofs.length === 0) return '\nNo money was seen, and nothing was confirmed.\n'
    const rows = [...totals.map(totalRow), ...proofs.flatMap(proofRows)]
    const widths = Object.fromEntries(
      sumColumns.map((name) => [name, Math.max(name.length, ...rows.map((row) => text(row[name]).length))]),
    )
    const unbalanced = proofs.reduce((sum, proof) => sum + proof.unbalanced, 0)
    return `\n${[
      header(widths),
      ...rows.map((row) => padded(row, widths)),
      ...(proofs.every(({ holds }) => holds)
        ? []
        : [`THE BOOKS DO NOT BALANCE: ${unbalanced} transfers have wrong parts. Run "inlet doctor --all".`]),
    ].join('\n')}\n`
  },
}

type Widths = Partial<Record<Column, number>>

const header = (widths: Widths): string =>
  padded(Object.fromEntries(Object.keys(widths).map((name) => [name, name])), widths)

/** Numbers stand at the right. */
const padded = (row: Row, widths: Widths): string =>
  Object.entries(widths)
    .map(([name, width]) => {
      const cell = text(row[name as Column], width)
      return isMoney(name as Column) || name === 'transfers' ? cell.padStart(width) : cell.padEnd(width)
    })
    .join('  ')
    .trimEnd()

function text(cell: Cell | undefined, width = 40): string {
  if (cell === null || cell === undefined || cell === '') return '–'
  return typeof cell === 'bigint' ? signed(cell) : foreignText(`${cell}`, width)
}
