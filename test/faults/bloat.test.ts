/**
 * The queue under traffic that never ends, while somebody else holds a snapshot for a third of it (I9). Vacuum
 * cannot clean behind a held snapshot; once it is released, the queue must be as small and as quick as before.
 *
 *   npm test               that the queue is vacuumed by its own count of dead rows
 *   npm run test:faults    ten waves of a minute each, with autovacuum as the migration sets it
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { sql } from '../../src/platform/db.ts'
import { type DeliveryShop, newDeposits, openDeliveryWorld, until } from '../support/delivery.ts'
import { startReceiver } from '../support/receiver.ts'
import { isLong, p50and99, timed, type Work, workOfRound } from './measure.ts'

const shopCount = 4
const waves = 10
const heldFrom = 3
const heldBefore = 7
const burst = 20
const waveMs = 60_000

const world = await openDeliveryWorld()
const receiver = await startReceiver()
const { owner } = world.database
const shops: DeliveryShop[] = []
before(async () => {
  for (let number = 0; number < shopCount; number++) {
    shops.push(await world.openShop(receiver.url(`/shop-${number}`)))
  }
})

test('the queue is vacuumed by its own count of dead rows, not by a share of the table', async () => {
  const [table] = await owner.query<{ reloptions: string[] }>(
    sql`select reloptions from pg_class where oid = 'deliveries'::regclass`,
  )
  assert.deepEqual(table!.reloptions.toSorted(), [
    'autovacuum_vacuum_cost_delay=0',
    'autovacuum_vacuum_scale_factor=0',
    'autovacuum_vacuum_threshold=2000',
  ])
})

test('a held snapshot leaves the queue no larger and no slower than it was', {
  skip: !isLong && 'in npm run test:faults',
  timeout: 900_000,
}, async () => {
  const seen: Wave[] = []
  let release = async () => {}
  for (let number = 0; number < waves; number++) {
    if (number === heldFrom) release = await holdSnapshot()
    if (number === heldBefore) await release()
    seen.push(await wave(number))
  }
  const held = seen.slice(heldFrom, heldBefore)
  const most = Math.max(...held.map(({ kilobytes }) => kilobytes))
  for (const { kilobytes } of seen.slice(heldBefore)) {
    assert.ok(
      kilobytes <= most * 1.25 + 64,
      `${kilobytes} kB after the snapshot, ${most} kB while it was held`,
    )
  }
  assert.ok(held.at(-1)!.dead >= burst, 'the snapshot did hold dead rows')

  await untilVacuumed()
  const first = seen[0]!.look
  const last = await lookAtBurst()
  const sum = (look: { claim: Work; read: Work }) => look.claim.pages + look.read.pages
  console.log(`pages for one look: ${sum(first)} at first, ${sum(last)} at last`)
  assert.equal(last.heads, first.heads)
  assert.ok(sum(last) <= 2 * sum(first), `${sum(first)} pages at first, ${sum(last)} at last`)
  assert.equal(last.claim.scans + last.read.scans, 0)
})

type Wave = Awaited<ReturnType<typeof wave>>

/** A burst of callbacks, the cost of finding them, their delivery, and more traffic until the wave ends. */
async function wave(number: number) {
  const ends = performance.now() + waveMs
  receiver.received.length = 0
  const look = await lookAtBurst()
  const { db, claims, reads } = timed(world.db)
  const engine = world.startEngine(db)
  let sent = burst * shopCount
  for (; performance.now() < ends; sent += burst) {
    await world.enqueue(shops[(sent / burst) % shopCount]!, newDeposits(burst))
    engine.wake()
    await sleep(40)
  }
  await until('delivered', async () => (await state()).due === 0, 60_000)
  await engine.stop()
  assert.equal(receiver.received.length, sent)
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, sent, 'each once')
  const { kilobytes, dead } = await state()
  console.log(
    `minute ${number + 1}${number >= heldFrom && number < heldBefore ? ' (snapshot held)' : ''}: ${sent} sent, ` +
      `${kilobytes} kB, ${dead} dead rows; claim ${p50and99(claims)}; read ${p50and99(reads)}; ` +
      `pages of one look: claim ${look.claim.pages}, read ${look.read.pages}`,
  )
  return { look, kilobytes, dead }
}

async function lookAtBurst() {
  for (const shop of shops) await world.enqueue(shop, newDeposits(burst))
  return workOfRound(world.db)
}

async function holdSnapshot(): Promise<() => Promise<void>> {
  const client = new pg.Client(world.database.login)
  await client.connect()
  await client.query('begin isolation level repeatable read')
  await client.query('select count(*) from inlet.deliveries')
  return () => client.end()
}

async function state(): Promise<{ kilobytes: number; due: number; dead: number }> {
  const [row] = await owner.query<{ kilobytes: number; due: number; dead: number }>(sql`
    select
      ((pg_relation_size('deliveries') + pg_indexes_size('deliveries')) / 1024)::int as kilobytes,
      (select count(*) from deliveries)::int as due,
      pg_stat_get_dead_tuples('deliveries'::regclass)::int as dead`)
  return row!
}

/** Autovacuum comes by about once a minute. */
const untilVacuumed = () => until('vacuumed', async () => (await state()).dead < 2_000, 150_000)
