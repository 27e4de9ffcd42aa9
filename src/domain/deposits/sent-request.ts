/**
 * The request that created a deposit: what the history stores of it, and its body rebuilt from the deposit. It must
 * never hold a secret or a signature.
 */
import type { ParsedSignature } from '../../../sdk/signature.ts'
import { asSent, type StoredOrder, wireFields } from './order.ts'

/** The request id, the id of the signing key, and the signature scheme. */
export type SentRequest = { request: string; key: string; scheme: ParsedSignature['scheme'] }

/** All values that were sent and not empty; the original order and whitespace are not stored. */
export function bodyOf({ deposit, fingerprint }: Pick<StoredOrder, 'deposit' | 'fingerprint'>): string {
  const { cents, ...fields } = wireFields(asSent(deposit, fingerprint))
  const sent = Object.entries(fields).filter(([, value]) => value !== null)
  const { merchantId: merchant, orderId: order_id } = deposit
  return JSON.stringify({ merchant, order_id, cents: Number(cents), ...Object.fromEntries(sent) }, null, 2)
}
