/** The list of all merchants' deposits, with a search. */

import { readReference } from '../../../domain/deposits/reference.ts'
import { modes } from '../../../domain/merchants/merchant.ts'
import type { SavedView } from '../../../domain/people/saved-views/saved-view.ts'
import { isDay } from '../../../domain/sandbox/bank-time.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { centsFrom } from '../../staff/amount.ts'
import { moneyOf, shortId, timeOf } from '../../staff/frame.ts'
import { viewBar } from '../../staff/saved-views/view-pieces.ts'
import { depositBadge, labelBadges } from '../../staff/state-badges.ts'
import { html, type Markup } from '../../web/html.ts'
import { empty, field, table } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, deskPage, modeBadge } from '../frame.ts'
import { listPager } from '../list-pager.ts'
import { deskPath } from '../paths.ts'
import type { ByDay, DepositRow } from './rows.ts'

type Asked =
  | { by: 'newest' }
  | { by: 'id'; id: string }
  | { by: 'order'; order: string }
  | { by: 'reference'; reference: string }
  | { by: 'amount'; cents: bigint }
  | ByDay

/** Recognises an id, a reference or an amount by its form; anything else is an order id. */
function askedFor(text: string): Asked {
  if (text === '') return { by: 'newest' }
  if (isUuid(text.toLowerCase())) return { by: 'id', id: text.toLowerCase() }
  const reference = readReference(text)
  if (reference) return { by: 'reference', reference }
  const cents = centsFrom(text)
  // Digits without a fraction may be an order id, so an amount needs its fraction.
  if (cents !== null && /[.,]\d{2}$/.test(text.trim())) return { by: 'amount', cents }
  return { by: 'order', order: text }
}

/** Reads the filter of the list from its address; invalid values are ignored. */
export const depositFilter = (say: (name: string) => string) => ({
  q: say('q').trim().slice(0, 128),
  ...dayFilter(say),
})

/** Days in the viewer's zone; `until`: the time of that day, which the list does not reach. */
const dayFilter = (say: (name: string) => string) => {
  const dayOf = (name: string) => (isDay(say(name)) ? say(name) : '')
  const [created, confirmed] = [dayOf('created'), dayOf('confirmed')]
  return {
    created,
    confirmed: created === '' ? confirmed : '',
    until: /^([01]\d|2[0-3]):[0-5]\d$/.test(say('until')) && created + confirmed !== '' ? say('until') : '',
    mode: modes.find((mode) => mode === say('mode')) ?? ('' as const),
  }
}

type DepositFilter = ReturnType<typeof depositFilter>

/** What the list asks for: a text, a day, or nothing. */
export function searchFor({ q, created, confirmed, until, mode }: DepositFilter, zone: string): Asked {
  const day = created || confirmed
  if (q !== '' || day === '') return askedFor(q)
  const by = created === '' ? 'confirmed' : 'created'
  return { by, day, until: until || null, mode: mode || null, zone }
}
type DepositsView = {
  rows: readonly DepositRow[]
  filter: DepositFilter
  views: readonly SavedView[]
  next: string | null
  isFirst: boolean
}

export function depositsPage(desk: DeskContext, { rows, filter, views, next, isFirst }: DepositsView) {
  const words = caseWords[desk.language]
  const { q } = filter
  return deskPage(desk, {
    title: words.sections.deposits,
    section: 'deposits',
    isLive: true,
    body: html`<form method="get" action="${deskPath('/deposits')}" class="filters" role="search">
${field({ name: 'q', label: words.search, placeholder: words.searchHint, type: 'search', value: q, maxLength: 128, className: 'search' })}
<button type="submit" class="button">${words.filter}</button>
</form>
${dayChip(desk, filter)}
${viewBar(desk, { path: deskPath('/deposits'), action: (verb) => deskPath(`/deposits/${verb}`), filtered: filter, views })}
${
  rows.length === 0
    ? empty(words.noDeposits, words.noDepositsText)
    : table(
        words.sections.deposits,
        [
          { head: words.amount, is: 'number' },
          words.state,
          words.created,
          words.merchant,
          words.order,
          words.method,
          'id',
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
${listPager(desk, { path: deskPath('/deposits'), params: filter, next, isFirst })}`,
  })
}

/** The day that the list is of, which an overview led to; it can be taken away. */
function dayChip(desk: DeskContext, { q, created, confirmed, until, mode }: DepositFilter): Markup | null {
  const day = created || confirmed
  if (q !== '' || day === '') return null
  const words = caseWords[desk.language]
  const name = created === '' ? words.confirmedOn : words.createdOn
  const text = [`${name}: ${day}`, until && `${words.until} ${until}`, mode && words.modes[mode]]
  return html`<ul class="chips"><li><a href="${deskPath('/deposits')}">${text.filter(Boolean).join(', ')} ×</a></li></ul>`
}
