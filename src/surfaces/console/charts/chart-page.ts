/** Charts of a merchant's deposits: how much, what share is paid, and how long that takes; with their tables. */

import { type Cents, type Currency, decimal } from '../../../domain/money.ts'
import { dateFormat, numberFormat } from '../../../platform/intl.ts'
import { moneyOf } from '../../staff/frame.ts'
import { chart, niceTop } from '../../web/chart.ts'
import { html, type Markup } from '../../web/html.ts'
import { empty, panel, table, tiles } from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, methodName, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'

/** One day of one currency; of one method in it, or of all of them (null). */
export type DayLine = {
  currency: Currency
  paymentType: string | null
  made: number
  paid: number
  cents: Cents
  /** Seconds within which half, and 95 of 100, were confirmed. */
  middle: number | null
  slow: number | null
}

export type Day = { day: string; lines: readonly DayLine[] }

export const periods = [7, 30, 90] as const
type Period = (typeof periods)[number]

type ChartView = {
  period: Period
  currency: Currency | null
  days: readonly Day[]
  names: ReadonlyMap<string, string>
}

type Sum = { made: number; paid: number; cents: Cents }
const nothing: Sum = { made: 0, paid: 0, cents: 0n }

const added = (sum: Sum, line: Sum): Sum => ({
  made: sum.made + line.made,
  paid: sum.paid + line.paid,
  cents: sum.cents + line.cents,
})

/** Sums by currency, or by method within one; the most used first. */
function sumsBy<Key>(days: readonly Day[], keyOf: (line: DayLine) => Key | null): [Key, Sum][] {
  const sums = new Map<Key, Sum>()
  for (const line of days.flatMap((day) => day.lines)) {
    const key = keyOf(line)
    if (key !== null) sums.set(key, added(sums.get(key) ?? nothing, line))
  }
  return [...sums].sort(([, a], [, b]) => b.made - a.made)
}

const currencySums = (days: readonly Day[]) =>
  sumsBy(days, (line) => (line.paymentType === null ? line.currency : null))

export function chartPage(of: ConsoleContext, view: ChartView) {
  const { charts: words, sections, deposits } = wordsOf(of)
  const { period, days } = view
  const byCurrency = currencySums(days)
  const currency = view.currency ?? byCurrency[0]?.[0] ?? null
  const link = (to: { period?: Period; currency?: Currency }) =>
    `${consolePath('/charts', of.merchant.id)}?days=${to.period ?? period}${(to.currency ?? currency) ? `&currency=${to.currency ?? currency}` : ''}`
  return merchantPage(of, {
    title: sections.charts,
    section: 'charts',
    body: html`<nav class="tabs" aria-label="${words.period}">${periods.map(
      (one) =>
        html`<a href="${link({ period: one })}" aria-current="${one === period ? 'page' : 'false'}">${words.days(one)}</a>`,
    )}</nav>
${
  byCurrency.length > 1 &&
  html`<nav class="tabs" aria-label="${deposits.currency}">${byCurrency.map(
    ([one]) =>
      html`<a href="${link({ currency: one })}" aria-current="${one === currency ? 'page' : 'false'}">${one}</a>`,
  )}</nav>`
}
${currency === null ? empty(words.emptyTitle, words.emptyText) : drawings(of, view, currency)}`,
  })
}

