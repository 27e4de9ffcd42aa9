/**
 * A statement as CSV with a header, in UTF-8, and the mapping that reads it. A file is for one account. Each row has the
 * balance after it, so that a forged row is detected.
 */

import { bankOffset, type Cents, type Currency, decimal } from '../../../src/domain/money.ts'
import type { CsvMapping } from '../../../src/domain/statements/formats/csv-mapping.ts'
import { Tally } from '../../../src/domain/statements/totals.ts'
import {
  dottedDay,
  oneLine,
  type WrittenEntry,
  type WrittenStatement,
} from '../../../src/domain/statements/writers/statement.ts'

const separator = ';'

const header = [
  ...['Date', 'Amount', 'Currency', 'Payer', 'Payer account', 'Payer tax id', 'Purpose'],
  ...['Document', 'Bank id', 'Balance'],
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
    balance: 9,
  },
})

export function writeCsv(statement: Omit<WrittenStatement, 'account'>): Uint8Array {
  const rows = tableOf(statement)
  return new TextEncoder().encode(rows.map((row) => `${row.map(field).join(separator)}\r\n`).join(''))
}

/** The header and the rows, for CSV and for workbooks. */
export function tableOf({ currency, entries }: Omit<WrittenStatement, 'account'>): string[][] {
  let balance = openingOf(entries)
  return [
    header,
    ...entries.map((entry) => {
      balance += entry.direction === 'credit' ? entry.cents : -entry.cents
      return rowOf(entry, currency, balance)
    }),
  ]
}

/**
 * The opening balance is unknown, so one is chosen that covers the debits. It is not zero: rows that are proved by balances
 * which any payer could guess would have to be confirmed.
 */
export const openingOf = (entries: readonly WrittenEntry[]): Cents =>
  Tally.of(entries).debit.cents + 100_000_000n

/** The columns whose values are numbers. */
export const numberColumns = [header.indexOf('Amount'), header.indexOf('Balance')]

const rowOf = (entry: WrittenEntry, currency: Currency, balance: Cents): string[] => [
  dottedDay(entry.bookedOn) + (entry.bookedAt ? ` ${clockOf(entry.bookedAt, currency)}` : ''),
  (entry.direction === 'debit' ? '-' : '') + decimal(entry.cents),
  currency,
  entry.payerName,
  entry.payerAccount,
  entry.payerTaxId,
  entry.purpose,
  entry.documentNumber,
  entry.bankId ?? '',
  decimal(balance),
]

const clockOf = (at: Date, currency: Currency): string =>
  new Date(at.getTime() - Date.parse(`1970-01-01T00:00:00${bankOffset[currency]}`))
    .toISOString()
    .slice(11, 19)

function field(value: string): string {
  const line = oneLine(value)
  return /[";]/.test(line) ? `"${line.replaceAll('"', '""')}"` : line
}
