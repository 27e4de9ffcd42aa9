/** I15: callbacks leave by the day, when their time is over and nothing of that day is still to be sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepCallbackPartitions } from '../../src/domain/callbacks/keep-partitions.ts'
import { sql } from '../../src/platform/db.ts'
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
  const before = await days('callbacks')
  assert.equal(before.length, 16)
  assert.deepEqual(await days('callback_attempts'), before)

  const shop = await world.openShop(null)
  await world.enqueue(shop, ['0198d2c4-6a10-7c3e-9f21-4b7d5e60a812'])
  const today = before[1]!
  await world.advance(60 * 86_400)
  await Promise.all([keepCallbackPartitions(owner), keepCallbackPartitions(owner)])
  const later = await days('callbacks')
  assert.ok(later.includes(today), 'a callback of that day waits for an address')
  assert.ok(!later.includes(before[3]!), 'the days after it are gone')
  assert.equal(later.length, 1 + 16)

  await owner.script('delete from callback_due')
  await keepCallbackPartitions(owner)
  assert.ok(!(await days('callbacks')).includes(today))
  assert.equal((await days('callback_attempts')).length, 16)
})
