/** The operator hears of what is wrong: once, signed, again when the call was not taken, and when it is over. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createAlarms } from '../src/domain/alarms/raise-alarms.ts'
import { readAlarms, readScarceAccounts } from '../src/domain/alarms/store.ts'
import { setApprovalSettings } from '../src/domain/approvals/change-settings.ts'
import { type Queryable, sql } from '../src/platform/db.ts'
import { createLog } from '../src/platform/log.ts'
import { createOutbound } from '../src/platform/outbound.ts'
import { atEnd } from './support/clean-up.ts'
import { openShop, startGateway, type TestGateway } from './support/gateway.ts'

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
let logged: string[] = []
const log = createLog('error', (line) => logged.push(line))
const calls: { state: string; type: string; verified: boolean }[] = []
let status = 200
/** Of which type a call is not answered, until `answer` is called. */
let hanging: { type: string; reached: () => void; answered: Promise<void> } | null = null
let gateway: TestGateway
let alarms: ReturnType<typeof createAlarms>
let look: () => Promise<void>
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const payload = new Webhook(secret).verify(body, request.headers as Record<string, string>) as {
      type: string
      state: string
    }
    calls.push({ type: payload.type, state: payload.state, verified: true })
    if (payload.type === hanging?.type) {
      hanging.reached()
      await hanging.answered
    }
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const outbound = createOutbound({ allowed: () => true, loopback: true })
  atEnd(async () => {
    await outbound.close()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  alarms = createAlarms({
    db: gateway.db,
    outbound,
    address: { url: `http://127.0.0.1:${port}/`, secret },
    log,
    acceptsLoss: false,
  })
  look = async () => {
    await alarms.look()
    while (await alarms.callNext());
  }
})

test('a paused endpoint is reported once, signed, and again when it is cleared', async () => {
  const shop = await openShop(gateway)
  await shop.create()
  await look()
  assert.deepEqual(calls, [])
  const pause = (state: string) =>
    gateway.db.query(
      sql`update endpoints set state = ${state}, reason = 'answered_410' where merchant_id = ${shop.merchant}`,
    )
  await pause('paused')
  await look()
  await look()
  assert.deepEqual(calls, [{ type: 'operator.lane_paused', state: 'raised', verified: true }])
  await pause('active')
  await look()
  assert.deepEqual(calls[1], { type: 'operator.lane_paused', state: 'cleared', verified: true })
  assert.equal(calls.length, 2)
})

test('an alarm that was not accepted is sent again', async () => {
  calls.length = 0
  status = 500
  await gateway.db.query(
    sql`update endpoints set failing_since = inlet_now() - interval '2 hours', state = 'active'`,
  )
  await look()
  const tried = calls.length
  assert.equal(tried, 3)
  status = 200
  await gateway.db.query(sql`update operator_alarms set tried_until = '-infinity'`)
  await look()
  assert.equal(calls.length, tried + 1)
  await look()
  assert.equal(calls.length, tried + 1)
})

