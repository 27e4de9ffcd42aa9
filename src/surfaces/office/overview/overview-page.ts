/** The first page of the desk and of a merchant's console: what waits, today's deposits and money, two weeks, what needs somebody. */

import { currencies } from '../../../domain/money.ts'
import { daysAfter } from '../../../domain/transfers/bank-text/days.ts'
import { dateFormat, isoTimeIn, numberFormat } from '../../../platform/intl.ts'
import { sum } from '../../../platform/sum.ts'
import { inLanguage, type Two } from '../../../sections/section.ts'
import { moneyOf } from '../../staff/frame.ts'
import { chart } from '../../web/chart.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { icons } from '../../web/icons.ts'
import { pluralOf } from '../../web/messages/plural.ts'
import { panel, table, tiles } from '../../web/pieces.ts'
import type { OfficeContext } from '../context.ts'
import type { Day, Days } from './days.ts'
import { type DayLine, maxDayDeposits, readDay, type Scope } from './store.ts'

export type AttentionItem = { tone: 'warn' | 'bad' | 'info'; href: string; text: string; more?: Value }
/** A number with its name, and the list that it counts. */
type Figure = { name: Two; href: string; text: string }
type FirstStep = { text: Two; hint: Two; href: string | null; isDone: boolean }

type Figures = { today: DayLine[]; weekAgo: DayLine[]; days: Day[]; day: string; until: string }

export type OverviewView = {
  /** Beside the date. */
  about?: Value
  figures: readonly Figure[]
  deposits: Figures
  /** The list of deposits that were created on this day. */
  listAt: (day: string) => string
  attention: readonly AttentionItem[]
  /** Below, what only this surface has. */
  more: Markup
}

const daysShown = 14

export async function readFigures(
  db: Parameters<typeof readDay>[0],
  readDays: Days,
  scope: Scope,
  now: Date,
): Promise<Figures> {
  const [day, time] = isoTimeIn(now, scope.zone).split(' ') as [string, string]
  const until = time.slice(0, 'HH:MM'.length)
  const [today, weekAgo, days] = await Promise.all([
    readDay(db, scope, day),
    readDay(db, scope, daysAfter(day, -7), until),
    readDays(scope, day, daysShown),
  ])
  return { today, weekAgo, days, day, until }
}

export const overviewPage = (
  office: OfficeContext,
  view: OverviewView | { steps: readonly FirstStep[]; about?: Value },
) => {
  const say = (words: Two) => inLanguage(words, office.language)
  return office.place.page({
    title: say(words.title),
    path: '/overview',
    isLive: true,
    body: html`<p class="quiet">${dateLine(office)}${view.about}</p>
${'steps' in view ? panel(say(words.firstTitle), html`<p>${say(words.firstText)}</p>${firstSteps(office, view.steps)}`) : figures(office, view)}`,
  })
}

/** Some languages write the names of days in lower case. */
function dateLine({ language, now, visitor }: OfficeContext): string {
  const text = dateFormat(language === 'en' ? 'en-GB' : 'ru', {
    ...{ timeZone: visitor.person.timeZone, weekday: 'long', day: 'numeric', month: 'long' },
  }).format(now)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const firstSteps = ({ language }: OfficeContext, steps: readonly FirstStep[]): Markup =>
  html`<ol class="first-steps">${steps.map(
    ({ isDone, text, hint, href }) =>
      html`<li class="${isDone && 'done'}"><p>${href === null ? html`<b>${inLanguage(text, language)}</b>` : html`<a href="${href}">${inLanguage(text, language)}</a>`}${
        isDone && html` <span class="badge ok">${inLanguage(words.done, language)}</span>`
      }</p><p class="quiet">${inLanguage(hint, language)}</p></li>`,
  )}</ol>`

function figures(office: OfficeContext, view: OverviewView): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  const number = (count: number, most?: number) => countText(office, count, most)
  const { today, weekAgo, day, until } = view.deposits
  const created = total(today, 'created')
  const confirmed = total(today, 'confirmed')
  const before = total(weekAgo, 'created')
  const isCut = created > maxDayDeposits
  const money = currencies.flatMap(
    (currency) => today.find((line) => line.currency === currency && line.confirmed > 0) ?? [],
  )
  return html`<h2 class="visually-hidden">${say(words.figures)}</h2>
${tiles([
  ...view.figures.map(({ name, href, text }) => [say(name), html`<a href="${href}">${text}</a>`] as const),
  [
    say(words.created),
    html`<a href="${view.listAt(day)}">${number(created, maxDayDeposits)}</a><small>${say(words.weekBefore(number(before, maxDayDeposits), until))}</small>`,
  ],
  [
    say(words.conversion),
    html`${share(office, confirmed, created)}<small>${isCut ? say(words.cut(number(maxDayDeposits))) : say(words.confirmedOf(number(confirmed), number(created)))}</small>`,
  ],
])}
${
  money.length > 0 &&
  html`<div class="money">${tiles(
    money.map(({ currency, cents, confirmed }) => [
      say(words.confirmed(currency)),
      html`${moneyOf(office, cents, currency)}<small>${number(confirmed)} ${deposits[office.language](confirmed)}</small>`,
    ]),
  )}</div>`
}
<div class="split">${panel(say(words.needs), attention(office, view.attention))}${panel(say(words.chart), daysChart(office, view))}</div>
${view.more}`
}

