/** Creates share statements: one that takes longer than a statement may is refused alone, not with those beside it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import type { MerchantId } from '../../src/domain/merchants/merchant.ts'
import { lockCustomers } from '../../src/domain/rules/store.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, startGateway } from '../support/gateway.ts'
import { untilWaiting } from '../support/held-account.ts'

const timeouts = { lockMs: 30_000, statementMs: 3_000 }

test('a create that PostgreSQL times out does not fail the creates of its group', async () => {
  const gateway = await startGateway({ environment: { INLET_ROLES: 'api' }, timeouts })
  const { owner } = gateway.database
  const [slow, other] = [await openShop(gateway), await openShop(gateway)]
  await owner.script(`
    create function wait_if_slow() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(60);
      return new;
    end $$;
    create trigger wait_if_slow before insert on deposits
    for each row when (new.order_id = 'SLOW') execute function wait_if_slow()`)

  // While the groups under way wait for the table, all of these gather in the next ones.
  const { early, late } = await owner.transaction(async (tx) => {
    await tx.query(sql`lock table deposits in access exclusive mode`)
    const early = [other.create()]
    await untilWaiting(gateway, 1)
    const late = [
      ...Array.from({ length: 10 }, () => slow.create()),
      slow.create({ order_id: 'SLOW' }),
      ...Array.from({ length: 10 }, () => other.create()),
    ]
    await new Promise((resolve) => setTimeout(resolve, 200))
    return { early, late }
  })
  const answers = await Promise.all([...early, ...late])
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map((_, place) => (place === 11 ? 503 : 201)),
  )
  const refused = answers[11]!
  assert.equal(refused.body.code, 'overloaded')
  assert.equal(refused.headers.get('retry-after'), '1')
})

test('creates that wait for the limits of their customers hold up nobody without limits', async () => {
  const gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  const [limited, other] = [await openShop(gateway), await openShop(gateway)]
  const merchantId = limited.merchant as MerchantId
  await changeMerchant(gateway.db, { merchantId, settings: { customerOpenDeposits: 100 } })
  const customers = Array.from({ length: 2 * bounds.groupsAtOnce }, (_, n) => `customer ${n}`)
  const { waiting, served } = await gateway.database.owner.transaction(async (tx) => {
    await lockCustomers(
      tx,
      customers.map((customer) => ({ merchantId, customer, currency: 'RUB' })),
    )
    const waiting = []
    for (const customer of customers) {
      waiting.push(limited.create({ customer }))
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return { waiting, served: await other.create() }
  })
  assert.equal(served.status, 201)
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 201)
})
