/** The test bank page: a person pays a deposit as the customer's bank would, through the same code as real money. */

import type { FoundRow } from '../../../domain/deposits/merchant-search-store.ts'
import { mostMinutes } from '../../../domain/sandbox/record.ts'
import { moneyOf, timeOf } from '../../staff/frame.ts'
import { depositBadge, labelBadges } from '../../staff/state-badges.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, callout, empty, field, form, panel, select, table } from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, orReason, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'

type BankView = {
  lines: readonly FoundRow[]
  idOrOrder: string
  problem: string | null
  canPassTime: boolean
}

export function bankPage(context: ConsoleContext, view: BankView) {
  const words = wordsOf(context)
  const { bank } = words
  return merchantPage(context, {
    title: words.sections.bank,
    section: 'bank',
    body: html`<p class="reading">${bank.text}</p>
${view.problem && html`<div role="alert">${callout('bad', view.problem)}</div>`}
${orReason(
  context,
  'developer',
  () =>
    html`<div class="split"><div>${panel(bank.pay, payForm(context, view))}</div>${view.canPassTime && html`<div>${panel(bank.time, timeForm(context))}</div>`}</div>`,
)}
<h2>${bank.recent}</h2>
${view.lines.length > 0 ? recent(context, view.lines) : empty(bank.emptyTitle, html`${bank.emptyText} <a href="/docs">${words.guide}</a>`)}`,
  })
}

const payForm = (context: ConsoleContext, { lines, idOrOrder }: BankView): Markup => {
  const { bank } = wordsOf(context)
  const open = lines.find((line) => line.state === 'created')
  return form(context.visitor, {
    action: consolePath('/bank/pay', context.merchant.id),
    body: html`${field({ name: 'deposit', label: bank.payField, value: idOrOrder || open?.orderId, isRequired: true, maxLength: 128 })}
${select({ name: 'play', label: bank.what, choices: Object.entries(bank.plays).map(([value, text]) => ({ value, text })) })}
${button(bank.go, 'primary')}`,
  })
}

const timeForm = (context: ConsoleContext): Markup => {
  const { bank } = wordsOf(context)
  return form(context.visitor, {
    action: consolePath('/bank/time', context.merchant.id),
    body: html`<p class="quiet">${bank.timeText}</p>
${field({ name: 'minutes', label: bank.minutes, hint: wordsOf(context).range(1, mostMinutes), type: 'number', inputmode: 'numeric', value: '30', isRequired: true, maxLength: 5 })}
${button(bank.time)}`,
  })
}

const recent = (context: ConsoleContext, lines: readonly FoundRow[]): Markup => {
  const words = wordsOf(context)
  return table(
    words.bank.recent,
    [
      words.deposits.time,
      words.deposits.order,
      { head: words.deposits.amount, is: 'number', rank: 1 },
      words.deposits.state,
      wordsOf(context).act,
    ],
    lines.map((line) => [
      html`<a href="${consolePath('/deposits/:id', context.merchant.id, line.id)}">${timeOf(context, line.createdAt)}</a>`,
      html`<bdi>${line.orderId}</bdi>`,
      moneyOf(context, line.amountCents, line.currency),
      html`${depositBadge(context, line.state)} ${labelBadges(context, line.labels)}`,
      html`<a href="${`${consolePath('/bank', context.merchant.id)}?deposit=${line.id}`}">${words.bank.payThis}</a>`,
    ]),
  )
}
