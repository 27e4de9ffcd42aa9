/** Which screen of the payment page a customer sees: one for every situation. Pure. */

import type { Deposit } from '../../domain/deposits/deposit.ts'
import { foreignText } from '../../platform/foreign-text.ts'

export const screens = [
  'choose',
  'pay',
  'checking',
  'short',
  'success',
  'rejected',
  'expired',
  'closed',
  'canceled',
  'reversed',
] as const
export type Screen = (typeof screens)[number]

export type ScreenFacts = Pick<
  Deposit,
  'state' | 'shown' | 'labels' | 'receivedCents' | 'claimedAt' | 'expiresAt' | 'lateUntil'
>

/** The deadline itself counts, not the moment when the sweep notices it. */
export function screenOf(deposit: ScreenFacts, now: Date): Screen {
  const { state, shown, labels, receivedCents, claimedAt, expiresAt, lateUntil } = deposit
  if (state === 'confirmed') return 'success'
  if (state === 'rejected' || state === 'canceled' || state === 'reversed') return state
  // Money is here and a person decides: no deadline matters any more.
  if (labels.includes('review')) return 'checking'
  if (state === 'expired' || now >= expiresAt) return shown && now < lateUntil ? 'expired' : 'closed'
  if (state === 'builded' || !shown) return 'choose'
  if (claimedAt) return 'checking'
  return receivedCents > 0n ? 'short' : 'pay'
}

/** Whole numbers are shown only where somebody may still need them: never once a person has to decide. */
export function showsRequisites({ labels, shown }: ScreenFacts, screen: Screen): boolean {
  if (screen === 'pay' || screen === 'short') return true
  return screen === 'checking' && shown !== null && !labels.includes('review')
}

/** By what the shop finds the deposit: our short reference, and before there is anything to pay, its own order. */
export const quotedReference = ({ reference, orderId }: Pick<Deposit, 'reference' | 'orderId'>): string =>
  reference ?? foreignText(orderId, 128)
