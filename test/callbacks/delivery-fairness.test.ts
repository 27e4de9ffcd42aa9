/** Endpoints that answer well but slowly never trip a breaker. What many merchants with many of them leave for another one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimLanes } from '../../src/domain/callbacks/delivery/store.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { type DeliveryShop, newDeposits, openDeliveryWorld, until } from '../support/delivery.ts'
import { slow, startReceiver } from '../support/receiver.ts'

const world = await openDeliveryWorld()
const { owner } = world.database
const receiver = await startReceiver()
receiver.answer('/slow', slow(1_500))

/** A process with places for twelve lanes, three of a merchant at most. */
const small = { ownedLanes: 12, ownedLanesOfMerchant: 3, laneTurnMs: 500 }

/** One of the merchant's origins, with a backlog. Its lane gets a name that nobody has; the callbacks go to the receiver. */
async function addLane({ merchantId }: DeliveryShop, count: number): Promise<bigint> {
  const [lane] = await owner.query<{ id: bigint }>(sql`
    insert into callback_lanes (merchant_id, origin)
    values (${merchantId}, ${`http://${newId()}.example`})
    returning id`)
  await owner.query(sql`
    with made as (
      insert into callbacks (made_on, id, merchant_id, sequence, deposit_id, type, lane_id, url, body, made_at)
      select (inlet_now() at time zone 'UTC')::date, gen_random_uuid(), ${merchantId}, ${lane!.id} * 1000 + n,
        gen_random_uuid(), 'deposit.confirmed', ${lane!.id}, ${receiver.url('/slow')},
        '{"sequence":1,"data":{"id":"none"}}', inlet_now()
      from generate_series(1, ${count}::int) n
      returning made_on, id, sequence, deposit_id, lane_id, made_at
    )
    insert into callback_due (lane_id, deposit_id, sequence, callback_id, made_on, due_at)
    select lane_id, deposit_id, sequence, id, made_on, made_at
    from made`)
  return lane!.id
}

for (const [merchants, lanes, engines] of [
  [4, 6, 1],
  [14, 2, 1],
  [6, 12, 2],
] as const) {
  test(`${merchants} merchants with ${lanes} lanes each that are never idle leave room for another one, on ${engines} nodes`, async (t) => {
    const { ownedLanes, ownedLanesOfMerchant, laneTurnMs } = bounds.delivery
    Object.assign(bounds.delivery, small)
    t.after(() => Object.assign(bounds.delivery, { ownedLanes, ownedLanesOfMerchant, laneTurnMs }))
    const fine = `/fine-${merchants}`
    const few = await world.openShop(receiver.url(fine))
    const running = Array.from({ length: engines }, () => world.startEngine())
    for (let merchant = 0; merchant < merchants; merchant++) {
      const shop = await world.openShop(null)
      for (let lane = 0; lane < lanes; lane++) await addLane(shop, 300)
      await until('its turn', () => running.every((engine) => engine.stats().lanes > 0))
    }
    await until('busy', () => running.every((engine) => engine.stats().lanes >= small.ownedLanes * 0.75))
    for (const number of [1, 2, 3]) {
      await world.enqueue(few, newDeposits(1))
      await until('delivered', () => receiver.of(fine).length === number, 10_000)
    }
    const backlogs = (await world.due()).filter(({ lane_id }) => lane_id !== few.laneId)
    assert.equal(Map.groupBy(backlogs, ({ lane_id }) => lane_id).size, merchants * lanes, 'none is idle')
    for (const engine of running) assert.ok(engine.stats().lanes <= small.ownedLanes)
    await until('each lane has had its turn', async () => {
      const [waiting] = await owner.query<{ lanes: number }>(
        sql`select count(*)::int as lanes from callback_lanes where origin is not null and epoch = 0`,
      )
      return waiting!.lanes === 0
    })
    await owner.script(`delete from callback_due`)
    await Promise.all(running.map((engine) => engine.stop()))
    assert.deepEqual(receiver.overlaps, [])
  })
}

test('lanes of merchants that have few are claimed first, and those left are counted', async () => {
  const [many, few] = [await world.openShop(null), await world.openShop(null)]
  for (let lane = 0; lane < 4; lane++) await addLane(many, 1)
  const late = await addLane(few, 1)
  await owner.query(sql`update callback_lanes set owner_until = now() - interval '1 s' where id = ${late}`)
  const claim = async (most: number, share: number) => {
    const held = new Map([[many.merchantId, 3]])
    const { claimed, waiting } = await claimLanes(world.db, { node: newId(), most, share, held })
    return {
      claimed: claimed.map(({ merchantId }) => (merchantId === few.merchantId ? 'few' : 'many')),
      waiting,
    }
  }
  assert.deepEqual(await claim(0, 0), { claimed: [], waiting: 5 })
  assert.deepEqual(await claim(1, 10), { claimed: ['few'], waiting: 4 })
  assert.deepEqual(await claim(10, 5), { claimed: ['many', 'many'], waiting: 2 })
  await owner.script(`delete from callback_due`)
})
