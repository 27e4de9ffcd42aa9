/**
 * Promise 1: what was acknowledged is never lost, whatever process dies. Real processes, real kill -9, while merchants create, a bank
 * reports what was paid, and callbacks are sent.
 *
 *   npm test               one kill of each process
 *   INLET_FAULTS=long      40 kills
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { sql } from '../../src/platform/db.ts'
import type { Foundation } from '../../src/platform/foundation.ts'
import { createLog } from '../../src/platform/log.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import { today } from '../support/bank.ts'
import { atEnd } from '../support/clean-up.ts'
import { raiseRate, until } from '../support/create-load.ts'
import { type Answer, call, freePort, type Shop } from '../support/gateway.ts'
import { dataFolder, type Program, startProgram } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'

const kills = process.env.INLET_FAULTS === 'long' ? 40 : 2

async function postmasterPid(dataDir: string): Promise<number> {
  const { id } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
  const file = join(postgresFolder(dataDir), id, 'cluster', 'postmaster.pid')
  return Number((await readFile(file, 'utf8')).split('\n', 1)[0])
}

async function beside<Result>(dataDir: string, work: (joined: Foundation) => Promise<Result>) {
  const quiet = createLog('error', () => {})
  const joined = await openFoundation(readConfig({ INLET_DATA_DIR: dataDir }), 'command', quiet)
  return work(joined).finally(() => joined.close())
}

/** Four shops' clients, each of which creates a deposit and has it paid; they repeat what was cut off or refused for now. */
function loadPayments(shop: Shop, url: string, token: string) {
  const created = new Map<string, string>()
  const pushed = new Set<string>()
  const refusals: Answer[] = []
  let running = true
  let isOver = false
  atEnd(async () => {
    isOver = true
  })
  let cents = 1_000_000
  const patiently = async (ask: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const answer = await ask().catch(() => undefined)
      if (answer?.status === 200 || answer?.status === 201) return answer
      if (answer) refusals.push(answer)
      if (isOver) throw new Error('The test has ended before its clients.')
      await sleep(20)
    }
  }
  const push = (transfer: object) =>
    call(url, '/api/v1/bank/transfers', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(transfer),
    })
  const clients = Array.from({ length: 4 }, async () => {
    while (running) {
      const order = shop.order({ cents: ++cents })
      const { body } = await patiently(() => shop.post('create', order))
      created.set(body.external_id, body.id)
      const { payment_reason: purpose } = body.payment_data
      const paid = { id: body.id, account: '40702810300000000042', cents: order.cents, currency: 'RUB' }
      await patiently(() => push({ ...paid, booked_on: today(), payer_name: 'Иванов Иван', purpose }))
      pushed.add(body.id)
    }
  })
  // A failed one is reported at the end.
  for (const client of clients) client.catch(() => {})
  return {
    ...{ created, pushed, refusals },
    async stop() {
      running = false
      await Promise.all(clients)
    },
  }
}

test('Inlet and PostgreSQL killed with -9 under load: clear 503s, recovery by itself, nothing acknowledged is lost', {
  timeout: 1_200_000,
}, async (t) => {
  const folder = await dataFolder()
  const environment = { PORT: String(await freePort()) }
  const start = async (): Promise<Program> => {
    const started = await startProgram(folder, environment)
    await started.ready()
    return started
  }
  let program = await start()
  await raiseRate(program)
  const receiver = await startReceiver()
  const shop = await program.demoShop()
  const { token } = await beside(folder, async ({ db }) => {
    await changeMerchant(db, { merchantId: shop.merchant, callbackUrl: receiver.url('/shop') })
    return addSource(db, { name: 'Bank', mode: 'test' })
  })

  const load = loadPayments(shop, program.url, token)
  const more = async () => {
    const before = load.pushed.size
    await until('20 more are paid', () => load.pushed.size >= before + 20)
  }
  for (let kill = 0; kill < kills; kill++) {
    await more()
    if (kill % 2 === 0) {
      program.child.kill('SIGKILL')
      await program.ended()
      program = await start()
      assert.match(program.output(), /PostgreSQL joined/)
    } else {
      const refused = load.refusals.length
      process.kill(await postmasterPid(folder), 'SIGKILL')
      await until('a refusal', () => load.refusals.length > refused)
      assert.equal((await fetch(`${program.url}/health/live`)).status, 200)
      await until('ready', async () => (await fetch(`${program.url}/health/ready`)).status === 200)
    }
  }
  await more()
  await load.stop()

  for (const { status, body, headers } of load.refusals)
    assert.deepEqual([status, body.retryable, headers.has('retry-after')], [503, true, true], body.code)
  for (const [order, id] of load.created) {
    const { status, body } = await shop.get(`/api/v1/requests/deposit?order_id=${order}`)
    assert.deepEqual([status, body.id, body.state], [200, id, load.pushed.has(id) ? 'confirmed' : 'created'])
  }
  const feed: { sequence: number }[] = []
  for (let page = feed; page.length > 0 || feed.length === 0; feed.push(...page))
    page = (await shop.get(`/api/v1/events?after=${feed.length}`)).body.events
  assert.deepEqual(
    feed.map(({ sequence }) => sequence),
    Array.from(feed, (_, place) => place + 1),
  )
  const sent = () => new Map(receiver.received.map(({ sequence, body }) => [sequence, body]))
  await until('every event has arrived', () => sent().size === feed.length)
  for (const [sequence, body] of sent()) assert.deepEqual(JSON.parse(body), feed[sequence - 1])
  await beside(folder, async (joined) => {
    const { count } = await joined.db.one<{ count: number }>(
      sql`select count(*)::int as count from transfers where bank_id = any(${[...load.pushed]}::text[])`,
    )
    assert.equal(count, load.pushed.size)
    const findings = await examine(joined, { all: true })
    assert.deepEqual(
      findings.filter(({ verdict }) => verdict === 'broken'),
      [],
    )
  })
  t.diagnostic(
    `${kills} kills: ${load.created.size} created, ${load.pushed.size} paid, ${feed.length} events, ${receiver.received.length} sendings, ${load.refusals.length} refused for now; none lost`,
  )
})
