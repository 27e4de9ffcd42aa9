/**
 * `npm run test:alerts`: every alert of deploy/alert-rules.yml is provoked in a real Inlet, seen firing by a real Prometheus,
 * and ended by what docs/operate.md says. The database's clock is moved where an alert needs hours. Skipped where Prometheus
 * is not installed. The last figures stand in docs/reliability.md.
 */
import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { cookieName } from '../../src/domain/people/session.ts'
import { addAccount, changeAccount } from '../../src/domain/requisites/add-requisite.ts'
import { type Login, sql } from '../../src/platform/db.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../faults/database-proxy.ts'
import { commandsOn, inlet } from '../support/command.ts'
import { loadCreates } from '../support/create-load.ts'
import { until } from '../support/delivery.ts'
import {
  type Fields,
  freePort,
  openShop,
  type Shop,
  shopOf,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { oneCOf } from '../support/one-c.ts'
import { joined } from '../support/person.ts'
import { dataFolder, type Program, startProgram } from '../support/program.ts'
import { answers, ok, type Receiver, startReceiver } from '../support/receiver.ts'
import { startPrimaryAndStandby } from '../support/standby.ts'
import { alertNames, hasPrometheus, type Prometheus, startPrometheus } from './prometheus.ts'

const skip = hasPrometheus() ? false : 'Prometheus is not installed (Debian: apt install prometheus).'
const seen = new Set<string>()

let gateway: TestGateway
let proxy: DatabaseProxy
let prometheus: Prometheus
let receiver: Receiver
let node: Program
let metricsPort: number
const everyRole = 'api,pay,console,worker'

before(async () => {
  if (skip) return
  gateway = await startGateway({ environment: { INLET_ROLES: 'pay' } })
  await commandsOn(gateway)
  receiver = await startReceiver()
  proxy = await startDatabaseProxy(gateway.database.login)
  metricsPort = await freePort()
  node = await startNode(everyRole)
  prometheus = await startPrometheus([`127.0.0.1:${metricsPort}`])
})

async function startNode(roles: string, environment: Record<string, string> = {}): Promise<Program> {
  const program = await startProgram(await dataFolder(), {
    DATABASE_URL: proxy.url,
    INLET_MASTER_KEY: gateway.config.masterKey!.toString('base64'),
    INLET_ROLES: roles,
    INLET_DEMO: 'off',
    INLET_METRICS_PORT: String(metricsPort),
    ...environment,
  })
  await program.ready()
  return program
}

async function restartNode(roles: string): Promise<void> {
  node.child.kill('SIGTERM')
  await node.ended()
  node = await startNode(roles)
}

/** Without a path its callbacks wait for an address. */
async function shopAtNode(path?: string): Promise<Shop> {
  const { merchant, keyId, secret } = await openShop(gateway)
  if (path) await changeMerchant(gateway.db, { merchantId: merchant, callbackUrl: receiver.url(path) })
  return shopOf(node, merchant, keyId, secret)
}

async function fires(...alerts: string[]): Promise<void> {
  for (const alert of alerts) {
    await prometheus.until(alert, 'firing')
    seen.add(alert)
  }
}

async function ends(...alerts: string[]): Promise<void> {
  for (const alert of alerts) await prometheus.until(alert, 'quiet')
}

async function done(...words: string[]): Promise<void> {
  const { code, stderr } = await inlet(...words)
  assert.equal(code, 0, stderr)
}

/** A deposit that is canceled at once: its callback is due. */
async function cancelOne(shop: Shop, fields: Fields = {}): Promise<string> {
  const { body } = await shop.create(fields)
  await done('deposit', 'cancel', body.id, '--reason', 'test')
  return body.id
}

test('a healthy Inlet raises no alert', { skip }, async () => {
  const shop = await shopAtNode('/shop')
  for (let count = 0; count < 20; count++) await cancelOne(shop)
  await until('they are delivered', async () => receiver.of('/shop').length >= 20, 60_000)
  await sleep(5_000)
  assert.deepEqual([...(await prometheus.firing())], [])
})

test('no requisite is free', { skip }, async () => {
  const load = loadCreates(await shopAtNode(), new Map(), 2, { pauseMs: 0 })
  await gateway.database.owner.script('update requisites set enabled = false')
  await fires('InletNoRequisiteAvailable')
  await gateway.database.owner.script('update requisites set enabled = true')
  await ends('InletNoRequisiteAvailable')
  await load.stop()
})

test('the database is unavailable, and creates fail', { skip }, async () => {
  const load = loadCreates(await shopAtNode(), new Map(), 4, { pauseMs: 0 })
  await proxy.cut()
  await fires('InletDatabaseAway', 'InletCreatesFail')
  await proxy.restore()
  await ends('InletDatabaseAway', 'InletCreatesFail')
  await load.stop()
})

test('the database is slow, and work waits for its connections', { skip }, async () => {
  const stops = new AbortController()
  const load = loadCreates(await shopAtNode(), new Map(), 10, { pauseMs: 0 })
  const slowness = repeat(stops.signal, async () => {
    await proxy.silence()
    await sleep(1_500)
    await proxy.restore()
    await sleep(250)
  })
  // A session that does not exist is still looked up.
  const cookie = `${cookieName(false)}=${'a'.repeat(43)}`
  const reads = Array.from({ length: 60 }, () =>
    repeat(stops.signal, async () => {
      await fetch(`${node.url}/console`, { headers: { cookie }, redirect: 'manual' }).catch(() => {})
    }),
  )
  try {
    await fires('InletCreatesSlow', 'InletConnectionsShort')
  } finally {
    stops.abort()
    await Promise.all([slowness, ...reads])
  }
  await ends('InletCreatesSlow', 'InletConnectionsShort')
  await load.stop()
})

async function repeat(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) await work()
}

