/**
 * The planner believes what the last vacuum saw. A queue is nearly empty then, as a rule, and a burst may make it
 * long within a minute. Until the next vacuum every statement of delivery must still go to its rows by a key that
 * names them, and not to all rows of a lane because "there is but one".
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '../../src/platform/db.ts'
import { newDeposits, openDeliveryWorld } from '../support/delivery.ts'
import { headsMost, type Round, type Work, workOfRound } from './measure.ts'

const backlog = 10_000
const perHead = 8

const world = await openDeliveryWorld()
const { owner } = world.database
let round: Round
before(async () => {
  const sleeping = await world.openShop('http://127.0.0.1:9/sleeping')
  const busy = await world.openShop('http://127.0.0.1:9/busy')
  await believeEmpty()
  await world.enqueueMany(sleeping, backlog)
  await world.enqueueMany(busy, backlog)
  await owner.query(sql`update endpoints set open_until = 'infinity' where id = ${sleeping.laneId}`)
  round = await workOfRound(world.db)
  assert.equal(round.heads, headsMost)

  /** Vacuumed when one row was left, the last of many. */
  async function believeEmpty(): Promise<void> {
    await owner.script('alter table deliveries set (autovacuum_enabled = off)')
    await world.enqueueMany(busy, 2_000)
    const [last] = await world.enqueue(busy, newDeposits(1))
    await owner.query(sql`delete from deliveries where event_id <> ${last!.id}`)
    await owner.script('vacuum deliveries')
  }
})

const few = ({ entries, scans }: Work) => {
  assert.ok(entries <= perHead * round.heads, `${entries} index entries for ${round.heads} callbacks`)
  assert.equal(scans, 0)
}

test('a claim looks at one row of each lane that may be claimed', () => few(round.claim))
test('a read looks at what it reads and at its predecessors', () => few(round.read))
test('a write looks at what it writes', () => few(round.write))
