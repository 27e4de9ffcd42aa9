/** Drains stored callbacks to a local receiver, against bare POSTs of the same size to the same receiver. */
import { Pool } from 'undici'
import { monotonicMs } from '../src/platform/clock.ts'
import { bodyBytes, type CallbackLoad, openCallbackLoad } from './callback-load.ts'
import { median } from './phases.ts'
import type { Row } from './row.ts'

const lanes = 20
const perRound = 33_400
const rounds = 3

export const callbacks: Row = {
  name: 'callbacks',
  must: { least: 0.6 },
  aim: { least: 0.8 },
  async measure(world) {
    const load = await openCallbackLoad(world)
    try {
      const shops = await Promise.all(
        Array.from({ length: lanes }, (_, lane) => load.addShop(`127.0.0.${lane + 1}`, '/ok')),
      )
      await world.inlet('inlet')
      const drained: number[] = []
      const bare: number[] = []
      for (let round = 1; round <= rounds; round++) {
        world.status(`callbacks: round ${round} of ${rounds}, reference`)
        bare.push(await postBare(load, perRound))
        world.status(`callbacks: round ${round} of ${rounds}, drain of ${perRound}`)
        await load.pauseAll()
        for (const shop of shops) await load.enqueue(shop, perRound / lanes)
        await load.owner.script('vacuum analyze callback_due')
        const began = monotonicMs()
        await load.resume(shops)
        await load.untilDelivered(shops)
        drained.push((perRound / (monotonicMs() - began)) * 1000)
      }
      const value = median(drained)
      const reference = median(bare)
      return {
        value,
        unit: '1/s',
        reference,
        ratio: value / reference,
        note: `${rounds} × ${perRound} callbacks over ${lanes} lanes`,
      }
    } finally {
      await load.close()
    }
  },
}

async function postBare({ port }: CallbackLoad, count: number): Promise<number> {
  const body = '{"sequence":1}'.padEnd(bodyBytes)
  const pools = Array.from(
    { length: lanes },
    (_, lane) => new Pool(`http://127.0.0.${lane + 1}:${port}`, { connections: 32, pipelining: 1 }),
  )
  let left = count
  const began = monotonicMs()
  await Promise.all(
    Array.from({ length: 64 }, async (_, client) => {
      while (left-- > 0) {
        const answer = await pools[client % lanes]!.request({
          method: 'POST',
          path: '/ok',
          body,
          headers: { 'content-type': 'application/json' },
        })
        await answer.body.dump()
      }
    }),
  )
  const rate = (count / (monotonicMs() - began)) * 1000
  await Promise.all(pools.map((pool) => pool.destroy()))
  return rate
}
