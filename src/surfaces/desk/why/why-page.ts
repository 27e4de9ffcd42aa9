/** The page that explains why a merchant's deposit is or would be refused. */

import type { TypeNames } from '../../../domain/catalogue/payment-type.ts'
import type { Merchant } from '../../../domain/merchants/merchant.ts'
import { currencies } from '../../../domain/money.ts'
import { kindWords } from '../../../domain/requisites/kind-words.ts'
import { maskedNumber } from '../../../domain/requisites/requisite.ts'
import { bounds } from '../../../platform/bounds.ts'
import { obstacles } from '../../../sections/requisites.ts'
import { inLanguage, type Two } from '../../../sections/section.ts'
import { methodWords } from '../../../sections/shared.ts'
import { type OfficeContext, testBadge } from '../../office/context.ts'
import { shownAmount, typedAmount } from '../../staff/amount.ts'
import { moneyOf } from '../../staff/frame.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { badge, callout, field, panel, select, table } from '../../web/pieces.ts'
import { deskPath } from '../paths.ts'
import { type DepositExplanation, isRefused } from './rows.ts'
import { whyWords as words } from './words.ts'

type WhyView = {
  merchant: Merchant
  names: TypeNames
  /** The form as it was typed. */
  asked: { type: string; currency: string; amount: string; customer: string }
  explanation: DepositExplanation | null
}

const sayIn =
  ({ language }: OfficeContext) =>
  (words: Two) =>
    inLanguage(words, language)

export function whyPage(office: OfficeContext, { merchant, names, asked, explanation }: WhyView) {
  const say = sayIn(office)
  const { language, place } = office
  const page = `${place.pathOf('/merchants')}/${merchant.id}`
  return place.page({
    title: say(words.title),
    path: '/merchants',
    actions: html`<a class="button" href="${page}"><bdi>${merchant.name}</bdi></a>${testBadge(office, merchant.mode)}`,
    body: html`<p>${say(words.text)}</p>
<form method="get" action="${deskPath('/merchants/:id/why', merchant.id)}" class="grid">
${select({
  name: 'type',
  label: say(words.method),
  value: asked.type,
  choices: [...names.keys()].map((code) => ({ value: code, text: say(methodWords(names, code)) })),
})}
${select({ name: 'currency', label: say(words.currency), value: asked.currency, choices: currencies.map((currency) => ({ value: currency, text: currency })) })}
${field({ name: 'amount', label: say(words.amount), value: shownAmount(asked.amount, language), placeholder: typedAmount(150_050n, language), inputmode: 'decimal', isRequired: true, maxLength: 20 })}
${field({ name: 'customer', label: say(words.customer), value: asked.customer, maxLength: 200 })}
<button type="submit" class="button primary">${say(words.ask)}</button>
</form>
${explanation && answer(office, explanation)}`,
  })
}

function answer(office: OfficeContext, explanation: DepositExplanation): Markup {
  const say = sayIn(office)
  const free = explanation.requisites.filter(({ obstacle }) => obstacle === null).length
  const isAccepted = !isRefused(explanation) && free > 0
  return html`<div role="status">${isAccepted ? callout('ok', say(words.wouldTake(free))) : callout('bad', say(words.wouldRefuse))}</div>
${panel(say(words.rules), rules(office, explanation, free))}
${panel(say(words.requisites), requisites(office, explanation))}`
}

function rules(office: OfficeContext, explanation: DepositExplanation, free: number): Markup {
  const say = sayIn(office)
  const { range, listing, customerUse: use, currency, amountCents } = explanation
  const money = (cents: bigint) => moneyOf(office, cents, currency)
  const verdict = (isOk: boolean) => badge(say(isOk ? words.ok : words.refuses), isOk ? 'ok' : 'bad')
  // The amount of the planned deposit is added to what is used already.
  const sum = (cents: bigint) => `${money(cents)} + ${money(amountCents)}`
  const limit = <Limit>(value: Limit | null, text: (value: Limit) => string) =>
    value === null ? say(words.noLimit) : text(value)
  const ofCustomer: Value[][] = use
    ? [
        [
          say(words.open),
          `${use.openDeposits} + 1`,
          limit(use.limits.customerOpenDeposits, String),
          verdict(use.reached !== 'customer_open_deposits'),
        ],
        [
          say(words.day),
          sum(use.dayCents),
          limit(use.limits.customerDayCents, money),
          verdict(use.reached !== 'customer_day_cents'),
        ],
        [
          say(words.month),
          sum(use.monthCents),
          limit(use.limits.customerMonthCents, money),
          verdict(use.reached !== 'customer_month_cents'),
        ],
      ]
    : []
  return table(
    say(words.rules),
    [say(words.rule), say(words.value), say(words.limit), { head: say(words.verdict), rank: 1 }],
    [
      [say(words.merchantOn), '', '', verdict(explanation.isMerchantOn)],
      [
        say(words.offer),
        money(amountCents),
        range ? `${money(range.minCents)} – ${money(range.maxCents)}` : say(words.notOffered),
        verdict(explanation.isOffered),
      ],
      [
        say(words.lists),
        listing
          ? html`${say(words[listing.list])}, ${say(words.kinds[listing.kind])}: <bdi>${listing.reason}</bdi>`
          : say(words.none),
        '',
        listing?.list === 'watch' ? badge(say(words.looksAt), 'warn') : verdict(listing === null),
      ],
      ...ofCustomer,
      [say(words.available), free, '', verdict(free > 0)],
    ],
  )
}

function requisites(
  office: OfficeContext,
  { amountCents, currency, requisites: all }: DepositExplanation,
): Markup {
  const say = sayIn(office)
  if (all.length === 0) return html`<p class="quiet">${say(words.noRequisites)}</p>`
  const shown = all.slice(0, bounds.listRows)
  return html`${table(
    say(words.requisites),
    [say(words.requisite), say(words.account), { head: say(words.verdict), rank: 1 }],
    shown.map((requisite) => [
      html`${say(kindWords[requisite.kind])} <span class="digits">${maskedNumber(requisite.number)}</span>`,
      html`<a href="${`${office.place.pathOf('/accounts')}/${requisite.accountId}`}">${requisite.accountLabel}</a>`,
      why(requisite),
    ]),
  )}${all.length > shown.length && html`<p class="quiet">${say(words.shown(shown.length, all.length))}</p>`}`

  function why(requisite: DepositExplanation['requisites'][number]): Markup {
    const { obstacle, account } = requisite
    if (obstacle === null) return badge(say(words.ok), 'ok')
    const money = (cents: bigint | null) => (cents === null ? '' : moneyOf(office, cents, currency))
    const over = (used: bigint, most: bigint | null) =>
      `${money(used)} + ${money(amountCents)} > ${money(most)}`
    const numbers = {
      off: '',
      least: `${money(amountCents)} < ${money(requisite.minCents)}`,
      most: `${money(amountCents)} > ${money(requisite.maxCents)}`,
      open: `${requisite.openDeposits} / ${requisite.openLimit}`,
      day: over(requisite.dayCents, requisite.dailyCents),
      account_open: `${account.openDeposits} / ${account.openLimit}`,
      account_day: over(account.dayCents, account.dayLimit),
      account_month: over(account.monthCents, account.monthLimit),
      amount_taken: money(amountCents),
    }
    return html`${badge(say(words.refuses), 'bad')} ${say(obstacles[obstacle])} <span class="quiet">${numbers[obstacle]}</span>`
  }
}
