/**
 * `npm run test:cluster`: the primary of a cluster is lost again and again while deposits are created, and everything that was
 * acknowledged is looked up afterwards. With asynchronous replication the same test loses: one that cannot lose proves nothing.
 * Takes half an hour. The last figures stand in docs/reliability.md.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { createMerchant } from '../../src/domain/merchants/create-merchant.ts'
import { addDemoRequisites } from '../../src/domain/sandbox/demo-data.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { atEnd } from '../support/clean-up.ts'
import { type Shop, shopOf } from '../support/gateway.ts'
import { dataFolder, type Program, root, startProgram } from '../support/program.ts'
import { absence, type Machines, startMachines, within } from './machines.ts'

const kills = { synchronous: Number(process.env.INLET_KILLS ?? 20), asynchronous: 3 }
const freezes = 5
/** How long the network of a primary stalls before it is lost. Its commits of that time reach nobody else. */
const stallMs = 1_000
const folder = join(tmpdir(), 'inlet-cluster')
const ports = {
  haproxy: 5_470,
  hosts: 5_471,
  refused: 5_472,
}
const environment = {
  INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  INLET_DEMO: 'off',
  INLET_PROCESSES: '1',
}
const inProduction = { NODE_ENV: 'production', INLET_PUBLIC_URL: 'https://pay.example' }

type Ways = 'haproxy' | 'hosts'
type Line = { at: number; way: Ways; status: number; order: string; id?: string }

test('synchronous: the primary is lost again and again, and no acknowledged deposit is lost', {
  skip: absence,
}, async () => {
  const { lines, lost, lostAt, doctor, refusal } = await loseAgainAndAgain({
    synchronous: true,
    most: kills.synchronous,
  })
  report('synchronous', lines, lost, lostAt)
  assert.equal(lostAt.length, kills.synchronous)
  assert.deepEqual(lost, [])
  assert.equal(refusal, '', 'production starts')
  assert.equal(doctor.status, 0, doctor.stdout)
})

test('asynchronous: the same failures lose acknowledged deposits; production refuses to start', {
  skip: absence,
}, async () => {
  const { lines, lost, lostAt, doctor, refusal } = await loseAgainAndAgain({
    synchronous: false,
    most: kills.asynchronous,
  })
  report('asynchronous', lines, lost, lostAt)
  assert.match(
    refusal,
    /can lose acknowledged deposits when its primary is lost: no commit waits for a standby/,
  )
  assert.notEqual(lost.length, 0, 'a test that cannot lose proves nothing')
  assert.equal(doctor.status, 1)
  assert.match(doctor.stdout, /standby-has-what-was-acknowledged is broken/)
})

type Run = {
  lines: Line[]
  /** Orders that were acknowledged and are gone. */
  lost: string[]
  lostAt: number[]
  doctor: { status: number | null; stdout: string }
  /** What production says to this cluster, if it does not start. */
  refusal: string
}

async function loseAgainAndAgain({
  synchronous,
  most,
}: {
  synchronous: boolean
  most: number
}): Promise<Run> {
  const machines = await startMachines(join(folder, synchronous ? 'synchronous' : 'asynchronous'), {
    synchronous,
  })
  const { urls } = machines
  const data = await dataFolder()
  // Before there is anything of the demo, which production refuses too.
  const refusal = await refusalOf(data, { ...inProduction, DATABASE_URL: urls.haproxy })
  const shop = await prepare(machines, data)
  const programs = await Promise.all(
    (['haproxy', 'hosts'] as const).map((way) => start(data, way, urls[way])),
  )
  const ledger = join(machines.folder, 'ledger')
  const client = startClient(ledger, shop, programs)
  const lostAt: number[] = []
  for (let kill = 1; kill <= most; kill++) {
    await machines.untilWhole()
    const since = Date.now()
    await within(60, 'both gateways create', async () => createdSince(await readLedger(ledger), since) === 2)
    await sleep(2_000)
    const { lostAt: at, revive } = await machines.losePrimary(stallMs)
    lostAt.push(at)
    await within(
      120,
      'both gateways create again',
      async () => createdSince(await readLedger(ledger), at + 3_000) === 2,
    )
    console.log(
      `${synchronous ? 'synchronous' : 'asynchronous'}, loss ${kill}: ${outagesOf(await readLedger(ledger), at)}`,
    )
    revive()
  }
  for (let freeze = 1; synchronous && freeze <= freezes; freeze++) {
    await machines.untilWhole()
    const { frozenAt, thaw } = await machines.freezePrimary()
    await within(
      120,
      'both gateways create again',
      async () => createdSince(await readLedger(ledger), frozenAt + 3_000) === 2,
    )
    await sleep(3_000)
    console.log(`synchronous, frozen ${freeze}: ${outagesOf(await readLedger(ledger), frozenAt)}`)
    thaw()
  }
  await machines.untilWhole()
  client.kill('SIGTERM')
  await once(client, 'exit')
  await machines.untilWhole()
  const lines = await readLedger(ledger)
  const lost = await missingOf(
    shopOf({ url: `http://localhost:${ports.haproxy}` }, shop.merchant, shop.keyId, shop.secret),
    lines,
  )
  const doctor = spawnSync(process.execPath, ['bin/inlet.mjs', 'doctor', '--all'], {
    cwd: root,
    env: { PATH: process.env.PATH, INLET_DATA_DIR: data, ...environment, DATABASE_URL: urls.haproxy },
    encoding: 'utf8',
  })
  for (const program of programs) {
    program.child.kill('SIGTERM')
    await program.ended()
  }
  await machines.stop()
  return { lines, lost, lostAt, doctor, refusal }
}

