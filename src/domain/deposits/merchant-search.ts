/** How a merchant's people look for deposits: the filter, and the meanings of the search text. */

import { isUuid } from '../../platform/request-fields.ts'
import { type Cents, type Currency, centsFrom, mostCents } from '../money.ts'
import type { DepositState } from './deposit.ts'
import { readReference } from './reference.ts'

export type DepositFilter = {
  search: string
  state: DepositState | null
  currency: Currency | null
  paymentType: string | null
  /** Dates in the viewer's time zone, both included. */
  from: string | null
  to: string | null
}

export const noFilter: DepositFilter = {
  search: '',
  state: null,
  currency: null,
  paymentType: null,
  from: null,
  to: null,
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
