/** Caches the keys that sign callbacks for half a second, so that a rotation takes effect within a second. */
import type { KeyObject } from 'node:crypto'
import { callbackKey } from '../../../../sdk/signature.ts'
import { bounds } from '../../../platform/bounds.ts'
import { monotonicMs } from '../../../platform/clock.ts'
import type { MerchantId } from '../../merchants/merchant.ts'

type SigningKeys = {
  /** Reads keys that are missing or outdated. */
  refresh(merchants: Iterable<MerchantId>): Promise<void>
  /** Empty when the merchant has none. */
  keysOf(merchant: MerchantId): readonly KeyObject[]
}

export function createSigningKeys(
  read: (merchants: MerchantId[]) => Promise<Map<MerchantId, string[]>>,
): SigningKeys {
  const cache = new Map<MerchantId, { keys: readonly KeyObject[]; readAt: number }>()
  return {
    async refresh(merchants) {
      const now = monotonicMs()
      const isStale = (merchant: MerchantId) =>
        now - (cache.get(merchant)?.readAt ?? Number.NEGATIVE_INFINITY) >= bounds.delivery.freshMs
      const stale = [...new Set(merchants)].filter(isStale)
      if (stale.length === 0) return
      for (const [merchant, secrets] of await read(stale)) {
        // Keeps the map in order of reading, so that the oldest is dropped first.
        cache.delete(merchant)
        cache.set(merchant, { keys: secrets.map(callbackKey), readAt: now })
      }
      while (cache.size > bounds.delivery.rememberedLanes) cache.delete(cache.keys().next().value!)
    },
    keysOf: (merchant) => cache.get(merchant)?.keys ?? [],
  }
}
