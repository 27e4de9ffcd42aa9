/** I15: callbacks leave by the day, when their time is over and nothing of that day is still to be sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepCallbackPartitions } from '../../src/domain/callbacks/keep-partitions.ts'
import { forgetDead } from '../../src/domain/callbacks/store.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { keepPartitions } from '../../src/platform/partitions.ts'
import { openDeliveryWorld } from '../support/delivery.ts'

test('partitions are made ahead and dropped when over, but never while one of their callbacks is due', async () => {
  const world = await openDeliveryWorld()
  const { owner } = world.database
  const days = async (table: string) =>
    (
      await owner.query<{ name: string }>(sql`
        select c.relname as name
        from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
        where i.inhparent = ${table}::regclass
        order by 1`)
    ).map(({ name }) => name.slice(-8))
  // A run that goes past midnight has one day more: its template was made the day before.
  const before = (await days('events')).slice(-16)
  assert.equal(before.length, 16)
  assert.deepEqual((await days('delivery_attempts')).slice(-16), before)

  const shop = await world.openShop(null)
  await world.enqueue(shop, ['0198d2c4-6a10-7c3e-9f21-4b7d5e60a812'])
  const today = before[1]!
  await world.advance(60 * 86_400)
  const later = await days('events')
  assert.ok(later.includes(today), 'a callback of that day waited for an address')
  assert.ok(!later.includes(before[3]!), 'the days after it are gone')
  assert.equal(later.length, 1 + 16)

  // It was given up meanwhile.
  await keepCallbackPartitions(owner)
  await Promise.all([keepCallbackPartitions(owner), keepCallbackPartitions(owner)])
  assert.ok(!(await days('events')).includes(today))
  assert.equal((await days('delivery_attempts')).length, 16)
})

test('days ahead are made for every table, also while old ones cannot be dropped', async () => {
  const { database } = await openDeliveryWorld()
  await database.shiftClock('60 days')
  const keeping = keepPartitions(database.owner, {
    tables: ['delivery_attempts', 'events'],
    aheadDays: bounds.partitionsAheadDays,
    keepDays: bounds.callbackKeepDays,
    isNeeded: () => Promise.reject(new Error('canceling statement due to statement timeout')),
  })
  await assert.rejects(keeping, /statement timeout/)
  const [ahead] = await database.owner.query<{ name: string | null }>(sql`
    select to_regclass('events_' || to_char((inlet_now() at time zone 'UTC')::date + 14, 'YYYYMMDD'))::text as name`)
  assert.notEqual(ahead!.name, null)
})

test('all callbacks that were given up too long ago are forgotten, the others are not', async () => {
  const world = await openDeliveryWorld()
  const { owner } = world.database
  const shop = await world.openShop(null)
  await owner.query(sql`
    insert into deliveries
      (event_id, made_on, merchant_id, endpoint_id, deposit_id, sequence, state, due_at, died_at, reason)
    select gen_random_uuid(), (inlet_now() at time zone 'UTC')::date - 34 - n % 3, ${shop.merchantId}, ${shop.laneId},
      gen_random_uuid(), n, 'dead', 'infinity', inlet_now(), 'attempts_used'
    from generate_series(1, ${3 * bounds.sweepGroup}) as n`)
  await forgetDead(owner, bounds.callbackKeepDays)
  const [kept] = await owner.query<{ count: number; oldest: number }>(sql`
    select count(*)::int as count, max((inlet_now() at time zone 'UTC')::date - made_on)::int as oldest
    from deliveries`)
  assert.deepEqual(kept, { count: 2 * bounds.sweepGroup, oldest: 35 })
})
