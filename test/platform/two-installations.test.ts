/** Two installations in one database, each in its own schema: the same orders, and neither sees the other's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase, sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { openShop, startGateway } from '../support/gateway.ts'

test('two installations work side by side in one database', async () => {
  const first = await startGateway({ demo: false })
  const second = await startGateway({ beside: first, environment: { INLET_SCHEMA: 'inlet_two' } })
  const shops = [await openShop(first), await openShop(second)]
  const order = { order_id: 'same-order' }
  const [one, two] = [await shops[0]!.build(order), await shops[1]!.build(order)]
  assert.deepEqual([one.status, two.status], [201, 201])
  assert.notEqual(one.body.uuid, two.body.uuid)
  for (const { db } of [first, second])
    assert.deepEqual(await db.query(sql`select order_id from deposits`), [order])
  const lost = await shops[1]!.get(`/api/v1/requests/deposit/${one.body.uuid}`)
  assert.equal(lost.status, 404)

  // Migrations of one look for nothing in the other.
  const owner = openDatabase({ ...first.database.login, schema: 'inlet_two' }, { connections: 1 })
  await migrate(
    owner,
    createLog('error', () => {}),
  )
  await owner.close()
})
