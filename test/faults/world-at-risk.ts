/**
 * A database, an API, shops and a receiver of their own for one fault, so that faults can happen side by side; the
 * nodes are real processes. Its context wakes nobody: what it commits is found by looking.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { callbackSent } from '../../src/domain/callbacks/list-store.ts'
import {
  confirmDeposit,
  type DepositContext,
  receiveMoney,
} from '../../src/domain/deposits/change-deposit.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { reverseDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { type Db, type Statement, sql } from '../../src/platform/db.ts'
import { isDatabaseAway } from '../../src/platform/db-errors.ts'
import { atEnd } from '../support/clean-up.ts'
import { until } from '../support/delivery.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { dataFolder, type Program, startProgram } from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

export const isLong = process.env.INLET_FAULTS === 'long'

export const path = '/shop'

export type World = {
  gateway: TestGateway
  shops: Shop[]
  receiver: Receiver
  /** Ready when it answers; `name` is how PostgreSQL knows its connections. */
  startNode(name: string, environment?: Record<string, string>): Promise<Program>
  /** Three events for each of so many deposits of each shop, so that their order can be checked. */
  makeEvents(deposits: number): Promise<void>
  /** Nobody can claim the shops' lanes until this is let go; events can be made meanwhile. */
  hideLanes(): Promise<() => Promise<void>>
  due(): Promise<Set<string>>
  untilDrained(): Promise<void>
}

export async function openWorld(shopCount = 1): Promise<World> {
  const gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  const { db, database } = gateway
  const receiver = await startReceiver()
  const context: DepositContext = { db, publicUrl: gateway.url, changed: () => {} }
  const shops = await Promise.all(Array.from({ length: shopCount }, () => openShop(gateway)))
  for (const { merchant } of shops) {
    await changeMerchant(db, { merchantId: merchant, callbackUrl: receiver.url(path) })
  }
  const due = async () => {
    const rows = await db.query<{ id: string }>(sql`select event_id as id from deliveries`)
    return new Set(rows.map((row) => row.id))
  }
  return {
    gateway,
    shops,
    receiver,
    startNode: (name, environment) =>
      startOnAnyPort({
        DATABASE_URL: `${database.url}&application_name=${name}`,
        INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        INLET_ROLES: 'worker',
        INLET_DEMO: 'off',
        ...environment,
      }),
    async makeEvents(deposits) {
      for (const shop of Array.from({ length: deposits }, () => shops).flat()) {
        const depositId = await createPatiently(shop)
        const act = { depositId, actor: 'operator:test', reason: 'test' }
        await patiently(() => receiveMoney(context, { ...act, cents: 100_000n }))
        await patiently(() => confirmDeposit(context, act))
        await patiently(() => reverseDeposit(context, act))
      }
    },
    hideLanes: () => hold(db, sql`select id from endpoints order by id for no key update`),
    due,
    untilDrained: () => until('everything is delivered', async () => (await due()).size === 0, 60_000),
  }
}

/** A port that was free may be taken before a slow start has come to it. */
async function startOnAnyPort(environment: Record<string, string>, starts = 5): Promise<Program> {
  const program = await startProgram(await dataFolder(), environment)
  try {
    await program.ready()
    return program
  } catch (error) {
    if (starts === 1 || !/Port \d+ .* is taken/.test(String(error))) throw error
    return startOnAnyPort(environment, starts - 1)
  }
}

const tries = 100

/** A machine full of starting nodes may answer 503: the same order is asked for again, as a merchant does. */
async function createPatiently(shop: Shop): Promise<string> {
  const order = shop.order()
  for (let attempt = 1; ; attempt++) {
    const { status, body } = await shop.post('create', order)
    if (status === 201 || status === 200) return body.id
    assert.ok(status === 503 && attempt < tries, `create answered ${status} ${body.code}`)
    await sleep(100)
  }
}

/** An act whose answer was lost is repeated; that it was done then shows as a conflict. */
async function patiently(act: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return void (await act())
    } catch (error) {
      if (attempt > 1 && (error as { code?: string }).code === 'state_conflict') return
      if (attempt === tries || !isDatabaseAway(error)) throw error
      await sleep(100)
    }
  }
}

/** Keeps the locks of this statement until it is released; for at most 15 seconds, then PostgreSQL takes them. */
export async function hold(db: Db, statement: Statement): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const done = db.transaction(async (tx) => {
    await tx.query(statement)
    held.resolve()
    await over.promise
  })
  done.catch(() => {})
  // A test that fails meanwhile must still be able to close the pool.
  atEnd(async () => over.resolve())
  await Promise.race([held.promise, done])
  return async () => {
    over.resolve()
    await done
  }
}

