/** What a merchant can ask for, and why something is not to be had. */

import { type Cents, type Currency, currencies } from '../../../domain/money.ts'
import { apiPath } from '../../api/paths.ts'
import { moneyOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { badge, empty, panel, table } from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, methodName, wordsOf } from '../frame.ts'

export type OfferLine = {
  code: string
  name: string
  isSelect: boolean
  currency: Currency
  minCents: Cents
  maxCents: Cents
  isTypeOn: boolean
  isLimitOn: boolean
  isOnForMerchant: boolean
  /** The merchant has limits of its own here. */
  isOwn: boolean
  /** Requisites that serve it: all, those switched on, and those that could take a deposit now. */
  known: number
  on: number
  free: number
}

type Reason = 'typeOff' | 'limitOff' | 'merchantOff' | 'noRequisite' | 'allOff' | 'allBusy'

/** The first thing that stands in the way; null when nothing does. */
function reasonOf(offer: OfferLine): Reason | null {
  if (!offer.isTypeOn) return 'typeOff'
  if (!offer.isLimitOn) return 'limitOff'
  if (!offer.isOnForMerchant) return 'merchantOff'
  if (offer.known === 0) return 'noRequisite'
  if (offer.on === 0) return 'allOff'
  return offer.free === 0 ? 'allBusy' : null
}

export function limitPage(of: ConsoleContext, offers: readonly OfferLine[]) {
  const { limits: words, sections } = wordsOf(of)
  const inUse = currencies.filter((currency) => offers.some((offer) => offer.currency === currency))
  return merchantPage(of, {
    title: sections.limits,
    section: 'limits',
    body: html`<p class="reading">${words.text} <code>GET ${apiPath('/requests/limit')}</code>.</p>
${inUse.length === 0 && empty(words.emptyTitle, words.emptyText)}
${inUse.map((currency) =>
  panel(
    currency,
    offersIn(
      of,
      currency,
      offers.filter((offer) => offer.currency === currency),
    ),
  ),
)}`,
  })
}

const offersIn = (of: ConsoleContext, currency: Currency, offers: readonly OfferLine[]): Markup => {
  const { limits: words, sections } = wordsOf(of)
  return table(
    `${sections.limits} ${currency}`,
    [
      words.method,
      'payment_type',
      words.operation,
      { head: words.least, is: 'number' },
      { head: words.most, is: 'number' },
      { head: words.available, is: 'long' },
    ],
    offers.map((offer) => {
      const reason = reasonOf(offer)
      return [
        methodName(of, new Map([[offer.code, offer.name]]), offer.code),
        html`<code>${offer.code}</code>`,
        html`<code>${offer.isSelect ? 'build' : 'create'}</code>`,
        moneyOf(of, offer.minCents, offer.currency),
        moneyOf(of, offer.maxCents, offer.currency),
        html`${reason ? html`${badge(wordsOf(of).no, 'warn')} ${words.reasons[reason]}` : badge(words.open, 'ok')}
${offer.isOwn && html` ${badge(words.own, 'info')}`}`,
      ]
    }),
  )
}
