/** Metrics, as Prometheus reads them: over HTTP, from real traffic; and the files that look at them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { before, test } from 'node:test'
import { alarmKinds } from '../src/domain/alarms/alarm.ts'
import type { DepositContext } from '../src/domain/deposits/change-deposit.ts'
import { creatorOn } from '../src/domain/deposits/create-deposit.ts'
import { expireDeposits } from '../src/domain/deposits/expire-deposits.ts'
import { groupCreates } from '../src/domain/deposits/group-creates.ts'
import { rejectDeposit } from '../src/domain/transfers/end-deposit.ts'
import { bounds } from '../src/platform/bounds.ts'
import { monotonicMs } from '../src/platform/clock.ts'
import { type Db, openDatabase } from '../src/platform/db.ts'
import { closeHttp, createHttp } from '../src/platform/http.ts'
import { createLog } from '../src/platform/log.ts'
import { textOfMetrics } from '../src/platform/metrics.ts'
import { createRateLimit } from '../src/platform/rate-limit.ts'
import { depositRoutes } from '../src/surfaces/api/deposits/routes.ts'
import { createDirectory } from '../src/surfaces/api/merchant-directory.ts'
import { createSignatureVerifier } from '../src/surfaces/api/signed-request.ts'
import { createMetrics, type DeliveryView, type Metrics } from '../src/surfaces/metrics/metrics.ts'
import { startMetricsServer } from '../src/surfaces/metrics/metrics-server.ts'
import { atEnd } from './support/clean-up.ts'
import { createDatabase } from './support/database.ts'
import { freePort, openShop, type Shop, startGateway, type TestGateway } from './support/gateway.ts'

const log = createLog('error', () => {})

let gateway: TestGateway
let shop: Shop
let metrics: Metrics
let context: DepositContext
let address: string
const delivery: DeliveryView = { inFlight: 3, unwritten: 1, outcomes: { ok: 7, retry: 2, dead: 0, probe: 1 } }

/** The create path as gateway.ts wires it, with its measuring points. */
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'pay' } })
  const { db, vault } = gateway
  const limits = createRateLimit(bounds.rateLimitEntries, monotonicMs)
  const verifier = createSignatureVerifier({
    directory: createDirectory(db, vault),
    limits,
    noteUse: () => {},
    isProduction: true,
  })
  const creates = groupCreates({
    creator: creatorOn(db),
    groups: 1,
    observe: (members) => metrics.observeGroup(members),
  })
  metrics = createMetrics({
    db,
    peopleDb: db,
    waitingCreates: () => creates.waiting,
    delivery: () => delivery,
  })
  const port = await freePort()
  const publicUrl = `http://localhost:${port}`
  context = { db, publicUrl, changed: (entered = []) => metrics.countStates(entered) }
  const app = createHttp({
    log,
    publicUrl,
    trustedProxies: [],
    limits: createRateLimit(bounds.rateLimitEntries, monotonicMs),
  })
  const isTrustedHost = () => false
  const observe = metrics.observeCreate
  depositRoutes(app, { verifier, creates, context, isTrustedHost, publicUrl, observe })
  await app.listen({ host: 'localhost', port })
  const server = await startMetricsServer({ metrics, host: '127.0.0.1', port: 0, log })
  address = `http://127.0.0.1:${server.port}`
  atEnd(async () => {
    await closeHttp(app)
    await creates.stop()
    await server.close()
    metrics.stop()
  })
  shop = await openShop({ ...gateway, url: publicUrl })
})

const scrape = async () => (await fetch(`${address}/metrics`)).text()

/** One number out of the text; undefined when it is absent. */
function numberIn(text: string, row: string): number | undefined {
  const line = text.split('\n').find((text) => text.startsWith(`${row} `))
  return line === undefined ? undefined : Number(line.slice(row.length + 1))
}

/** What the database holds right now, without what an earlier scrape remembered. */
async function fresh(db: Db = gateway.db): Promise<(row: string) => number | undefined> {
  const own = createMetrics({ db, peopleDb: db, waitingCreates: () => 0, delivery: () => undefined })
  const text = textOfMetrics(await own.collect())
  own.stop()
  return (row) => numberIn(text, row)
}

test('GET /metrics on its own port: text format 0.0.4, every row announced, our names only', async () => {
  await shop.create()
  const answer = await fetch(`${address}/metrics`)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  assertParses(await answer.text())
  assert.equal((await fetch(`${address}/`)).status, 404)
  assert.equal((await fetch(`${address}/metrics`, { method: 'POST' })).status, 405)
})

