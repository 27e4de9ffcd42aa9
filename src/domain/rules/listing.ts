/**
 * The lists of customers, phones and payers that the operator does not serve (block) or wants to review (watch). Pure:
 * the normal form of a value, the values of a deposit and of a transfer, and what an entry means for them.
 *
 * A listed customer is refused or reviewed; a listed payer's money waits for a person. Nothing here moves money.
 */

import { Refusal } from '../../platform/refusals.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { type Message, message } from '../messages/message.ts'
import { maskedAccount } from '../requisites/masked-account.ts'

export const lists = ['block', 'watch'] as const
export type List = (typeof lists)[number]

export const listKinds = ['customer', 'phone', 'payer'] as const
export type ListKind = (typeof listKinds)[number]

/** An entry in force. Without a merchant it applies to all. */
export type Listing = {
  list: List
  kind: ListKind
  merchantId: MerchantId | null
  value: string
  reason: string
}

export type ListEntry = Listing & {
  id: string
  addedBy: string
  addedAt: Date
  removedAt: Date | null
  removedBy: string | null
  removedReason: string | null
}

export type MerchantRules = {
  /** Some entry about customers or phones is in force for it. */
  hasLists: boolean
}

export type ListKey = { kind: ListKind; value: string }

/** The normal form of a value; null when nothing of it remains. */
export function listValue(kind: ListKind, text: string): string | null {
  if (kind === 'customer') return plain(text) || null
  if (kind === 'phone') return phoneValue(text)
  return payerValue(text)
}

/** The values by which a deposit's customer can be listed. */
export const customerKeys = (deposit: {
  customer: string | null
  customerPhoneNumber: string | null
}): ListKey[] => [
  ...listKeys('customer', deposit.customer),
  ...listKeys('phone', deposit.customerPhoneNumber),
]

/** The values by which a transfer's payer can be listed: name, account and tax id. */
export const payerKeys = (transfer: {
  payerName: string
  payerAccount: string
  payerTaxId: string
}): ListKey[] => [
  ...listKeys('payer', transfer.payerName),
  ...listKeys('payer', transfer.payerAccount),
  ...listKeys('payer', transfer.payerTaxId),
]

const listKeys = (kind: ListKind, text: string | null): ListKey[] => {
  const value = text === null ? null : listValue(kind, text)
  return value === null ? [] : [{ kind, value }]
}

/** Finds the entries for some keys. */
type Listings = (keys: readonly ListKey[]) => Listing[]

export function listingsFrom(found: readonly Listing[]): Listings {
  const byKey = Map.groupBy(found, keyText)
  return (keys) => keys.flatMap((key) => byKey.get(keyText(key)) ?? [])
}

const keyText = ({ kind, value }: ListKey) => `${kind}:${value}`

/** The entry that applies to this merchant, or (null) to unmatched money: block before watch. */
export const strongest = (
  listings: readonly Listing[],
  merchantId: MerchantId | null,
): Listing | undefined => {
  const relevant = listings.filter(
    (listing) => listing.merchantId === null || listing.merchantId === merchantId,
  )
  return relevant.find((listing) => listing.list === 'block') ?? relevant[0]
}

/** For people: who is on which list, and why. */
export const listingReason = (entry: Listing): Message => message('listed', listingValues(entry))

export const listingValues = ({ list, kind, reason }: Listing) => ({
  kind: kind === 'phone' ? "customer's phone" : kind,
  list,
  why: sentence(reason),
})

/** The merchant learns that its customer is not served, but not why. */
export const customerBlocked = () =>
  new Refusal('customer_blocked', {
    detail: 'The operator of this installation takes no deposits of this customer. Nothing was stored.',
  })

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()

/** Digits with the country code. For +7 it may be written as 8 or left out; for other countries it is required. */
function phoneValue(text: string): string | null {
  const digits = text.normalize('NFKC').replace(/\D/g, '').replace(/^00/, '')
  if (digits.length < 7) return null
  if (/^8\d{10}$/.test(digits)) return `7${digits.slice(1)}`
  return /^[79]\d{9}$/.test(digits) ? `7${digits}` : digits
}

/**
 * A tax id is kept as it is. An account is masked as in transfers; two accounts may have equal masks, so a person
 * reviews. A name becomes its words in sorted order, because banks and people order them differently.
 */
function payerValue(text: string): string | null {
  const number = text.normalize('NFC').replace(/[\s-]/g, '').toUpperCase()
  if (/^\d{5,14}$/.test(number)) return number
  const isAccount = /^[A-Z0-9*]{15,34}$|^[A-Z0-9*]{4}…[A-Z0-9*]{4}$/.test(number)
  if (isAccount && /^.{0,2}\d\d.*\d{4}$/.test(number)) return maskedAccount(number)
  const words =
    plain(text)
      .replaceAll('ё', 'е')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.sort().join(' ') || null
}
