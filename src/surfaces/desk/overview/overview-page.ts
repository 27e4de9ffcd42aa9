/** The operator's first page: what waits and for how long, the day against last week, money, banks, requisites and shops. */

import type { Mode } from '../../../domain/merchants/merchant.ts'
import { currencies } from '../../../domain/money.ts'
import type { OpenDays } from '../../../domain/transfers/voice.ts'
import { dateFormat, numberFormat } from '../../../platform/intl.ts'
import { sum } from '../../../platform/sum.ts'
import { dayOf, moneyOf, timeText } from '../../staff/frame.ts'
import {
  attention,
  beginningLine,
  countOf,
  type FirstStep,
  figure,
  firstSteps,
  linkedPanel,
  shareOf,
} from '../../staff/overview-pieces.ts'
import { chart } from '../../web/chart.ts'
import { html, type Markup } from '../../web/html.ts'
import { moment, panel, table, tiles } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import { admins, countText, type DeskContext, deskPage, durationText, may } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { queueAt, wholeQueue } from '../queue/filter.ts'
import { countedMost, queueKinds } from '../queue/queue.ts'
import {
  type FailingShop,
  type HourLine,
  type Installed,
  type LoadedLine,
  type MoneyLine,
  maxTodayDeposits,
  type QueueAges,
  type SilentLine,
} from './rows.ts'
import { sourceText } from './source-pieces.ts'
import { overviewWords } from './words.ts'

/** Items older than these numbers of hours are counted besides all items. */
export const agesShown = [0, 4, 24] as const

type OverviewView = {
  mode: Mode
  installed: Installed
  ages: QueueAges
  /** Days as filters write them, and the time of the viewer's day. */
  today: string
  weekAgo: string
  until: string
  hours: Record<'today' | 'weekAgo', readonly HourLine[]>
  money: readonly MoneyLine[]
  sources: readonly SilentLine[]
  accounts: readonly SilentLine[]
  /** Accounts with days that no file has closed. */
  open: readonly OpenDays[]
  loaded: readonly LoadedLine[]
  failing: readonly FailingShop[]
}

export function overviewPage(desk: DeskContext, view: OverviewView) {
  const words = overviewWords[desk.language]
  const date = dayName(desk, view.today, { weekday: 'long', day: 'numeric', month: 'long' })
  return deskPage(desk, {
    title: words.sections.overview,
    section: 'overview',
    isLive: true,
    body: html`<div class="overview"><p class="quiet">${beginningLine(date)}</p>
${
  view.installed.hasDeposits
    ? html`${modeTabs(desk, view)}
<h2 class="visually-hidden">${words.figures}</h2>
${figures(desk, view)}
${queuePanel(desk, view)}
<div class="split">${comparedPanel(desk, view)}${moneyPanel(desk, view)}</div>
<div class="split">${loadedPanel(desk, view)}<div class="stacked">${silentPanel(desk, view)}${failingPanel(desk, view)}</div></div>`
    : panel(words.firstTitle, html`<p>${words.firstText}</p>${firstSteps(stepsOf(desk, view), words.done)}`)
}</div>`,
  })
}

/** A date without a time is the same in every time zone. */
const dayName = (desk: DeskContext, day: string, options: Intl.DateTimeFormatOptions): string =>
  dateFormat(desk.language === 'en' ? 'en-GB' : 'ru', { timeZone: 'UTC', ...options }).format(
    new Date(`${day}T00:00:00Z`),
  )

/** Money of tests and real money are never counted together. */
function modeTabs(desk: DeskContext, { mode, installed }: OverviewView): Markup | null {
  if (!installed.hasLive || !installed.hasTest) return null
  const { modes, mode: title } = overviewWords[desk.language]
  return html`<nav class="tabs" aria-label="${title}">${(['live', 'test'] as const).map(
    (one) =>
      html`<a href="${deskPath('/overview')}?mode=${one}" aria-current="${one === mode ? 'page' : 'false'}">${modes[one]}</a>`,
  )}</nav>`
}

type Asked = { by: 'created' | 'confirmed'; day: string; until?: string }

