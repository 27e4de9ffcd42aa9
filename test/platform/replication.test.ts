/**
 * A standby that no commit waits for would take over without the last deposits: production refuses that, and the doctor names
 * it, for each login that writes. What only reads the log is no standby.
 */

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type pg from 'pg'
import { readConfig } from '../../src/config.ts'
import { readAlarms } from '../../src/domain/alarms/store.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import type { Login } from '../../src/platform/db.ts'
import type { Foundation } from '../../src/platform/foundation.ts'
import { createLog } from '../../src/platform/log.ts'
import { atEnd } from '../support/clean-up.ts'
import { until } from '../support/create-load.ts'
import { type Node, startPrimaryAndStandby } from '../support/standby.ts'

let primary: Node
let standby: Node
let dataDir: string
before(async () => {
  ;({ primary, standby } = await startPrimaryAndStandby())
  dataDir = await mkdtemp(join(tmpdir(), 'inlet-replication-'))
  atEnd(() => rm(dataDir, { recursive: true, force: true }))
  await untilConnected(1)
})

const untilConnected = (senders: number) =>
  until(`${senders} follow the primary`, () =>
    primary.asAdmin(async (admin) => {
      const { rows } = await admin.query("select from pg_stat_replication where state = 'streaming'")
      return rows.length === senders
    }),
  )

const urlOf = ({ host, port, database, user, password }: Login, options = ''): string =>
  `postgres://${user}:${password}@${encodeURIComponent(host)}:${port}/${database}?options=${encodeURIComponent(options)}`

type Start = { runtime?: string; owner?: string; environment?: Record<string, string> }

/** Opens what a start opens, and returns what it warned of. */
async function start({ runtime = '', owner = '', environment = {} }: Start = {}): Promise<string[]> {
  const warnings: string[] = []
  const config = readConfig({
    NODE_ENV: 'production',
    INLET_PUBLIC_URL: 'https://pay.example',
    INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    INLET_DATA_DIR: dataDir,
    DATABASE_URL: urlOf(primary.runtime, runtime),
    INLET_OWNER_DATABASE_URL: urlOf(primary.owner, owner),
    ...environment,
  })
  const log = createLog('warn', (line) => warnings.push(JSON.parse(line).message))
  foundation = await openFoundation(config, 'server', log)
  await look()
  await foundation.close()
  return warnings
}

let foundation: Foundation
let verdicts: Record<string, string>
let alarms: string[]
/** What the doctor and the alarms say of replication. */
async function look(): Promise<void> {
  const findings = await examine(foundation, { all: false })
  verdicts = Object.fromEntries(findings.map(({ name, verdict }) => [name, verdict]))
  alarms = (await readAlarms(foundation.db)).map(({ kind }) => kind)
}
const judged = () => [verdicts['standby-has-what-was-acknowledged'], verdicts['replication-can-be-seen']]

const asynchronous =
  /PostgreSQL can lose acknowledged deposits when its primary is lost: no commit waits for a standby .+: walreceiver\. Make replication synchronous .+INLET_ACCEPT_LOSS=async.+grant pg_read_all_stats to inlet_/

test('production does not start if there is a standby and commits do not wait for it', async () => {
  await assert.rejects(start(), asynchronous)
})

test('it starts when the operator accepts the loss: a warning at the start and of the doctor', async () => {
  const warnings = await start({ environment: { INLET_ACCEPT_LOSS: 'async' } })
  assert.equal(warnings.filter((sentence) => asynchronous.test(sentence)).length, 1)
  assert.deepEqual(judged(), ['warning', 'warning'])
})

test('development starts with a warning; the doctor fails, and the alarm is raised', async () => {
  const warnings = await start({ environment: { NODE_ENV: 'development' } })
  assert.equal(warnings.filter((sentence) => asynchronous.test(sentence)).length, 1)
  assert.deepEqual(judged(), ['broken', 'warning'])
  assert.deepEqual(alarms, ['replication_can_lose'])
})

test('commits that wait for a standby may be acknowledged, by every login that writes', async () => {
  await asksFor("synchronous_standby_names = '*'")
  await start()
  assert.deepEqual([...judged(), ...alarms], ['holds', 'holds'])
  for (const value of ['local', 'remote_write']) {
    const options = `-csynchronous_commit=${value}`
    const early = new RegExp(`synchronous_commit is ${value} for the login inlet_(runtime|owner): .+before`)
    await assert.rejects(start({ runtime: options }), early)
    await assert.rejects(start({ owner: options }), early)
    await start({ runtime: options, owner: options, environment: { NODE_ENV: 'development' } })
    assert.deepEqual(judged(), ['broken', 'holds'])
  }
})

test('with no standby nothing can take over without the last deposits', async () => {
  await asksFor("synchronous_standby_names = ''")
  await standby.stop()
  await untilConnected(0)
  assert.deepEqual(await start({ runtime: '-csynchronous_commit=local' }), [])
  assert.deepEqual([...judged(), ...alarms], ['holds', 'holds'])
})

test('an archiver of WAL is not taken for a standby, by a role that may see it', async () => {
  await streamLog('archive')
  await untilConnected(1)
  await assert.rejects(start(), /: archive\. .+Only an archive of the log\?/)
  await primary.asAdmin((admin) => admin.query('grant pg_read_all_stats to inlet_runtime, inlet_owner'))
  await start()
  assert.deepEqual([...judged(), ...alarms], ['holds', 'holds'])
})

async function asksFor(setting: string): Promise<void> {
  await primary.asAdmin(async (admin) => {
    await admin.query(`alter system set ${setting}`)
    await admin.query('select pg_reload_conf()')
  })
}

/** As pg_receivewal does: it takes the log and never says that it replayed any of it. */
async function streamLog(name: string): Promise<void> {
  const client = primary.adminClient({ application_name: name, replication: 'true' } as pg.ClientConfig)
  client.on('error', () => {})
  await client.connect()
  atEnd(() => client.end())
  const { rows } = await client.query<{ xlogpos: string }>('IDENTIFY_SYSTEM')
  // This query never ends.
  client.query(`START_REPLICATION PHYSICAL ${rows[0]!.xlogpos}`).catch(() => {})
}