test('the process has too little processor time', { skip }, async () => {
  const stops = new AbortController()
  const starving = repeat(stops.signal, async () => {
    node.child.kill('SIGSTOP')
    await sleep(400)
    node.child.kill('SIGCONT')
    await sleep(200)
  })
  await fires('InletEventLoopSlow').finally(() => stops.abort())
  await starving
  await ends('InletEventLoopSlow')
})

test('no worker is running', { skip }, async () => {
  await restartNode('api,pay,console')
  const shop = await shopAtNode('/shop')
  await cancelOne(shop)
  await shop.create()
  await gateway.database.shiftClock('2 hours')
  await fires('InletCallbacksLate', 'InletCallbacksVeryLate', 'InletDepositsOverdue', 'InletWorkerAway')
  await restartNode(everyRole)
  await ends('InletCallbacksLate', 'InletCallbacksVeryLate', 'InletDepositsOverdue', 'InletWorkerAway')
})

test('no process answers Prometheus', { skip }, async () => {
  node.child.kill('SIGTERM')
  await node.ended()
  await fires('InletNotSeen')
  node = await startNode(everyRole)
  await ends('InletNotSeen')
})

test('a bank is silent', { skip }, async () => {
  const number = '40702810300000000777'
  const { id } = await addAccount(gateway.db, {
    ...{ mode: 'live', currency: 'RUB', merchantId: null, label: 'Main', number, addedBy: 'anna' },
    ...{ ownerLegalName: 'ООО "Пример"', ownerPublicName: 'Пример', ownerTaxId: '7700000009' },
    ownerAgreement: 'No. 1',
  })
  await changeAccount(gateway.db, id, { silentHours: 6 })
  await gateway.database.shiftClock('12 hours')
  await fires('InletAccountSilent')
  const file = join(await dataFolder(), 'statement.txt')
  await writeFile(
    file,
    oneCOf([], 'quiet day').toString('latin1').replaceAll('40702810300000000042', number),
    'latin1',
  )
  await done('statement', 'import', file, '--mode', 'live', '--by', 'anna')
  await ends('InletAccountSilent')
})

test('endpoints fail, one and then many', { skip }, async () => {
  for (let shop = 0; shop < 7; shop++) {
    receiver.answer(`/failing-${shop}`, answers(500))
    await cancelOne(await shopAtNode(`/failing-${shop}`))
  }
  await until(
    'all were tried',
    async () => receiver.received.filter(({ path }) => path.startsWith('/failing')).length >= 7,
    60_000,
  )
  await gateway.database.shiftClock('14 hours')
  await fires('InletEndpointFailing', 'InletManyEndpointsFailing')
  for (let shop = 0; shop < 7; shop++) receiver.answer(`/failing-${shop}`, ok)
  await gateway.database.shiftClock('18 hours')
  await ends('InletEndpointFailing', 'InletManyEndpointsFailing')
})

test('an endpoint is paused', { skip }, async () => {
  const { merchant } = await shopAtNode('/shop')
  const own = ['--merchant', merchant, '--by', (await joined(gateway, { operatorRole: 'admin' })).email]
  const [endpoint] = await gateway.db.query<{ id: bigint }>(
    sql`select id from endpoints where merchant_id = ${merchant}`,
  )
  await done('endpoint', 'pause', String(endpoint!.id), ...own, '--why', 'Their server is moving')
  await fires('InletEndpointPaused')
  await done('endpoint', 'resume', String(endpoint!.id), ...own)
  await ends('InletEndpointPaused')
})

test('callbacks are given up', { skip }, async () => {
  receiver.answer('/gone', answers(410))
  const shop = await shopAtNode('/shop')
  await cancelOne(shop, { callback_url: receiver.url('/gone') })
  await fires('InletCallbacksDead')
  receiver.answer('/gone', ok)
  const { email } = await joined(gateway, { operatorRole: 'admin' })
  await done('callback', 'replay-failed', '--merchant', shop.merchant, '--by', email)
  await until('it is taken', async () => receiver.of('/gone').some(({ status }) => status === 200), 60_000)
  await ends('InletCallbacksDead')
})

