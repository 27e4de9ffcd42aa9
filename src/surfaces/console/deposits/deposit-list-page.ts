/** The list of deposits, newest first: one search box, and filters that are part of the address. */

import { depositStates } from '../../../domain/deposits/deposit.ts'
import { currencies } from '../../../domain/money.ts'
import { choiceFilter, fieldFilter, filterBar } from '../../staff/filter-bar.ts'
import { moneyOf, pager, timeOf } from '../../staff/frame.ts'
import { listTabs } from '../../staff/list-tabs.ts'
import { listWords } from '../../staff/list-words.ts'
import { methodName } from '../../staff/method-names.ts'
import { depositBadge, labelBadges } from '../../staff/state-badges.ts'
import { stateWords } from '../../staff/state-words.ts'
import { html, type Markup } from '../../web/html.ts'
import { empty, previewed, table } from '../../web/pieces.ts'
import { type ConsoleContext, merchantId, merchantPage, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import type { DepositRow } from '../rows.ts'
import { type Cursor, cursorText, type Filter, isNarrowed, queryOf, queryParamsOf } from './search.ts'

type DepositList = {
  filter: Filter
  lines: readonly DepositRow[]
  /** Where the next page begins. */
  next: Cursor | null
  isFirst: boolean
  names: ReadonlyMap<string, string>
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
${listTabs(context, { path: base, filtered: queryParamsOf(filter), states: usualStates(context) })}
${filters(context, list)}
${lines.length > 0 ? rows(context, list) : next ? notYet(context) : isNarrowed(filter) || !list.isFirst ? nothing(context) : first(context)}
${pager(context, {
  newest: list.isFirst ? null : `${base}${queryOf(filter)}`,
  older: next && `${base}${queryOf(filter, { before: cursorText(next) })}`,
})}`,
  })
}

function filters(context: ConsoleContext, { filter, names }: DepositList): Markup {
  const { deposits: words, all } = wordsOf(context)
  return filterBar(context, {
    path: consolePath('/', context.merchant.id),
    search: {
      name: 'q',
      label: words.search,
      placeholder: words.searchHint,
      value: filter.search,
      maxLength: 200,
    },
    filters: [
      choiceFilter({
        name: 'state',
        label: words.state,
        value: filter.state,
        none: all,
        choices: depositStates.map((state) => ({
          value: state,
          text: stateWords[context.language].depositStates[state],
        })),
      }),
      choiceFilter({
        name: 'currency',
        label: words.currency,
        value: filter.currency,
        none: all,
        choices: currencies.map((currency) => ({ value: currency, text: currency })),
      }),
      choiceFilter({
        name: 'method',
        label: words.method,
        value: filter.paymentType,
        none: all,
        choices: [...names.keys()].map((code) => ({ value: code, text: methodName(context, names, code) })),
      }),
      fieldFilter({ name: 'from', label: words.from, type: 'date', value: filter.from }),
      fieldFilter({ name: 'to', label: words.to, type: 'date', value: filter.to }),
    ],
  })
}

/** The states that are asked for most. */
const usualStates = ({ language }: ConsoleContext) =>
  (['created', 'confirmed', 'expired'] as const).map((state) => ({
    state,
    name: stateWords[language].depositStates[state],
  }))

const rows = (context: ConsoleContext, list: DepositList): Markup =>
  previewed(depositRows(context, list), listWords[context.language])

/** Deposits as rows, without the search and filters of the list. */
export const depositRows = (
  context: ConsoleContext,
  { lines, names }: Pick<DepositList, 'lines' | 'names'>,
): Markup => {
  const { deposits: words, sections } = wordsOf(context)
  return html`<div class="cards">${table(
    sections.deposits,
    [
      words.time,
      { head: words.order, is: 'middle' },
      { head: words.amount, is: 'number' },
      { head: words.method, is: 'extra' },
      words.state,
    ],
    lines.map((line) => [
      html`<a href="${consolePath('/deposits/:id', context.merchant.id, line.id)}">${timeOf(context, line.createdAt)}</a>`,
      html`<bdi>${line.orderId}</bdi>`,
      moneyOf(context, line.amountCents, line.currency),
      methodName(context, names, line.paymentType),
      html`${depositBadge(context, line.state)}${labelBadges(context, line.labels)}`,
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
