/** Endpoints that answer well but slowly never trip a breaker. What many merchants with many of them leave for another one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { type DeliveryShop, newDeposits, openDeliveryWorld, until } from '../support/delivery.ts'
import { slow, startReceiver } from '../support/receiver.ts'

const world = await openDeliveryWorld()
const { owner } = world.database
const receiver = await startReceiver()
receiver.answer('/slow', slow(1_500))

/** One of the merchant's origins, with a backlog. Its lane gets a name that nobody has; the callbacks go to the receiver. */
async function addLane({ merchantId }: DeliveryShop, count: number): Promise<bigint> {
  const [lane] = await owner.query<{ id: bigint }>(sql`
    insert into endpoints (merchant_id, origin)
    values (${merchantId}, ${`http://${newId()}.example`})
    returning id`)
  await owner.query(sql`
    with made as (
      insert into events (made_on, id, merchant_id, sequence, deposit_id, type, url, body, made_at)
      select (inlet_now() at time zone 'UTC')::date, gen_random_uuid(), ${merchantId}, ${lane!.id} * 1000 + n,
        gen_random_uuid(), 'deposit.confirmed', ${receiver.url('/slow')},
        '{"sequence":1,"data":{"id":"none"}}', inlet_now()
      from generate_series(1, ${count}::int) n
      returning made_on, id, merchant_id, sequence, deposit_id, made_at
    )
    insert into deliveries (endpoint_id, merchant_id, deposit_id, sequence, event_id, made_on, due_at)
    select ${lane!.id}, merchant_id, deposit_id, sequence, id, made_on, made_at
    from made`)
  return lane!.id
}

test('many merchants with many lanes that are never idle leave room for another one, on two nodes', async () => {
  const few = await world.openShop(receiver.url('/fine'))
  const running = [world.startEngine(), world.startEngine()]
  for (let merchant = 0; merchant < 4; merchant++) {
    const shop = await world.openShop(null)
    for (let lane = 0; lane < 6; lane++) await addLane(shop, 300)
  }
  await until('busy', () => running.reduce((sum, engine) => sum + engine.stats().lanes, 0) >= 24)
  for (const number of [1, 2, 3]) {
    await world.enqueue(few, newDeposits(1))
    await until('delivered', () => receiver.of('/fine').length === number, 10_000)
  }
  const backlogs = (await world.due()).filter(({ endpoint_id }) => endpoint_id !== few.laneId)
  assert.equal(Map.groupBy(backlogs, ({ endpoint_id }) => endpoint_id).size, 24, 'none is idle')
  await owner.script(`delete from deliveries`)
  await Promise.all(running.map((engine) => engine.stop()))
  assert.deepEqual(receiver.overlaps, [])
})
