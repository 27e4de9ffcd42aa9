/**
 * Money that is owed to payers: the open amount of a transfer that was set aside or whose deposit has ended, and the
 * surplus of a confirmed deposit. Inlet moves no money: it lists what is owed, and records what was paid.
 */
import type { Mode } from '../merchants/merchant.ts'
import type { MessageOrText } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'

const refundReasons = ['set_aside', 'deposit_ended', 'overpaid'] as const
type RefundReason = (typeof refundReasons)[number]

type Payer = { name: string; account: string; taxId: string; bank: string }

/** One sum owed to one payer. */
export type Refund = {
  since: Date
  why: RefundReason
  mode: Mode
  cents: Cents
  currency: Currency
  /** Null where the surplus was recorded manually. */
  transferId: string | null
  payer: Payer | null
  bookedOn: string | null
  purpose: string
  accountLabel: string | null
  /** The deposit with the surplus, or the one that has ended. */
  depositId: string | null
  orderId: string | null
  merchantName: string | null
  /** The reason of the decision that made it due. */
  note: MessageOrText
}

/** The last refund of a page, for keyset paging. */
export type RefundPlace = { since: Date; id: string }

export type RefundTotal = { mode: Mode; currency: Currency; refunds: number; cents: Cents }

/**
 * Assigns the surplus of a deposit to its newest payments, without the part of each that is kept. A remainder that no payment
 * explains was recorded manually. If an earlier payment was revoked, a payment with a kept part may no longer be surplus:
 * then as much is kept of the oldest other parts, so that no more is owed than the surplus that is not kept.
 */
export function surplusParts<Part extends { depositCents: Cents; keptCents: Cents }>(
  surplusCents: Cents,
  newestFirst: readonly Part[],
): { part: Part | null; cents: Cents }[] {
  let left = surplusCents
  let kept = newestFirst.reduce((sum, part) => sum + part.keptCents, 0n)
  const parts: { part: Part | null; cents: Cents }[] = []
  for (const part of newestFirst) {
    const cents = part.depositCents < left ? part.depositCents : left
    const keptOfIt = part.keptCents < cents ? part.keptCents : cents
    parts.push({ part, cents: cents - keptOfIt })
    left -= cents
    kept -= keptOfIt
  }
  const owed = [...parts, { part: null, cents: left }]
  for (const one of owed.toReversed()) {
    const less = one.cents < kept ? one.cents : kept
    one.cents -= less
    kept -= less
  }
  return owed.filter(({ cents }) => cents > 0n)
}

/** `2026-11-15T10:00:00.000Z_…`, for the query string. */
export const placeText = ({ since, id }: RefundPlace): string => `${since.toISOString()}_${id}`

export function placeFrom(text: string): RefundPlace | null {
  const [, at, id] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ??
    []
  const since = new Date(at ?? '')
  return at === undefined || Number.isNaN(since.getTime()) ? null : { since, id: id! }
}
