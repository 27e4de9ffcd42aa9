/** A merchant's own deposit, by id or by order. Merchants ask again and again: what is asked for at one time is one query. */

import type { FoundDeposit } from '../../../domain/deposits/deposit.ts'
import {
  findDeposit,
  findOrders,
  lookUpDeposits,
  lookUpOrders,
  type OrderKey,
} from '../../../domain/deposits/read-store.ts'
import type { MerchantId } from '../../../domain/merchants/merchant.ts'
import { batched } from '../../../platform/batched.ts'
import { bounds } from '../../../platform/bounds.ts'
import type { Db } from '../../../platform/db.ts'

type FindDeposit = {
  byId(wanted: { merchantId: MerchantId; id: string }): Promise<FoundDeposit | undefined>
  byOrder(wanted: OrderKey): Promise<FoundDeposit | undefined>
}

export function depositFinder(db: Db): FindDeposit {
  const byId = batched(async (ids) => {
    const looked = await lookUpDeposits(db, ids)
    return new Map(looked.map((each) => [each.id, each]))
  }, bounds.depositLookups)
  const byOrder = batched(async (keys) => {
    const looked = await lookUpOrders(db, keys.map(orderOf))
    return new Map(looked.map((each) => [keyOf(each), each]))
  }, bounds.depositLookups)
  return {
    async byId(wanted) {
      const looked = await byId(wanted.id)
      if (looked?.merchantId !== wanted.merchantId) return undefined
      return looked.found ?? findDeposit(db, wanted)
    },
    async byOrder(wanted) {
      const looked = await byOrder(keyOf(wanted))
      if (!looked) return undefined
      return looked.found ?? (await findOrders(db, [wanted]))[0]
    },
  }
}

const keyOf = ({ merchantId, orderId }: OrderKey): string => `${merchantId} ${orderId}`

function orderOf(key: string): OrderKey {
  const end = key.indexOf(' ')
  return { merchantId: key.slice(0, end), orderId: key.slice(end + 1) }
}
