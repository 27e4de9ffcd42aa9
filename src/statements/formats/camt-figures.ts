/** What a camt statement says of itself: sums, numbers of entries, balances. They only serve to compare. */
import type { Count, Summary } from '../entry.ts'
import { amountOf } from './amount.ts'
import type { Values } from './camt-values.ts'

export class Figures {
  readonly #balances = new Map<string, bigint | null>()
  #credits = 0
  #debits = 0
  /** Not booked, or not readable: whether the bank counts them nobody knows. */
  #unsure = 0

  count(entry: Values): void {
    const isBooked = entry.first('Sts/Cd', 'Sts') === 'BOOK'
    const indicator = entry.first('CdtDbtInd')
    if (isBooked && indicator === 'CRDT') this.#credits++
    else if (isBooked && indicator === 'DBIT') this.#debits++
    else this.#unsure++
  }

  /** Interim and available balances are of another moment or of other money than the booked entries. */
  balance(values: Values): void {
    const code = values.first('Tp/CdOrPrtry/Cd')
    if (!['OPBD', 'PRCD', 'CLBD'].includes(code)) return
    const amount = amountOf(values.first('Amt')) ?? null
    const cents = amount !== null && values.first('CdtDbtInd') === 'DBIT' ? -amount : amount
    // Several of one kind, such as one per day, say nothing together.
    this.#balances.set(code, this.#balances.has(code) ? null : cents)
  }

  told(statement: Values): Omit<Summary, 'account' | 'from' | 'to'> {
    const cents = (path: string): bigint | null => amountOf(statement.first(path)) ?? null
    const count = (of: Count['of'], path: string, least: number): Count[] => {
      const told = statement.first(path)
      return /^\d{1,9}$/.test(told) ? [{ of, told: Number(told), least, most: least + this.#unsure }] : []
    }
    const opening = this.#balances.has('OPBD') ? 'OPBD' : 'PRCD'
    return {
      creditCents: cents('TxsSummry/TtlCdtNtries/Sum'),
      debitCents: cents('TxsSummry/TtlDbtNtries/Sum'),
      openingCents: this.#balances.get(opening) ?? null,
      closingCents: this.#balances.get('CLBD') ?? null,
      counts: [
        ...count('entries', 'TxsSummry/TtlNtries/NbOfNtries', this.#credits + this.#debits),
        ...count('credits', 'TxsSummry/TtlCdtNtries/NbOfNtries', this.#credits),
        ...count('debits', 'TxsSummry/TtlDbtNtries/NbOfNtries', this.#debits),
      ],
    }
  }
}

/** Of a statement that is one page of several, the figures are those of all its pages. */
export const untold: Omit<Summary, 'account' | 'from' | 'to'> = {
  creditCents: null,
  debitCents: null,
  openingCents: null,
  closingCents: null,
  counts: [],
}
