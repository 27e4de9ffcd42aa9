/** The list of deposits: one search box, filters in the address, newest first. */

import { type DepositState, depositStates, type Label } from '../../../domain/deposits/deposit.ts'
import { type Cents, type Currency, currencies } from '../../../domain/money.ts'
import type { SavedView } from '../../../domain/people/saved-views/saved-view.ts'
import { moneyOf, pager, timeOf } from '../../staff/frame.ts'
import { viewBar } from '../../staff/saved-views/view-pieces.ts'
import { depositBadge, labelBadges } from '../../staff/state-badges.ts'
import { stateWords } from '../../staff/state-words.ts'
import { html, type Markup } from '../../web/html.ts'
import { type Choice, empty, field, select, table } from '../../web/pieces.ts'
import { type ConsoleContext, merchantId, merchantPage, methodName, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import { cursorText, type Filter, isNarrowed, namedIn, queryOf } from './search.ts'

export type DepositLine = {
  id: string
  orderId: string
  createdAt: Date
  amountCents: Cents
  receivedCents: Cents
  currency: Currency
  paymentType: string
  customer: string | null
  state: DepositState
  labels: Label[]
  finalAt: Date | null
  reference: string | null
  digits: string | null
}

type DepositList = {
  filter: Filter
  lines: readonly DepositLine[]
  hasOlder: boolean
  isFirst: boolean
  names: ReadonlyMap<string, string>
  views: readonly SavedView[]
}

export function depositListPage(of: ConsoleContext, list: DepositList) {
  const words = wordsOf(of)
  const { filter, lines } = list
  const base = consolePath('/', of.merchant.id)
  const last = lines.at(-1)
  return merchantPage(of, {
    title: words.sections.deposits,
    section: 'deposits',
    isLive: true,
    actions:
      lines.length > 0 &&
      html`<a class="button" href="${`${consolePath('/deposits.csv', of.merchant.id)}${queryOf(filter)}`}">${words.deposits.csv}</a>`,
    body: html`${merchantId(of)}
${filters(of, list)}
${viewBar(of, { path: base, action: (verb) => consolePath(`/${verb}`, of.merchant.id), filtered: namedIn(filter), views: list.views })}
${lines.length > 0 ? rows(of, list) : isNarrowed(filter) || !list.isFirst ? nothing(of) : first(of)}
${pager(of, {
  newest: list.isFirst ? null : `${base}${queryOf(filter)}`,
  older:
    list.hasOlder && last
      ? `${base}${queryOf(filter, { before: cursorText({ at: last.createdAt, id: last.id }) })}`
      : null,
})}`,
  })
}

function filters(of: ConsoleContext, { filter, names }: DepositList): Markup {
  const { deposits: words, all } = wordsOf(of)
  const anything: Choice = { value: '', text: all }
  return html`<form method="get" action="${consolePath('/', of.merchant.id)}" class="filters" role="search">
${field({ name: 'q', label: words.search, type: 'search', value: filter.search, hint: words.searchHint, className: 'search', maxLength: 200 })}
${select({ name: 'state', label: words.state, value: filter.state ?? '', choices: [anything, ...depositStates.map((state) => ({ value: state, text: stateWords[of.language].depositStates[state] }))] })}
${select({ name: 'currency', label: words.currency, value: filter.currency ?? '', choices: [anything, ...currencies.map((one) => ({ value: one, text: one }))] })}
${select({ name: 'method', label: words.method, value: filter.paymentType ?? '', choices: [anything, ...[...names.keys()].map((code) => ({ value: code, text: methodName(of, names, code) }))] })}
${field({ name: 'from', label: words.from, type: 'date', value: filter.from ?? '' })}
${field({ name: 'to', label: words.to, type: 'date', value: filter.to ?? '' })}
<div class="row"><button type="submit" class="button primary">${words.find}</button>
${isNarrowed(filter) && html`<a class="button" href="${consolePath('/', of.merchant.id)}">${words.clear}</a>`}</div>
</form>`
}

const rows = (of: ConsoleContext, { lines, names }: DepositList): Markup => {
  const { deposits: words, sections } = wordsOf(of)
  return html`<div class="cards">${table(
    sections.deposits,
    [
      words.time,
      { head: words.order, is: 'long' },
      { head: words.amount, is: 'number' },
      words.method,
      words.state,
      words.labels,
    ],
    lines.map((line) => [
      html`<a href="${consolePath('/deposits/:id', of.merchant.id, line.id)}">${timeOf(of, line.createdAt)}</a>`,
      html`<bdi>${line.orderId}</bdi>`,
      moneyOf(of, line.amountCents, line.currency),
      methodName(of, names, line.paymentType),
      depositBadge(of, line.state),
      labelBadges(of, line.labels),
    ]),
  )}</div>`
}

const nothing = (of: ConsoleContext): Markup => {
  const { deposits: words } = wordsOf(of)
  return empty(words.nothingTitle, words.nothingText)
}

/** An empty console teaches how it is filled. */
const first = (of: ConsoleContext): Markup => {
  const words = wordsOf(of)
  return empty(
    words.deposits.emptyTitle,
    html`${words.deposits.emptyText} <a href="${consolePath('/keys', of.merchant.id)}">${words.sections.keys}</a> ·
<a href="/docs">${words.guide}</a>${
      of.merchant.mode === 'test' &&
      html` · <a href="${consolePath('/bank', of.merchant.id)}">${words.sections.bank}</a>`
    }`,
  )
}
