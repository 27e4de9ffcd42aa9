/**
 * How one bank writes its CSV, saved with the requisite. Columns are places from 0: the header's names are compared
 * with those of the day the mapping was made, so that a place cannot come to mean something else.
 */
import type { Currency } from '../../money.ts'
import type { DateFormat } from './dates.ts'

export type CsvMapping = {
  encoding: 'utf-8' | 'windows-1251'
  separator: ';' | ',' | '\t'
  /** Lines above the header: the bank's name, the period. */
  skipRows: number
  /** The header's names, all of them, in order. */
  header: string[]
  dateFormat: DateFormat
  /** Our account: the file itself seldom names it. */
  account: string
  /** The currency where no column names one. */
  currency?: Currency
  columns: CsvColumns
}

export type CsvColumns = {
  /** With a time behind the day, where the bank writes one. */
  date: number
  payerName?: number
  payerAccount?: number
  payerTaxId?: number
  /** Joined in this order. */
  purpose?: number[]
  bankId?: number
  documentNumber?: number
  currency?: number
} & ({ /** Below zero is a debit. */ amount: number } | { credit: number; debit: number })
