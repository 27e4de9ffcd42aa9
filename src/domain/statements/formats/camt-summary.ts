/** What a camt statement says of itself: its period, and totals, which are only compared. */
import { daysAfter, isoDay } from '../../transfers/bank-text/days.ts'
import type { ReadContext, Summary } from '../entry.ts'
import { amountOf } from './amount.ts'
import type { Element } from './camt-element.ts'
import { decimals, type Statement } from './camt-entry.ts'
import { isoDate, lastDayOver } from './dates.ts'

export function summaryOf(
  element: Element,
  { account, holdsBooked }: Statement,
  context: ReadContext,
): Summary {
  const [opened, closed] = [balancesOf(element, 'OPBD'), balancesOf(element, 'CLBD')]
  const lastDay = closed.at(-1)?.day ?? null
  const until = element.text('FrToDt/ToDtTm')
  const from = isoDay(element.text('FrToDt/FrDtTm')) ?? opened[0]?.day ?? null
  const to = isoDay(until) ?? lastDay
  const period = { from, to: to !== from && midnight.test(until) ? daysAfter(to!, -1) : to }
  const madeAt = element.text('CreDtTm') || element.parent!.text('GrpHdr/CreDtTm')
  // A closing balance is the bank's word for the end of its day, unless the message was made before that.
  const madeOn =
    isoDay(madeAt) === null
      ? lastDay && daysAfter(lastDay, 1)
      : isoDate('CreDtTm', madeAt, context.currencyOf(account)!).day
  const about = { account, ...period, role: holdsBooked ? ('booked' as const) : ('early' as const) }
  // The figures of a page are those of all pages.
  if (isPage(element))
    return {
      ...{ ...about, completeTo: null, creditCents: null, debitCents: null },
      ...{ openingCents: null, closingCents: null },
    }

  const sum = (of: string) => centsOf(element.text(`TxsSummry/${of}/Sum`))
  const opening = opened.length > 0 ? opened : balancesOf(element, 'PRCD')
  return {
    ...about,
    completeTo: holdsBooked ? lastDayOver(period, madeOn) : null,
    creditCents: sum('TtlCdtNtries'),
    debitCents: sum('TtlDbtNtries'),
    openingCents: areOrdered(opening) ? (opening[0]?.cents ?? null) : null,
    closingCents: areOrdered(closed) ? (closed.at(-1)?.cents ?? null) : null,
  }
}

type Balance = { day: string | null; cents: bigint | null }

/** A statement has one balance of each kind, or one per day: then the first opens it and the last closes it. */
function balancesOf(statement: Element, code: string): Balance[] {
  return statement
    .all('Bal')
    .filter((balance) => balance.text('Tp/CdOrPrtry/Cd', 'Tp/Cd') === code)
    .map((balance) => {
      const cents = centsOf(balance.text('Amt'))
      return {
        day: isoDay(balance.text('Dt/Dt', 'Dt/DtTm')),
        cents: cents !== null && balance.text('CdtDbtInd') === 'DBIT' ? -cents : cents,
      }
    })
    .toSorted((a, b) => ((a.day ?? '') < (b.day ?? '') ? -1 : 1))
}

/** Where several have the same day or none, their order is unknown. */
const areOrdered = (balances: readonly Balance[]): boolean =>
  balances.length < 2 || new Set(balances.flatMap(({ day }) => day ?? [])).size === balances.length

/** `MsgPgntn` of the message; `StmtPgntn` and the like of a statement. */
const isPage = (statement: Element): boolean =>
  [
    ...statement.parent!.all('GrpHdr/MsgPgntn'),
    ...['StmtPgntn', 'NtfctnPgntn', 'RptPgntn'].flatMap((name) => statement.all(name)),
  ].some(
    (page) =>
      !['', '1'].includes(page.text('PgNb')) ||
      (page.text('LastPgInd') !== '' && !page.one('LastPgInd').isTrue),
  )

const centsOf = (text: string): bigint | null => amountOf(text, decimals) ?? null

/** A period that ends with the first moment of a day ends with the day before it. */
const midnight = /T00:00:00(?:\.0+)?(?:Z|[+-]\d\d:\d\d)?$/
