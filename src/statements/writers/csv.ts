/** A statement as CSV with a header, in UTF-8, and the mapping that reads it. One file is of one account. */
import { decimal } from '../../money.ts'
import type { CsvMapping } from '../formats/csv-mapping.ts'
import { dottedDay, oneLine, type WrittenEntry, type WrittenStatement } from './statement.ts'

const separator = ';'

const header = [
  ...['Date', 'Amount', 'Currency', 'Payer', 'Payer account', 'Payer tax id', 'Purpose'],
  ...['Document', 'Bank id'],
]

export const csvMappingOf = ({ account }: Pick<WrittenStatement, 'account'>): CsvMapping => ({
  encoding: 'utf-8',
  separator,
  skipRows: 0,
  header: [...header],
  dateFormat: 'dd.mm.yyyy',
  account,
  columns: {
    date: 0,
    amount: 1,
    currency: 2,
    payerName: 3,
    payerAccount: 4,
    payerTaxId: 5,
    purpose: [6],
    documentNumber: 7,
    bankId: 8,
  },
})

export function writeCsv({ currency, entries }: Omit<WrittenStatement, 'account'>): Uint8Array {
  const rows = [header, ...entries.map((entry) => rowOf(entry, currency))]
  return new TextEncoder().encode(rows.map((row) => `${row.map(field).join(separator)}\r\n`).join(''))
}

const rowOf = (entry: WrittenEntry, currency: string): string[] => [
  // The bank's own time, as it stands in the ISO form.
  dottedDay(entry.bookedOn) + (entry.bookedAt ? ` ${entry.bookedAt.slice(11, 19)}` : ''),
  (entry.direction === 'debit' ? '-' : '') + decimal(entry.cents),
  currency,
  entry.payer.name,
  entry.payer.account,
  entry.payer.taxId,
  entry.purpose,
  entry.documentNumber,
  entry.bankId ?? '',
]

function field(value: string): string {
  const line = oneLine(value)
  return /[";]/.test(line) ? `"${line.replaceAll('"', '""')}"` : line
}
