/** What a merchant's overview says: what is open, callbacks that fail, keys that end, orders under review. */

import type { Endpoint } from '../../../domain/callbacks/endpoint-store.ts'
import type { Merchant } from '../../../domain/merchants/merchant.ts'
import { developer } from '../../../sections/roles.ts'
import { inLanguage, type Section, type Two } from '../../../sections/section.ts'
import { shopDeposits } from '../../../sections/shop-deposits.ts'
import type { OfficeContext } from '../../office/context.ts'
import { rowsTable } from '../../office/list-page.ts'
import {
  type AttentionItem,
  countText,
  type OverviewView,
  type overviewPage,
} from '../../office/overview/overview-page.ts'
import { moneyOf, timeText, wholeId } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { type EndingKey, maxOpenItems, maxWaiting, type OpenCounts, type ReviewedRow } from './rows.ts'
import { overviewWords as words } from './words.ts'

type ConsoleOverview = {
  merchant: Merchant
  open: OpenCounts
  deposits: OverviewView['deposits']
  lanes: readonly Endpoint[]
  reviewed: readonly ReviewedRow[]
  endingKeys: readonly EndingKey[]
  latest: Parameters<typeof rowsTable<unknown>>[2]
}

export const merchantIdOf = (office: OfficeContext, { id }: Merchant): Markup =>
  html` · ${inLanguage(words.merchantId, office.language)} ${wholeId(office, id)}`

export function consoleOverview(office: OfficeContext, view: ConsoleOverview): OverviewView {
  const { open } = view
  const { pathOf } = office.place
  const say = (words: Two) => inLanguage(words, office.language)
  const figure = (name: Two, href: string, count: number, most = maxOpenItems) => ({
    ...{ name, href, text: countText(office, count, most) },
  })
  const state = (state: string) => `${pathOf('/deposits')}?state=${state}`
  const callbacks = (state: string) => `${pathOf('/callbacks')}?state=${state}`
  return {
    figures: [
      figure(words.open, state('created'), open.created),
      ...(open.builded > 0 ? [figure(words.choosing, state('builded'), open.builded)] : []),
      figure(words.waiting, callbacks('pending'), open.waiting, maxWaiting),
      figure(words.failed, callbacks('failed'), open.failed),
    ],
    deposits: view.deposits,
    listAt: (day) => `${pathOf('/deposits')}?${new URLSearchParams({ from: day, to: day })}`,
    attention: attentionOf(office, view),
    more: html`<div class="panel-head"><h2>${say(words.latest)}</h2><a href="${pathOf('/deposits')}">${say(words.all)}</a></div>
${rowsTable<unknown>(office, shopDeposits as Section<unknown>, view.latest)}`,
  }
}

function attentionOf(
  office: OfficeContext,
  { merchant, lanes, open, reviewed, endingKeys }: ConsoleOverview,
): AttentionItem[] {
  const say = (words: Two) => inLanguage(words, office.language)
  const { pathOf } = office.place
  const callbacks = pathOf('/callbacks')
  const failing = lanes.filter(({ state, failingSince }) => state === 'paused' || failingSince !== null)
  return [
    ...failing.map(({ origin, state, failingSince }): AttentionItem => {
      const where = origin ?? say(words.ownAddress)
      return {
        tone: state === 'paused' ? 'bad' : 'warn',
        href: callbacks,
        text: say(state === 'paused' ? words.lanePaused(where) : words.laneFailing(where)),
        more: failingSince && say(words.since(timeText(office, failingSince))),
      }
    }),
    ...(open.failed > 0
      ? [
          {
            ...{ tone: 'bad' as const, href: `${callbacks}?state=failed` },
            ...{ text: say(words.givenUp), more: say(words.givenUpText) },
          },
        ]
      : []),
    ...(merchant.callbackUrl === null
      ? [
          {
            ...{ tone: 'warn' as const, href: callbacks },
            ...{ text: say(words.noAddress), more: say(words.noAddressText) },
          },
        ]
      : []),
    ...endingKeys.map(({ id, purpose, notAfter }) => ({
      tone: 'warn' as const,
      href: purpose === 'request' ? `${pathOf('/keys')}/${id}` : callbacks,
      ...{ text: say(words.keyEnds[purpose]), more: timeText(office, notAfter) },
    })),
    ...reviewed.map(({ id, orderId, cents, currency }) => ({
      ...{ tone: 'info' as const, href: `${pathOf('/deposits')}/${id}` },
      text: say(words.review(orderId.slice(0, 40))),
      more: html`${moneyOf(office, cents, currency)}. ${say(words.reviewText)}`,
    })),
  ]
}

export function consoleSteps(
  { place: { pathOf }, isOpen }: OfficeContext,
  merchant: Merchant,
  open: OpenCounts,
): Extract<Parameters<typeof overviewPage>[1], { steps: unknown }>['steps'] {
  const { steps } = words
  const address = pathOf(isOpen(developer) ? '/settings/callback' : '/callbacks')
  return [
    { ...steps.key, href: pathOf('/keys'), isDone: open.hasUsedKey },
    { ...steps.address, href: address, isDone: merchant.callbackUrl !== null },
    { ...steps.deposit, href: '/docs', isDone: false },
    merchant.mode === 'test'
      ? { ...steps.bank, href: pathOf('/bank'), isDone: false }
      : { ...steps.guide, href: '/docs/guides/merchants', isDone: false },
  ]
}
