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
  of(merchant: MerchantId): readonly KeyObject[]
}

export function createSigningKeys(
  read: (merchants: MerchantId[]) => Promise<Map<MerchantId, string[]>>,
): SigningKeys {
  const known = new Map<MerchantId, { keys: readonly KeyObject[]; readAt: number }>()
  return {
    async refresh(merchants) {
      const now = monotonicMs()
      const isStale = (merchant: MerchantId) =>
        now - (known.get(merchant)?.readAt ?? Number.NEGATIVE_INFINITY) >= bounds.delivery.freshMs
      const stale = [...new Set(merchants)].filter(isStale)
      if (stale.length === 0) return
      for (const [merchant, secrets] of await read(stale)) {
        // Last in the map is last read.
        known.delete(merchant)
        known.set(merchant, { keys: secrets.map(callbackKey), readAt: now })
      }
      while (known.size > bounds.delivery.rememberedLanes) known.delete(known.keys().next().value!)
    },
    of: (merchant) => known.get(merchant)?.keys ?? [],
  }
}
