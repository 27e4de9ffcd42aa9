/** Charts of a merchant's deposits (amounts, share that was paid, time until confirmation), each with its table. */

import { type Cents, type Currency, decimal } from '../../../domain/money.ts'
import { dateFormat, numberFormat } from '../../../platform/intl.ts'
import { moneyOf } from '../../staff/frame.ts'
import { methodName } from '../../staff/method-names.ts'
import { chart, niceTop } from '../../web/chart.ts'
import { html, type Markup } from '../../web/html.ts'
import { empty, factsPanel, factsTable, panel, tiles } from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import type { DayRow } from '../rows.ts'

export type Day = { day: string; lines: readonly DayRow[] }

export const periods = [7, 30, 90] as const
type Period = (typeof periods)[number]

type ChartView = {
  period: Period
  currency: Currency | null
  days: readonly Day[]
  names: ReadonlyMap<string, string>
}

type Sum = { created: number; paid: number; cents: Cents }
const nothing: Sum = { created: 0, paid: 0, cents: 0n }

const added = (sum: Sum, line: Sum): Sum => ({
  created: sum.created + line.created,
  paid: sum.paid + line.paid,
  cents: sum.cents + line.cents,
})

/** Sums per currency, or per payment method within a currency, ordered by use. */
function sumsBy<Key>(days: readonly Day[], keyOf: (line: DayRow) => Key | null): [Key, Sum][] {
  const sums = new Map<Key, Sum>()
  for (const line of days.flatMap((day) => day.lines)) {
    const key = keyOf(line)
    if (key !== null) sums.set(key, added(sums.get(key) ?? nothing, line))
  }
  return [...sums].sort(([, a], [, b]) => b.created - a.created)
}

const currencySums = (days: readonly Day[]) =>
  sumsBy(days, (line) => (line.paymentType === null ? line.currency : null))

export function chartPage(context: ConsoleContext, view: ChartView) {
  const { charts: words, sections, deposits } = wordsOf(context)
  const { period, days } = view
  const byCurrency = currencySums(days)
  const currency = view.currency ?? byCurrency[0]?.[0] ?? null
  const link = (to: { period?: Period; currency?: Currency }) =>
    `${consolePath('/charts', context.merchant.id)}?days=${to.period ?? period}${(to.currency ?? currency) ? `&currency=${to.currency ?? currency}` : ''}`
  return merchantPage(context, {
    title: sections.charts,
    section: 'charts',
    body: html`<nav class="tabs" aria-label="${words.period}">${periods.map(
      (length) =>
        html`<a href="${link({ period: length })}" aria-current="${length === period ? 'page' : 'false'}">${words.days(length)}</a>`,
    )}</nav>
${
  byCurrency.length > 1 &&
  html`<nav class="tabs" aria-label="${deposits.currency}">${byCurrency.map(
    ([one]) =>
      html`<a href="${link({ currency: one })}" aria-current="${one === currency ? 'page' : 'false'}">${one}</a>`,
  )}</nav>`
}
${currency === null ? empty(words.emptyTitle, words.emptyText) : drawings(context, view, currency)}`,
  })
}

