/** A slice of everything on the oldest PostgreSQL we support, so that nothing leans on a newer one. */

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { sql } from '../../src/platform/db.ts'
import { joinPostgres } from '../../src/platform/postgres.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import { atEnd } from '../support/clean-up.ts'
import { useLogin } from '../support/database.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { prepareTemplate } from '../support/global-setup.ts'
import { root } from '../support/program.ts'

const binaries = join(root, 'node_modules', `postgres-15-${process.platform}-${process.arch}`, 'native')
const skip = existsSync(binaries) ? false : `npm has no PostgreSQL 15 for ${process.platform}-${process.arch}`

let gateway: TestGateway
let shop: Shop
before(async () => {
  if (skip) return
  const dataDir = await mkdtemp(join(tmpdir(), 'inlet-fifteen-'))
  const postgres = await joinPostgres({ dataDir, as: 'server', log: () => {}, binaries })
  atEnd(async () => {
    await postgres.stop()
    await rm(postgresFolder(dataDir), { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  })
  useLogin(await prepareTemplate(postgres, dataDir))
  gateway = await startGateway()
  shop = await openShop(gateway)
})

test('this is PostgreSQL 15', { skip }, async () => {
  const [row] = await gateway.database.owner.query<{ version: string }>(
    sql`select current_setting('server_version') as version`,
  )
  assert.match(row!.version, /^15\./)
})

test('create, repeat, reuse, slots, reads and lists work on it', { skip }, async () => {
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
