/** A statement to be written: one account, its period and its entries. The readers return the same entries. */
import type { Currency } from '../../money.ts'
import type { Entry } from '../entry.ts'

export type WrittenEntry = Pick<
  Entry,
  | 'direction'
  | 'cents'
  | 'bookedOn'
  | 'bookedAt'
  | 'paidOn'
  | 'documentNumber'
  | 'payer'
  | 'purpose'
  | 'bankId'
>

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
