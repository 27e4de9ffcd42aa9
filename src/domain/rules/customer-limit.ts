/**
 * A merchant's limits for one customer: open deposits at once, and amounts per bank day and bank month. Pure. A deposit
 * over a limit is refused: an amount is never cut or split to fit.
 *
 * The sums are of open and paid deposits, per currency; expired, canceled and rejected ones do not count. Open deposits
 * count over all currencies.
 */

import { Refusal } from '../../platform/refusals.ts'
import type { MerchantSettings } from '../merchants/merchant.ts'
import type { Cents } from '../money.ts'

export type CustomerLimits = Pick<
  MerchantSettings,
  'customerOpenDeposits' | 'customerDayCents' | 'customerMonthCents'
>

export const isLimited = (limits: CustomerLimits): boolean =>
  limits.customerOpenDeposits !== null ||
  limits.customerDayCents !== null ||
  limits.customerMonthCents !== null

/** A customer's current use in one currency. `open` is shared by the customer's currencies. */
export type CustomerUse = {
  open: { deposits: number; firstDeadline: Date | null }
  dayCents: Cents
  monthCents: Cents
  dayEnd: Date
  monthEnd: Date
  now: Date
}

export const customerLimits = [
  'customer_open_deposits',
  'customer_day_cents',
  'customer_month_cents',
] as const

export type ReachedLimit = {
  limit: (typeof customerLimits)[number]
  /** When there is room again at the latest; null when unknown, or never for this amount. */
  freeAt: Date | null
}

/** The limit that a further deposit would break, if any; open deposits first, then day, then month. */
export function limitReached(
  limits: CustomerLimits,
  use: CustomerUse,
  amountCents: Cents,
): ReachedLimit | undefined {
  const { customerOpenDeposits: most, customerDayCents: day, customerMonthCents: month } = limits
  if (most !== null && use.open.deposits + 1 > most) {
    const { firstDeadline } = use.open
    const freeAt = firstDeadline && firstDeadline > use.now ? firstDeadline : null
    return { limit: 'customer_open_deposits', freeAt }
  }
  if (day !== null && use.dayCents + amountCents > day) {
    return { limit: 'customer_day_cents', freeAt: amountCents > day ? null : use.dayEnd }
  }
  if (month !== null && use.monthCents + amountCents > month) {
    return { limit: 'customer_month_cents', freeAt: amountCents > month ? null : use.monthEnd }
  }
  return undefined
}

/** Counts one more deposit. */
export function addUse(use: CustomerUse, amountCents: Cents): void {
  use.open.deposits += 1
  use.dayCents += amountCents
  use.monthCents += amountCents
}

/** The use without one deposit that is in it already. */
export const withoutOne = (use: CustomerUse, amountCents: Cents): CustomerUse => ({
  ...use,
  open: { ...use.open, deposits: use.open.deposits - 1 },
  dayCents: use.dayCents - amountCents,
  monthCents: use.monthCents - amountCents,
})

export function limitRefusal({ limit, freeAt }: ReachedLimit): Refusal {
  const when = freeAt
    ? `There is room again at ${freeAt.toISOString()} at the latest.`
    : limit === 'customer_open_deposits'
      ? 'There is room again when one of them is decided.'
      : 'This amount alone is above it.'
  return new Refusal('customer_limit_reached', {
    detail: `${sentences[limit]} ${when} Nothing was stored.`,
    more: { limit, free_at: freeAt?.toISOString() ?? null },
  })
}

const sentences: Record<ReachedLimit['limit'], string> = {
  customer_open_deposits: 'This customer has as many open deposits as one may have at once.',
  customer_day_cents: "This would be more than one customer may ask for in a bank's day.",
  customer_month_cents: "This would be more than one customer may ask for in a bank's month.",
}
