/** The page that explains why a merchant's deposit is or would be refused. */

import type { TypeNames } from '../../../domain/catalogue/payment-type.ts'
import type { Merchant } from '../../../domain/merchants/merchant.ts'
import { currencies } from '../../../domain/money.ts'
import { kindWords } from '../../../domain/requisites/kind-words.ts'
import { maskedNumber } from '../../../domain/requisites/requisite.ts'
import { shownAmount, typedAmount } from '../../staff/amount.ts'
import { moneyOf } from '../../staff/frame.ts'
import { type ListPart, partPager } from '../../staff/long-list.ts'
import { methodName } from '../../staff/method-names.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { badge, callout, field, panel, select, table } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, deskPage, modeBadge } from '../frame.ts'
import { ruleWords } from '../lists/words.ts'
import { deskPath } from '../paths.ts'
import { deskWords } from '../words.ts'
import { type DepositExplanation, isRefused } from './rows.ts'

type WhyView = {
  merchant: Merchant
  names: TypeNames
  /** The form as it was typed. */
  asked: { type: string; currency: string; amount: string; customer: string }
  explanation: DepositExplanation | null
  /** The part of the requisites that this page shows. */
  requisites: ListPart<DepositExplanation['requisites'][number]>
}

export function whyPage(desk: DeskContext, { merchant, names, asked, explanation, requisites }: WhyView) {
  const words = ruleWords[desk.language]
  const address = deskPath('/merchants/:id/why', merchant.id)
  const pages = partPager(desk, requisites, {
    path: `${address}?${new URLSearchParams(asked)}`,
    name: 'after',
  })
  return deskPage(desk, {
    title: words.checkRequest,
    section: 'merchants',
    actions: html`<a class="button" href="${deskPath('/merchants/:id', merchant.id)}"><bdi>${merchant.name}</bdi></a>${modeBadge(desk, merchant.mode)}`,
    body: html`<p>${words.whyText}</p>
<form method="get" action="${address}" class="grid">
${select({
  name: 'type',
  label: caseWords[desk.language].method,
  value: asked.type,
  choices: [...names.keys()].map((code) => ({ value: code, text: methodName(desk, names, code) })),
})}
${select({ name: 'currency', label: words.currency, value: asked.currency, choices: currencies.map((currency) => ({ value: currency, text: currency })) })}
${field({ name: 'amount', label: words.amount, value: shownAmount(asked.amount, desk.language), placeholder: typedAmount(150_050n, desk.language), inputmode: 'decimal', isRequired: true, maxLength: 20 })}
${field({ name: 'customer', label: words.customer, value: asked.customer, maxLength: 200 })}
<button type="submit" class="button primary">${words.ask}</button>
</form>
${explanation && answer(desk, explanation, html`${requisitesTable(desk, explanation, requisites.rows)}${pages}`)}`,
  })
}

function answer(desk: DeskContext, explanation: DepositExplanation, requisites: Markup): Markup {
  const words = ruleWords[desk.language]
  const free = explanation.requisites.filter(({ obstacle }) => obstacle === null).length
  const isAccepted = !isRefused(explanation) && free > 0
  return html`<div role="status">${isAccepted ? callout('ok', words.wouldTake(free)) : callout('bad', words.wouldRefuse)}</div>
${panel(words.allRules, rules(desk, explanation, free))}
${panel(words.sections.requisites, requisites)}`
}

function rules(desk: DeskContext, explanation: DepositExplanation, free: number): Markup {
  const words = ruleWords[desk.language]
  const { range, listing, customerUse: use, currency, amountCents } = explanation
  const money = (cents: bigint) => moneyOf(desk, cents, currency)
  const verdict = (isOk: boolean) => badge(isOk ? words.ok : words.refuses, isOk ? 'ok' : 'bad')
  // The amount of the planned deposit is added to what is used already.
  const sum = (cents: bigint) => `${money(cents)} + ${money(amountCents)}`
  const limit = <Limit>(value: Limit | null, text: (value: Limit) => string) =>
    value === null ? words.noLimit : text(value)
  const rows: Value[][] = [
    [words.rules.merchant, '', '', verdict(explanation.isMerchantOn)],
    [
      words.rules.offer,
      money(amountCents),
      range ? `${money(range.minCents)} – ${money(range.maxCents)}` : words.notOffered,
      verdict(explanation.isOffered),
    ],
    [
      words.rules.list,
      listing
        ? html`${words.lists[listing.list]}, ${words.kinds[listing.kind].toLowerCase()}: <bdi>${listing.reason}</bdi>`
        : words.none,
      '',
      listing?.list === 'watch' ? badge(words.looksAt, 'warn') : verdict(listing === null),
    ],
    ...(use
      ? [
          [
            words.rules.open,
            `${use.openDeposits} + 1`,
            limit(use.limits.customerOpenDeposits, String),
            verdict(use.reached !== 'customer_open_deposits'),
          ],
          [
            words.rules.day,
            sum(use.dayCents),
            limit(use.limits.customerDayCents, money),
            verdict(use.reached !== 'customer_day_cents'),
          ],
          [
            words.rules.month,
            sum(use.monthCents),
            limit(use.limits.customerMonthCents, money),
            verdict(use.reached !== 'customer_month_cents'),
          ],
        ]
      : []),
    [words.rules.requisites, free, '', verdict(free > 0)],
  ]
  return table(words.allRules, [words.rule, words.value, words.limit, { head: words.verdict, rank: 1 }], rows)
}

function requisitesTable(
  desk: DeskContext,
  { amountCents, currency }: DepositExplanation,
  requisites: DepositExplanation['requisites'],
): Markup {
  const words = ruleWords[desk.language]
  const { sections } = deskWords[desk.language]
  if (requisites.length === 0) return html`<p class="quiet">${words.noRequisites}</p>`
  return table(
    sections.requisites,
    [words.requisite, words.account, { head: words.verdict, rank: 1 }],
    requisites.map((requisite) => [
      html`${kindWords[requisite.kind][desk.language === 'ru' ? 1 : 0]} <span class="digits">${maskedNumber(requisite.number)}</span>`,
      html`<a href="${deskPath('/accounts/:id', requisite.accountId)}">${requisite.accountLabel}</a>`,
      why(requisite),
    ]),
  )

  function why(requisite: DepositExplanation['requisites'][number]): Markup {
    const { obstacle, account } = requisite
    if (obstacle === null) return badge(words.ok, 'ok')
    if (obstacle === 'off') return html`${badge(words.refuses, 'bad')} ${words.isOff}`
    const money = (cents: bigint | null) => (cents === null ? '' : moneyOf(desk, cents, currency))
    const over = (used: bigint, most: bigint | null) =>
      `${money(used)} + ${money(amountCents)} > ${money(most)}`
    const numbers = {
      least: `${money(amountCents)} < ${money(requisite.minCents)}`,
      most: `${money(amountCents)} > ${money(requisite.maxCents)}`,
      open: `${requisite.openDeposits} ${words.of(requisite.openLimit!)}`,
      day: over(requisite.dayCents, requisite.dailyCents),
      account_open: `${account.openDeposits} ${words.of(account.openLimit!)}`,
      account_day: over(account.dayCents, account.dayLimit),
      account_month: over(account.monthCents, account.monthLimit),
      amount_taken: money(amountCents),
    }
    return html`${badge(words.refuses, 'bad')} ${words.obstacles[obstacle]}: ${numbers[obstacle]}`
  }
}