function assertParses(text: string): void {
  assert.ok(text.endsWith('\n'))
  const types = new Map<string, string>()
  const rows = new Set<string>()
  let helped = ''
  for (const line of text.trimEnd().split('\n')) {
    const help = /^# HELP (inlet_[a-z_]+) (\S.*\.)$/.exec(line)
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line)
    const row = /^([a-z_]+)((?:\{[a-z]+="[^"\n]*"(?:,[a-z]+="[^"\n]*")*\})?) (-?[\d.]+(?:e[+-]?\d+)?)$/.exec(
      line,
    )
    if (help) helped = help[1]!
    else if (type) {
      assert.equal(type[1], helped, line)
      types.set(type[1]!, type[2]!)
    } else {
      assert.ok(row, line)
      const kind = types.get(helped)
      const name = kind === 'histogram' ? row[1]!.replace(/_(bucket|sum|count)$/, '') : row[1]!
      assert.equal(name, helped, line)
      assert.ok(!rows.has(row[1]! + row[2]!), `${line} is there twice`)
      rows.add(row[1]! + row[2]!)
      if (kind === 'counter') assert.match(name, /_total$/)
    }
  }
  assert.ok(types.size > 20)
}

test('counters move with creates: created, replayed, refused by code; groups and states', async () => {
  const before = await scrape()
  const moved = (after: string, row: string) => (numberIn(after, row) ?? 0) - (numberIn(before, row) ?? 0)
  const order = shop.order()
  await shop.post('create', order)
  await shop.post('create', order)
  await Promise.all(Array.from({ length: 10 }, () => shop.create()))
  await shop.create({ cents: 1 })
  await shop.post('create', shop.order(), { headers: { 'x-signature': 'f'.repeat(64) } })
  await shop.create({ payment_type: 'sbp', cents: 500_500 })
  await shop.create({ payment_type: 'sbp', cents: 500_500 })
  await shop.create({ payment_type: 'sbp', cents: 500_500 })
  assert.equal(
    (await shop.create({ payment_type: 'sbp', cents: 500_500 })).body.code,
    'no_requisite_available',
  )
  const after = await scrape()
  const seconds = 'inlet_create_duration_seconds'
  for (const [row, count] of [
    [`${seconds}_count{outcome="created"}`, 14],
    [`${seconds}_bucket{outcome="created",le="+Inf"}`, 14],
    [`${seconds}_count{outcome="replayed"}`, 1],
    [`${seconds}_count{outcome="refused"}`, 3],
    [`${seconds}_count{outcome="failed"}`, 0],
    ['inlet_create_refusals_total{code="signature_invalid"}', 1],
    ['inlet_create_refusals_total{code="no_requisite_available"}', 1],
    ['inlet_deposits_total{state="created"}', 14],
  ] as const) {
    assert.equal(moved(after, row), count, row)
  }
  assert.ok(moved(after, `${seconds}_sum{outcome="created"}`) > 0)
  const [groups, members] = ['count', 'sum'].map((end) => moved(after, `inlet_group_commit_size_${end}`))
  assert.ok(groups! >= 5 && groups! <= members!, `${groups} groups`)
  assert.equal(members, 18, 'one without a requisite is tried again with fresh ones')
})

test('deposits count once for each state they enter', async () => {
  const before = await scrape()
  const ids = await Promise.all([shop.create(), shop.create(), shop.create()])
  await rejectDeposit(context, { depositId: ids[0]!.body.id, actor: 'operator:anna', reason: 'test' })
  await gateway.database.owner.script(
    `update deposits set expires_at = created_at + interval '1 millisecond'
     where id in ('${ids[1]!.body.id}', '${ids[2]!.body.id}')`,
  )
  await expireDeposits(context)
  const after = await scrape()
  for (const [state, count] of [
    ['rejected', 1],
    ['expired', 2],
    ['created', 3],
    ['confirmed', 0],
  ] as const) {
    const row = `inlet_deposits_total{state="${state}"}`
    assert.equal(numberIn(after, row)! - numberIn(before, row)!, count, state)
  }
})

test('this process: attempts by outcome, pool, event loop, memory', async () => {
  const text = await scrape()
  assert.equal(numberIn(text, 'inlet_callback_attempts_total{outcome="ok"}'), 7)
  assert.equal(numberIn(text, 'inlet_callback_attempts_total{outcome="probe"}'), 1)
  assert.equal(numberIn(text, 'inlet_callback_in_flight'), 3)
  assert.equal(numberIn(text, 'inlet_group_commit_waiting'), 0)
  assert.equal(numberIn(text, 'inlet_database_up'), 1)
  const [used, idle] = ['used', 'idle'].map(
    (state) => numberIn(text, `inlet_database_connections{pool="money",state="${state}"}`)!,
  )
  assert.ok(used! + idle! >= 1 && used! + idle! <= bounds.databaseConnections.money)
  assert.ok(numberIn(text, 'inlet_process_resident_memory_bytes')! > 20e6)
  for (const quantile of ['0.5', '0.99', '1']) {
    assert.ok(numberIn(text, `inlet_event_loop_delay_seconds{quantile="${quantile}"}`)! >= 0)
  }
})

