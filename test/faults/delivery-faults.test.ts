/**
 * The kill loop: two real Inlet processes on a PostgreSQL of their own deliver to real receivers while a seeded
 * hand kills, freezes and cuts. After each fault everything must be as if nothing had happened, save repeats.
 *
 *   npm test               a short slice
 *   npm run test:faults    the long run; INLET_FAULT_SEED repeats one
 *
 * Held here, by the names of docs/decisions/domain.md: I1 no loss, I2 no phantom, I3 order, I4 duplicates are equal,
 * I7 recovery, I8 fence; and by `inlet doctor` all the promises of the database.
 */

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { callbackSent } from '../../src/domain/callbacks/store.ts'
import {
  confirmDeposit,
  type DepositContext,
  receiveMoney,
} from '../../src/domain/deposits/change-deposit.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { reverseDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { sql } from '../../src/platform/db.ts'
import { isDatabaseAway } from '../../src/platform/db-errors.ts'
import { joinPostgres } from '../../src/platform/postgres.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import { atEnd } from '../support/clean-up.ts'
import { useLogin } from '../support/database.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { prepareTemplate } from '../support/global-setup.ts'
import { dataFolder, type Program, startProgram } from '../support/program.ts'
import { flaps, type Receiver, slow, startReceiver } from '../support/receiver.ts'

const isLong = process.env.INLET_FAULTS === 'long'
const seed = Number(process.env.INLET_FAULT_SEED ?? (isLong ? Math.floor(Math.random() * 1e9) : 20261115))
const rounds = isLong ? 30 : 1
const shops = 4
const depositsPerRound = isLong ? 40 : 16

/** mulberry32: small, seeded, good enough to choose faults. */
function randomFrom(state: number): () => number {
  let next = state
  return () => {
    next = (next + 0x6d2b79f5) | 0
    let mixed = Math.imul(next ^ (next >>> 15), 1 | next)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

let gateway: TestGateway
let receiver: Receiver
let context: DepositContext
let dataDir: string
const open: Shop[] = []
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'inlet-faults-'))
  const postgres = await joinPostgres({ dataDir, as: 'server', log: () => {} })
  atEnd(async () => {
    await postgres.stop()
    await rm(postgresFolder(dataDir), { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  })
  useLogin(await prepareTemplate(postgres, dataDir))
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  receiver = await startReceiver()
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  for (let number = 0; number < shops; number++) {
    const shop = await openShop(gateway)
    await changeMerchant(gateway.db, {
      merchantId: shop.merchant,
      callbackUrl: receiver.url(`/shop-${number}`),
    })
    open.push(shop)
  }
})

/** A node; `clockSkew` makes its own wall clock wrong, which must not matter: time is the database's. */
async function startNode(clockSkewMs = 0): Promise<Program> {
  const folder = await dataFolder()
  const skew = join(folder, 'skew.mjs')
  await writeFile(skew, `const real = Date.now; Date.now = () => real() + ${clockSkewMs}\n`)
  const program = await startProgram(folder, {
    DATABASE_URL: gateway.database.url,
    INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    INLET_ROLES: 'worker',
    INLET_DEMO: 'off',
    ...(clockSkewMs && { NODE_OPTIONS: `--import ${skew}` }),
  })
  await program.ready()
  return program
}

/** Three events for each deposit, so that their order can be checked. */
async function makeEvents(count: number): Promise<void> {
  for (let made = 0; made < count; made++) {
    const shop = open[made % shops]!
    await again(async () => {
      const { status, body } = await shop.create()
      if (status !== 201) throw new Error(`create answered ${status}`)
      const depositId = body.id as string
      await again(() => receiveMoney(context, { depositId, actor: 'matcher', cents: 100_000n }))
      await again(() => confirmDeposit(context, { depositId, actor: 'operator:test', reason: 'test' }))
      await again(() => reverseDeposit(context, { depositId, actor: 'operator:test', reason: 'test' }))
    })
  }
}

/** While the database is away, and when an answer was lost, the client repeats. */
async function again(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    try {
      return void (await work())
    } catch (error) {
      const code = (error as { code?: string }).code
      if (code === 'state_conflict') return
      if (!isDatabaseAway(error) && !/create answered 503|fetch failed/.test(String(error))) throw error
      await sleep(50)
    }
  }
  assert.fail('the database did not come back')
}

