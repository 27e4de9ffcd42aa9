/** How much later callbacks of healthy endpoints arrive when three in ten are dead and two in ten are slow. */
import { callbackSent } from '../src/domain/callbacks/store.ts'
import { sleep } from '../src/platform/clock.ts'
import { sql } from '../src/platform/db.ts'
import { type CallbackLoad, openCallbackLoad } from './callback-load.ts'
import type { Row } from './row.ts'

const endpoints = 20
const perSecond = 200
const seconds = 10

export const fairness: Row = {
  name: 'fairness',
  must: { most: 1.5 },
  aim: { most: 1.1 },
  async measure(world) {
    const load = await openCallbackLoad(world)
    try {
      await world.inlet('inlet')
      const host = (number: number) => `127.0.1.${number + 1}`
      world.status('fairness: all endpoints healthy')
      const reference = await p99(load, () => '/ok', host)
      world.status('fairness: 30 % dead, 20 % slow')
      const path = (number: number) => (number % 10 < 3 ? '/dead' : number % 10 < 5 ? '/slow' : '/ok')
      const value = await p99(load, path, (number) => `127.0.2.${number + 1}`)
      return {
        value,
        unit: 'ms',
        reference,
        ratio: value / reference,
        note: `p99 from event to acknowledgement, ${perSecond}/s over ${endpoints} endpoints`,
      }
    } finally {
      await load.close()
    }
  },
}

/** Steady events for every endpoint; only the healthy ones are looked at. */
async function p99(
  load: CallbackLoad,
  path: (number: number) => string,
  host: (number: number) => string,
): Promise<number> {
  const shops = await Promise.all(
    Array.from({ length: endpoints }, (_, number) => load.addShop(host(number), path(number))),
  )
  const healthy = shops.filter((_, number) => path(number) === '/ok').map((shop) => shop.merchantId)
  for (let tick = 0; tick < seconds * 10; tick++) {
    await Promise.all([sleep(100), ...shops.map((shop) => load.enqueue(shop, perSecond / endpoints / 10))])
  }
  await sleep(2_000)
  const [row] = await load.owner.query<{ p99: number; missing: bigint }>(sql`
    select
      percentile_cont(0.99) within group (order by extract(epoch from sent.acked_at - c.made_at) * 1000) as p99,
      count(*) filter (where sent.acked_at is null) as missing
    from callbacks c
    ${callbackSent}
    where c.merchant_id = any(${healthy}::uuid[])`)
  if (row!.missing > 0n) throw new Error(`${row!.missing} callbacks of healthy endpoints are not delivered`)
  // What the sick ones still wait for must not follow into the next row.
  await load.owner.script(`delete from callback_due`)
  return row!.p99
}
