/**
 * Money that has to be paid back to who sent it: what is open of a transfer that was set aside or whose deposit has ended,
 * and what a confirmed deposit has beyond its amount. Inlet moves none of it: it says what is owed, and notes what was
 * done.
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
  /** None where the surplus was noted by hand. */
  transferId: string | null
  payer: Payer | null
  bookedOn: string | null
  purpose: string
  accountLabel: string | null
  /** Whose surplus it is, or which deposit has ended. */
  depositId: string | null
  orderId: string | null
  merchantName: string | null
  /** What the person or the program said when it became due. */
  note: MessageOrText
}

/** Where a page of the list ended. */
export type RefundPlace = { since: Date; id: string }

export type RefundTotal = { mode: Mode; currency: Currency; refunds: number; cents: Cents }

/**
 * Whose the surplus of a deposit is: the last payments', as far as they go, but for what was said to be nobody's claim of
 * each. What no payment explains was noted by hand, and stands for itself.
 */
export function surplusParts<Part extends { depositCents: Cents; keptCents: Cents }>(
  surplusCents: Cents,
  newestFirst: readonly Part[],
): { part: Part | null; cents: Cents }[] {
  let left = surplusCents
  const parts: { part: Part | null; cents: Cents }[] = []
  for (const part of newestFirst) {
    const cents = part.depositCents < left ? part.depositCents : left
    parts.push({ part, cents: cents - part.keptCents })
    left -= cents
  }
  return [...parts, { part: null, cents: left }].filter(({ cents }) => cents > 0n)
}

/** `2026-11-15T10:00:00.000Z_…`: the place in an address. */
export const placeText = ({ since, id }: RefundPlace): string => `${since.toISOString()}_${id}`

export function placeFrom(text: string): RefundPlace | null {
  const [, at, id] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ??
    []
  const since = new Date(at ?? '')
  return at === undefined || Number.isNaN(since.getTime()) ? null : { since, id: id! }
}
