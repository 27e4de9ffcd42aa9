/**
 * Checks whether customers may get the requested deposits: not on the block list, and within the merchant's limits.
 * Merchants without lists and limits need no query.
 *
 * The first check runs without locks, before a requisite is chosen. The second one enforces the limits in the writing
 * transaction, under the customers' locks.
 */

import type { Queryable, Tx } from '../../platform/db.ts'
import type { Refusal } from '../../platform/refusals.ts'
import type { Merchant, MerchantId } from '../merchants/merchant.ts'
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
  type Listing,
  listingReason,
  listingsFrom,
  type MerchantRules,
  strongest,
} from './listing.ts'
import { type CustomerKey, customerUseKey, findListings, lockCustomers, readCustomerUse } from './store.ts'

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

type CustomerVerdict =
  /** Refused; `mayFit`: only because of other members of the group, which may yet fail. */
  | { refused: Refusal; mayFit: boolean }
  /** Served, but a person reviews it when the money arrives. */
  | { watched: Message }

/** The first look. Who is not in the answer may go on, and nothing is to be said about it. */
export async function checkCustomers<Member extends Asking>(
  db: Queryable,
  members: readonly Member[],
): Promise<Map<Member, CustomerVerdict>> {
  const verdicts = new Map<Member, CustomerVerdict>()
  const listed = members.filter((member) => member.rules.hasLists)
  if (listed.length > 0) {
    const listings = listingsFrom(
      await findListings(
        db,
        listed.flatMap(({ request }) => customerKeys(request)),
      ),
    )
    for (const member of listed) {
      const found = strongest(listings(customerKeys(member.request)), member.merchant.id)
      if (found) verdicts.set(member, verdictOf(found))
    }
  }
  const limited = members.filter((member) => limitsOf(member) && !isRefused(verdicts.get(member)))
  if (limited.length === 0) return verdicts
  const uses = await readCustomerUse(db, limited.map(customerOf))
  const reachedBy = (member: Member) =>
    limitReached(
      member.merchant.settings,
      uses.get(customerUseKey(customerOf(member)))!,
      member.request.amountCents,
    )
  // Those over a limit even without the other members.
  const alone = new Set(limited.filter(reachedBy))
  for (const member of limited) {
    const reached = reachedBy(member)
    if (reached) verdicts.set(member, { refused: limitRefusal(reached), mayFit: !alone.has(member) })
    else addUse(uses.get(customerUseKey(customerOf(member)))!, member.request.amountCents)
  }
  return verdicts
}

/** A deposit about to be written. */
type CustomerDraft = {
  id: string
  merchantId: MerchantId
  customer: string | null
  amountCents: Cents
  currency: Currency
  customerLimits: CustomerLimits | null
}

/** Checks the limits again under a lock, the first of the transaction. Returns the refusals of drafts that are over a limit now. */
export async function recheckCustomers(
  tx: Tx,
  drafts: readonly CustomerDraft[],
): Promise<Map<string, Refusal>> {
  const limited = drafts.flatMap(({ customer, customerLimits: limits, ...draft }) =>
    customer !== null && limits ? [{ ...draft, customer, limits }] : [],
  )
  const over = new Map<string, Refusal>()
  if (limited.length === 0) return over
  await lockCustomers(tx, limited)
  const uses = await readCustomerUse(tx, limited)
  for (const draft of limited) {
    const use = uses.get(customerUseKey(draft))!
    const reached = limitReached(draft.limits, use, draft.amountCents)
    if (reached) over.set(draft.id, limitRefusal(reached))
    else addUse(use, draft.amountCents)
  }
  return over
}

/** A deposit that exists and is about to get its requisite: its customer may have been listed since. */
export async function checkCustomer(tx: Tx, asking: Asking): Promise<void> {
  if (asking.rules.hasLists) {
    const keys = customerKeys(asking.request)
    const found = strongest(listingsFrom(await findListings(tx, keys))(keys), asking.merchant.id)
    if (found?.list === 'block') throw customerBlocked()
  }
  if (!limitsOf(asking)) return
  const use = (await readCustomerUse(tx, [customerOf(asking)])).get(customerUseKey(customerOf(asking)))!
  const { amountCents } = asking.request
  const reached = limitReached(asking.merchant.settings, withoutOne(use, amountCents), amountCents)
  if (reached) throw limitRefusal(reached)
}

/** The limits that count for this deposit: none without a customer's name. */
export const limitsOf = ({
  merchant,
  request,
}: Pick<Asking, 'merchant' | 'request'>): CustomerLimits | null =>
  request.customer !== null && isLimited(merchant.settings) ? merchant.settings : null

const verdictOf = (listing: Listing): CustomerVerdict =>
  listing.list === 'block'
    ? { refused: customerBlocked(), mayFit: false }
    : { watched: listingReason(listing) }

const isRefused = (verdict: CustomerVerdict | undefined): boolean =>
  verdict !== undefined && 'refused' in verdict

const customerOf = ({ merchant, request }: Asking): CustomerKey => ({
  merchantId: merchant.id,
  customer: request.customer!,
  currency: request.currency,
})
