/**
 * Clients that reach Inlet without a proxy, on connections that they keep, while it is restarted in each of its ways. The last
 * figures stand in docs/reliability.md.
 */
import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { freePort } from '../support/gateway.ts'
import { dataFolder, type Program, startProgram } from '../support/program.ts'

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
    INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
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

test('with a shared port, the new process first: nothing is refused, no kept connection is reset', async (t) => {
  let program = await start({ INLET_SHARE_PORT: 'on' })
  const tally = await during(t, async () => {
    const next = await start({ INLET_SHARE_PORT: 'on' })
    await stop(program)
    program = next
  })
  await stop(program)
  // The kernel resets what it has given to the old process and that one has not accepted when its port closes.
  assert.deepEqual({ ...wrong(tally), 'new connection reset': 0 }, none)
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