const total = (lines: readonly DayLine[], name: 'created' | 'confirmed'): number =>
  sum(lines.map((line) => line[name]))

/** `1,204`; with a plus sign where counting stopped at the maximum. */
export const countText = (
  { language }: Pick<OfficeContext, 'language'>,
  count: number,
  most = Number.POSITIVE_INFINITY,
): string => `${numberFormat(language, {}).format(Math.min(count, most))}${count > most ? '+' : ''}`

/** `63 %`; a dash where there is nothing to compare with. */
const share = ({ language }: OfficeContext, part: number, whole: number): string =>
  whole === 0 ? '–' : numberFormat(language, { style: 'percent' }).format(part / whole)

/** What needs somebody, most urgent first, or that nothing does. */
const attention = ({ language }: OfficeContext, items: readonly AttentionItem[]): Markup =>
  items.length === 0
    ? html`<p class="all-well">${icons.check}${inLanguage(words.nothing, language)}</p>`
    : html`<ul class="attention">${items.map(
        ({ tone, href, text, more }) =>
          html`<li class="${tone}">${icons.warning}<span><a href="${href}">${text}</a>${more && html`<br><span class="quiet">${more}</span>`}</span></li>`,
      )}</ul>`

function daysChart(office: OfficeContext, { deposits: { days }, listAt }: OverviewView): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  const number = (count: number) => countText(office, count, maxDayDeposits)
  const name = (day: string) =>
    dateFormat(office.language === 'en' ? 'en-GB' : 'ru', {
      ...{ timeZone: 'UTC', day: 'numeric', month: 'short' },
    }).format(new Date(`${day}T00:00:00Z`))
  return chart({
    description: say(words.chart),
    bars: days.map(({ day, created, confirmed }) => ({ label: name(day), whole: created, part: confirmed })),
    wholeName: say(words.createdColumn),
    partName: say(words.confirmedColumn),
    write: (value) => numberFormat(office.language, { maximumFractionDigits: 1 }).format(value),
    table: {
      title: say(words.asTable),
      body: table(
        say(words.chart),
        [
          say(words.day),
          { head: say(words.createdColumn), is: 'number' },
          { head: say(words.confirmedColumn), is: 'number' },
        ],
        days
          .toReversed()
          .map(({ day, created, confirmed }) => [
            name(day),
            html`<a href="${listAt(day)}">${number(created)}</a>`,
            number(confirmed),
          ]),
      ),
    },
  })
}

const deposits = {
  en: pluralOf('en', { one: 'deposit', other: 'deposits' }),
  ru: pluralOf('ru', { one: 'депозит', few: 'депозита', other: 'депозитов' }),
}

const words = {
  title: ['Overview', 'Обзор'],
  figures: ['Today in figures', 'Сегодня в цифрах'],
  created: ['Deposits created today', 'Создано депозитов сегодня'],
  weekBefore: (count: string, time: string): Two => [
    `a week ago by ${time}: ${count}`,
    `неделю назад к ${time}: ${count}`,
  ],
  conversion: ['Conversion today', 'Конверсия сегодня'],
  confirmedOf: (confirmed: string, created: string): Two => [
    `${confirmed} of ${created} confirmed`,
    `подтверждено ${confirmed} из ${created}`,
  ],
  cut: (count: string): Two => [`of the newest ${count} today`, `по последним ${count} за сегодня`],
  confirmed: (currency: string): Two => [`Confirmed today, ${currency}`, `Подтверждено сегодня, ${currency}`],
  needs: ['Needs attention', 'Требует внимания'],
  nothing: ['Nothing needs your attention.', 'Сейчас ничего не требует внимания.'],
  chart: ['Deposits of the last 14 days', 'Депозиты за 14 дней'],
  createdColumn: ['Created', 'Создано'],
  confirmedColumn: ['Confirmed', 'Подтверждено'],
  asTable: ['Data table', 'Таблица данных'],
  day: ['Day', 'День'],
  firstTitle: ['First steps', 'Первые шаги'],
  firstText: [
    'After the first deposit this page shows your day.',
    'После первого депозита здесь будет сводка дня.',
  ],
  done: ['Done', 'Готово'],
} as const satisfies Record<string, Two | ((...texts: string[]) => Two)>