test('what the database holds: open deposits, queues by lane, ages, dead, overdue, heartbeat', async () => {
  const { owner } = gateway.database
  const before = await fresh()
  const [one, two] = [await shop.create(), await shop.create()]
  const open = 'inlet_deposits_open{mode="test",currency="RUB"}'
  assert.equal((await fresh())(open)! - before(open)!, 2)
  const queued = (state: string) => `inlet_callback_queue{state="${state}"}`
  const lanes = (state: string) => `inlet_callback_endpoints{state="${state}"}`
  const oldest = (state: string) => `inlet_callback_oldest_due_seconds{state="${state}"}`

  await rejectDeposit(context, { depositId: one.body.id, actor: 'operator:anna', reason: 'test' })
  await owner.script(`update deliveries set due_at = now() - interval '100 seconds'
    where deposit_id = '${one.body.id}'`)
  const waiting = await fresh()
  assert.equal(waiting(queued('waiting'))! - before(queued('waiting'))!, 1)
  assert.ok(waiting(oldest('waiting'))! >= 100)
  assert.deepEqual([waiting(lanes('waiting')), waiting(lanes('open')), waiting(oldest('active'))], [1, 0, 0])

  await owner.script(`
    update merchants set callback_url = 'https://shop.example/in' where id = '${shop.merchant}';
    update endpoints set state = 'active', failing_since = now() - interval '2 hours'`)
  const active = await fresh()
  assert.deepEqual([active(lanes('waiting')), active(lanes('active'))], [0, 1])
  assert.ok(active(oldest('active'))! >= 100)
  assert.ok(active('inlet_callback_failing_seconds')! >= 7_200)
  assert.equal(active('inlet_callback_endpoints_failing'), 1)

  // Behind an earlier callback of its deposit it is not late.
  await owner.script(`insert into deliveries (endpoint_id, merchant_id, deposit_id, sequence, event_id, made_on, due_at)
    select endpoint_id, merchant_id, deposit_id, 0, gen_random_uuid(), made_on, now() + interval '1 hour'
    from deliveries where deposit_id = '${one.body.id}'`)
  assert.ok((await fresh())(oldest('active'))! < 60)

  await owner.script(`
    update endpoints set trips = 2, open_until = now() + interval '1 minute';
    insert into deliveries (event_id, made_on, merchant_id, endpoint_id, deposit_id, sequence, state, due_at, died_at, reason)
    values (gen_random_uuid(), current_date, '${shop.merchant}', 1, gen_random_uuid(), 1, 'dead', 'infinity', now(), 'attempts_used');
    update upkeep set last_beat = now() - interval '30 seconds';
    alter table deposits disable trigger user;
    update deposits set created_at = now() - interval '1 hour', expires_at = now() - interval '90 seconds'
      where id = '${two.body.id}';
    alter table deposits enable trigger user`)
  const sample = await fresh()
  assert.deepEqual(
    [sample(lanes('active')), sample(lanes('open')), sample('inlet_callbacks_dead')],
    [0, 1, 1],
  )
  assert.ok(sample('inlet_heartbeat_age_seconds')! >= 30)
  assert.ok(sample('inlet_deposits_overdue_seconds')! >= 90)
})

test('two scrapes at once, and soon after, cost the database one look', async () => {
  let looks = 0
  const db: Db = {
    ...gateway.db,
    pool: gateway.db.pool,
    query: (statement) => {
      looks += 1
      return gateway.db.query(statement)
    },
  }
  const own = createMetrics({ db, peopleDb: db, waitingCreates: () => 0, delivery: () => undefined })
  await Promise.all([own.collect(), own.collect()])
  await own.collect()
  own.stop()
  assert.equal(looks, 5)
})

test('while the database is away scrapes succeed, without the values of the database', async () => {
  const { login } = await createDatabase()
  const away = openDatabase({ ...login, database: 'nowhere' }, { connections: 1 })
  const read = await fresh(away)
  assert.equal(read('inlet_database_up'), 0)
  assert.equal(read('inlet_callback_queue{state="active"}'), undefined)
  assert.equal(read('inlet_deposits_overdue_seconds'), undefined)
  assert.ok(read('inlet_process_resident_memory_bytes')! > 0)
  await away.close()
})

