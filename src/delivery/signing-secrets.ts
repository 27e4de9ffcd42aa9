/** The secrets that sign, believed for half a second: a rotation counts for what is sent a second later. */
import { bounds } from '../bounds.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { monotonicMs } from '../platform/clock.ts'

export type SigningSecrets = {
  /** Reads what is not known, or no longer believed. */
  refresh(merchants: Iterable<MerchantId>): Promise<void>
  /** Empty when the merchant has none. */
  of(merchant: MerchantId): readonly string[]
}

export function createSigningSecrets(
  read: (merchants: MerchantId[]) => Promise<Map<MerchantId, string[]>>,
): SigningSecrets {
  const known = new Map<MerchantId, { secrets: readonly string[]; readAt: number }>()
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
        known.set(merchant, { secrets, readAt: now })
      }
      while (known.size > bounds.delivery.rememberedLanes) known.delete(known.keys().next().value!)
    },
    of: (merchant) => known.get(merchant)?.secrets ?? [],
  }
}
