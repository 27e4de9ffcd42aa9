/**
 * Whether customers may get the deposits that are asked for: not on the block list, and within the merchant's limits.
 * Merchants without lists and limits need no query. Limits are exact when the caller has locked the customers.
 */

import type { Queryable } from '../../platform/db.ts'
import { pipelined } from '../../platform/pipelined.ts'
import type { Refusal } from '../../platform/refusals.ts'
import type { Merchant } from '../merchants/merchant.ts'
import type { Message } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import {
  addUse,
  type CustomerLimits,
  isLimited,
  limitReached,
  limitRefusal,
  withoutOne,
} from './customer-limit.ts'
import {
  customerBlocked,
  customerKeys,
  listingReason,
  listingsFrom,
  type MerchantRules,
  strongest,
} from './listing.ts'
import { type CustomerKey, customerUseKey, findListings, readCustomerUse } from './store.ts'

/** A deposit that somebody asks for. */
type Asking = {
  merchant: Merchant
  rules: MerchantRules
  request: {
    customer: string | null
    customerPhoneNumber: string | null
    amountCents: Cents
    currency: Currency
  }
}

export type CustomerRules = {
  /** A refusal, or what a person who reviews the money has to know, if anything. */
  check(asking: Asking): Refusal | Message | null
  /** Counts a deposit that is about to be written, for the checks that follow. */
  add(asking: Asking): void
}

export const noRules: CustomerRules = { check: () => null, add() {} }

export const isRuled = (asking: Asking): boolean => asking.rules.hasLists || limitsOf(asking) !== null

/** `isCounted`: the deposits exist already, and their customers have used as much of their limits. */
export async function readCustomerRules(
  db: Queryable,
  askings: readonly Asking[],
  { isCounted = false } = {},
): Promise<CustomerRules> {
  const listed = askings.filter(({ rules }) => rules.hasLists)
  const limited = askings.filter(limitsOf)
  const found = findListings(
    db,
    listed.flatMap(({ request }) => customerKeys(request)),
  )
  const used = readCustomerUse(db, limited.map(customerOf))
  await pipelined<unknown>([found, used])
  const [listings, uses] = [listingsFrom(await found), await used]
  const useOf = (asking: Asking) => uses.get(customerUseKey(customerOf(asking)))!
  return {
    check(asking) {
      const { merchant, rules, request } = asking
      const listing = rules.hasLists ? strongest(listings(customerKeys(request)), merchant.id) : undefined
      if (listing?.list === 'block') return customerBlocked()
      const limits = limitsOf(asking)
      if (limits) {
        const { amountCents } = request
        const use = isCounted ? withoutOne(useOf(asking), amountCents) : useOf(asking)
        const reached = limitReached(limits, use, amountCents)
        if (reached) return limitRefusal(reached)
      }
      return listing ? listingReason(listing) : null
    },
    add(asking) {
      if (limitsOf(asking)) addUse(useOf(asking), asking.request.amountCents)
    },
  }
}

/** The limits that count for this deposit: none without a customer's name. */
export const limitsOf = ({
  merchant,
  request,
}: Pick<Asking, 'merchant' | 'request'>): CustomerLimits | null =>
  request.customer !== null && isLimited(merchant.settings) ? merchant.settings : null

export const customerOf = ({ merchant, request }: Asking): CustomerKey => ({
  merchantId: merchant.id,
  customer: request.customer!,
  currency: request.currency,
})
