/** Deposits of all merchants and transfers of all banks, found and in pages. */

import { readReference } from '../../../domain/deposits/reference.ts'
import type { SavedView } from '../../../domain/people/saved-views/saved-view.ts'
import { type TransferState, transferStates } from '../../../domain/transfers/transfer.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { moneyOf, pager, shortId, timeOf } from '../../staff/frame.ts'
import { viewBar } from '../../staff/saved-views/view-pieces.ts'
import { depositBadge, labelBadges, transferBadge } from '../../staff/state-badges.ts'
import { stateWords } from '../../staff/state-words.ts'
import { html, type Markup } from '../../web/html.ts'
import { empty, field, select, table } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, deskPage, modeBadge } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { deskWords } from '../words.ts'
import type { DepositRow, TransferRow } from './rows.ts'

export type Asked =
  | { by: 'newest' }
  | { by: 'id'; id: string }
  | { by: 'order'; order: string }
  | { by: 'reference'; reference: string }
  | { by: 'amount'; cents: bigint }

/** One box: an id, a reference and an amount are known by their shape; the rest is an order id. */
export function askedFor(text: string): Asked {
  if (text === '') return { by: 'newest' }
  if (isUuid(text.toLowerCase())) return { by: 'id', id: text.toLowerCase() }
  const reference = readReference(text)
  if (reference) return { by: 'reference', reference }
  const cents = centsFrom(text)
  // Whole digits alone may be an order id: an amount has its fraction.
  if (cents !== null && /[.,]\d{2}$/.test(text.trim())) return { by: 'amount', cents }
  return { by: 'order', order: text }
}

/** `1 500,50` and `1500.50`; null when it is no amount. */
export function centsFrom(text: string): bigint | null {
  const match = /^(\d{1,13})(?:[.,](\d{1,2}))?$/.exec(text.replace(/[\s\u00a0\u202f]/g, ''))
  return match ? BigInt(match[1]!) * 100n + BigInt((match[2] ?? '').padEnd(2, '0') || '0') : null
}

/** What the lists are filtered by, as their addresses say it; what is said wrongly counts as not said. */
export const depositFilter = (say: (name: string) => string) => ({ q: say('q').trim().slice(0, 128) })
export const transferFilter = (say: (name: string) => string) => ({
  state: transferStates.find((one) => one === say('state')) ?? ('' as const),
  account: isUuid(say('account')) ? say('account') : '',
})

export type DepositsView = {
  rows: readonly DepositRow[]
  q: string
  views: readonly SavedView[]
  next: string | null
  isFirst: boolean
}

export function depositsPage(desk: DeskContext, { rows, q, views, next, isFirst }: DepositsView) {
  const words = caseWords[desk.language]
  const shared = deskWords[desk.language]
  return deskPage(desk, {
    title: shared.sections.deposits,
    section: 'deposits',
    isLive: true,
    body: html`<form method="get" action="${deskPath('/deposits')}" class="filters" role="search">
${field({ name: 'q', label: words.search, hint: words.searchHint, type: 'search', value: q, maxLength: 128, className: 'search' })}
<button type="submit" class="button">${shared.filter}</button>
</form>
${viewBar({ language: desk.language, csrf: desk.visitor.session.csrf, path: deskPath('/deposits'), action: (verb) => deskPath(`/deposits/${verb}`), filtered: { q }, views })}
${
  rows.length === 0
    ? empty(words.noDeposits, words.noDepositsText)
    : table(
        shared.sections.deposits,
        [
          { head: shared.amount, is: 'number' },
          { head: shared.state },
          { head: words.created },
          { head: shared.merchant },
          { head: words.order },
          { head: words.method },
          { head: 'id' },
        ],
        rows.map((row) => [
          html`<a href="${deskPath('/deposits/:id', row.id)}">${moneyOf(desk, row.cents, row.currency)}</a>`,
          html`${depositBadge(desk, row.state)}${labelBadges(desk, row.labels)}`,
          timeOf(desk, row.createdAt),
          html`<bdi>${row.merchantName}</bdi>${modeBadge(desk, row.mode)}`,
          html`<bdi>${row.orderId.slice(0, 40)}</bdi>`,
          row.paymentType,
          shortId(row.id),
        ]),
      )
}
${listPager(desk, { path: deskPath('/deposits'), params: { q }, next, isFirst })}`,
  })
}

export type TransfersView = {
  rows: readonly TransferRow[]
  state: TransferState | null
  accountId: string | null
  accountLabel: string | null
  views: readonly SavedView[]
  next: string | null
  isFirst: boolean
}

export function transfersPage(desk: DeskContext, view: TransfersView) {
  const words = caseWords[desk.language]
  const shared = deskWords[desk.language]
  const { rows, state, accountId, accountLabel, views, next, isFirst } = view
  const filtered = { state: state ?? '', account: accountId ?? '' }
  return deskPage(desk, {
    title: shared.sections.transfers,
    section: 'transfers',
    isLive: true,
    body: html`<form method="get" action="${deskPath('/transfers')}" class="filters">
${select({
  name: 'state',
  label: shared.state,
  value: state ?? '',
  choices: [
    { value: '', text: shared.all },
    ...transferStates.map((one) => ({ value: one, text: stateWords[desk.language].transferStates[one] })),
  ],
})}
${accountId && html`<input type="hidden" name="account" value="${accountId}">`}
<button type="submit" class="button">${shared.filter}</button>
</form>
${
  accountLabel &&
  html`<ul class="chips"><li><a href="${deskPath('/transfers')}?state=${state ?? ''}">${words.account}: ${accountLabel} ×</a></li></ul>`
}
${viewBar({ language: desk.language, csrf: desk.visitor.session.csrf, path: deskPath('/transfers'), action: (verb) => deskPath(`/transfers/${verb}`), filtered, views })}
${
  rows.length === 0
    ? empty(words.noTransfers, words.noTransfersText)
    : table(
        shared.sections.transfers,
        [
          { head: shared.amount, is: 'number' },
          { head: shared.state },
          { head: words.booked },
          { head: words.payer },
          { head: words.purpose, is: 'long' },
          { head: words.account },
          { head: words.deposit },
        ],
        rows.map((row) => [
          html`<a href="${deskPath('/transfers/:id', row.id)}">${row.direction === 'debit' && '−'}${moneyOf(desk, row.cents, row.currency)}</a>`,
          transferBadge(desk, row.state),
          row.bookedOn,
          html`<bdi>${row.payerName.slice(0, 60) || '–'}</bdi>`,
          html`<bdi>${row.purpose.slice(0, 140) || '–'}</bdi>`,
          html`${row.accountLabel}${modeBadge(desk, row.mode)}`,
          row.depositId &&
            html`<a href="${deskPath('/deposits/:id', row.depositId)}">${shortId(row.depositId)}</a>`,
        ]),
      )
}
${listPager(desk, { path: deskPath('/transfers'), params: filtered, next, isFirst })}`,
  })
}

/** On from the last row of this page, or back to the newest. */
export function listPager(
  desk: Pick<DeskContext, 'language'>,
  list: { path: string; params: Record<string, string>; next: string | null; isFirst: boolean },
): Markup | null {
  const { path, params, next, isFirst } = list
  const query = (more: Record<string, string>) => {
    const all = Object.entries({ ...params, ...more }).filter(([, value]) => value !== '')
    return all.length > 0 ? `${path}?${new URLSearchParams(all)}` : path
  }
  return pager(desk, { newest: isFirst ? null : query({}), older: next && query({ before: next }) })
}
