/**
 * The way back to the shop: its own address with the deposit's outcome, signed. A hint for the shop's page, never
 * proof of payment. The address is the one that the signed request named; nothing a visitor sends can change it.
 */
import { type BrowserReturn, signReturn } from '../../../sdk/signature.ts'
import type { Deposit } from '../../domain/deposits/deposit.ts'
import type { Screen } from './screen.ts'

/** Where this outcome leads; null where the merchant named no address for it. */
export function returnTarget(
  { successUrl, rejectUrl }: Pick<Deposit, 'successUrl' | 'rejectUrl'>,
  screen: Screen,
): string | null {
  if (screen === 'success') return successUrl
  return ['rejected', 'canceled', 'expired', 'closed', 'reversed'].includes(screen) ? rejectUrl : null
}

/** The shop's own parameters stay as they were written; only those of our names make room. */
export function returnLink(target: string, secret: string, returned: BrowserReturn): string {
  const { id, orderId, state, ts } = returned
  const ours = {
    id,
    order_id: orderId,
    state,
    ts: String(ts),
    signature: signReturn({ secret, ...returned }),
  }
  const [, address = '', query, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(target)!
  const kept = (query ?? '').split('&').filter((part) => part !== '' && !Object.hasOwn(ours, nameIn(part)))
  const added = Object.entries(ours).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${address}?${[...kept, ...added].join('&')}${fragment}`
}

function nameIn(part: string): string {
  const name = part.split('=', 1)[0]!.replaceAll('+', ' ')
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
