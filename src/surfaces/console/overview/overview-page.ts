/** A merchant's first page: today's money, what is open, what needs somebody, and the latest deposits. */

import type { Endpoint } from '../../../domain/callbacks/endpoint-store.ts'
import type { DepositState } from '../../../domain/deposits/deposit.ts'
import type { FoundRow } from '../../../domain/deposits/merchant-search-store.ts'
import { type Cents, type Currency, currencies } from '../../../domain/money.ts'
import { dateFormat, numberFormat } from '../../../platform/intl.ts'
import { sum } from '../../../platform/sum.ts'
import { moneyOf, timeOf, timeText, wholeId } from '../../staff/frame.ts'
import { methodName } from '../../staff/method-names.ts'
import {
  type AttentionItem,
  attention,
  beginningLine,
  countOf,
  type FirstStep,
  figure,
  firstSteps,
  shareOf,
} from '../../staff/overview-pieces.ts'
import { depositBadge, labelBadges } from '../../staff/state-badges.ts'
import { chart } from '../../web/chart.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { panel, table, tiles } from '../../web/pieces.ts'
import { type ConsoleContext, isAtLeast, merchantPage, sectionPath, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import {
  type Day,
  type EndingKey,
  maxOpenItems,
  maxTodayDeposits,
  maxWaiting,
  type OpenCounts,
  type ReviewedRow,
  type TodayRow,
} from './rows.ts'
import { overviewWords } from './words.ts'

type OverviewView = {
  /** The day of the viewer's zone, as filters write it. */
  today: string
  lines: readonly TodayRow[]
  open: OpenCounts
  lanes: readonly Endpoint[]
  reviewed: readonly ReviewedRow[]
  endingKeys: readonly EndingKey[]
  /** The last days; the last of them is today. */
  days: readonly Day[]
  latest: readonly FoundRow[]
  /** Payment types by their codes. */
  names: ReadonlyMap<string, string>
}

export function overviewPage(context: ConsoleContext, view: OverviewView) {
  const { sections } = wordsOf(context)
  const words = overviewWords[context.language]
  const date = dateFormat(context.language === 'en' ? 'en-GB' : 'ru', {
    timeZone: context.visitor.person.timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  }).format(view.open.now)
  const needs = attention(attentionOf(context, view), words.nothing)
  return merchantPage(context, {
    title: sections.overview,
    section: 'overview',
    isLive: true,
    body: view.open.hasDeposits
      ? html`<div class="overview"><p class="quiet">${beginningLine(date)} · ${words.merchantId} ${wholeId(context, context.merchant.id)}</p>
<h2 class="visually-hidden">${words.figures}</h2>
${figures(context, view)}
<div class="split">${panel(words.needs, needs)}${daysPanel(context, view)}</div>
<section><div class="panel-head"><h2>${words.last}</h2><a href="${sectionPath(context, 'deposits')}">${words.all}</a></div>
${depositRows(context, view)}</section></div>`
      : html`<div class="overview"><p class="quiet">${beginningLine(date)} · ${words.merchantId} ${wholeId(context, context.merchant.id)}</p>
${panel(words.firstTitle, html`<p>${words.firstText}</p>${firstSteps(stepsOf(context, view), words.done)}`)}</div>`,
  })
}

/** The filter of the list of deposits, as its address has it. */
type Filter = Partial<Record<'currency' | 'from' | 'to', string> & { state: DepositState }>

const listAt = (context: ConsoleContext, filter: Filter): string =>
  `${sectionPath(context, 'deposits')}?${new URLSearchParams(filter)}`

function figures(context: ConsoleContext, { today, lines, open }: OverviewView): Markup {
  const words = overviewWords[context.language]
  const list = (filter: Filter) => listAt(context, filter)
  const day = { from: today, to: today }
  const count = (number: number, most?: number) => countOf(context, number, most)
  const confirmed = lines.filter(({ state }) => state === 'confirmed')
  const paid = sum(confirmed.map((line) => line.count))
  const made = sum(lines.map((line) => line.count))
  // Beyond the maximum the newest are counted, and the figures say so.
  const isCut = made > maxTodayDeposits
  const money = (currency: Currency, cents: Cents, number: number): readonly [string, Value] => [
    words.confirmed(currency),
    figure(
      list({ ...day, state: 'confirmed', currency }),
      moneyOf(context, cents, currency),
      isCut ? words.newest(count(maxTodayDeposits)) : `${count(number)} ${words.deposits(number)}`,
    ),
  ]
  const callbacks = (state: 'pending' | 'failed') => `${sectionPath(context, 'callbacks')}?state=${state}`
  return html`<div class="money">${tiles(
    confirmed.length === 0
      ? [[words.confirmedToday, figure(list({ ...day, state: 'confirmed' }), '0', words.noneToday)] as const]
      : currencies.flatMap((currency) => {
          const line = confirmed.find((line) => line.currency === currency)
          return line ? [money(currency, line.cents, line.count)] : []
        }),
  )}</div>
${tiles([
  [
    words.conversion,
    figure(
      list(day),
      shareOf(context, paid, made),
      isCut
        ? words.newest(count(maxTodayDeposits))
        : html`<a href="${list({ ...day, state: 'confirmed' })}">${count(paid)}</a> ${words.of} <a href="${list(day)}">${count(made)}</a> ${words.createdToday}`,
    ),
  ],
  [words.open, figure(list({ state: 'created' }), count(open.created, maxOpenItems))],
  ...(open.builded > 0
    ? [[words.choosing, figure(list({ state: 'builded' }), count(open.builded, maxOpenItems))] as const]
    : []),
  [words.waiting, figure(callbacks('pending'), count(open.waiting, maxWaiting))],
  [words.failed, figure(callbacks('failed'), count(open.failed, maxOpenItems))],
])}`
}

function attentionOf(
  context: ConsoleContext,
  { lanes, open, reviewed, endingKeys }: OverviewView,
): AttentionItem[] {
  const words = overviewWords[context.language]
  const { merchant } = context
  const callbacks = sectionPath(context, 'callbacks')
  const since = (at: Date) => `${words.since} ${timeText(context, at)}`
  const stoppedOrFailing = lanes.filter(
    ({ state, failingSince }) => state === 'paused' || failingSince !== null,
  )
  return [
    ...stoppedOrFailing.map(({ origin, state, failingSince }): AttentionItem => {
      const where = origin ?? words.ownAddress
      return {
        tone: state === 'paused' ? 'bad' : 'warn',
        href: callbacks,
        text: state === 'paused' ? words.lanePaused(where) : words.laneFailing(where),
        more: failingSince && since(failingSince),
      }
    }),
    ...(open.failed > 0
      ? [
          {
            tone: 'bad' as const,
            href: `${callbacks}?state=failed`,
            text: words.givenUp,
            more: words.givenUpText,
          },
        ]
      : []),
    ...(merchant.callbackUrl === null
      ? [{ tone: 'warn' as const, href: callbacks, text: words.noAddress, more: words.noAddressText }]
      : []),
    ...endingKeys.map(
      ({ id, purpose, notAfter }): AttentionItem => ({
        tone: 'warn',
        href: purpose === 'request' ? consolePath('/keys/:id', merchant.id, id) : callbacks,
        text: words.keyEnds[purpose],
        more: timeText(context, notAfter),
      }),
    ),
    ...reviewed.map(
      ({ id, orderId, cents, currency }): AttentionItem => ({
        tone: 'info',
        href: consolePath('/deposits/:id', merchant.id, id),
        text: words.review(orderId.slice(0, 40)),
        more: html`${moneyOf(context, cents, currency)}. ${words.reviewText}`,
      }),
    ),
  ]
}

function daysPanel(context: ConsoleContext, { days }: OverviewView): Markup {
  const words = overviewWords[context.language]
  const name = (day: string) =>
    dateFormat(context.language === 'en' ? 'en-GB' : 'ru', {
      timeZone: 'UTC',
      day: 'numeric',
      month: 'short',
    }).format(new Date(`${day}T00:00:00Z`))
  const link = (day: string, number: number, filter: Filter) =>
    html`<a href="${listAt(context, { from: day, to: day, ...filter })}">${countOf(context, number)}</a>`
  return panel(
    words.chart,
    chart({
      description: words.chart,
      labels: days.map(({ day }) => name(day)),
      series: [{ name: words.paid, kind: 'bars', points: days.map(({ paid }) => paid) }],
      write: (value) => numberFormat(context.language, { maximumFractionDigits: 1 }).format(value),
      nothing: words.noneToday,
      table: {
        title: words.chartTable,
        body: table(
          words.chart,
          [words.day, { head: words.created, is: 'number' }, { head: words.paid, is: 'number' }],
          days
            .toReversed()
            .map(({ day, created, paid }) => [
              name(day),
              link(day, created, {}),
              link(day, paid, { state: 'confirmed' }),
            ]),
        ),
      },
    }),
  )
}

function stepsOf(context: ConsoleContext, { open }: OverviewView): FirstStep[] {
  const { steps } = overviewWords[context.language]
  const { merchant } = context
  const isDeveloper = isAtLeast(context, 'developer')
  const step = ([text, hint]: readonly string[], href: string | null, isDone = false): FirstStep => ({
    ...{ text: text!, hint: hint!, href, isDone },
  })
  return [
    step(steps.key, sectionPath(context, 'keys'), open.hasUsedKey),
    step(
      steps.address,
      isDeveloper ? consolePath('/settings/callback', merchant.id) : sectionPath(context, 'callbacks'),
      merchant.callbackUrl !== null,
    ),
    step(steps.deposit, '/docs'),
    merchant.mode === 'test'
      ? step(steps.bank, sectionPath(context, 'bank'))
      : step(steps.guide, '/docs/guides/merchants'),
  ]
}

const depositRows = (context: ConsoleContext, { latest, names }: OverviewView): Markup => {
  const { deposits: words, sections } = wordsOf(context)
  return table(
    sections.deposits,
    [
      words.time,
      words.order,
      { head: words.amount, is: 'number', rank: 1 },
      { head: words.method, rank: 3 },
      words.state,
    ],
    latest.map((line) => [
      html`<a href="${consolePath('/deposits/:id', context.merchant.id, line.id)}">${timeOf(context, line.createdAt)}</a>`,
      html`<bdi>${line.orderId}</bdi>`,
      moneyOf(context, line.amountCents, line.currency),
      methodName(context, names, line.paymentType),
      html`${depositBadge(context, line.state)}${labelBadges(context, line.labels)}`,
    ]),
  )
}
