/** Drains stored callbacks of expired deposits to a local receiver, against bare POSTs of the same body to the same receiver. */
import { Pool } from 'undici'
import { monotonicMs } from '../src/platform/clock.ts'
import { createDeposits } from './creates.ts'
import { expireAll, makeOverdue } from './expire.ts'
import type { Row } from './row.ts'
import { shareOf } from './settings.ts'
import { addShops, openReceiver } from './shops.ts'

const hosts = Array.from({ length: 20 }, (_, place) => `127.0.0.${place + 1}`)

export const callbacks: Row = {
  name: 'callbacks',
  what: 'a drain of stored callbacks to 20 endpoints ÷ bare POSTs of the same body',
  must: { least: 0.5 },
  aim: { least: 0.55 },
  async measure(world) {
    const [warming, all] = [shareOf(10_000), shareOf(110_000)]
    const receiver = await openReceiver()
    try {
      const endpoints = hosts.map((host) => ({ host, path: '/ok' }))
      const shops = await addShops(world, 'calls', receiver.port, endpoints)
      for (const [place, shop] of shops.entries()) {
        world.status(`callbacks: deposits of shop ${place + 1} of ${shops.length}`)
        await createDeposits(world, 'calls', shop, Math.ceil(all / shops.length))
      }
      await world.leave('calls')
      const merchants = shops.map(({ merchant }) => merchant)
      await makeOverdue(world, 'calls', merchants)
      await expireAll(world, 'calls')
      world.status(`callbacks: drain of ${all}`)
      const drained = receiver.timeBetween(warming, all)
      await world.inlet('calls')
      const value = ((all - warming) / (await drained)) * 1000
      await world.leave('calls')
      world.status('callbacks: reference')
      const { body } = await receiver.arrivals()
      await postBare(receiver.port, body, warming)
      const reference = await postBare(receiver.port, body, (all - warming) / 2)
      const note = `${all - warming} callbacks of ${body.length} bytes, after ${warming} to warm up`
      return { value, unit: '1/s', reference, ratio: value / reference, note }
    } finally {
      receiver.close()
    }
  },
}

async function postBare(port: number, body: string, count: number): Promise<number> {
  const pools = hosts.map((host) => new Pool(`http://${host}:${port}`, { connections: 32, pipelining: 1 }))
  let left = count
  const began = monotonicMs()
  await Promise.all(
    Array.from({ length: 64 }, async (_, client) => {
      const pool = pools[client % pools.length]!
      while (left-- > 0) {
        const headers = { 'content-type': 'application/json' }
        const answer = await pool.request({ method: 'POST', path: '/ok', body, headers })
        await answer.body.dump()
      }
    }),
  )
  const rate = (count / (monotonicMs() - began)) * 1000
  await Promise.all(pools.map((pool) => pool.destroy()))
  return rate
}
