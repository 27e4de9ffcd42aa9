/**
 * Keys of a merchant. A request key signs what the merchant sends; a callback key signs what we send. They are
 * never the same secret, so nothing we send can be played back to us as a request.
 */
import type { MerchantId } from './merchant.ts'

export const keyPurposes = ['request', 'callback'] as const
export type KeyPurpose = (typeof keyPurposes)[number]

/** How a request is signed: by the literal rule of the specification, or v2. */
export type SigningRule = 'literal' | 'v2'

export type ApiKey = {
  id: string
  merchantId: MerchantId
  purpose: KeyPurpose
  secret: string
  v2Only: boolean
  createdAt: Date
  notAfter: Date | null
  lastUsedAt: Date | null
  literalUsedAt: Date | null
  v2UsedAt: Date | null
}

/** For how many days all requests of a key must use v2 before "v2 only" is offered for it. */
export const quietDays = 7

/** Whether the key was used in the last days, with v2 signatures only. */
export function usesV2Alone(
  { literalUsedAt, v2UsedAt }: Pick<ApiKey, 'literalUsedAt' | 'v2UsedAt'>,
  now: Date,
): boolean {
  const since = now.getTime() - quietDays * 86_400_000
  const isRecent = (at: Date | null) => at !== null && at.getTime() >= since
  return isRecent(v2UsedAt) && !isRecent(literalUsedAt)
}

/** Binds a sealed secret to its row: a ciphertext copied to another key or merchant does not open. */
export const sealLabel = (key: { id: string; merchantId: string; purpose: KeyPurpose }): string =>
  `api_keys:${key.id}:${key.merchantId}:${key.purpose}`
