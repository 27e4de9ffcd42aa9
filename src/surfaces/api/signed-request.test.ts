/** The moment a signed time becomes too old, or too far ahead. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signV2 } from '../../../sdk/signature.ts'
import { createRateLimit } from '../../platform/rate-limit.ts'
import { isRefusal } from '../../platform/refusals.ts'
import type { KnownMerchant } from './merchant-directory.ts'
import { createSignatureVerifier } from './signed-request.ts'

const now = 1_794_736_800
const key = { id: 'ak_test', secret: 'sk_test_9f0e2d6a41c5e803' }
const known = {
  merchant: { id: 'shop', enabled: true, mode: 'test', settings: { ratePerSecond: 100, rateBurst: 100 } },
  keys: [key],
  // The last millisecond of a second counts as the second.
  now: () => new Date(now * 1000 + 999),
} as unknown as KnownMerchant
const { verifyV2 } = createSignatureVerifier({
  directory: {
    byId: async () => known,
    byKey: async () => known,
    endedKeys: async () => [],
    forget: () => {},
  },
  limits: createRateLimit(10, () => 0),
  noteUse: () => {},
  isProduction: true,
})

for (const [seconds, isAccepted] of [
  [-301, false],
  [-300, true],
  [0, true],
  [300, true],
  [301, false],
] as const)
  test(`a signed time of ${seconds} seconds from ours is ${isAccepted ? 'accepted' : 'refused'}`, async () => {
    const request = { method: 'GET', target: '/api/v1/events', body: Buffer.alloc(0) }
    const signature = signV2({ ...request, kid: key.id, secret: key.secret, t: now + seconds })
    const verified = verifyV2({ ...request, network: () => '10.0.0.1', signatures: [signature] })
    if (isAccepted) assert.equal((await verified).key, key)
    else await assert.rejects(verified, (error) => isRefusal(error, 'timestamp_out_of_window'))
  })
