/** The day in numbers: funnel, time to confirm, waiting work and callbacks, by payment method and by requisite. */

import type { TypeNames } from '../../../domain/catalogue/payment-type.ts'
import { type DepositState, depositStates } from '../../../domain/deposits/deposit.ts'
import { dateFormat, numberFormat } from '../../../platform/intl.ts'
import { sum } from '../../../platform/sum.ts'
import { methodName } from '../../staff/method-names.ts'
import { shareOf } from '../../staff/overview-pieces.ts'
import { stateWords } from '../../staff/state-words.ts'
import { chart } from '../../web/chart.ts'
import { html, type Markup } from '../../web/html.ts'
import { empty, factsTable, moment, panel, table, tiles } from '../../web/pieces.ts'
import { type DeskContext, deskPage, durationText } from '../frame.ts'
import type { DayNumbers, FlowStep } from './rows.ts'
import { recordWords } from './words.ts'

type MetricsView = {
  day: DayNumbers
  flow: readonly FlowStep[]
  oldest: Date | null
  sampleMost: number
  /** The script that draws the flow chart. */
  plot: string
  names: TypeNames
}

export function metricsPage(desk: DeskContext, { day, flow, oldest, sampleMost, plot, names }: MetricsView) {
  const words = recordWords[desk.language]
  const all = sum(day.groups.map((group) => group.deposits))
  const inState = (state: DepositState) =>
    sum(day.groups.filter((group) => group.state === state).map((group) => group.deposits))
  const date = dateFormat(desk.language === 'en' ? 'en-GB' : 'ru', {
    timeZone: desk.visitor.person.timeZone,
    dateStyle: 'long',
  }).format(desk.now)
  const age = (seconds: number | null) => (seconds === null ? '–' : durationText(desk, seconds))
  return deskPage(desk, {
    title: words.sections.metrics,
    section: 'metrics',
    isLive: true,
    scripts: [plot],
    body: html`<p class="quiet">${words.today(date)} ${all >= sampleMost && words.sample(sampleMost)}</p>
${tiles([
  [words.queueAge, oldest ? durationText(desk, (desk.now.getTime() - oldest.getTime()) / 1000) : '–'],
  [words.median, age(day.median)],
  [words.p95, age(day.p95)],
  [words.callbacks, words.ofCallbacks(day.callbacks.acked, day.callbacks.made)],
])}
${panel(words.flow, flowChart(desk, flow))}
${
  all === 0
    ? empty(words.nothingYet, words.nothingYetText)
    : html`<h2>${words.funnel}</h2>
<p class="quiet">${words.funnelText}</p>
${tiles([
  [words.made, all],
  [words.withMoney, sum(day.groups.map((group) => group.withMoney))],
  ...depositStates.map((state) => [stateWords[desk.language].depositStates[state], inState(state)] as const),
])}
${panel(
  words.byMethod,
  breakdown(desk, words.method, day, (group) => methodName(desk, names, group.paymentType)),
)}
${panel(
  words.byRequisite,
  breakdown(
    desk,
    words.requisite,
    day,
    (group) => (group.requisiteId && day.requisites.get(group.requisiteId)) || words.noRequisite,
  ),
)}`
}`,
  })
}

/** The server draws the chart; the script draws over it and keeps it up to date. */
function flowChart(desk: DeskContext, flow: readonly FlowStep[]): Markup {
  const words = recordWords[desk.language]
  const { timeZone } = desk.visitor.person
  const clock = dateFormat(desk.language, { timeZone, timeStyle: 'medium', hourCycle: 'h23' })
  const names = { made: words.made, confirmed: words.share, acknowledged: words.callbacks }
  const keys = Object.keys(names) as (keyof typeof names)[]
  return html`<div data-flow="${timeZone}">
<div data-own="plot" role="img" aria-label="${words.flow}" hidden></div>
${chart({
  description: words.flow,
  labels: flow.map(({ at }) => clock.format(at)),
  series: keys.map((key) => ({ name: names[key], kind: 'line', points: flow.map((step) => step[key]) })),
  write: (value) => numberFormat(desk.language, {}).format(value),
  nothing: words.nothingYet,
  table: {
    title: words.table,
    body: table(
      words.flow,
      [words.time, ...keys.map((key) => ({ head: names[key], is: 'number' as const }))],
      flow.map((step) => [moment(step.at, clock.format(step.at)), ...keys.map((key) => step[key] ?? '–')]),
    ),
  },
})}
</div>`
}

function breakdown(
  desk: DeskContext,
  head: string,
  { groups }: DayNumbers,
  nameOf: (group: DayNumbers['groups'][number]) => string,
): Markup {
  const words = recordWords[desk.language]
  const rows = [...Map.groupBy(groups, nameOf)].map(([name, some]) => {
    const all = sum(some.map((group) => group.deposits))
    const confirmed = sum(some.filter((group) => group.state === 'confirmed').map((group) => group.deposits))
    const paid = sum(some.map((group) => group.withMoney))
    return { name, all, paid, confirmed }
  })
  return factsTable(
    head,
    [
      head,
      { head: words.made, is: 'number named' },
      { head: words.withMoney, is: 'number named' },
      { head: words.share, is: 'number named' },
    ],
    rows
      .toSorted((a, b) => b.all - a.all)
      .slice(0, 50)
      .map(({ name, all, paid, confirmed }) => [
        name,
        all,
        paid,
        `${confirmed} · ${shareOf(desk, confirmed, all)}`,
      ]),
  )
}
