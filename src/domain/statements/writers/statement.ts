/** A statement to be written: one account, its period and its entries. */
import type { Currency } from '../../money.ts'
import type { Payment } from '../../transfers/transfer.ts'

export type WrittenEntry = Omit<Payment, 'currency'> & { bankId?: string | null }

export type WrittenStatement = {
  account: string
  currency: Currency
  /** Days, both included. */
  from: string
  to: string
  entries: readonly WrittenEntry[]
}

/** One line of text: a break inside a value would be the next key of the file. */
export const oneLine = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()

export const dottedDay = (day: string): string => day.split('-').reverse().join('.')
