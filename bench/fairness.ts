/** How much later callbacks of healthy endpoints arrive when three in ten are dead and two in ten are slow. */
import { signV2 } from '../sdk/signature.ts'
import { sleep } from '../src/platform/clock.ts'
import { createOne } from './creates.ts'
import type { Shop } from './orders.ts'
import type { Row } from './row.ts'
import { settings } from './settings.ts'
import { addShops, openReceiver } from './shops.ts'
import type { World } from './world.ts'

const endpoints = 20
const perSecond = 200

type Receiver = Awaited<ReturnType<typeof openReceiver>>

export const fairness: Row = {
  name: 'fairness',
  what: 'p99 from a cancel to its callback at healthy endpoints, 30 % dead, 20 % slow ÷ all healthy',
  must: { most: 1.2 },
  aim: { most: 1.1 },
  async measure(world) {
    const receiver = await openReceiver()
    try {
      await world.inlet('fairness')
      const reference = await p99(world, receiver, '127.0.1', () => '/ok')
      const value = await p99(world, receiver, '127.0.2', (place) =>
        place % 10 < 3 ? '/dead' : place % 10 < 5 ? '/slow' : '/ok',
      )
      const note = `${perSecond} cancels a second over ${endpoints} endpoints`
      return { value, unit: 'ms', reference, ratio: value / reference, note }
    } finally {
      // What the dead ones still wait for must not follow into the next row.
      await world.leave('fairness')
      receiver.close()
    }
  },
}

/** Steady cancels of every merchant; only callbacks of healthy endpoints are looked at. */
async function p99(
  world: World,
  receiver: Receiver,
  net: string,
  pathOf: (place: number) => string,
): Promise<number> {
  const places = Array.from({ length: endpoints }, (_, place) => ({
    host: `${net}.${place + 1}`,
    path: pathOf(place),
  }))
  const shops = await addShops(world, 'fairness', receiver.port, places)
  const count = 5 * settings.seconds * perSecond
  world.status('fairness: creating deposits')
  const deposits: { id: string; shop: Shop; isHealthy: boolean }[] = []
  while (deposits.length < count) {
    const made = shops.map(async (shop, place) => {
      const { id } = await createOne(world, 'fairness', shop)
      return { id, shop, isHealthy: pathOf(place) === '/ok' }
    })
    deposits.push(...(await Promise.all(made)))
  }
  const { port } = await world.inlet('fairness')
  world.status(`fairness: ${new Set(places.map(({ path }) => path)).size} kinds of endpoints`)
  const asked = new Map<string, number>()
  const begin = Date.now()
  const left = deposits.entries()
  // So few at once that none is refused on a slow machine, which falls behind the pace instead.
  const clients = Array.from({ length: 4 }, async () => {
    for (const [n, { id, shop }] of left) {
      await sleep(Math.max(0, begin + (n * 1000) / perSecond - Date.now()))
      asked.set(id, Date.now())
      await cancel(port, shop, id)
    }
  })
  await Promise.all(clients)
  await sleep(2_000)
  const { byDeposit } = await receiver.arrivals()
  const healthy = deposits.filter(({ isHealthy }) => isHealthy)
  const missing = healthy.filter(({ id }) => !(id in byDeposit)).length
  if (missing > 0) throw new Error(`${missing} callbacks of healthy endpoints are not delivered`)
  const took = healthy.map(({ id }) => byDeposit[id]! - asked.get(id)!).sort((left, right) => left - right)
  return took[Math.floor(took.length * 0.99)]!
}

async function cancel(port: number, { secret, keyId: kid }: Shop, id: string): Promise<void> {
  const target = `/api/v1/requests/deposit/${id}/cancel`
  const t = Math.floor(Date.now() / 1000)
  const signature = signV2({ secret, kid, t, method: 'POST', target, body: Buffer.alloc(0) })
  const init = { method: 'POST', headers: { 'x-signature': signature } }
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`cancel: ${answer.status} ${text}`)
}
