/** This version and the next one work on the same database, and this one starts again after the next. Real processes. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { migrate, readMigrations } from '../../src/platform/migrate.ts'
import { migrationOf } from '../../src/platform/migration-file.ts'
import { commandsOn, inlet } from '../support/command.ts'
import { openShop, type Shop, shopOf, startGateway, type TestGateway } from '../support/gateway.ts'
import { dataFolder, nextVersion, type Program, startProgram } from '../support/program.ts'

const known = readMigrations()
const mine = known.at(-1)!.name.slice(0, 4)
const next = {
  '9000-notes.sql': `-- A note of its own for each deposit.
-- Serves builds from: ${mine}
alter table deposits add column note text;
alter table merchants add column has_notes boolean not null default false;
`,
  '9001-notes-filled.sql': `-- Deposits of before have an empty note.
-- Serves builds from: ${mine}
-- Runs in batches
update deposits set note = ''
where id in (select id from deposits where note is null limit 100)
returning id;
`,
  '9002-deposits-by-note.sql': `-- Deposits are found by it.
-- Serves builds from: ${mine}
create index concurrently if not exists deposits_by_note on deposits (note);
`,
}

/** This version, in this process, started before the next one. */
let gateway: TestGateway
let shop: Shop
let newer: Program
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  assert.equal((await shop.create()).status, 201)
  newer = await startVersion(await nextVersion(next))
  await newer.ready()
})

const startVersion = async (version?: string, environment: Record<string, string> = {}) =>
  startProgram(
    await dataFolder(),
    {
      DATABASE_URL: gateway.database.url,
      INLET_MASTER_KEY: gateway.config.masterKey!.toString('base64'),
      INLET_DEMO: 'off',
      ...environment,
    },
    version ? { version } : {},
  )

/** A deposit that one version creates can be read from the other. */
async function assertShared(from: Shop, to: Shop): Promise<void> {
  const order = from.order()
  const created = await from.post('create', order)
  assert.equal(created.status, 201)
  const { status, body } = await to.get(`/api/v1/requests/deposit?order_id=${order.order_id}`)
  assert.deepEqual([status, body.id], [200, created.body.id])
}

const shopAt = ({ url }: Program): Shop => shopOf({ url }, shop.merchant, shop.keyId, shop.secret)

test('the next version migrates while this one serves, and both serve the same deposits', async () => {
  assert.match(newer.output(), /"migrated","migration":"9002-deposits-by-note\.sql"/)
  await assertShared(shop, shopAt(newer))
  await assertShared(shopAt(newer), shop)
})

test('after the next version this one starts again beside it, with every process, and takes deposits', async () => {
  const older = await startVersion(undefined, { INLET_PROCESSES: '2' })
  await older.ready()
  assert.match(
    older.output(),
    /This database is newer and still serves this version\.","migration":"9002-deposits-by-note\.sql"/,
  )
  await assertShared(shopAt(older), shopAt(newer))
  await assertShared(shopAt(newer), shopAt(older))
  older.child.kill('SIGTERM')
  assert.equal(await older.ended(), 0)
})

test('commands of this version work on the newer schema, and the doctor finds nothing', async () => {
  await commandsOn(gateway)
  const { code, stdout, stderr } = await inlet('doctor')
  assert.deepEqual([code, stderr], [0, ''], stdout)
})

test('this version does not start on a newer schema that does not support it, and the log says why', async () => {
  const breaking = { ...next, '9003-no-notes.sql': 'alter table deposits drop column note;\n' }
  const files = Object.entries(breaking).map(([name, text]) => migrationOf(name, text))
  await migrate(
    gateway.database.owner,
    createLog('error', () => {}),
    [...known, ...files],
  )
  const older = await startVersion()
  assert.equal(await older.ended(), 1)
  assert.match(
    older.output(),
    /made by a newer Inlet \(9003-no-notes\.sql\).* since 9003-no-notes\.sql it can no longer work there\. Start the newer version\./,
  )
  assert.equal(
    await gateway.database.owner.has(sql`select from migrations where serves_builds_from = ${mine}`),
    true,
  )
})
