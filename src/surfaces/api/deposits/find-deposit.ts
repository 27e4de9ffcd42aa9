/** A merchant's own deposit, by id or by order. Merchants ask again and again: what is asked for at one time is one query. */

import type { FoundDeposit } from '../../../domain/deposits/deposit.ts'
import { findOrders, type OrderKey, readDeposits } from '../../../domain/deposits/read-store.ts'
import type { MerchantId } from '../../../domain/merchants/merchant.ts'
import { batched } from '../../../platform/batched.ts'
import type { Db } from '../../../platform/db.ts'

type FindDeposit = {
  byId(wanted: { merchantId: MerchantId; id: string }): Promise<FoundDeposit | undefined>
  byOrder(wanted: OrderKey): Promise<FoundDeposit | undefined>
}

export function depositFinder(db: Db): FindDeposit {
  const byId = batched(async (ids) => {
    const found = await readDeposits(db, ids)
    return new Map(found.map((each) => [each.deposit.id, each]))
  })
  const byOrder = batched(async (keys) => {
    const found = await findOrders(db, keys.map(orderOf))
    return new Map(found.map((each) => [keyOf(each.deposit), each]))
  })
  return {
    async byId({ merchantId, id }) {
      const found = await byId(id)
      if (found?.deposit.merchantId !== merchantId) return undefined
      return found
    },
    byOrder: (wanted) => byOrder(keyOf(wanted)),
  }
}

const keyOf = ({ merchantId, orderId }: OrderKey): string => `${merchantId} ${orderId}`

function orderOf(key: string): OrderKey {
  const end = key.indexOf(' ')
  return { merchantId: key.slice(0, end), orderId: key.slice(end + 1) }
}
