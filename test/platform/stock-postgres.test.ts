/**
 * An operator's own PostgreSQL, the oldest that we support, with the settings that its makers and Debian give it: what Inlet needs
 * otherwise it sets for its own sessions.
 */

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { findOrders } from '../../src/domain/deposits/read-store.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { openDatabase, queryable, sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { joinPostgres } from '../../src/platform/postgres.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import { atEnd } from '../support/clean-up.ts'
import { createDatabase, useLogin } from '../support/database.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { prepareTemplate } from '../support/global-setup.ts'
import { root } from '../support/program.ts'

const binaries = join(root, 'node_modules', `postgres-15-${process.platform}-${process.arch}`, 'native')
const skip = existsSync(binaries) ? false : `npm has no PostgreSQL 15 for ${process.platform}-${process.arch}`

let gateway: TestGateway
let shop: Shop
before(async () => {
  if (skip) return
  const dataDir = await mkdtemp(join(tmpdir(), 'inlet-stock-'))
  const postgres = await joinPostgres({ dataDir, as: 'server', log: () => {}, binaries })
  atEnd(async () => {
    await postgres.stop()
    await rm(postgresFolder(dataDir), { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  })
  useLogin(await prepareTemplate(postgres, dataDir))
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  const { owner, login } = gateway.database
  // Ours are given to the embedded server when it starts; a database's own settings count for more than those.
  for (const setting of ['jit = on', 'jit_above_cost = 0', 'enable_seqscan = on', 'random_page_cost = 4'])
    await owner.script(`alter database ${login.database} set ${setting}`)
  // The sessions of before had none of it.
  await gateway.stop()
  gateway = await startGateway({ beside: gateway, environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
})

test('create, repeat, reuse, slots, reads and lists work on PostgreSQL 15', { skip }, async () => {
  const { version } = await gateway.db.one<{ version: string }>(
    sql`select current_setting('server_version') as version`,
  )
  assert.match(version, /^15\./)
  for (const payment_type of ['any_bank', 'sbp', 'bankx', 'account_number']) {
    const order = shop.order({ payment_type, cents: 123_400 })
    const created = await shop.post('create', order)
    assert.equal(created.status, 201)
    assert.equal((await shop.post('create', order)).status, 200)
    assert.equal((await shop.post('create', { ...order, cents: 123_401 })).body.code, 'order_id_reused')
    const read = await shop.get(`/api/v1/requests/deposit/${created.body.id}`)
    assert.deepEqual(read.body, created.body)
  }
  const taken = await Promise.all(
    Array.from({ length: 30 }, () => shop.create({ payment_type: 'sbp', cents: 222_200 })),
  )
  assert.equal(taken.filter((answer) => answer.status === 201).length, 3)
  const list = await shop.get('/api/v1/requests/deposits?limit=5')
  assert.equal(list.body.deposits.length, 5)
  assert.equal((await shop.get('/api/v1/requests/limit')).status, 200)
})

test('our sessions compile no plan, whatever the server would do', { skip }, async () => {
  const stock = openDatabase({ url: gateway.database.url }, { connections: 1 })
  atEnd(() => stock.close())
  const [ours] = await gateway.db.query<{ jit: string }>(sql`select current_setting('jit') as jit`)
  assert.equal(ours!.jit, 'off')
  const plans: string[] = []
  const explaining = queryable(async (statement) => {
    const text = `explain (analyze, format json) ${statement.text}`
    const [row] = await gateway.db.query<{ 'QUERY PLAN': unknown }>({ ...statement, text, name: '' })
    plans.push(JSON.stringify(row!['QUERY PLAN']))
    return []
  })
  await findOrders(explaining, [{ merchantId: shop.merchant, orderId: 'none' }])
  assert.equal(plans.length, 1)
  assert.doesNotMatch(plans[0]!, /"JIT"|"Seq Scan"/)
})

test('creates read no table from end to end, however long the plans are kept', { skip }, async () => {
  // Each connection keeps a plan from the fifth time on.
  const create = () =>
    Promise.all(
      Array.from({ length: 100 }, () => shop.create({ payment_type: 'account_number', cents: 150_000 })),
    )
  const scans = async () => {
    await gateway.database.owner.query(sql`select pg_stat_clear_snapshot()`)
    const rows = await gateway.database.owner.query<{ name: string; scans: bigint }>(sql`
      select relname as name, seq_scan as scans
      from pg_stat_user_tables
      where relname in ('deposits', 'deposit_slots', 'deposit_history', 'requisite_loads')
      order by relname`)
    return rows.map(({ name, scans }) => [name, scans])
  }
  await create()
  await gateway.database.owner.script('analyze')
  const before = await scans()
  for (const answers of [await create(), await create()])
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
  // Counters are written when a connection comes to rest.
  await gateway.stop()
  assert.deepEqual(await scans(), before)
})

test('a login that acknowledges before it has kept is refused at the start, whatever the owner has', {
  skip,
}, async () => {
  const { url, owner, login } = await createDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'inlet-unsafe-'))
  atEnd(() => rm(dataDir, { recursive: true, force: true }))
  const start = (runtime: string) =>
    openFoundation(
      readConfig({
        DATABASE_URL: runtime,
        INLET_OWNER_DATABASE_URL: url,
        INLET_DATA_DIR: dataDir,
        INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      }),
      'server',
      createLog('error', () => {}),
    )
  const unsafe = /synchronous_commit off for this login: an acknowledged deposit could be lost/
  await assert.rejects(start(`${url}&options=-csynchronous_commit%3Doff`), unsafe)
  await (await start(url)).close()
  await owner.script(`alter database ${login.database} set synchronous_commit = off`)
  await assert.rejects(start(url), unsafe)
})