test('a long queue, which an old transaction keeps from being cleared', { skip }, async () => {
  receiver.answer('/slow', answers(500))
  const shop = await shopAtNode('/slow')
  await cancelOne(shop)
  const { owner } = gateway.database
  const release = Promise.withResolvers<void>()
  for (let part = 0; part < 11; part++) await queueMany(shop.merchant, part * 5_000)
  await fires('InletCallbackQueueLong')
  const report = owner.transaction(async (tx) => {
    await tx.run(sql`set transaction isolation level repeatable read`)
    await tx.query(sql`select count(*) from events`)
    await release.promise
  })
  receiver.answer('/slow', ok)
  await gateway.database.shiftClock('24 hours')
  await fires('InletCallbackQueueBloated')
  await ends('InletCallbackQueueLong')
  release.resolve()
  // PostgreSQL may have ended it before: sessions of Inlet may not be idle in a transaction for long.
  await report.catch(() => {})
  await owner.script('vacuum deliveries')
  await ends('InletCallbackQueueBloated')
})

/** Queues callbacks as 5,000 changes of deposits would. */
const queueMany = (merchant: string, from: number) =>
  gateway.database.owner.query(sql`
    with lane as (
      select id from endpoints where merchant_id = ${merchant} and origin is null
    ), made as (
      insert into events (made_on, id, merchant_id, sequence, deposit_id, type, body, made_at)
      select (n.now at time zone 'UTC')::date, n.id, ${merchant}, 100000 + ${from}::bigint + n.number, n.deposit_id,
        'deposit.canceled',
        format('{"type":"deposit.canceled","id":"%s","sequence":%s,"data":{"id":"%s"}}',
          n.id, 100000 + ${from}::bigint + n.number, n.deposit_id),
        n.now
      from (
        select number, gen_random_uuid() as id, gen_random_uuid() as deposit_id, (select inlet_now()) as now
        from generate_series(1, 5000) as number
      ) n
      returning made_on, id, merchant_id, sequence, deposit_id, made_at
    )
    insert into deliveries (endpoint_id, merchant_id, deposit_id, sequence, event_id, made_on, due_at)
    select lane.id, merchant_id, deposit_id, sequence, made.id, made_on, made_at
    from made, lane`)

test('backups are late, fail, and cannot be restored', { skip }, async () => {
  const { owner } = gateway.database
  const well = `backups_on = true, full_backup_at = now(), wal_stored_at = now(), drill_at = now(), drill_ok = true, drill_loss_seconds = 2,
    drill_seconds = 60, wal_problem = null, full_backup_problem = null`
  const statesOfBackup = {
    InletBackupBehind: "wal_stored_at = now() - interval '20 minutes'",
    InletBackupOld: "full_backup_at = now() - interval '3 days'",
    InletBackupFailing: "wal_problem = 'No space left on device'",
    InletBackupWarning: "full_backup_problem = 'The full backup failed: no space left'",
    InletBackupDrillFailed: 'drill_ok = false',
    InletBackupDrillOld: "drill_at = now() - interval '11 days'",
    InletBackupLossHigh: 'drill_loss_seconds = 700',
  }
  // They are written as the server writes them, because they would take days to occur.
  for (const [alert, state] of Object.entries(statesOfBackup)) {
    await owner.script(`update upkeep set ${well}; update upkeep set ${state}`)
    await fires(alert)
    await owner.script(`update upkeep set ${well}`)
    await ends(alert)
  }
})

test('no commit waits for a standby', { skip }, async () => {
  const { primary } = await startPrimaryAndStandby()
  node.child.kill('SIGTERM')
  await node.ended()
  node = await startNode(everyRole, {
    DATABASE_URL: urlOf(primary.runtime),
    INLET_OWNER_DATABASE_URL: urlOf(primary.owner),
  })
  await fires('InletReplicationCanLose')
  await primary.asAdmin(async (admin) => {
    await admin.query("alter system set synchronous_standby_names = '*'")
    await admin.query('select pg_reload_conf()')
  })
  await ends('InletReplicationCanLose')

  // Its archive_command finds another file where the next segment belongs.
  const wal = join(primary.cluster.home.instance, 'wal')
  await primary.asAdmin(async (admin) => {
    const { rows } = await admin.query('select pg_walfile_name(pg_current_wal_lsn()) as segment')
    await mkdir(join(wal, rows[0].segment), { recursive: true })
    await admin.query('select pg_switch_wal()')
  })
  await fires('InletArchiveBehind')
  await rm(wal, { recursive: true })
  await ends('InletArchiveBehind')
})

const urlOf = ({ host, port, database, user, password }: Login): string =>
  `postgres://${user}:${password}@${encodeURIComponent(host)}:${port}/${database}`

test('every alert was seen', { skip }, async () => {
  assert.deepEqual([...seen].sort(), (await alertNames()).sort())
})