test('every alarm is in the log before a call is made, and the gravest is sent first, whatever hangs', async () => {
  const shop = await openShop(gateway)
  await gateway.database.owner.query(sql`
    insert into endpoints (merchant_id, origin, state, reason)
    select ${shop.merchant}, 'https://shop-' || n || '.example', 'paused', 'answered_410'
    from generate_series(1, 2) as n`)
  await look()
  calls.length = 0
  logged = []
  await gateway.database.owner.query(sql`
    insert into endpoints (merchant_id, origin, state, reason)
    select ${shop.merchant}, 'https://other-' || n || '.example', 'paused', 'answered_410'
    from generate_series(1, 3) as n`)
  await setApprovalSettings(gateway.db, { single: 'off' })
  await setApprovalSettings(gateway.db, { single: 'on' })
  await alarms.look()
  assert.deepEqual(calls, [])
  const codes = logged.map((line) => JSON.parse(line).code as string)
  const changes = codes.filter((code) => code === 'four_eyes').length
  assert.ok(changes > 0)
  assert.equal(codes.filter((code) => code === 'lane_paused').length, 3)
  for (let call = 0; call < changes; call++) await alarms.callNext()
  assert.deepEqual(new Set(calls.map(({ type }) => type)), new Set(['operator.four_eyes']))

  const [reached, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  hanging = { type: 'operator.lane_paused', reached: reached.resolve, answered: answered.promise }
  const hung = alarms.callNext()
  await reached.promise
  hanging = null
  await look()
  assert.equal(calls.filter(({ type }) => type === 'operator.lane_paused').length, 3)
  // What began meanwhile is told, and what ended, but not yet the end of the alarm whose call hangs.
  await setApprovalSettings(gateway.db, { single: 'off' })
  await gateway.database.owner.query(
    sql`update endpoints set state = 'active' where merchant_id = ${shop.merchant}`,
  )
  calls.length = 0
  await look()
  const told = () => calls.map(({ type, state }) => `${type} ${state}`)
  assert.deepEqual(told(), ['operator.four_eyes raised', ...Array(4).fill('operator.lane_paused cleared')])
  answered.resolve()
  await hung
  await look()
  assert.equal(told().length, 6)
})

test('an alarm that ended and began again before its end was sent is not called ended', async () => {
  const shop = await openShop(gateway)
  const pause = async (state: string) => {
    await gateway.db.query(
      sql`update endpoints set state = ${state}, reason = 'answered_410' where merchant_id = ${shop.merchant}`,
    )
    await alarms.look()
  }
  await look()
  await pause('paused')
  await look()
  calls.length = 0
  await pause('active')
  await pause('paused')
  await look()
  const told = calls.map(({ state }) => state)
  assert.deepEqual(told, ['raised'])
  await pause('active')
  await look()
  assert.deepEqual(
    calls.map(({ state }) => state),
    ['raised', 'cleared'],
  )
})

/** The alarms of this moment; of an endpoint without its number. */
const said = async (tx: Queryable) =>
  new Set((await readAlarms(tx)).map(({ kind, subject }) => `${kind} ${subject.replace(/^\d+:/, '')}`))
const failing = (since: string) => `update endpoints set failing_since = now() - interval '${since}'`
const backup = (set: string) => `update upkeep set backups_on = true, ${set}`
const callback = (due: string, many = 1) => `
  insert into deliveries (event_id, endpoint_id, merchant_id, deposit_id, sequence, made_on, due_at)
  select gen_random_uuid(), id, merchant_id, gen_random_uuid(), n, current_date, ${due}
  from (select id, merchant_id from endpoints limit 1) one, generate_series(1, ${many}) n`
/** The deposit of the first test has half an hour. */
const later = (minutes: number) => `update installation set shift = '${minutes} minutes'`
for (const [what, change, expected] of [
  ['nothing', '', ''],
  ['an hour of failure', failing('61 minutes'), 'lane_failing 1h'],
  ['59 minutes of failure', failing('59 minutes'), ''],
  ['three days of failure', failing('80 hours'), 'lane_failing 72h'],
  ['WAL copied a moment ago', backup(`wal_stored_at = now() - interval '14 minutes'`), ''],
  ['a dead store of backups', backup(`wal_stored_at = now() - interval '16 minutes'`), 'backup_late wal'],
  [
    'a drill that failed',
    backup(`drill_ok = false, drill_problem = 'No complete backup is stored there.'`),
    'backup_drill_failed all',
  ],
  ['a callback that is due', callback(`now() - interval '14 minutes'`), ''],
  ['a callback that is late', callback(`now() - interval '16 minutes'`), 'callbacks_late all'],
  ['a queue that is too long', callback('now()', 100_001), 'callbacks_many all'],
  [
    'a callback given up',
    `${callback('now()')};
     update deliveries set state = 'dead', due_at = 'infinity', died_at = now(), reason = 'attempts'`,
    'callbacks_given_up today',
  ],
  ['a deposit that expires in time', later(32), ''],
  ['a deposit that does not expire', later(36), 'deposits_overdue all'],
] as const) {
  test(`${what}: ${expected || 'no alarm'}`, async () => {
    const undo = new Error('undone')
    const reading = gateway.database.owner.transaction(async (tx) => {
      await tx.query(sql`update endpoints set state = 'active', failing_since = null`)
      const before = await said(tx)
      for (const text of change.split(';')) if (text) await tx.query({ text, name: '', values: [] })
      assert.deepEqual([...(await said(tx)).difference(before)].join(), expected)
      throw undo
    })
    await assert.rejects(reading, undo)
  })
}

test("a thousand failing endpoints of one merchant do not hide another merchant's only one", async () => {
  const [many, few] = [await openShop(gateway), await openShop(gateway)]
  await gateway.database.owner.query(sql`
    insert into endpoints (merchant_id, origin, state, reason)
    select ${many.merchant}, 'https://shop-' || n || '.example', 'paused', 'answered_410'
    from generate_series(1, 1000) as n`)
  await gateway.database.owner.query(sql`
    insert into endpoints (merchant_id, origin, state, reason)
    values (${few.merchant}, 'https://only.example', 'paused', 'answered_410')`)
  const lanes = (await readAlarms(gateway.db)).filter(({ kind }) => kind.startsWith('lane'))
  assert.equal(lanes.length, 1_000)
  assert.ok(lanes.some(({ detail }) => detail.includes('https://only.example')))
})

test("a thousand changes of one merchant's branding do not hide another's only one, nor raise an alarm each", async () => {
  const [many, few] = [await openShop(gateway, { mode: 'live' }), await openShop(gateway, { mode: 'live' })]
  const change = (merchant: string, from: number, to: number) =>
    gateway.database.owner.query(sql`
      insert into audit_entries
        (place, at, person_id, actor, act, subject, merchant_id, reason, before, after, request_id, previous, digest)
      select n, inlet_now(), null, 'owner@example.com', 'merchant_branding', ${`merchant:${merchant}`}, ${merchant}, '', 'null',
        'null', null, sha256(n::text::bytea), sha256(n::text::bytea)
      from generate_series(${from}::int, ${to}::int) as n`)
  await change(few.merchant, 1_000_000, 1_000_000)
  await change(many.merchant, 1_000_001, 1_001_001)
  const alarms = await readAlarms(gateway.db)
  assert.deepEqual(
    alarms.flatMap(({ kind, subject }) => (kind === 'branding_changed' ? [subject] : [])),
    ['1001001', '1000000'],
  )
})

test('references are scarce when an account holds more than half of the sample', async () => {
  const shop = await openShop(gateway)
  const ids = await Promise.all(
    Array.from({ length: 3 }, async () => (await shop.create()).body.id as string),
  )
  const held = await gateway.database.owner.query<{ reference: string; accountId: string }>(sql`
    select d.reference, d.account_id as "accountId"
    from deposits d
    where d.id = any(${ids}::uuid[])`)
  const references = held.map(({ reference }) => reference)
  assert.equal(references.length, 3)
  const mode = { mode: 'test' } as const
  const scarce = async (sample: string[]) =>
    (await readScarceAccounts(gateway.db, { sample, ...mode })).map(({ accountId, heldPercent }) => [
      accountId,
      heldPercent,
    ])
  assert.deepEqual(await scarce([...references, 'KT00000000']), [[held[0]!.accountId, 75]])
  assert.deepEqual(await scarce([...references.slice(1), 'KT00000000', 'KT00000001']), [])
})