function drawings(of: ConsoleContext, view: ChartView, currency: Currency): Markup {
  const { charts: words, deposits } = wordsOf(of)
  const { days } = view
  const lines = days.map(({ day, lines: all }) => ({
    day,
    line: all.find((line) => line.currency === currency && line.paymentType === null) ?? null,
  }))
  const whole = lines.reduce((sum, { line }) => (line ? added(sum, line) : sum), nothing)
  const labels = days.map(({ day }) => dayText(of, day))
  const common = { labels, nothing: words.noPoint }
  const described = (title: string) => `${title}, ${labels[0]} – ${labels.at(-1)}, ${currency}`
  return html`${tiles([
    [words.made, numberFormat(of.language, {}).format(whole.made)],
    [words.paid, numberFormat(of.language, {}).format(whole.paid)],
    [words.share, shareText(of, whole)],
    [words.total, moneyOf(of, whole.cents, currency)],
  ])}
${panel(
  `${words.volume}, ${currency}`,
  chart({
    ...common,
    description: described(words.volume),
    series: [
      { name: words.volume, kind: 'bars', points: lines.map(({ line }) => (line ? major(line.cents) : 0)) },
    ],
    write: (value) => compact(of, value),
    table: {
      title: words.table,
      body: dayTable(
        of,
        words.volume,
        lines.map(({ day, line }) => [
          dayText(of, day),
          line?.made ?? 0,
          line?.paid ?? 0,
          moneyOf(of, line?.cents ?? 0n, currency),
        ]),
        [words.made, words.paid, words.sum],
      ),
    },
  }),
)}
<div class="split two">
${panel(
  words.conversion,
  chart({
    ...common,
    description: described(words.conversion),
    series: [{ name: words.conversion, kind: 'area', points: lines.map(({ line }) => line && share(line)) }],
    most: 100,
    write: (value) => `${value} %`,
    table: {
      title: words.table,
      body: dayTable(
        of,
        words.conversion,
        lines.map(({ day, line }) => [dayText(of, day), line ? shareText(of, line) : '–']),
        [words.share],
      ),
    },
  }),
)}
${panel(
  words.time,
  chart({
    ...common,
    description: described(words.time),
    series: [
      { name: words.median, kind: 'line', points: lines.map(({ line }) => line?.middle ?? null) },
      { name: words.slow, kind: 'line', points: lines.map(({ line }) => line?.slow ?? null) },
    ],
    write: words.seconds,
    most: timeTop(lines.flatMap(({ line }) => [line?.middle ?? 0, line?.slow ?? 0])),
    table: {
      title: words.table,
      body: dayTable(
        of,
        words.time,
        lines.map(({ day, line }) => [
          dayText(of, day),
          line?.middle == null ? '–' : words.seconds(line.middle),
          line?.slow == null ? '–' : words.seconds(line.slow),
        ]),
        [words.median, words.slow],
      ),
    },
  }),
)}
</div>
${panel(
  words.byMethod,
  sumTable(
    of,
    words.byMethod,
    deposits.method,
    currency,
    sumsBy(days, (line) => (line.currency === currency ? line.paymentType : null)).map(([code, sum]) => [
      methodName(of, view.names, code),
      sum,
    ]),
  ),
)}
${panel(
  words.byCurrency,
  table(
    words.byCurrency,
    [deposits.currency, ...sumHeads(of)],
    currencySums(days).map(([one, sum]) => [one, ...sumCells(of, sum, one)]),
  ),
)}`
}

const sumHeads = (of: ConsoleContext) => {
  const { charts: words } = wordsOf(of)
  return [words.made, words.paid, words.share, words.sum].map((head) => ({ head, is: 'number' as const }))
}

const sumCells = (of: ConsoleContext, sum: Sum, currency: Currency) => [
  sum.made,
  sum.paid,
  shareText(of, sum),
  moneyOf(of, sum.cents, currency),
]

const sumTable = (
  of: ConsoleContext,
  caption: string,
  head: string,
  currency: Currency,
  rows: readonly [string, Sum][],
): Markup =>
  table(
    caption,
    [head, ...sumHeads(of)],
    rows.map(([name, sum]) => [name, ...sumCells(of, sum, currency)]),
  )

const dayTable = (
  of: ConsoleContext,
  caption: string,
  rows: readonly (readonly (string | number)[])[],
  heads: readonly string[],
): Markup =>
  table(caption, [wordsOf(of).charts.day, ...heads.map((head) => ({ head, is: 'number' as const }))], rows)

/** Even in the unit that it is read in. */
const timeTop = (seconds: readonly number[]): number => {
  const most = Math.max(1, ...seconds)
  const unit = most < 90 ? 1 : most < 5400 ? 60 : 3600
  return niceTop(most / unit) * unit
}

const share = ({ made, paid }: Pick<Sum, 'made' | 'paid'>): number =>
  made === 0 ? 0 : Math.round((1000 * paid) / made) / 10

const shareText = ({ language }: ConsoleContext, sum: Pick<Sum, 'made' | 'paid'>): string =>
  `${numberFormat(language, {}).format(share(sum))} %`

/** For drawing only: what is read is printed from the whole number. */
const major = (cents: Cents): number => Number(decimal(cents))

const compact = ({ language }: ConsoleContext, value: number): string =>
  numberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(value)

const dayText = ({ language }: ConsoleContext, day: string): string =>
  dateFormat(language === 'en' ? 'en-GB' : 'ru', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(new Date(day))