const depositsOf = ({ mode }: OverviewView, { by, day, until = '' }: Asked): string =>
  `${deskPath('/deposits')}?${new URLSearchParams({ [by]: day, ...(until && { until }), mode })}`

/** The total of a whole day, or of the day until the current time. */
const total = (lines: readonly HourLine[], by: HourLine['what'], part: 'count' | 'early'): number =>
  sum(lines.filter(({ what }) => what === by).map((line) => line[part]))

function figures(desk: DeskContext, view: OverviewView): Markup {
  const words = overviewWords[desk.language]
  const { hours, today } = view
  const [created, confirmed] = [
    total(hours.today, 'created', 'count'),
    total(hours.today, 'confirmed', 'count'),
  ]
  const count = (number: number) => countOf(desk, number, maxTodayDeposits)
  return tiles([
    [words.inQueue, figure(deskPath('/'), countText(desk, desk.waiting.queue) || '0')],
    [
      words.toApprove,
      figure(`${deskPath('/approvals')}?state=open`, countText(desk, desk.waiting.approvals) || '0'),
    ],
    [words.created, figure(depositsOf(view, { by: 'created', day: today }), count(created))],
    [words.confirmed, figure(depositsOf(view, { by: 'confirmed', day: today }), count(confirmed))],
  ])
}

function queuePanel(desk: DeskContext, { ages }: OverviewView): Markup {
  const words = overviewWords[desk.language]
  const kinds = queueKinds
    .filter((kind) => ages[kind].ages[0]! > 0)
    .toSorted((left, right) => ages[left].oldest!.getTime() - ages[right].oldest!.getTime())
  const cell = (kind: (typeof kinds)[number], place: number) => {
    const number = ages[kind].ages[place]!
    const hours = agesShown[place]!
    const olderThan = hours === 0 ? null : hours
    return number === 0
      ? html`<span class="quiet">0</span>`
      : html`<a href="${queueAt({ ...wholeQueue, kind, olderThan })}">${countOf(desk, number, countedMost)}</a>`
  }
  return linkedPanel(
    words.sections.queue,
    { href: deskPath('/'), text: words.openQueue },
    kinds.length === 0
      ? attention([], words.queueEmpty)
      : table(
          words.queueText,
          [
            words.kind,
            ...agesShown.map((hours) => ({
              head: hours === 0 ? words.all : hoursText(desk, hours),
              is: 'number' as const,
            })),
            words.oldest,
          ],
          kinds.map((kind) => [
            caseWords[desk.language].kinds[kind],
            ...agesShown.map((_hours, place) => cell(kind, place)),
            oldestOf(desk, ages[kind].oldest!),
          ]),
        ),
  )
}

/** Replaces spaces by non-breaking ones. */
const unbroken = (text: string): string => text.replaceAll(' ', '\u00a0')

/** `> 4 hr`, `> 1 day` */
const hoursText = ({ language }: DeskContext, hours: number): string => {
  const [unit, value] = hours % 24 === 0 ? (['day', hours / 24] as const) : (['hour', hours] as const)
  const text = numberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(value)
  return unbroken(`> ${text}`)
}

/** `8 days`, `21 hr`: a short duration, with the exact time as its title. */
function oldestOf(desk: DeskContext, at: Date): Markup {
  const hours = Math.floor((desk.now.getTime() - at.getTime()) / 3_600_000)
  const [unit, value] =
    hours >= 24
      ? (['day', Math.floor(hours / 24)] as const)
      : hours >= 1
        ? (['hour', hours] as const)
        : (['minute', Math.floor((desk.now.getTime() - at.getTime()) / 60_000)] as const)
  const text = numberFormat(desk.language, { style: 'unit', unit, unitDisplay: 'short' }).format(value)
  return moment(at, unbroken(text), timeText(desk, at))
}