export async function kill(node: Program): Promise<void> {
  node.child.kill('SIGKILL')
  await node.ended()
}

/** Not one instruction more until it is continued or killed. */
export async function freeze(node: Program): Promise<void> {
  node.child.kill('SIGSTOP')
  if (process.platform !== 'linux') return void (await sleep(500))
  await until('it is stopped', async () =>
    (await readFile(`/proc/${node.child.pid}/stat`, 'utf8')).includes(') T '),
  )
}

/** An answer that all requests wait for. */
export function gate(): { open(): void; behaviour: () => Promise<{ status: number }> } {
  const { promise, resolve } = Promise.withResolvers<{ status: number }>()
  return { open: () => resolve({ status: 200 }), behaviour: () => promise }
}

/** Callbacks that arrived more than once; none may have come a third time. */
export function repeatedOf({ receiver }: World): string[] {
  const arrivals = Map.groupBy(receiver.received, (callback) => callback.id)
  for (const [id, times] of arrivals) assert.ok(times.length <= 2, `${id} arrived ${times.length} times`)
  return [...arrivals.values()].filter((times) => times.length > 1).map(([first]) => first!.id)
}

type Stored = {
  id: string
  body: string
  madeAt: number
  isAcked: boolean
  attempts: number
  written: { outcome: string; status: number; node: string }[]
}

const readStored = ({ gateway }: World) =>
  gateway.db.query<Stored>(sql`
    select c.id, c.body, (extract(epoch from c.made_at) * 1000)::float8 as "madeAt",
      sent.acked_at is not null as "isAcked", sent.attempts,
      (select json_agg(json_build_object('outcome', a.outcome, 'status', a.status, 'node', a.node))
        from delivery_attempts a
        where a.made_on = c.made_on and a.event_id = c.id) as written
    from events c
    ${callbackSent}`)

/** I1 to I4 of docs/decisions/domain.md, attempts as they were, and all the promises of the database. */
export async function assertDelivered(world: World): Promise<void> {
  const { receiver, gateway } = world
  const stored = await readStored(world)
  const arrivals = Map.groupBy(receiver.received, (callback) => callback.id)
  assert.deepEqual(new Set(arrivals.keys()), new Set(stored.map((row) => row.id)), 'I1 and I2: each arrived')
  for (const { id, body, isAcked, attempts, written } of stored) {
    const times = arrivals.get(id)!
    for (const arrival of times) assert.equal(arrival.body, body, 'I4: byte for byte')
    assert.ok(isAcked, 'I1: its answer is written')
    assert.equal(attempts, written.length)
    assert.ok(written.length <= times.length, 'nothing is written that was not sent')
    for (const { outcome, status } of written) assert.deepEqual([outcome, status], ['ok', 200])
    assert.equal(
      new Set(written.map((attempt) => attempt.node)).size,
      written.length,
      'an answer is not forgotten',
    )
  }
  assertOrder(receiver)
  const findings = await examine({ db: gateway.db, vault: gateway.vault }, { all: true })
  assert.deepEqual(
    findings.filter((finding) => finding.verdict !== 'holds'),
    [],
    'every promise of the database holds',
  )
}

/** I3: a successor is sent for the first time after its predecessor was answered. */
function assertOrder({ received }: Receiver): void {
  const firsts = [...Map.groupBy(received, (callback) => callback.id).values()].map((times) => ({
    ...times[0]!,
    answeredAt: Math.min(...times.map((arrival) => arrival.answeredAt ?? Number.POSITIVE_INFINITY)),
  }))
  for (const ofDeposit of Map.groupBy(firsts, (arrival) => arrival.depositId).values()) {
    const inOrder = ofDeposit.toSorted((a, b) => a.sequence - b.sequence)
    for (const [index, callback] of inOrder.entries()) {
      if (index > 0) assert.ok(callback.at >= inOrder[index - 1]!.answeredAt, 'I3: in order within a deposit')
    }
  }
}

/** The longest that a callback took from its commit to the first 2xx, in milliseconds. */
export async function slowest(world: World): Promise<number> {
  const firsts = new Map<string, number>()
  for (const { id, answeredAt } of world.receiver.received) {
    if (answeredAt !== undefined && !firsts.has(id)) firsts.set(id, performance.timeOrigin + answeredAt)
  }
  const stored = await readStored(world)
  return Math.max(...stored.map((row) => firsts.get(row.id)! - row.madeAt))
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
