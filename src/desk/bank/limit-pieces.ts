/** What a receiving account carries against what it may, why it is full, and the form that changes it. */
import { decimal } from '../../money.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, callout, field, form, table } from '../../web/pieces.ts'
import { type Desk, may, moneyOf, workers } from '../frame.ts'
import { deskWords } from '../words.ts'
import type { AccountRow } from './rows.ts'
import { bankWords } from './words.ts'

export function accountLimits(desk: Desk, account: AccountRow, page: string): Markup {
  const words = bankWords[desk.language]
  const shared = deskWords[desk.language]
  const { currency } = account
  const money = (cents: bigint) => moneyOf(desk, cents, currency)
  const rows = [
    { name: words.today, used: account.dayCents, limit: account.dayLimit, text: money },
    { name: words.month, used: account.monthCents, limit: account.monthLimit, text: money },
    { name: words.open, used: BigInt(account.open), limit: bigOf(account.openLimit), text: String },
  ]
  return html`${rows
    .filter(({ used, limit }) => limit !== null && used >= limit)
    .map(({ name, used, limit, text }) =>
      callout('warn', html`${words.full} ${name}: ${text(used)} / ${text(limit!)}.`),
    )}
${table(
  words.limits,
  [
    { head: shared.what },
    { head: words.used, is: 'number' },
    { head: words.limit, is: 'number' },
    { head: words.left, is: 'number' },
  ],
  rows.map(({ name, used, limit, text }) => [
    name,
    text(used),
    limit === null ? shared.noLimit : text(limit),
    limit === null ? '–' : text(limit > used ? limit - used : 0n),
  ]),
)}
${may(desk, workers) && limitForm(desk, account, page)}`
}

const bigOf = (number: number | null): bigint | null => (number === null ? null : BigInt(number))

function limitForm(desk: Desk, account: AccountRow, page: string): Markup {
  const words = bankWords[desk.language]
  const shared = deskWords[desk.language]
  const money = (name: string, label: string, cents: bigint | null) =>
    field({
      name,
      label: `${label}, ${account.currency}`,
      value: cents === null ? '' : decimal(cents),
      inputmode: 'decimal',
      maxLength: 20,
    })
  const count = (name: string, label: string, value: number | null) =>
    field({ name, label, value: value?.toString() ?? '', inputmode: 'numeric', maxLength: 7 })
  return html`<p class="quiet">${words.limitText}</p>${form({
    action: `${page}/limits`,
    csrf: desk.visitor.session.csrf,
    body: html`<div class="grid">
${money('dayLimit', words.perDay, account.dayLimit)}
${money('monthLimit', words.perMonth, account.monthLimit)}
${count('openLimit', words.openAtOnce, account.openLimit)}
${count('silentHours', words.silentHours, account.silentHours)}
</div>
${field({ name: 'why', label: shared.reason, hint: shared.reasonHint, isRequired: true, maxLength: 500 })}
${button(words.changeLimits, 'primary')}`,
  })}`
}
