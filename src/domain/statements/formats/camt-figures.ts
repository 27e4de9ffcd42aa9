/** The totals that a camt statement states: sums, numbers of entries, balances. Only used for comparison. */
import { isoDay } from '../../transfers/bank-text/days.ts'
import type { Balances, Summary } from '../entry.ts'
import type { Tally } from '../tally.ts'
import { amountOf } from './amount.ts'
import { paths, type Values } from './camt-values.ts'

type Sums = Omit<Summary, 'account' | 'from' | 'to' | 'completeTo' | 'role'>

export type Balance = { code: string; day: string | null; cents: bigint | null }

/** Only booked balances count: interim and available ones cover another moment, or other money than the booked entries. */
export function balanceOf(values: Values): Balance | undefined {
  const code = values.first(...paths.balanceType)
  if (!['OPBD', 'PRCD', 'CLBD'].includes(code)) return undefined
  const amount = centsIn(values.first('Amt'))
  const cents = amount !== null && values.first('CdtDbtInd') === 'DBIT' ? -amount : amount
  return { code, day: isoDay(values.first('Dt/Dt', 'Dt/DtTm')), cents }
}

export function sumsOf(statement: Values, balances: readonly Balance[], tally: Tally): Sums {
  const sum = (of: string): bigint | null => centsIn(statement.first(`TxsSummry/${of}/Sum`))
  const count = (of: string): number | null => {
    const text = statement.first(`TxsSummry/${of}/NbOfNtries`)
    return /^\d{1,9}$/.test(text) ? Number(text) : null
  }
  const turnoverCents = sum('TtlNtries')
  return {
    creditCents: sum('TtlCdtNtries'),
    debitCents: sum('TtlDbtNtries'),
    ...(turnoverCents !== null && { turnoverCents }),
    ...outerBalances(Map.groupBy(balances, ({ code }) => code)),
    counts: tally.counts({
      entries: count('TtlNtries'),
      credits: count('TtlCdtNtries'),
      debits: count('TtlDbtNtries'),
    }),
  }
}

/** A statement has one balance of each kind, or one per day: then the first opens it and the last closes it. */
function outerBalances(
  kept: ReadonlyMap<string, Balance[]>,
): Pick<Summary, 'openingCents' | 'closingCents' | 'days'> {
  const opened = byDay(kept.get('OPBD') ?? kept.get('PRCD') ?? [])
  const closed = byDay(kept.get('CLBD') ?? [])
  const outer = { openingCents: opened[0]?.cents ?? null, closingCents: closed.at(-1)?.cents ?? null }
  // The balance that closes one day opens the next, so days are compared only if each has both.
  const isDaily = kept.has('OPBD') && opened.length > 1 && opened.length === closed.length
  if (!isDaily || opened.some(({ day }, at) => day !== closed[at]!.day)) return outer
  const days = opened.map(
    ({ day, cents }, at): Balances => ({
      ...{ from: day, to: day },
      ...{ openingCents: cents, closingCents: closed[at]!.cents },
    }),
  )
  return { ...outer, days }
}

const centsIn = (text: string): bigint | null => amountOf(text, { isDotDecimal: true }) ?? null

/** Sorted by day; none if several have the same day or none, because their order is then unknown. */
function byDay(balances: readonly Balance[]): readonly Balance[] {
  const days = new Set(balances.map(({ day }) => day))
  if (balances.length > 1 && (days.has(null) || days.size !== balances.length)) return []
  return balances.toSorted((a, b) => (a.day! < b.day! ? -1 : 1))
}

/** For one page of a statement: the figures that it states are those of all pages. */
export const noFigures: Sums = {
  creditCents: null,
  debitCents: null,
  openingCents: null,
  closingCents: null,
  counts: [],
}
