/** The operator hears of what is wrong: once, signed, again when the call was not taken, and when it is over. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { alarmsOf, type Facts } from '../src/domain/alarms/alarm.ts'
import { createAlarms } from '../src/domain/alarms/raise-alarms.ts'
import { readFacts, readScarceAccounts } from '../src/domain/alarms/store.ts'
import { setApprovalSettings } from '../src/domain/approvals/change-settings.ts'
import { sql } from '../src/platform/db.ts'
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

const calm: Facts = {
  lanes: [],
  oldestDueMinutes: 0,
  due: 0,
  deadToday: false,
  overdueDeposits: false,
  silentAccounts: [],
  scarceAccounts: [],
  approvalRuleActs: [],
  backup: { walMinutes: null, drillProblem: null },
  brandingActs: [],
  lossRisk: null,
}
const lane = { laneId: 7n, merchant: 'Shop', origin: null, state: 'active', reason: null } as const
for (const [what, facts, expected] of [
  ['nothing', {}, ''],
  ['an hour of failure', { lanes: [{ ...lane, failingHours: 1 }] }, 'lane_failing 7:1h'],
  ['59 minutes of failure', { lanes: [{ ...lane, failingHours: 0.98 }] }, ''],
  ['three days of failure', { lanes: [{ ...lane, failingHours: 80 }] }, 'lane_failing 7:72h'],
  ['a late callback', { oldestDueMinutes: 15 }, 'callbacks_late all'],
  ['a long queue', { due: 100_000 }, 'callbacks_many all'],
  ['callbacks given up', { deadToday: true }, 'callbacks_given_up today'],
  ['deposits that do not expire', { overdueDeposits: true }, 'deposits_overdue all'],
  [
    'an account without a word',
    { silentAccounts: [{ accountId: 'a1', label: 'Main', silentHours: 24 }] },
    'account_silent a1',
  ],
  [
    'an account with few free references',
    { scarceAccounts: [{ accountId: 'a1', label: 'Main', heldPercent: 51 }] },
    'references_scarce a1',
  ],
  [
    'a person of the desk whose access is reset',
    { approvalRuleActs: [{ place: 12n, at: new Date(0), act: 'person_reset', actor: 'command line' }] },
    'four_eyes 12',
  ],
  ['WAL copied a moment ago', { backup: { walMinutes: 14, drillProblem: null } }, ''],
  ['a dead store of backups', { backup: { walMinutes: 15, drillProblem: null } }, 'backup_late wal'],
  [
    'a drill that failed',
    { backup: { walMinutes: null, drillProblem: 'No complete backup is stored there.' } },
    'backup_drill_failed all',
  ],
  ['a new logo of a live shop', { brandingActs: [{ place: 13n, merchant: 'Shop' }] }, 'branding_changed 13'],
  ['a standby that no commit waits for', { lossRisk: 'it is so' }, 'replication_can_lose all'],
] as const) {
  test(`${what}: ${expected || 'no alarm'}`, () => {
    const alarms = alarmsOf({ ...calm, ...facts } as Facts)
    assert.equal(alarms.map((alarm) => `${alarm.kind} ${alarm.subject}`).join(), expected)
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
  const { lanes } = await readFacts(gateway.db)
  assert.equal(lanes.length, 1_000)
  assert.ok(lanes.some(({ origin }) => origin === 'https://only.example'))
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
  const { brandingActs } = await readFacts(gateway.db)
  assert.deepEqual(
    brandingActs.map(({ place }) => place),
    [1_001_001n, 1_000_000n],
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