test('a database that hangs costs a scrape two seconds, not its time-out', async () => {
  const db: Db = { ...gateway.db, pool: gateway.db.pool, query: () => new Promise(() => {}) }
  const began = monotonicMs()
  assert.equal((await fresh(db))('inlet_database_up'), 0)
  // The time-out is 30 s.
  assert.ok(monotonicMs() - began < 20_000)
})

test('a taken port or an unknown host is a warning, and the process runs without metrics', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  const lines: string[] = []
  const own = createLog('warn', (line) => lines.push(line))
  for (const [host, code] of [
    ['127.0.0.1', 'EADDRINUSE'],
    ['nobody.invalid', '(ENOTFOUND|EAI_AGAIN)'],
  ] as const) {
    const server = await startMetricsServer({ metrics, host, port, log: own })
    assert.equal(server.port, null)
    assert.match(lines.pop()!, new RegExp(`"level":"warn".*INLET_METRICS_PORT.*"${code}"`))
    await server.close()
  }
  taken.close()
})

const deployed = (name: string) => readFileSync(new URL(`../deploy/${name}`, import.meta.url), 'utf8')

/** Names of metrics in a text, without what a histogram adds to them. */
async function unknownNames(text: string): Promise<string[]> {
  const known = new Set([...(await scrape()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name]) => name!))
  const used = new Set([...text.matchAll(/\binlet_[a-z_]+/g)].map(([name]) => name))
  assert.ok(used.size > 5)
  return [...used].filter((name) => !known.has(name) && !known.has(name.replace(/_(bucket|sum|count)$/, '')))
}

test('the Grafana dashboard parses, asks for metrics that exist, and for its data source by variable', async () => {
  const text = deployed('grafana-dashboard.json')
  const dashboard = JSON.parse(text)
  assert.deepEqual(await unknownNames(text), [])
  assert.equal(dashboard.templating.list[0].type, 'datasource')
  const panels = dashboard.panels.filter(({ type }: { type: string }) => type !== 'row')
  assert.ok(panels.length > 10)
  assert.equal(new Set(dashboard.panels.map(({ id }: { id: number }) => id)).size, dashboard.panels.length)
  for (const panel of panels) {
    assert.ok(panel.title && panel.description, panel.title)
    assert.match(panel.datasource.uid, /^\$\{datasource\}$/)
    for (const { expr } of panel.targets) assertBalanced(expr)
  }
})

test('every metric is on the dashboard', async () => {
  const text = deployed('grafana-dashboard.json')
  const names = [...(await scrape()).matchAll(/^# TYPE (\S+) \S+$/gm)].map(([, name]) => name!)
  assert.deepEqual(
    names.filter((name) => !text.includes(name)),
    [],
  )
})

test('the alert rules are plain YAML, each with its threshold, severity and words, on metrics that exist', async () => {
  const text = deployed('alert-rules.yml')
  assert.deepEqual(await unknownNames(text), [])
  // Only block maps, block lists and plain one-line values: what every YAML reader reads alike.
  for (const line of text.split('\n').filter((text) => text !== '' && !text.startsWith('#'))) {
    const parts = /^((?: {2})*)(- )?([a-z]+):(?: (\S.*))?$/.exec(line)
    assert.ok(parts, line)
    const value = parts[4] ?? ''
    assert.doesNotMatch(value, /^["'[{>|*&!%@`]|: | #|\s$/, line)
  }
  const rules = text.split(/^ {6}- alert: /m).slice(1)
  assert.ok(rules.length >= 10)
  for (const rule of rules) {
    assert.match(
      rule,
      /^Inlet[A-Za-z]+\n {8}expr: .+\n {8}for: \d+m\n {8}labels:\n {10}severity: (page|ticket)\n {8}annotations:\n {10}summary: \S.+\n {10}description: \S.+\.\n/,
    )
    assertBalanced(/expr: (.+)/.exec(rule)![1]!)
  }
  assert.equal(new Set(rules.map((rule) => rule.split('\n')[0])).size, rules.length)
})

function assertBalanced(expression: string): void {
  const bare = expression.replace(/"[^"]*"/g, '')
  for (const [open, close] of ['()', '{}', '[]']) {
    assert.equal(bare.split(open!).length, bare.split(close!).length, expression)
  }
  assert.doesNotMatch(bare, /"/)
}

const document = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')

test('the runbook says what to do about every alert and every alarm', () => {
  const runbook = document('operate.md')
  const alerts = [...deployed('alert-rules.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)
  assert.ok(alerts.length > 10 && alarmKinds.length > 5)
  assert.deepEqual(
    [
      ...alerts.filter((name) => !runbook.includes(`\n### ${name}\n`)),
      ...alarmKinds.filter((kind) => !runbook.includes(`\`${kind}\``)),
    ],
    [],
  )
})
