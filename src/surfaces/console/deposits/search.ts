/** Reads the filter of the deposit list from its address: search text, filters, and where the page begins. */

import { type DepositState, depositStates } from '../../../domain/deposits/deposit.ts'
import { readReference } from '../../../domain/deposits/reference.ts'
import { type Cents, type Currency, centsFrom, isCurrency, mostCents } from '../../../domain/money.ts'
import { isDay } from '../../../domain/transfers/bank-text/days.ts'
import { isUuid } from '../../../platform/request-fields.ts'

export type Filter = {
  search: string
  state: DepositState | null
  currency: Currency | null
  paymentType: string | null
  /** Dates in the viewer's time zone, both included. */
  from: string | null
  to: string | null
}

/** The last deposit of the previous page. Times are whole milliseconds, so the comparison is exact. */
export type Cursor = { at: Date; id: string }

export const noFilter: Filter = {
  search: '',
  state: null,
  currency: null,
  paymentType: null,
  from: null,
  to: null,
}

/** Reads a filter from the query; invalid values are ignored. */
export function filterFrom(query: (name: string) => string): Filter {
  const [currency, paymentType, from, to] = [
    query('currency'),
    query('method'),
    query('from'),
    query('to'),
  ] as const
  return {
    search: query('q').trim().slice(0, 200),
    state: depositStates.find((state) => state === query('state')) ?? null,
    currency: isCurrency(currency) ? currency : null,
    paymentType: /^[a-z][a-z0-9_]{0,31}$/.test(paymentType) ? paymentType : null,
    from: isDay(from) ? from : null,
    to: isDay(to) ? to : null,
  }
}

export const isNarrowed = (filter: Filter): boolean => Object.values(filter).some(Boolean)

/** The filter under the names that the address uses. */
export function queryParamsOf(filter: Filter): Record<string, string> {
  const { search, state, currency, paymentType, from, to } = filter
  const named = { q: search, state, currency, method: paymentType, from, to }
  return Object.fromEntries(
    Object.entries(named).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )
}

/** The filter as a query string, with additional parameters. */
export function queryOf(filter: Filter, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...queryParamsOf(filter), ...more }).toString()
  return query && `?${query}`
}

export const cursorText = ({ at, id }: Cursor): string => `${at.getTime()}_${id}`

export function cursorFrom(text: string): Cursor | null {
  const [, time, id] = /^(\d{1,15})_([0-9a-f-]{36})$/.exec(text) ?? []
  return time && id && isUuid(id) ? { at: new Date(Number(time)), id } : null
}

/** What the search text may mean; a deposit is found if one of these fits. */
type SearchTerms = {
  text: string
  id: string | null
  reference: string | null
  cents: Cents | null
  /** The last digits of the requisite that was shown, at least four. */
  digits: string | null
}

export function searchTermsOf(search: string): SearchTerms {
  const plain = search.toLowerCase()
  const number = search.replace(/[\s\u00a0\u202f+-]/g, '')
  return {
    text: search,
    id: isUuid(plain) ? plain : null,
    reference: readReference(search),
    cents: centsOf(search),
    digits: /^\d{4,20}$/.test(number) ? number : null,
  }
}

/** Reads `1500`, `1 500,50` and `1,500.50`. */
function centsOf(search: string): Cents | null {
  const text = search.replace(/[\s\u00a0\u202f]/g, '')
  const isGrouped = /^\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(text)
  const cents = centsFrom(isGrouped ? text.replaceAll(',', '') : text)
  return cents && cents <= mostCents ? cents : null
}