async function untilDrained(): Promise<number> {
  const began = performance.now()
  for (let tries = 0; tries < 1_200; tries++) {
    const due = await gateway.db
      .query<{ due: bigint }>(sql`select count(*) as due from deliveries where state = 'open'`)
      .then(([row]) => row!.due)
      .catch(() => 1n)
    if (due === 0n) return performance.now() - began
    // What failed waits for its next attempt: its time comes sooner here.
    if (tries % 20 === 19) await moveClock()
    await sleep(50)
  }
  assert.fail('callbacks are left after a minute')
}

let minutes = 0
async function moveClock(): Promise<void> {
  minutes += 10
  await gateway.database.shiftClock(`${minutes} minutes`).catch(() => {})
}

type Fault = { name: string; run: (nodes: Program[], random: () => number) => Promise<void> }

const faults: Fault[] = [
  {
    name: 'kill -9 of a node at a random moment',
    async run(nodes, random) {
      await sleep(random() * 400)
      const victim = nodes.splice(random() < 0.5 ? 0 : 1, 1)[0]!
      victim.child.kill('SIGKILL')
      await victim.ended()
      nodes.push(await startNode())
    },
  },
  {
    name: 'PostgreSQL killed with -9',
    async run(_nodes, random) {
      await sleep(random() * 400)
      const { id } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
      const pid = await readFile(join(postgresFolder(dataDir), id, 'cluster', 'postmaster.pid'), 'utf8')
      process.kill(Number(pid.split('\n', 1)[0]), 'SIGKILL')
    },
  },
  {
    name: 'a node frozen past its lease, and continued',
    async run(nodes, random) {
      const victim = nodes[random() < 0.5 ? 0 : 1]!
      victim.child.kill('SIGSTOP')
      await sleep(isLong ? 17_000 : 1_500)
      victim.child.kill('SIGCONT')
    },
  },
  {
    name: 'a node whose clock is ten minutes wrong',
    async run(nodes, random) {
      nodes.push(await startNode(random() < 0.5 ? 600_000 : -600_000))
      const [gone] = nodes.splice(0, 1)
      gone!.child.kill('SIGTERM')
      assert.equal(await gone!.ended(), 0)
    },
  },
]

test(`faults leave no trace but repeats (seed ${seed}, ${rounds} rounds)`, {
  timeout: 1_500_000,
}, async () => {
  const random = randomFrom(seed)
  const nodes = [await startNode(), await startNode()]
  receiver.answer('/shop-1', slow(60))
  receiver.answer('/shop-2', flaps(1))
  let slowest = 0
  for (let round = 0; round < rounds; round++) {
    const fault = round < faults.length ? faults[round]! : faults[Math.floor(random() * faults.length)]!
    await Promise.all([makeEvents(depositsPerRound), fault.run(nodes, random)])
    const waited = await untilDrained()
    slowest = Math.max(slowest, waited)
    if (isLong) console.log(`round ${round + 1}: ${fault.name}; drained after ${Math.round(waited)} ms`)
    await assertHeld()
  }
  if (isLong)
    console.log(
      `seed ${seed}: ${receiver.received.length} received, slowest recovery ${Math.round(slowest)} ms`,
    )
})

async function assertHeld(): Promise<void> {
  const stored = await gateway.db.query<{ id: string; body: string; acked: boolean }>(
    sql`select c.id, c.body, sent.acked_at is not null as acked from events c ${callbackSent}`,
  )
  const bodies = new Map(stored.map((row) => [row.id, row.body]))
  const arrived = new Set(receiver.received.map((callback) => callback.id))
  assert.deepEqual(
    stored.filter((row) => !arrived.has(row.id) || !row.acked),
    [],
    'I1: every event arrived',
  )
  for (const callback of receiver.received) {
    assert.equal(bodies.get(callback.id), callback.body, 'I2 and I4: only what was committed, byte for byte')
  }
  const seen = new Set<string>()
  const newest = new Map<string, number>()
  for (const { id, depositId, sequence } of receiver.received) {
    if (seen.has(id)) continue
    seen.add(id)
    assert.ok(sequence > (newest.get(depositId) ?? 0), 'I3: in order within a deposit')
    newest.set(depositId, sequence)
  }
  const wrong = (await examine({ db: gateway.db, vault: gateway.vault }, { all: true })).filter(
    // The clock is shifted by ourselves.
    (finding) => finding.verdict !== 'holds' && finding.name !== 'clock-is-true',
  )
  assert.deepEqual(wrong, [], 'every promise of the database holds')
}
