/** Promise 1: an acknowledged deposit is never lost, whatever process dies. Real processes, real kill -9. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import type { Answer, Shop } from '../support/gateway.ts'
import { dataFolder, type Program, startProgram } from '../support/program.ts'

type DepositContext = Map<string, string>

/** Creates without pause until told to stop; writes down every acknowledgement before counting it. */
function load(shop: Shop, context: DepositContext, connections: number) {
  let running = true
  const answers: Answer[] = []
  const unanswered: string[] = []
  const client = async () => {
    while (running) {
      const order = shop.order({ payment_type: 'account_number' })
      try {
        const answer = await shop.post('create', order)
        answers.push(answer)
        if (answer.status === 201) context.set(String(order.order_id), answer.body.id)
      } catch {
        unanswered.push(String(order.order_id))
        await sleep(20)
      }
    }
  }
  const clients = Array.from({ length: connections }, client)
  return {
    answers,
    unanswered,
    async stop() {
      running = false
      await Promise.all(clients)
    },
  }
}

async function raiseRate(program: Program): Promise<void> {
  const { spawnSync } = await import('node:child_process')
  const { merchant } = await program.demo()
  const done = spawnSync(
    process.execPath,
    [
      'bin/inlet.mjs',
      'merchant',
      'set',
      merchant,
      '--rate-per-second',
      '100000',
      '--rate-burst',
      '100000',
      '--json',
    ],
    { env: { PATH: process.env.PATH, INLET_DATA_DIR: program.dataDir }, encoding: 'utf8' },
  )
  assert.equal(done.status, 0, done.stderr)
  assert.equal(JSON.parse(done.stdout).settings.rate_burst, 100_000)
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await holds()) return
    await sleep(50)
  }
  assert.fail(`never happened: ${what}`)
}

/** Every acknowledged deposit is there under its id, whole. */
async function assertKept(shop: Shop, context: DepositContext): Promise<void> {
  for (const [order, id] of context) {
    const { status, body } = await shop.get(`/api/v1/requests/deposit?order_id=${order}`)
    assert.deepEqual([status, body.id, body.state], [200, id, 'created'])
    assert.match(body.payment_data.payment_reason, /KT\d{8}/)
  }
}

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
  const context: DepositContext = new Map()
  const clients = load(await first.demoShop(), context, 8)
  await until('150 deposits', () => context.size >= 150)
  first.child.kill('SIGKILL')
  await first.ended()
  await clients.stop()

  const second = await startProgram(folder)
  await second.ready()
  assert.match(second.output(), /PostgreSQL joined/)
  const shop = await second.demoShop()
  await assertKept(shop, context)
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
  const context: DepositContext = new Map()
  const clients = load(await program.demoShop(), context, 8)
  await until('100 deposits', () => context.size >= 100)
  process.kill(await postmasterPid(folder), 'SIGKILL')
  await until('a refusal', () => clients.answers.some((answer) => answer.status === 503))
  const live = await fetch(`${program.url}/health/live`)
  assert.equal(live.status, 200)
  await until('ready again', async () => (await fetch(`${program.url}/health/ready`)).status === 200)
  const before = context.size
  await until('50 more deposits', () => context.size >= before + 50)
  await clients.stop()

  const strange = clients.answers.filter((answer) => ![200, 201, 503].includes(answer.status))
  assert.deepEqual(
    strange.map((answer) => answer.body),
    [],
  )
  const refused = clients.answers.find((answer) => answer.status === 503)!
  assert.deepEqual([refused.body.code, refused.body.retryable], ['service_unavailable', true])
  assert.equal(refused.headers.get('retry-after'), '1')
  await assertKept(await program.demoShop(), context)
})
