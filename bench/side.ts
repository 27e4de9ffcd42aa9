/** One of the two databases that the rows of growth compare, with one session in it. */
import type { MerchantId } from '../src/domain/merchants/merchant.ts'
import { type Db, openDatabase, sql } from '../src/platform/db.ts'
import type { Place, World } from './world.ts'

export type Side = {
  place: Place
  db: Db
  pid: number
  merchantId: MerchantId
  /** Ids of deposits of the last week and of old ones; without old ones both are the same. */
  recent: string[]
  old: string[]
  recentOrder: string
  oldOrder: string
}

export async function openSide(world: World, place: Place): Promise<Side> {
  const db = openDatabase(world.login(place), { connections: 1, hasNoStatementTimeout: true })
  const merchantId = world.shop.merchant as MerchantId
  const { pid } = await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  const between = (days: number, most: number) =>
    db.query<{ id: string; orderId: string }>(sql`
        select id, order_id as "orderId"
        from deposits
        where merchant_id = ${merchantId}
          and created_at < inlet_now() - make_interval(days => ${days}::int)
          and created_at > inlet_now() - make_interval(days => ${most}::int)
        order by created_at desc
        limit 1000`)
  const recent = await between(1, 7)
  const aged = await between(500, 3_000)
  const old = aged.length > 0 ? aged : recent
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)
  const orders = { recentOrder: recent[7]!.orderId, oldOrder: old[7]!.orderId }
  return { place, db, pid, merchantId, recent: ids(recent), old: ids(old), ...orders }
}
