/** The list of all merchants' deposits, with a search. */

import type { TypeNames } from '../../../domain/catalogue/payment-type.ts'
import { readReference } from '../../../domain/deposits/reference.ts'
import { modes } from '../../../domain/merchants/merchant.ts'
import { centsFrom } from '../../../domain/money.ts'
import { isDay } from '../../../domain/transfers/bank-text/days.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { choiceFilter, fieldFilter, filterBar } from '../../staff/filter-bar.ts'
import { moneyOf, shortId, shortText, timeOf } from '../../staff/frame.ts'
import { listWords } from '../../staff/list-words.ts'
import { methodName } from '../../staff/method-names.ts'
import { depositBadge, labelBadges } from '../../staff/state-badges.ts'
import { html } from '../../web/html.ts'
import { empty, previewed, table } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, deskPage } from '../frame.ts'
import { listPager } from '../list-pager.ts'
import { deskPath } from '../paths.ts'
import { withMode } from '../transfers/money-pieces.ts'
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
    mode: (created + confirmed !== '' && modes.find((mode) => mode === say('mode'))) || ('' as const),
  }
}

type DepositFilter = ReturnType<typeof depositFilter>

/** What is searched for: a text, a day, or nothing. */
export function searchFor({ q, created, confirmed, until, mode }: DepositFilter, zone: string): Asked {
  const day = created || confirmed
  if (q !== '' || day === '') return askedFor(q)
  const by = created === '' ? 'confirmed' : 'created'
  return { by, day, until: until || null, mode: mode || null, zone }
}
type DepositsView = {
  rows: readonly DepositRow[]
  filter: DepositFilter
  names: TypeNames
  next: string | null
  isFirst: boolean
}

export function depositsPage(desk: DeskContext, { rows, filter, names, next, isFirst }: DepositsView) {
  const words = caseWords[desk.language]
  return deskPage(desk, {
    title: words.sections.deposits,
    section: 'deposits',
    isLive: true,
    body: html`${filterBar(desk, {
      path: deskPath('/deposits'),
      search: {
        name: 'q',
        label: words.search,
        placeholder: words.searchHint,
        value: filter.q,
        maxLength: 128,
      },
      filters: dayFilters(desk, filter),
    })}
${
  rows.length === 0
    ? empty(words.noDeposits, words.noDepositsText)
    : previewed(
        html`<div class="compact">${table(
          words.sections.deposits,
          [
            { head: words.amount, is: 'number' },
            words.state,
            words.created,
            { head: words.merchant, is: 'middle' },
            { head: words.order, is: 'middle' },
            { head: words.method, is: 'middle extra' },
            { head: 'ID', is: 'rare' },
          ],
          rows.map((row) => [
            withMode(
              desk,
              row.mode,
              html`<a href="${deskPath('/deposits/:id', row.id)}">${moneyOf(desk, row.cents, row.currency)}</a>`,
            ),
            html`${depositBadge(desk, row.state)}${labelBadges(desk, row.labels)}`,
            timeOf(desk, row.createdAt),
            html`<bdi>${row.merchantName}</bdi>`,
            shortText(row.orderId),
            methodName(desk, names, row.paymentType),
            shortId(row.id),
          ]),
        )}</div>`,
        listWords[desk.language],
      )
}
${listPager(desk, { path: deskPath('/deposits'), params: filter, next, isFirst })}`,
  })
}

/** Further filters of a day are shown once a day is chosen. */
function dayFilters(desk: DeskContext, { created, confirmed, until, mode }: DepositFilter) {
  const words = caseWords[desk.language]
  return [
    fieldFilter({ name: 'created', label: words.createdOn, type: 'date', value: created }),
    fieldFilter({ name: 'confirmed', label: words.confirmedOn, type: 'date', value: confirmed }),
    ...(created + confirmed === ''
      ? []
      : [
          choiceFilter({
            ...{ name: 'mode', label: words.mode, value: mode, none: words.all },
            choices: modes.map((mode) => ({ value: mode, text: words.modes[mode] })),
          }),
        ]),
    ...(until === '' ? [] : [fieldFilter({ name: 'until', label: words.until, value: until, maxLength: 5 })]),
  ]
}
