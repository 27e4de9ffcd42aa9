/** Promise 1: an acknowledged deposit is never lost, whatever process dies. Real processes, real kill -9. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import { type Acknowledged, assertKept, loadCreates, raiseRate, until } from '../support/create-load.ts'
import { dataFolder, startProgram } from '../support/program.ts'

async function postmasterPid(dataDir: string): Promise<number> {
  const { id } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
  const file = join(postgresFolder(dataDir), id, 'cluster', 'postmaster.pid')
  return Number((await readFile(file, 'utf8')).split('\n', 1)[0])
}

test('Inlet killed with -9 under load: every acknowledged deposit is there after the restart', async () => {
  const folder = await dataFolder()
  const first = await startProgram(folder)
  await first.ready()
  await raiseRate(first)
  await sleep(1_100)
  const acknowledged: Acknowledged = new Map()
  const clients = loadCreates(await first.demoShop(), acknowledged, 8)
  await until('150 deposits', () => acknowledged.size >= 150)
  first.child.kill('SIGKILL')
  await first.ended()
  await clients.stop()

  const second = await startProgram(folder)
  await second.ready()
  assert.match(second.output(), /PostgreSQL joined/)
  const shop = await second.demoShop()
  await assertKept(shop, acknowledged)
  // What was cut off is unknown to the client: repeating the order finishes or finds it.
  for (const order of clients.unanswered.slice(0, 16)) {
    const { status } = await shop.create({ order_id: order })
    assert.ok(status === 200 || status === 201)
  }
})

test('PostgreSQL killed with -9 under load: clear 503s, recovery by itself, nothing half written', async () => {
  const folder = await dataFolder()
  const program = await startProgram(folder)
  await program.ready()
  await raiseRate(program)
  await sleep(1_100)
  const acknowledged: Acknowledged = new Map()
  const clients = loadCreates(await program.demoShop(), acknowledged, 8)
  await until('100 deposits', () => acknowledged.size >= 100)
  process.kill(await postmasterPid(folder), 'SIGKILL')
  await until('a refusal', () => clients.answers.some((answer) => answer.status === 503))
  const live = await fetch(`${program.url}/health/live`)
  assert.equal(live.status, 200)
  await until('ready again', async () => (await fetch(`${program.url}/health/ready`)).status === 200)
  const before = acknowledged.size
  await until('50 more deposits', () => acknowledged.size >= before + 50)
  await clients.stop()

  const strange = clients.answers.filter((answer) => ![200, 201, 503].includes(answer.status))
  assert.deepEqual(
    strange.map((answer) => answer.body),
    [],
  )
  const refused = clients.answers.find((answer) => answer.status === 503)!
  assert.deepEqual([refused.body.code, refused.body.retryable], ['service_unavailable', true])
  assert.equal(refused.headers.get('retry-after'), '1')
  await assertKept(await program.demoShop(), acknowledged)
})
