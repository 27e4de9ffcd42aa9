/** What rows add up to, and how it compares with the numbers that the file states: one way of counting for all formats. */
import type { Cents } from '../money.ts'
import type { Count, Entry } from './entry.ts'

type Sum = { count: number; cents: Cents }

export class Tally {
  static of(entries: readonly Pick<Entry, 'direction' | 'cents'>[]): Tally {
    const tally = new Tally()
    for (const { direction, cents } of entries) tally.add(direction, cents)
    return tally
  }

  readonly credit: Sum = { count: 0, cents: 0n }
  readonly debit: Sum = { count: 0, cents: 0n }
  /** Rows that are not booked or cannot be read: the bank may count them or not. */
  unsure = 0

  add(direction: Entry['direction'], cents: Cents = 0n): void {
    this[direction].count++
    this[direction].cents += cents
  }

  get rows(): number {
    return this.credit.count + this.debit.count
  }

  /** The numbers that are stated, each with what it may be. */
  counts(stated: { [Counted in Count['counted']]?: number | null | undefined }): Count[] {
    const least = { entries: this.rows, credits: this.credit.count, debits: this.debit.count }
    return (['entries', 'credits', 'debits'] as const).flatMap((counted) => {
      const number = stated[counted] ?? null
      const range = { least: least[counted], most: least[counted] + this.unsure }
      return number === null ? [] : [{ counted, stated: number, ...range }]
    })
  }
}