/** Migrates, and adds a merchant with requisites. */
async function prepare({ urls, asAdmin }: Machines, dataDir: string): Promise<Shop> {
  const config = readConfig({ ...environment, DATABASE_URL: urls.haproxy, INLET_DATA_DIR: dataDir })
  const foundation = await openFoundation(
    config,
    'command',
    createLog('error', () => {}),
  )
  await addDemoRequisites(foundation.db)
  const created = await createMerchant(foundation.db, foundation.vault, {
    name: 'Test shop',
    mode: 'test',
    callbackUrl: null,
  })
  await foundation.asOwner((owner) =>
    owner.run(sql`update merchants set rate_per_second = 100000, rate_burst = 100000`),
  )
  await foundation.close()
  await asAdmin((admin) => admin.query('grant pg_read_all_stats to inlet_runtime'))
  return shopOf({ url: '' }, created.merchant.id, created.keyId, created.signingSecret)
}

const start = async (dataDir: string, way: Ways, url: string): Promise<Program> => {
  const program = await startProgram(dataDir, {
    ...environment,
    PORT: String(ports[way]),
    DATABASE_URL: url,
    INLET_LOG_LEVEL: 'warn',
    NODE_ENV: 'development',
  })
  await within(60, `${way} is ready`, async () => {
    if (program.child.exitCode !== null) assert.fail(program.output())
    const ready = await fetch(`${program.url}/health/ready`).catch(() => undefined)
    return ready?.ok
  })
  return program
}

/** The sentence with which a start ends; empty where it serves. */
async function refusalOf(dataDir: string, more: Record<string, string>): Promise<string> {
  const program = await startProgram(dataDir, { ...environment, PORT: String(ports.refused), ...more })
  const code = await Promise.race([
    program.ended(),
    program.ready().then(
      () => 'ready',
      () => sleep(1_000),
    ),
  ])
  program.child.kill('SIGTERM')
  await program.ended()
  return code === 'ready' ? '' : program.output()
}

function startClient(ledger: string, { merchant, keyId, secret }: Shop, programs: Program[]): ChildProcess {
  const [haproxy, hosts] = programs
  const words = [ledger, merchant, keyId, secret, `haproxy=${haproxy!.url}`, `hosts=${hosts!.url}`]
  const client = spawn(process.execPath, [join(root, 'test/cluster/client.ts'), ...words], {
    stdio: 'inherit',
  })
  atEnd(async () => void client.kill('SIGKILL'))
  return client
}

async function readLedger(file: string): Promise<Line[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

const isAcknowledged = ({ status }: Line) => status === 201 || status === 200

/** Through how many of the gateways something was created since then. */
const createdSince = (lines: readonly Line[], since: number) =>
  new Set(lines.filter((line) => isAcknowledged(line) && line.at > since).map(({ way }) => way)).size

/** The longest time between two acknowledgements around the loss, in seconds. */
function outageOf(lines: readonly Line[], way: Ways, lostAt: number): number {
  const times = lines.filter((line) => isAcknowledged(line) && line.way === way).map(({ at }) => at)
  const ordered = times.sort((a, b) => a - b)
  const gaps = ordered.slice(1).map((at, index) => ({ since: ordered[index]!, ms: at - ordered[index]! }))
  const around = gaps.filter(({ since }) => since > lostAt - 2 * stallMs - 2_000 && since < lostAt + 1_000)
  return Math.max(...around.map(({ ms }) => ms)) / 1_000
}

const ways = ['haproxy', 'hosts'] as const
const outagesOf = (lines: readonly Line[], lostAt: number) =>
  ways.map((way) => `${way} ${outageOf(lines, way, lostAt).toFixed(1)} s`).join(', ')

/** Orders that were acknowledged and are not there, or under another id. */
async function missingOf(shop: Shop, lines: readonly Line[]): Promise<string[]> {
  const left = lines.filter(isAcknowledged)
  const missing: string[] = []
  const look = async () => {
    for (let line = left.pop(); line; line = left.pop()) {
      const { status, body } = await shop.get(`/api/v1/requests/deposit?order_id=${line.order}`)
      assert.ok([200, 404].includes(status), `${status} ${JSON.stringify(body)}`)
      if (status === 404 || body.id !== line.id) missing.push(line.order)
    }
  }
  await Promise.all(Array.from({ length: 8 }, look))
  return missing
}

function report(
  kind: string,
  lines: readonly Line[],
  lost: readonly string[],
  lostAt: readonly number[],
): void {
  const count = lines.filter(isAcknowledged).length
  console.log(`${kind}: ${lostAt.length} primaries lost, ${count} acknowledged, ${lost.length} of them lost`)
  for (const way of ways) {
    const outages = lostAt.map((at) => outageOf(lines, way, at)).sort((a, b) => a - b)
    const median = outages[Math.floor(outages.length / 2)]!
    console.log(
      `${kind}, ${way}: outage ${outages[0]!.toFixed(1)} to ${outages.at(-1)!.toFixed(1)} s, median ${median.toFixed(1)} s`,
    )
  }
  const refused = lines.filter((line) => !isAcknowledged(line))
  const statuses = Object.groupBy(refused, ({ status }) => String(status))
  console.log(
    `${kind}, not acknowledged and repeated:`,
    Object.fromEntries(Object.entries(statuses).map(([status, of]) => [status, of!.length])),
  )
}
