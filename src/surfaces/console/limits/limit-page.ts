/** Which payment types and amounts a merchant can ask for, and why some are unavailable. */

import { type Currency, currencies } from '../../../domain/money.ts'
import { apiPath } from '../../api/paths.ts'
import { moneyOf } from '../../staff/frame.ts'
import { methodName } from '../../staff/method-names.ts'
import { html, type Markup } from '../../web/html.ts'
import { badge, empty, factsTable, panel } from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, wordsOf } from '../frame.ts'
import type { OfferRow } from '../rows.ts'

type Reason = 'typeOff' | 'limitOff' | 'merchantOff' | 'noRequisite' | 'allOff' | 'allBusy'

/** The first reason why it is unavailable; null if it is available. */
function reasonOf(offer: OfferRow): Reason | null {
  if (!offer.isTypeEnabled) return 'typeOff'
  if (!offer.isCurrencyEnabled) return 'limitOff'
  if (!offer.isEnabledForMerchant) return 'merchantOff'
  if (offer.requisites === 0) return 'noRequisite'
  if (offer.enabledRequisites === 0) return 'allOff'
  return offer.freeRequisites === 0 ? 'allBusy' : null
}

export function limitPage(context: ConsoleContext, offers: readonly OfferRow[]) {
  const { limits: words, sections } = wordsOf(context)
  const inUse = currencies.filter((currency) => offers.some((offer) => offer.currency === currency))
  return merchantPage(context, {
    title: sections.limits,
    section: 'limits',
    body: html`<p class="reading">${words.text} <code>GET ${apiPath('/requests/limit')}</code>.</p>
${inUse.length === 0 && empty(words.emptyTitle, words.emptyText)}
${inUse.map((currency) =>
  panel(
    currency,
    offersIn(
      context,
      currency,
      offers.filter((offer) => offer.currency === currency),
    ),
  ),
)}`,
  })
}

const offersIn = (context: ConsoleContext, currency: Currency, offers: readonly OfferRow[]): Markup => {
  const { limits: words, sections } = wordsOf(context)
  return factsTable(
    `${sections.limits} ${currency}`,
    [
      words.method,
      'payment_type',
      words.operation,
      { head: words.least, is: 'number named' },
      { head: words.most, is: 'number named' },
      { head: words.available, is: 'state' },
    ],
    offers.map((offer) => {
      const reason = reasonOf(offer)
      return [
        methodName(context, new Map([[offer.code, offer.name]]), offer.code),
        html`<code>${offer.code}</code>`,
        html`<code>${offer.isSelectionFlow ? 'build' : 'create'}</code>`,
        moneyOf(context, offer.minCents, offer.currency),
        moneyOf(context, offer.maxCents, offer.currency),
        html`${reason ? html`${badge(wordsOf(context).no, 'warn')} ${words.reasons[reason]}` : badge(words.open, 'ok')}
${offer.hasOwnLimits && html` ${badge(words.own, 'info')}`}`,
      ]
    }),
  )
}
