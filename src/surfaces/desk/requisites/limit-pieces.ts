/** Load and limits of an account or requisite, why it is full, and the form that changes the limits. */

import type { Cents, Currency } from '../../../domain/money.ts'
import { typedAmount } from '../../staff/amount.ts'
import { moneyOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, callout, factsTable, field, form } from '../../web/pieces.ts'
import { bankWords } from '../bank-words.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, may, workers } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { deskWords } from '../words.ts'
import type { AccountRow, RequisiteRow } from './rows.ts'

export function accountLimits(desk: DeskContext, account: AccountRow): Markup {
  const words = bankWords[desk.language]
  const { money, count } = inputs(desk, account.currency)
  const rows = [
    { name: words.today, used: account.dayCents, limit: account.dayLimit },
    { name: words.month, used: account.monthCents, limit: account.monthLimit },
    { name: words.openNow, used: account.open, limit: account.openLimit },
  ]
  return html`${usage(desk, account.currency, words.full, rows)}
${
  may(desk, workers) &&
  limitForm(desk, deskPath('/requisites/:id/limits', account.id), words.limitText, [
    money('dayLimit', words.perDay, account.dayLimit),
    money('monthLimit', words.perMonth, account.monthLimit),
    count('openLimit', words.openAtOnce, account.openLimit),
    count('silentHours', words.silentHours, account.silentHours),
  ])
}`
}

export function requisiteLimits(desk: DeskContext, requisite: RequisiteRow): Markup {
  const words = bankWords[desk.language]
  const { fields } = caseWords[desk.language]
  const { money, count } = inputs(desk, requisite.currency)
  const rows = [
    { name: fields.minCents!, used: null, limit: requisite.minCents },
    { name: fields.maxCents!, used: null, limit: requisite.maxCents },
    { name: words.today, used: requisite.dayCents, limit: requisite.dailyCents },
    { name: words.openNow, used: requisite.open, limit: requisite.openLimit },
  ]
  return html`${usage(desk, requisite.currency, words.fullRequisite, rows)}
${
  may(desk, workers) &&
  limitForm(desk, deskPath('/requisite/:id/limits', requisite.id), words.requisiteLimitText, [
    money('minCents', fields.minCents!, requisite.minCents),
    money('maxCents', fields.maxCents!, requisite.maxCents),
    money('dailyCents', fields.dailyCents!, requisite.dailyCents),
    count('openDeposits', fields.openDeposits!, requisite.openLimit),
  ])
}`
}

/** Cents are amounts, numbers are counts; a limit of a single deposit has no use. */
type Usage = { name: string; used: Cents | number | null; limit: Cents | number | null }

function usage(desk: DeskContext, currency: Currency, full: string, rows: readonly Usage[]): Markup {
  const words = bankWords[desk.language]
  const text = (value: Cents | number) =>
    typeof value === 'bigint' ? moneyOf(desk, value, currency) : String(value)
  const left = ({ used, limit }: Usage): string | null => {
    if (used === null || limit === null) return null
    if (typeof used === 'bigint' && typeof limit === 'bigint') return text(limit > used ? limit - used : 0n)
    return text(Math.max(0, Number(limit) - Number(used)))
  }
  return html`${rows
    .filter(({ used, limit }) => used !== null && limit !== null && used >= limit)
    .map(({ name, used, limit }) =>
      callout('warn', html`${full} ${name}: ${text(used!)} ${words.of(text(limit!))}.`),
    )}
${factsTable(
  words.limits,
  [
    words.what,
    { head: words.used, is: 'number named' },
    { head: words.limit, is: 'number named' },
    { head: words.left, is: 'number named' },
  ],
  rows.map((row) => [
    row.name,
    row.used === null ? null : text(row.used),
    row.limit === null ? words.noLimit : text(row.limit),
    left(row),
  ]),
)}`
}

const inputs = ({ language }: DeskContext, currency: Currency) => ({
  money: (name: string, label: string, cents: Cents | null) =>
    field({
      name,
      label: `${label}, ${currency}`,
      value: cents === null ? '' : typedAmount(cents, language),
      inputmode: 'decimal',
      maxLength: 20,
    }),
  count: (name: string, label: string, value: number | null) =>
    field({ name, label, value: value?.toString() ?? '', inputmode: 'numeric', maxLength: 7 }),
})

function limitForm(desk: DeskContext, action: string, text: string, fields: readonly Markup[]): Markup {
  const shared = deskWords[desk.language]
  return html`<p class="quiet">${text}</p>${form(desk.visitor, {
    action,
    body: html`<div class="grid">
${fields}
</div>
${field({ name: 'why', label: shared.reason, hint: shared.reasonHint, isRequired: true, maxLength: 500 })}
${button(bankWords[desk.language].changeLimits, 'primary')}`,
  })}`
}
