/**
 * Look-ups that repeat all day are planned five times on a connection, then their plan is kept. A plan that was made
 * while the tables were empty must still read by an index when they are full.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import pg from 'pg'
import { chooseMethod } from '../../src/domain/deposits/choose-method.ts'
import { createDeposits, creatorOn } from '../../src/domain/deposits/create-deposit.ts'
import type { CreateDeposit } from '../../src/domain/deposits/draft.ts'
import { newPage } from '../../src/domain/deposits/page-token.ts'
import {
  findDepositsByToken,
  findOrders,
  readDeposits,
  readPageMarks,
} from '../../src/domain/deposits/read-store.ts'
import { requestFrom } from '../../src/domain/deposits/record.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import type { MerchantId } from '../../src/domain/merchants/merchant.ts'
import { openDatabase, type Queryable, queryable, type Statement, sql } from '../../src/platform/db.ts'
import { createDirectory } from '../../src/surfaces/api/merchant-directory.ts'
import { depositContextOf } from '../support/bank.ts'
import { atEnd } from '../support/clean-up.ts'
import { openShop, type Shop, startGateway, type TestGateway, textOf } from '../support/gateway.ts'
import { fillDeposits } from '../support/many-deposits.ts'

let gateway: TestGateway
let shop: Shop
let client: pg.Client
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  client = new pg.Client(gateway.database.login)
  atEnd(() => client.end())
  await client.connect()
  // The settings of every connection that Inlet opens.
  await client.query('set search_path = inlet; set enable_seqscan = off')
})

const someId = '019a8d20-7c11-7b52-9f0e-2d6a41c5e803'
const lookups: Record<string, (db: Queryable) => Promise<unknown>> = {
  pages: (db) => findDepositsByToken(db, [newPage().pageToken]),
  marks: (db) => readPageMarks(db, [newPage().pageToken]),
  ids: (db) => readDeposits(db, [someId]),
  orders: (db) => findOrders(db, [{ merchantId: shop.merchant, orderId: 'O-77' }]),
}

const executions: Record<string, string> = {}

/** Prepares each look-up under its name, as our connections do. */
const preparing = (name: string): Queryable =>
  queryable(async <Row>({ text, values }: Statement) => {
    const lists = values.map((value) => pg.escapeLiteral(`{${(value as string[]).join(',')}}`))
    executions[name] = `execute ${name}(${lists.join(', ')})`
    await client.query(`prepare ${name} as ${text}`)
    return [] as Row[]
  })

test('a look-up keeps the plan of its fifth time, and the plan reads by an index whatever the tables hold', async () => {
  for (const [name, lookUp] of Object.entries(lookups)) {
    await lookUp(preparing(name))
    for (let time = 0; time < 8; time++) await client.query(executions[name]!)
  }
  const { rows: plans } = await client.query<{ name: string; kept: number }>(
    'select name, generic_plans::int as kept from pg_prepared_statements order by name',
  )
  assert.deepEqual(
    plans,
    Object.keys(lookups)
      .sort()
      .map((name) => ({ name, kept: 3 })),
  )

  await fillDeposits(gateway, shop.merchant, { deposits: 20_000, callbacks: 0 })
  await client.query(`
    insert into deposit_history (deposit_id, entry, at, action, to_state, actor)
    select id, 1, created_at, 'create', 'created', 'merchant' from deposits`)
  for (const name of Object.keys(lookups)) {
    await client.query(executions[name]!)
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${executions[name]}`)
    const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = rows[0]['QUERY PLAN'][0].Plan
    assert.ok(hit + read < 40, `${name}: ${hit + read} blocks\n${JSON.stringify(rows[0]['QUERY PLAN'])}`)
  }
})

test('builds, choices, and creates whose customers have limits are planned once for a connection', async () => {
  const limited = await openShop(gateway)
  const merchantId = limited.merchant as MerchantId
  await changeMerchant(gateway.db, { merchantId, settings: { customerOpenDeposits: 1_000 } })
  const { merchant, catalogue, rules } = (await createDirectory(gateway.db, gateway.vault).byId(merchantId))!
  const db = openDatabase({ url: gateway.database.url }, { connections: 1, role: 'inlet_runtime' })
  const creator = creatorOn(db)
  const asked = (flow: CreateDeposit['flow'], paymentType: string): CreateDeposit => {
    const fields = textOf(limited.order({ payment_type: paymentType }))
    const sent = { request: 'test', key: limited.keyId, scheme: 'literal' } as const
    const request = requestFrom(new Map(Object.entries(fields)))
    return { flow, merchant, catalogue, rules, request, sent }
  }
  for (let time = 0; time < 10; time++) {
    const [created] = await createDeposits(creator, [asked('create', 'account_number')])
    assert.ok(created && 'done' in created)
    const [built] = await createDeposits(creator, [asked('build', 'uzs_select')])
    assert.ok(built && 'done' in built)
    const depositId = built.done.deposit.id
    const choice = { merchant, catalogue, rules, depositId, paymentType: 'account_number' }
    await chooseMethod({ ...depositContextOf(gateway), ...creator }, choice)
  }
  const plans = await db.query<{ text: string }>(sql`
    select statement as text
    from pg_prepared_statements
    where custom_plans > 5 or (generic_plans = 0 and custom_plans > 1)`)
  await db.close()
  assert.deepEqual(plans, [])
})