function comparedPanel(desk: DeskContext, view: OverviewView): Markup {
  const words = overviewWords[desk.language]
  const { hours, today, weekAgo, until } = view
  const weekday = dayName(desk, weekAgo, { weekday: 'long' })
  const short = dayName(desk, weekAgo, { day: 'numeric', month: 'short' })
  const isCut = (['created', 'confirmed'] as const).some((by) =>
    [hours.today, hours.weekAgo].some((lines) => total(lines, by, 'count') > maxTodayDeposits),
  )
  const rows = (['created', 'confirmed'] as const).map((by) => {
    const [now, then] = [total(hours.today, by, 'count'), total(hours.weekAgo, by, 'early')]
    return [
      words.rows[by],
      html`<a href="${depositsOf(view, { by, day: today })}">${countOf(desk, now, maxTodayDeposits)}</a>`,
      html`<a href="${depositsOf(view, { by, day: weekAgo, until })}">${countOf(desk, then, maxTodayDeposits)}</a>`,
      changeOf(desk, now, then),
    ]
  })
  return linkedPanel(
    words.compared(weekday),
    { href: deskPath('/deposits'), text: words.sections.deposits },
    html`${table(
      words.compared(weekday),
      [
        '',
        { head: words.today, is: 'number' },
        { head: words.lastWeek(unbroken(short), until), is: 'number' },
        { head: words.change, is: 'number' },
      ],
      rows,
    )}
${isCut && html`<p class="quiet">${words.cut(countOf(desk, maxTodayDeposits))}</p>`}
${hourChart(desk, view, short)}`,
  )
}

/** `+12 %`; a dash where there was nothing. */
const changeOf = (desk: DeskContext, now: number, then: number): string =>
  then === 0
    ? '–'
    : numberFormat(desk.language, { style: 'percent', signDisplay: 'exceptZero' }).format((now - then) / then)

function hourChart(desk: DeskContext, { hours, until }: OverviewView, weekAgo: string): Markup {
  const words = overviewWords[desk.language]
  const present = Number(until.slice(0, 2))
  const at = (lines: readonly HourLine[], hour: number): number =>
    lines.find((line) => line.what === 'created' && line.hour === hour)?.count ?? 0
  const clock = Array.from({ length: 24 }, (_, hour) => hour)
  const today = clock.map((hour) => (hour >= Math.max(present, 1) ? null : at(hours.today, hour)))
  const before = clock.map((hour) => at(hours.weekAgo, hour))
  const name = (hour: number) => `${String(hour).padStart(2, '0')}:00`
  const number = (value: number) => numberFormat(desk.language, { maximumFractionDigits: 1 }).format(value)
  const isEmpty = [...today, ...before].every((value) => !value)
  return chart({
    description: words.perHour,
    labels: clock.map(name),
    series: isEmpty
      ? []
      : [
          { name: words.today, kind: 'area', points: today },
          { name: weekAgo, kind: 'line', points: before },
        ],
    write: number,
    nothing: words.noneToday,
    table: {
      title: words.asTable,
      body: table(
        words.perHour,
        [words.hour, { head: words.today, is: 'number' }, { head: weekAgo, is: 'number' }],
        clock.map((hour) => [name(hour), today[hour] ?? '–', before[hour]!]),
      ),
    },
  })
}

function moneyPanel(desk: DeskContext, { money, mode, today }: OverviewView): Markup {
  const words = overviewWords[desk.language]
  const list = (state: string, currency: string) =>
    `${deskPath('/transfers')}?${new URLSearchParams({ state, day: today, currency, mode })}`
  const known = currencies.flatMap((currency) => money.find((line) => line.currency === currency) ?? [])
  const isCut = known.some(({ seen }) => seen > maxTodayDeposits)
  const cell = (line: MoneyLine, part: 'seen' | 'matched') => {
    const href = list(part === 'seen' ? 'money_in' : 'matched', line.currency)
    const share = part === 'matched' && ` · ${shareOf(desk, line.matched, line.seen)}`
    return html`<a href="${href}">${moneyOf(desk, line[`${part}Cents`], line.currency)} <small>${countOf(desk, line[part])} <span class="word">${words.transfer(line[part])}</span>${share}</small></a>`
  }
  return linkedPanel(
    words.money,
    { href: deskPath('/transfers'), text: words.transfers },
    known.length === 0
      ? html`<p class="quiet">${words.noMoney}</p>`
      : html`<div class="amounts-first">${table(
          words.money,
          ['', { head: words.seen, is: 'number' }, { head: words.matched, is: 'number' }],
          known.map((line) => [line.currency, cell(line, 'seen'), cell(line, 'matched')]),
        )}</div>${isCut && html`<p class="quiet">${words.cut(countOf(desk, maxTodayDeposits))}</p>`}`,
  )
}

