/** The test bank: a person plays the customer's bank, through the same code as real money. */

import { mostMinutes } from '../../../domain/sandbox/record.ts'
import { moneyOf, timeOf } from '../../staff/frame.ts'
import { depositBadge, labelBadges } from '../../staff/state-badges.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, callout, empty, field, form, panel, select, table } from '../../web/pieces.ts'
import type { DepositLine } from '../deposits/deposit-list-page.ts'
import { type ConsoleContext, merchantPage, orReason, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'

type BankView = {
  lines: readonly DepositLine[]
  sought: string
  problem: string | null
  canPassTime: boolean
}

export function bankPage(of: ConsoleContext, view: BankView) {
  const words = wordsOf(of)
  const { bank } = words
  return merchantPage(of, {
    title: words.sections.bank,
    section: 'bank',
    body: html`<p class="reading">${bank.text}</p>
${view.problem && html`<div role="alert">${callout('bad', view.problem)}</div>`}
${orReason(
  of,
  'developer',
  () =>
    html`<div class="split two"><div>${panel(bank.pay, payForm(of, view))}</div>${view.canPassTime && html`<div>${panel(bank.time, timeForm(of))}</div>`}</div>`,
)}
<h2>${bank.recent}</h2>
${view.lines.length > 0 ? recent(of, view.lines) : empty(bank.emptyTitle, html`${bank.emptyText} <a href="/docs">${words.guide}</a>`)}`,
  })
}

const payForm = (of: ConsoleContext, { lines, sought }: BankView): Markup => {
  const { bank } = wordsOf(of)
  const open = lines.find((line) => line.state === 'created')
  return form(of.visitor, {
    action: consolePath('/bank/pay', of.merchant.id),
    body: html`${field({ name: 'deposit', label: bank.payField, value: sought || open?.orderId, isRequired: true, maxLength: 128 })}
${select({ name: 'play', label: bank.what, choices: Object.entries(bank.plays).map(([value, text]) => ({ value, text })) })}
${button(bank.go, 'primary')}`,
  })
}

const timeForm = (of: ConsoleContext): Markup => {
  const { bank } = wordsOf(of)
  return form(of.visitor, {
    action: consolePath('/bank/time', of.merchant.id),
    body: html`<p class="quiet">${bank.timeText}</p>
${field({ name: 'minutes', label: bank.minutes, hint: wordsOf(of).settings.range(1, mostMinutes), type: 'number', inputmode: 'numeric', value: '30', isRequired: true, maxLength: 5 })}
${button(bank.time)}`,
  })
}

const recent = (of: ConsoleContext, lines: readonly DepositLine[]): Markup => {
  const words = wordsOf(of)
  return table(
    words.bank.recent,
    [
      words.deposits.time,
      { head: words.deposits.order, is: 'long' },
      { head: words.deposits.amount, is: 'number' },
      words.deposits.state,
      wordsOf(of).act,
    ],
    lines.map((line) => [
      html`<a href="${consolePath('/deposits/:id', of.merchant.id, line.id)}">${timeOf(of, line.createdAt)}</a>`,
      html`<bdi>${line.orderId}</bdi>`,
      moneyOf(of, line.amountCents, line.currency),
      html`${depositBadge(of, line.state)} ${labelBadges(of, line.labels)}`,
      html`<a href="${`${consolePath('/bank', of.merchant.id)}?deposit=${line.id}`}">${words.bank.pay}</a>`,
    ]),
  )
}
