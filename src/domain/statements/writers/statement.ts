/** A statement to be written: one account, its period and its entries. The readers return the same entries. */
import type { Cents, Currency } from '../../money.ts'
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

type Totals = Record<WrittenEntry['direction'], { count: number; cents: Cents }>

export function totalsOf(entries: readonly WrittenEntry[]): Totals {
  const totals: Totals = { credit: { count: 0, cents: 0n }, debit: { count: 0, cents: 0n } }
  for (const { direction, cents } of entries) {
    totals[direction].count++
    totals[direction].cents += cents
  }
  return totals
}

/**
 * The opening balance is unknown, so one is chosen that covers the debits. It is not zero: rows that are proved by balances
 * which any payer could guess would have to be confirmed.
 */
export const openingOf = (entries: readonly WrittenEntry[]): Cents =>
  totalsOf(entries).debit.cents + 100_000_000n

/** One line of text: a break inside a value would be the next key of the file. */
export const oneLine = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()

export const dottedDay = (day: string): string => day.split('-').reverse().join('.')