function silentPanel(desk: DeskContext, { sources, accounts, open }: OverviewView): Markup {
  const words = overviewWords[desk.language]
  const since = (at: Date | null) =>
    at ? words.sinceTime(durationText(desk, (desk.now.getTime() - at.getTime()) / 1000)) : words.neverHeard
  return linkedPanel(
    words.silent,
    { href: deskPath('/sources'), text: words.sources },
    attention(
      [
        ...sources.map((source) => ({
          tone: 'bad' as const,
          href: deskPath('/sources/:id', source.id),
          text: words.silentSource(source.name),
          more: since(source.since),
        })),
        ...accounts.map((account) => ({
          tone: 'warn' as const,
          href: deskPath('/accounts/:id', account.id),
          text: words.silentAccount(account.name),
          more: since(account.since),
        })),
        ...open.map((account) => ({
          tone: 'warn' as const,
          href: deskPath('/accounts/:id', account.accountId),
          text: words.openAccount(account.label),
          more: html`${words.openSince(sourceText(desk, account))} ${dayOf(desk, account.firstOpenDay)}`,
        })),
      ],
      words.notSilent,
    ),
  )
}

function loadedPanel(desk: DeskContext, { loaded }: OverviewView): Markup {
  const words = overviewWords[desk.language]
  const percent = (used: number) => numberFormat(desk.language, { style: 'percent' }).format(used)
  return linkedPanel(
    words.loaded,
    { href: deskPath('/requisites'), text: words.requisites },
    loaded.length === 0
      ? html`<p class="quiet">${words.nothingLoaded}</p>`
      : html`<ul class="loads">${loaded.map((line) => {
          const name = `${line.bankName} •••• ${line.digits}`
          const limits = [
            line.dailyCents !== null &&
              `${moneyOf(desk, line.dayCents, line.currency)} ${words.of(moneyOf(desk, line.dailyCents, line.currency))}`,
            line.openLimit !== null && unbroken(`${words.openNow}: ${line.open} ${words.of(line.openLimit)}`),
          ]
          return html`<li><div><a href="${deskPath('/requisites/:id', line.id)}"><bdi>${name}</bdi></a> <b>${percent(line.used)}</b></div>
<progress class="bar" max="100" value="${Math.min(100, Math.round(line.used * 100))}" aria-label="${`${name}. ${words.loadedText(percent(line.used))}`}"></progress>
<p class="quiet">${limits.filter(Boolean).join(' · ')}</p></li>`
        })}</ul>`,
  )
}

function failingPanel(desk: DeskContext, { failing }: OverviewView): Markup {
  const words = overviewWords[desk.language]
  return linkedPanel(
    words.failing,
    { href: deskPath('/merchants'), text: words.merchants },
    attention(
      failing.map(({ merchantId, name, origin, isPaused, since }) => ({
        tone: isPaused ? ('bad' as const) : ('warn' as const),
        href: deskPath('/merchants/:id', merchantId),
        text: name,
        more: html`${isPaused ? words.paused : words.fails}${since && html` ${words.sinceTime(durationText(desk, (desk.now.getTime() - since.getTime()) / 1000))}`}${origin && html` · <bdi>${origin}</bdi>`}`,
      })),
      words.noneFailing,
    ),
  )
}

function stepsOf(desk: DeskContext, { installed }: OverviewView): FirstStep[] {
  const { steps } = overviewWords[desk.language]
  // People who may not do a step get no link to it.
  const link = (href: string) => (may(desk, admins) ? href : null)
  const step = ([text, hint]: readonly string[], href: string | null, isDone: boolean): FirstStep => ({
    ...{ text: text!, hint: hint!, href, isDone },
  })
  return [
    step(steps.requisite, link(deskPath('/requisites')), installed.hasRequisites),
    step(steps.merchant, link(deskPath('/merchants')), installed.hasLive || installed.hasTest),
    step(steps.source, link(deskPath('/sources')), installed.hasSources),
    step(steps.people, link(deskPath('/people')), installed.hasColleagues),
    step(steps.deposit, null, false),
  ]
}
