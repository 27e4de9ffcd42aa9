/** What people search deposits by. */

import { isUuid } from '../../platform/request-fields.ts'
import type { Mode } from '../merchants/merchant.ts'
import { type Cents, centsFrom } from '../money.ts'
import type { Deposit, DepositState } from './deposit.ts'
import { type Reference, readReference } from './reference.ts'

/** A deposit with what stands beside it in lists. */
export type DepositRow = {
  deposit: Deposit
  now: Date
  mode: Mode
  merchantName: string
  accountId: string | null
  accountLabel: string | null
}

/** A text is looked for in one way, which its form tells. */
type TextSearch =
  | { by: 'id'; id: string }
  | { by: 'reference'; reference: Reference }
  | { by: 'amount'; cents: Cents }
  | { by: 'name'; name: string }

/** Days in a time zone. */
export type DaySearch = { day: string; mode: Mode | null; zone: string } & (
  | { by: 'created' }
  | { by: 'confirmed' }
)

export type DepositSearch =
  | TextSearch
  | DaySearch
  /** As a bank writes it: name, account or tax id. */
  | { by: 'payer'; payer: string }
  /** The newest, also of one merchant, state or mode. */
  | { by: 'newest'; merchantId: string | null; state: DepositState | null; mode: Mode | null }

/** Recognises an id, a reference or an amount by its form; anything else is an order or a customer. */
export function textSearch(text: string): TextSearch {
  if (isUuid(text.toLowerCase())) return { by: 'id', id: text.toLowerCase() }
  const reference = readReference(text)
  if (reference) return { by: 'reference', reference }
  const cents = centsFrom(text)
  // Digits without a fraction may be an order id, so an amount needs its fraction.
  if (cents !== null && /[.,]\d{2}$/.test(text.trim())) return { by: 'amount', cents }
  return { by: 'name', name: text }
}
