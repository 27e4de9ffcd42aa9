/**
 * Clients that reach Inlet without a proxy, on connections that they keep, while it is restarted in each of its ways. The last
 * figures stand in docs/reliability.md.
 */
import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { signLiteral } from '../../sdk/signature.ts'
import { createMerchant } from '../../src/domain/merchants/create-merchant.ts'
import { sql } from '../../src/platform/db.ts'
import { createVault } from '../../src/platform/vault.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { createPath, freePort, type Shop, shopOf, textOf } from '../support/gateway.ts'
import { dataFolder, type Program, startProgram } from '../support/program.ts'
import { RawConnection } from '../support/raw-connection.ts'

const masterKey = Buffer.alloc(32, 7)
let database: TestDatabase
let port: number
before(async () => {
  database = await createDatabase('demo')
  port = await freePort()
})

async function start(environment: Record<string, string> = {}): Promise<Program> {
  const program = await startProgram(await dataFolder(), {
    PORT: String(port),
    DATABASE_URL: database.url,
    INLET_MASTER_KEY: masterKey.toString('base64'),
    INLET_DEMO: 'off',
    ...environment,
  })
  await program.ready()
  return program
}

async function stop(program: Program): Promise<void> {
  program.child.kill('SIGTERM')
  await program.ended()
}

type Outcome = '200' | 'another status' | 'kept connection reset' | 'new connection reset' | 'refused'
type Tally = Record<Outcome, number>

function ask(agent: Agent): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const request = get({ port, path: '/health/live', agent }, (answer) => {
    answer.resume().on('end', () => resolve(answer.statusCode === 200 ? '200' : 'another status'))
  })
  request.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'ECONNREFUSED') resolve('refused')
    else resolve(request.reusedSocket ? 'kept connection reset' : 'new connection reset')
  })
  return promise
}

/** 32 clients, each with one connection and a request every 20 ms, while `work` goes on and a second before and after it. */
async function during(t: TestContext, work: () => Promise<void>): Promise<Tally> {
  const tally: Tally = {
    '200': 0,
    'another status': 0,
    'kept connection reset': 0,
    'new connection reset': 0,
    refused: 0,
  }
  let running = true
  const clients = Array.from({ length: 32 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (running) {
      tally[await ask(agent)] += 1
      await sleep(20)
    }
    agent.destroy()
  })
  await sleep(1_000)
  await work()
  await sleep(1_000)
  running = false
  await Promise.all(clients)
  t.diagnostic(JSON.stringify(tally))
  return tally
}

const wrong = ({ '200': _, ...others }: Tally) => others
const none = { 'another status': 0, 'kept connection reset': 0, 'new connection reset': 0, refused: 0 }

test('stopped and started: every kept connection gets its answer first', async (t) => {
  let program = await start()
  const tally = await during(t, async () => {
    await stop(program)
    program = await start()
  })
  await stop(program)
  assert.deepEqual([tally['another status'], tally['kept connection reset']], [0, 0])
})

test('SIGHUP to several processes: nothing is refused', async (t) => {
  const program = await start({ INLET_PROCESSES: '2' })
  const tally = await during(t, async () => {
    program.child.kill('SIGHUP')
    while (!program.output().includes('every process was replaced')) await sleep(50)
  })
  await stop(program)
  assert.deepEqual(wrong(tally), none)
})

async function openOwnShop(): Promise<Shop> {
  const { owner } = database
  const asked = { name: 'Test shop', mode: 'test', callbackUrl: null } as const
  const { merchant, keyId, signingSecret } = await createMerchant(owner, createVault(masterKey), asked)
  await owner.script(
    `update merchants set rate_per_second = 100000, rate_burst = 100000 where id = '${merchant.id}'`,
  )
  return shopOf({ url: `http://localhost:${port}` }, merchant.id, keyId, signingSecret)
}

function createOf(shop: Shop): { head: string; body: string } {
  const order = shop.order()
  const body = JSON.stringify(order)
  const lines = [
    `POST ${createPath} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `X-Signature: ${signLiteral(shop.secret, 'create', textOf(order))}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return { head: `${lines.join('\r\n')}\r\n\r\n`, body }
}

test('hostile clients delay a stop by no more than its bound, and exactly the acknowledged deposits exist', async (t) => {
  const program = await start()
  const shop = await openOwnShop()
  const open = () => new RawConnection(program)
  const page = new URL((await shop.create()).body.payment_data.url).pathname
  for (let reader = 0; reader < 20; reader++)
    open().write(`GET ${page}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`)
  const lazy = Array.from({ length: 50 }, () => {
    const socket = connect(port, 'localhost')
      .on('error', () => {})
      .pause()
    socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(8))
    return socket
  })
  // The rest of each follows so many seconds after SIGTERM; the last one never ends.
  const halves = [0.5, 1.5, 3, 4, 60].map((seconds) => ({ seconds, connection: open(), ...createOf(shop) }))
  for (const { connection, head, body } of halves) connection.write(head + body.slice(0, 20))
  const atOnce = Array.from({ length: 100 }, open)
  const ahead = Array.from({ length: 20 }, open)
  await sleep(1_000)
  for (const connection of atOnce) connection.write(Object.values(createOf(shop)).join(''))
  const eight = () => Array.from({ length: 8 }, () => Object.values(createOf(shop)).join('')).join('')
  for (const connection of ahead.slice(0, 10)) connection.write(eight())
  await sleep(10)

  const began = performance.now()
  program.child.kill('SIGTERM')
  for (const connection of ahead.slice(10)) connection.write(eight())
  for (const { seconds, connection, body } of halves)
    setTimeout(() => connection.write(body.slice(20)), seconds * 1_000).unref()
  const code = await program.ended()
  t.diagnostic(`ended after ${Math.round(performance.now() - began)} ms`)
  assert.equal(code, 0, 'it ended by itself, within its bound')
  for (const socket of lazy) socket.destroy()

  const statuses = (connections: readonly RawConnection[]) =>
    connections.map((connection) => connection.answers().map(({ status }) => status))
  assert.deepEqual(statuses(atOnce), Array(100).fill([201]))
  assert.deepEqual(statuses(ahead), Array(20).fill(Array(8).fill(201)))
  assert.deepEqual(statuses(halves.map(({ connection }) => connection)), [...Array(4).fill([201]), []])
  const [{ count }] = (await database.owner.query<{ count: number }>(
    sql`select count(*)::int as count from deposits where merchant_id = ${shop.merchant}`,
  )) as [{ count: number }]
  assert.equal(count, 1 + 100 + 160 + 4)
})
