/** What rows add up to: one way of counting for all formats. */
import type { Cents } from '../money.ts'
import type { Entry } from './entry.ts'

export class Tally {
  static of(entries: readonly Pick<Entry, 'direction' | 'cents'>[]): Tally {
    const tally = new Tally()
    for (const { direction, cents } of entries) tally.add(direction, cents)
    return tally
  }

  readonly credit = { count: 0, cents: 0n }
  readonly debit = { count: 0, cents: 0n }

  add(direction: Entry['direction'], cents: Cents): void {
    this[direction].count++
    this[direction].cents += cents
  }

  get rows(): number {
    return this.credit.count + this.debit.count
  }
}
