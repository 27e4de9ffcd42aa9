/** The totals that a camt statement states: sums, numbers of entries, balances. Only used for comparison. */
import { isoDay } from '../../transfers/bank-text/days.ts'
import type { Balances, Count, Summary } from '../entry.ts'
import { amountOf } from './amount.ts'
import { type Statement, statusOf } from './camt-entry.ts'
import { balanceTypePaths, type Values } from './camt-values.ts'

type Balance = { day: string | null; cents: bigint | null }

export class Figures {
  readonly #balances = new Map<string, Balance[]>()
  #credits = 0
  #debits = 0
  /** Entries that are not booked or not readable: the bank's own counts may or may not include them. */
  #unsure = 0

  count(entry: Values, statement: Pick<Statement, 'holdsBooked'>): void {
    const isBooked = statusOf(entry, statement) === 'booked'
    const indicator = entry.first('CdtDbtInd')
    if (isBooked && indicator === 'CRDT') this.#credits++
    else if (isBooked && indicator === 'DBIT') this.#debits++
    else this.#unsure++
  }

  /** Only booked balances are kept: interim and available ones cover another moment, or other money than the booked entries. */
  balance(values: Values): void {
    const code = values.first(...balanceTypePaths)
    if (!['OPBD', 'PRCD', 'CLBD'].includes(code)) return
    const amount = centsIn(values.first('Amt'))
    const cents = amount !== null && values.first('CdtDbtInd') === 'DBIT' ? -amount : amount
    const known = this.#balances.get(code) ?? []
    this.#balances.set(code, known)
    if (known.length < mostDays) known.push({ day: isoDay(values.first('Dt/Dt', 'Dt/DtTm')), cents })
  }

  summaryOf(statement: Values): Omit<Summary, 'account' | 'from' | 'to'> {
    const cents = (path: string): bigint | null => centsIn(statement.first(path))
    const count = (counted: Count['counted'], path: string, least: number): Count[] => {
      const text = statement.first(path)
      return /^\d{1,9}$/.test(text)
        ? [{ counted, stated: Number(text), least, most: least + this.#unsure }]
        : []
    }
    const turnoverCents = cents('TxsSummry/TtlNtries/Sum')
    return {
      creditCents: cents('TxsSummry/TtlCdtNtries/Sum'),
      debitCents: cents('TxsSummry/TtlDbtNtries/Sum'),
      ...(turnoverCents !== null && { turnoverCents }),
      ...this.#outerBalances(),
      counts: [
        ...count('entries', 'TxsSummry/TtlNtries/NbOfNtries', this.#credits + this.#debits),
        ...count('credits', 'TxsSummry/TtlCdtNtries/NbOfNtries', this.#credits),
        ...count('debits', 'TxsSummry/TtlDbtNtries/NbOfNtries', this.#debits),
      ],
    }
  }

  /** A statement has one balance of each kind, or one per day: then the first opens it and the last closes it. */
  #outerBalances(): Pick<Summary, 'openingCents' | 'closingCents' | 'days'> {
    const kept = (code: string): Balance[] => this.#balances.get(code) ?? []
    const opened = byDay(kept('OPBD').length > 0 ? kept('OPBD') : kept('PRCD'))
    const closed = byDay(kept('CLBD'))
    const outer = {
      openingCents: opened?.[0]?.cents ?? null,
      closingCents: closed?.at(-1)?.cents ?? null,
    }
    // The balance that closes one day opens the next, so days are compared only if each has both.
    const isDaily = kept('OPBD').length > 1 && opened?.length === closed?.length
    if (!isDaily || !opened || !closed || opened.some(({ day }, at) => day !== closed[at]!.day)) return outer
    const days = opened.map(
      ({ day, cents }, at): Balances => ({
        from: day,
        to: day,
        openingCents: cents,
        closingCents: closed[at]!.cents,
      }),
    )
    return { ...outer, days }
  }
}

/** The most balances of one kind in a statement: one per day, for more years than any statement covers. */
const mostDays = 10_000

const centsIn = (text: string): bigint | null => amountOf(text, { isDotDecimal: true }) ?? null

/** Sorted by day; undefined if several have the same day or none, because their order is then unknown. */
function byDay(balances: readonly Balance[]): Balance[] | undefined {
  if (balances.length < 2) return [...balances]
  const days = balances.map(({ day }) => day)
  if (days.includes(null) || new Set(days).size !== days.length) return undefined
  return balances.toSorted((a, b) => (a.day! < b.day! ? -1 : 1))
}

/** For one page of a statement: the figures that it states are those of all pages. */
export const noFigures: Omit<Summary, 'account' | 'from' | 'to'> = {
  creditCents: null,
  debitCents: null,
  openingCents: null,
  closingCents: null,
  counts: [],
}
