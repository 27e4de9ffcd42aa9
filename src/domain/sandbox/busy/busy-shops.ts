/** The shops of the busy day: test merchants of the demo, each with an endpoint that answers in its own way. */
import type { Db } from '../../../platform/db.ts'
import type { Vault } from '../../../platform/vault.ts'
import type { EndpointAnswer } from '../../callbacks/delivery/phases.ts'
import { readCatalogue } from '../../catalogue/store.ts'
import { changeMerchant } from '../../merchants/change-merchant.ts'
import { createMerchant } from '../../merchants/create-merchant.ts'
import type { Merchant, MerchantSettings } from '../../merchants/merchant.ts'
import type { Demo } from '../demo-file.ts'
import { markDemoMerchant } from '../store.ts'
import { day, hour, shops as plannedShops, type Random } from './busy-plan.ts'

export type BusyShops = Awaited<ReturnType<typeof openBusyShops>>

/** A callback, and when it is sent. */
export type Sent = { merchantId: string; sequence: bigint; at: number }

/** Sample Travel lets a person decide about every payment that is not exact. */
const reviewEverything: Partial<MerchantSettings> = {
  underpaidPolicy: 'review',
  overpaidPolicy: 'review',
  latePolicy: 'review',
}

export async function openBusyShops(
  db: Db,
  { vault, demo, publicUrl, end }: { vault: Vault; demo: Demo; publicUrl: string; end: Date },
) {
  const opened: { merchant: Merchant; keyId: string }[] = []
  for (const [place, { name, prefix }] of plannedShops.entries()) {
    if (place === 0) {
      // The demo shop's own endpoint also acknowledges unknown orders.
      const callbackUrl = `${publicUrl}/demo/callback`
      const { after } = await changeMerchant(db, { merchantId: demo.merchant, callbackUrl })
      opened.push({ merchant: after, keyId: demo.key_id })
      continue
    }
    const callbackUrl = `https://${prefix.toLowerCase()}.example/callbacks/inlet`
    const { merchant, keyId } = await createMerchant(db, vault, { name, mode: 'test', callbackUrl })
    await db.transaction((tx) => markDemoMerchant(tx, merchant.id))
    const settings = prefix === 'TRIP' ? reviewEverything : {}
    const { after } = await changeMerchant(db, { merchantId: merchant.id, settings })
    opened.push({ merchant: after, keyId })
  }
  const catalogue = await readCatalogue(db, null)
  const kinds = new Map(
    opened.map(({ merchant }, place) => [merchant.id as string, plannedShops[place]!.callbacks]),
  )
  return {
    all: opened.map(({ merchant, keyId }) => ({ merchant, keyId, catalogue, rules: { hasLists: false } })),
    answer({ merchantId, sequence, at }: Sent, random: Random): EndpointAnswer {
      const kind = kinds.get(merchantId)!
      const ago = end.getTime() - at
      const ms = random.between(40, 380)
      if (kind === 'never' && ago < 8 * day) return { ms, error: 'connect' }
      if (kind === 'not_today' && ago < 3 * hour) return { ms, status: 500, answer: 'Internal Server Error' }
      if (kind === 'slowly' && random.next() < 0.12)
        return random.next() < 0.5
          ? { ms: 15_000, error: 'timeout' }
          : { ms, status: 503, answer: 'Try later' }
      // Its endpoint never accepts these orders, so their callbacks are given up after three days.
      if (kind === 'mostly' && sequence % 61n === 7n) return { ms, status: 422, answer: 'Unknown order' }
      if (kind === 'mostly' && random.next() < 0.04) return { ms, status: 500, answer: 'Database is locked' }
      return { ms, status: 200, answer: 'ok' }
    },
  }
}
