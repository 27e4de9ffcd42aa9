/**
 * The way back to the shop: its own address with the deposit's outcome, signed. A hint for the shop's page, never
 * proof of payment. The address is the one that the signed request named; nothing a visitor sends can change it.
 */
import { type BrowserReturn, signReturn } from '../../sdk/signature.ts'
import type { Deposit } from '../deposits/deposit.ts'
import type { Screen } from './screen.ts'

/** Where this outcome leads; null where the merchant named no address for it. */
export function returnTarget(
  { successUrl, rejectUrl }: Pick<Deposit, 'successUrl' | 'rejectUrl'>,
  screen: Screen,
): string | null {
  if (screen === 'success') return successUrl
  return ['rejected', 'canceled', 'expired', 'closed'].includes(screen) ? rejectUrl : null
}

export function returnLink(target: string, secret: string, returned: BrowserReturn): string {
  const url = new URL(target)
  const { id, orderId, state, ts } = returned
  const signature = signReturn({ secret, ...returned })
  for (const [name, value] of Object.entries({ id, order_id: orderId, state, ts: String(ts), signature })) {
    url.searchParams.set(name, value)
  }
  return url.href
}
