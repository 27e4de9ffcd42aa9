/**
 * The request that made a deposit: what its history keeps of it, and its body once more. It must never hold a secret
 * or a signature.
 */
import type { ParsedSignature } from '../../../sdk/signature.ts'
import { asSent, type StoredOrder, wireFields } from './order.ts'

/** By our id, with the id of the key that signed it, and under which rule. */
export type SentRequest = { request: string; key: string; scheme: ParsedSignature['scheme'] }

/** As the first line of a history has it. Deposits of older versions know less. */
export function sentRequestFrom(evidence: unknown): {
  [Part in keyof SentRequest]: SentRequest[Part] | null
} {
  const { request, key, scheme } = (evidence ?? {}) as Record<string, unknown>
  return {
    request: typeof request === 'string' ? request : null,
    key: typeof key === 'string' ? key : null,
    scheme: scheme === 'literal' || scheme === 'v2' ? scheme : null,
  }
}

/** Every value that was sent and not empty. How it was spaced, and in which order, nobody kept. */
export function bodyOf({ deposit, fingerprint }: Pick<StoredOrder, 'deposit' | 'fingerprint'>): string {
  const { cents, ...fields } = wireFields(asSent(deposit, fingerprint))
  const sent = Object.entries(fields).filter(([, value]) => value !== null)
  const { merchantId: merchant, orderId: order_id } = deposit
  return JSON.stringify({ merchant, order_id, cents: Number(cents), ...Object.fromEntries(sent) }, null, 2)
}
