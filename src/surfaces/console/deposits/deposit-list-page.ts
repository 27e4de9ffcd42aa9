/** The list of deposits, newest first: one search box, and filters that are part of the address. */

import { depositStates } from '../../../domain/deposits/deposit.ts'
import { currencies } from '../../../domain/money.ts'
import type { SavedView } from '../../../domain/people/saved-views/saved-view.ts'
import { moneyOf, pager, timeOf } from '../../staff/frame.ts'
import { viewBar } from '../../staff/saved-views/view-pieces.ts'
import { depositBadge, labelBadges } from '../../staff/state-badges.ts'
import { stateWords } from '../../staff/state-words.ts'
import { html, type Markup } from '../../web/html.ts'
import { empty, field, select, table } from '../../web/pieces.ts'
import { type ConsoleContext, merchantId, merchantPage, methodName, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import type { DepositLine } from '../rows.ts'
import { type Cursor, cursorText, type Filter, isNarrowed, namedIn, queryOf } from './search.ts'

type DepositList = {
  filter: Filter
  lines: readonly DepositLine[]
  /** Where the next page begins. */
  next: Cursor | null
  isFirst: boolean
  names: ReadonlyMap<string, string>
  views: readonly SavedView[]
}

export function depositListPage(context: ConsoleContext, list: DepositList) {
  const words = wordsOf(context)
  const { filter, lines, next } = list
  const base = consolePath('/', context.merchant.id)
  return merchantPage(context, {
    title: words.sections.deposits,
    section: 'deposits',
    isLive: true,
    actions:
      (lines.length > 0 || next) &&
      html`<a class="button" href="${`${consolePath('/deposits.csv', context.merchant.id)}${queryOf(filter)}`}">${words.deposits.csv}</a>`,
    body: html`${merchantId(context)}
${filters(context, list)}
${viewBar(context, { path: base, action: (verb) => consolePath(`/${verb}`, context.merchant.id), filtered: namedIn(filter), views: list.views })}
${lines.length > 0 ? depositRows(context, list) : next ? notYet(context) : isNarrowed(filter) || !list.isFirst ? nothing(context) : first(context)}
${pager(context, {
  newest: list.isFirst ? null : `${base}${queryOf(filter)}`,
  older: next && `${base}${queryOf(filter, { before: cursorText(next) })}`,
})}`,
  })
}

function filters(context: ConsoleContext, { filter, names }: DepositList): Markup {
  const { deposits: words, all } = wordsOf(context)
  return html`<form method="get" action="${consolePath('/', context.merchant.id)}" class="stack" role="search">
<div class="filters">
${field({ name: 'q', label: words.search, type: 'search', value: filter.search, placeholder: words.searchHint, className: 'search', maxLength: 200 })}
<div class="row"><button type="submit" class="button primary">${words.find}</button>
${isNarrowed(filter) && html`<a class="button" href="${consolePath('/', context.merchant.id)}">${words.clear}</a>`}</div>
</div>
<details class="filter-box"><summary>${words.filters}</summary>
<div class="filters">
${select({ name: 'state', label: words.state, value: filter.state ?? '', none: all, choices: depositStates.map((state) => ({ value: state, text: stateWords[context.language].depositStates[state] })) })}
${select({ name: 'currency', label: words.currency, value: filter.currency ?? '', none: all, choices: currencies.map((currency) => ({ value: currency, text: currency })) })}
${select({ name: 'method', label: words.method, value: filter.paymentType ?? '', none: all, choices: [...names.keys()].map((code) => ({ value: code, text: methodName(context, names, code) })) })}
${field({ name: 'from', label: words.from, type: 'date', value: filter.from ?? '' })}
${field({ name: 'to', label: words.to, type: 'date', value: filter.to ?? '' })}
</div></details>
</form>`
}

export const depositRows = (
  context: ConsoleContext,
  { lines, names }: Pick<DepositList, 'lines' | 'names'>,
): Markup => {
  const { deposits: words, sections } = wordsOf(context)
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
      html`<a href="${consolePath('/deposits/:id', context.merchant.id, line.id)}">${timeOf(context, line.createdAt)}</a>`,
      html`<bdi>${line.orderId}</bdi>`,
      moneyOf(context, line.amountCents, line.currency),
      methodName(context, names, line.paymentType),
      depositBadge(context, line.state),
      labelBadges(context, line.labels),
    ]),
  )}</div>`
}

const nothing = (context: ConsoleContext): Markup => {
  const { deposits: words } = wordsOf(context)
  return empty(words.nothingTitle, words.nothingText)
}

/** The search has not looked at all of them. */
const notYet = (context: ConsoleContext): Markup => {
  const { deposits: words } = wordsOf(context)
  return empty(words.nothingTitle, words.nothingYet)
}

/** A merchant without deposits is shown how to create the first one. */
const first = (context: ConsoleContext): Markup => {
  const words = wordsOf(context)
  return empty(
    words.deposits.emptyTitle,
    html`${words.deposits.emptyText} <a href="${consolePath('/keys', context.merchant.id)}">${words.sections.keys}</a> ·
<a href="/docs">${words.guide}</a>${
      context.merchant.mode === 'test' &&
      html` · <a href="${consolePath('/bank', context.merchant.id)}">${words.sections.bank}</a>`
    }`,
  )
}