function drawings(context: ConsoleContext, view: ChartView, currency: Currency): Markup {
  const { charts: words, deposits } = wordsOf(context)
  const days = sinceFirst(view.days)
  const lines = days.map(({ day, lines: all }) => ({
    day,
    line: all.find((line) => line.currency === currency && line.paymentType === null) ?? null,
  }))
  const whole = lines.reduce((sum, { line }) => (line ? added(sum, line) : sum), nothing)
  const labels = days.map(({ day }) => dayText(context, day))
  const common = { labels, nothing: words.noPoint }
  const described = (title: string) => `${title}, ${labels[0]} – ${labels.at(-1)}, ${currency}`
  return html`${tiles([
    [words.made, numberFormat(context.language, {}).format(whole.created)],
    [words.paid, numberFormat(context.language, {}).format(whole.paid)],
    [words.share, shareText(context, whole)],
    [words.total, moneyOf(context, whole.cents, currency)],
  ])}
${panel(
  `${words.volume}, ${currency}`,
  chart({
    ...common,
    description: described(words.volume),
    series: [
      { name: words.volume, kind: 'bars', points: lines.map(({ line }) => (line ? major(line.cents) : 0)) },
    ],
    write: (value) => compact(context, value),
    table: {
      title: words.table,
      body: dayTable(
        context,
        words.volume,
        lines.map(({ day, line }) => [
          dayText(context, day),
          line?.created ?? 0,
          line?.paid ?? 0,
          moneyOf(context, line?.cents ?? 0n, currency),
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
    write: (value) => percentText(context, value),
    table: {
      title: words.table,
      body: dayTable(
        context,
        words.conversion,
        lines.map(({ day, line }) => [dayText(context, day), line ? shareText(context, line) : '–']),
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
      { name: words.median, kind: 'line', points: lines.map(({ line }) => line?.medianSeconds ?? null) },
      { name: words.slow, kind: 'line', points: lines.map(({ line }) => line?.p95Seconds ?? null) },
    ],
    write: words.seconds,
    most: timeTop(lines.flatMap(({ line }) => [line?.medianSeconds ?? 0, line?.p95Seconds ?? 0])),
    table: {
      title: words.table,
      body: dayTable(
        context,
        words.time,
        lines.map(({ day, line }) => [
          dayText(context, day),
          line?.medianSeconds == null ? '–' : words.seconds(line.medianSeconds),
          line?.p95Seconds == null ? '–' : words.seconds(line.p95Seconds),
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
    context,
    words.byMethod,
    deposits.method,
    currency,
    sumsBy(days, (line) => (line.currency === currency ? line.paymentType : null)).map(([code, sum]) => [
      methodName(context, view.names, code),
      sum,
    ]),
  ),
)}
${factsPanel(
  words.byCurrency,
  [deposits.currency, ...sumHeads(context)],
  currencySums(days).map(([code, sum]) => [code, ...sumCells(context, sum, code)]),
)}`
}

/** A chart begins with the first deposit instead of empty weeks before it, and shows at least a week. */
const sinceFirst = (days: readonly Day[]): readonly Day[] =>
  days.slice(
    Math.min(
      days.findIndex(({ lines }) => lines.length > 0),
      Math.max(days.length - 7, 0),
    ),
  )

const sumHeads = (context: ConsoleContext) => {
  const { charts: words } = wordsOf(context)
  return [words.made, words.paid, words.share, words.sum].map((head) => ({
    head,
    is: 'number named' as const,
  }))
}

const sumCells = (context: ConsoleContext, sum: Sum, currency: Currency) => [
  sum.created,
  sum.paid,
  shareText(context, sum),
  moneyOf(context, sum.cents, currency),
]

const sumTable = (
  context: ConsoleContext,
  caption: string,
  head: string,
  currency: Currency,
  rows: readonly [string, Sum][],
): Markup =>
  factsTable(
    caption,
    [head, ...sumHeads(context)],
    rows.map(([name, sum]) => [name, ...sumCells(context, sum, currency)]),
  )

const dayTable = (
  context: ConsoleContext,
  caption: string,
  rows: readonly (readonly (string | number)[])[],
  heads: readonly string[],
): Markup =>
  factsTable(
    caption,
    [wordsOf(context).charts.day, ...heads.map((head) => ({ head, is: 'number named' as const }))],
    rows,
  )

/** The top of the scale, rounded in the unit in which the axis is labelled. */
const timeTop = (seconds: readonly number[]): number => {
  // The scale has at least two seconds, so that half of it is a whole number.
  const most = Math.max(2, ...seconds)
  const unit = most < 90 ? 1 : most < 5400 ? 60 : 3600
  return niceTop(most / unit) * unit
}

const share = ({ created, paid }: Pick<Sum, 'created' | 'paid'>): number =>
  created === 0 ? 0 : Math.round((1000 * paid) / created) / 10

const shareText = (context: ConsoleContext, sum: Pick<Sum, 'created' | 'paid'>): string =>
  percentText(context, share(sum))

/** `72.1%`, as the reader's language writes it. */
const percentText = ({ language }: ConsoleContext, percent: number): string =>
  numberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(percent / 100)

/** A floating-point amount, for drawing only; printed amounts are made from whole cents. */
const major = (cents: Cents): number => Number(decimal(cents))

const compact = ({ language }: ConsoleContext, value: number): string =>
  numberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(value)

const dayText = ({ language }: ConsoleContext, day: string): string =>
  dateFormat(language === 'en' ? 'en-GB' : 'ru', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(new Date(day))
