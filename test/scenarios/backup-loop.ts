/**
 * `npm run test:backup`: a machine is lost under load at a random moment, restored from its backup, and goes on from there; again
 * and again. Prints what was lost, how long each restore took, and how large the backups are.
 */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { readManifests } from '../../src/platform/backup/backup-set.ts'
import { openDestination } from '../../src/platform/backup/destination.ts'
import { storedUntil } from '../../src/platform/backup/stored-wal.ts'
import { readFlushed } from '../../src/platform/backup/take-backup.ts'
import { positionOf } from '../../src/platform/backup/wal-position.ts'
import { sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import { createVault } from '../../src/platform/vault.ts'
import { atEnd } from '../support/clean-up.ts'
import { inlet } from '../support/command.ts'
import { raiseRate, until } from '../support/create-load.ts'
import { type Shop, shopOf } from '../support/gateway.ts'
import { dataFolder, startProgram } from '../support/program.ts'

const rounds = Number(process.env.INLET_BACKUP_ROUNDS ?? 5)

type Acknowledged = { order: string; at: number }

/** Creates without pause; acknowledgements in the order in which they came. */
function load(shop: Shop, acknowledged: Acknowledged[], clients: number) {
  let running = true
  const client = async () => {
    while (running) {
      const order = shop.order()
      const answer = await shop.post('create', order).catch(() => undefined)
      if (answer?.status === 201) acknowledged.push({ order: String(order.order_id), at: Date.now() })
      else await sleep(20)
    }
  }
  const ended = Promise.all(Array.from({ length: clients }, client))
  return async () => {
    running = false
    await ended
  }
}

async function clusterOf(dataDir: string) {
  const secrets = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
  const folder = join(postgresFolder(dataDir), secrets.id)
  const superuser = {
    ...{ host: folder, port: 5432, database: 'postgres', user: 'postgres' },
    password: secrets.superuser,
  }
  return { id: secrets.id, folder: join(folder, 'cluster'), major: 18, superuser, passwords: secrets }
}

test(`a machine is lost under load and restored, ${rounds} times`, async () => {
  const store = await mkdtemp(join(tmpdir(), 'inlet-store-'))
  atEnd(() => rm(store, { recursive: true, force: true }))
  const destination = await openDestination(store)
  let dataDir = await dataFolder()
  let shop: Shop | undefined
  for (let round = 1; round <= rounds; round++) {
    const program = await startProgram(dataDir, {
      INLET_BACKUP_TO: store,
      INLET_BACKUP_DRILL_EVERY: 'off',
      INLET_DEMO: round === 1 ? 'on' : 'off',
    })
    await program.ready()
    if (round === 1) await raiseRate(program)
    const keys = shop ?? (await program.demoShop())
    const key = Buffer.from(await readFile(join(dataDir, 'master.key'), 'utf8'), 'base64')
    const place = { destination, vault: createVault(key) }
    const cluster = await clusterOf(dataDir)
    await until('the first full backup', async () => (await readManifests(place, cluster.id)).length > 0)
    const [manifest] = await readManifests(place, cluster.id)

    shop = shopOf(program, keys.merchant, keys.keyId, keys.secret)
    const acknowledged: Acknowledged[] = []
    const stop = load(shop, acknowledged, 8)
    const snapshots: { count: number; position: bigint }[] = []
    const lasts = 4_000 + Math.random() * 8_000
    for (const began = Date.now(); Date.now() - began < lasts; ) {
      // Whatever was acknowledged is on the disk.
      const count = acknowledged.length
      snapshots.push({ count, position: positionOf(await readFlushed(cluster)) })
      await sleep(200)
    }
    const pid = Number((await readFile(join(cluster.folder, 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
    process.kill(pid, 'SIGKILL')
    program.child.kill('SIGKILL')
    const killedAt = Date.now()
    await program.ended()
    await stop()

    const stored = await storedUntil(place, manifest!)
    const safe = snapshots.findLast(({ position }) => position <= stored)?.count ?? 0
    const into = join(await dataFolder(), 'data')
    atEnd(() => rm(postgresFolder(into), { recursive: true, force: true }))
    Object.assign(process.env, { INLET_DATA_DIR: dataDir, INLET_BACKUP_TO: store })
    const beganAt = Date.now()
    const { code, stderr } = await inlet('restore', '--into', into, '--installation', cluster.id)
    const seconds = (Date.now() - beganAt) / 1000
    assert.equal(code, 0, stderr)
    const restored = await openFoundation(
      readConfig({ INLET_DATA_DIR: into }),
      'command',
      createLog('error', () => {}),
    )
    const known = await restored.db.query<{ order: string }>(
      sql`select order_id as order from deposits where order_id = any(${acknowledged.map(({ order }) => order)}::text[])`,
    )
    await restored.close()
    process.env.INLET_DATA_DIR = into
    assert.equal((await inlet('doctor', '--all')).code, 0)
    const there = new Set(known.map(({ order }) => order))
    assert.deepEqual(
      acknowledged.slice(0, safe).filter(({ order }) => !there.has(order)),
      [],
      'acknowledged, its WAL was stored, and it is lost',
    )
    const lost = acknowledged.filter(({ order }) => !there.has(order))
    const sizes = await Promise.all(
      (await destination.list(`${cluster.id}/wal/`)).map((name) => stat(join(store, name))),
    )
    console.log(
      [
        `round ${round}: ${acknowledged.length} acknowledged in ${((killedAt - acknowledged[0]!.at) / 1000).toFixed(1)} s`,
        `${lost.length} lost, the oldest ${lost.length === 0 ? 0 : ((killedAt - lost[0]!.at) / 1000).toFixed(2)} s before the end`,
        `restored in ${seconds.toFixed(1)} s`,
        `full ${(manifest!.bytes / 1e6).toFixed(1)} MB as ${(manifest!.pieces.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1)} MB`,
        `WAL as ${(sizes.reduce((sum, { size }) => sum + size, 0) / 1e6).toFixed(1)} MB`,
      ].join('; '),
    )
    dataDir = into
  }
})
