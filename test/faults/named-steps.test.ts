/**
 * kill -9 at each named step on a callback's way (docs/decisions/domain.md). Locks, stops and held answers bring a node to
 * the step and keep it there, so that every run meets the same moment. Each step has a database of its own; they
 * wait side by side for the leases of the dead, which is what takes the time.
 *
 * They run in `npm run test:faults`, one after the other: each says how much later than undisturbed its last callback
 * was, and I7 holds it to 20 s. In `npm test` many-processes.test.ts kills.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { sql } from '../../src/platform/db.ts'
import { until } from '../support/delivery.ts'
import { signedPost } from '../support/gateway.ts'
import type { Program } from '../support/program.ts'
import { hangs, ok } from '../support/receiver.ts'
import {
  assertDelivered,
  freeze,
  gate,
  hold,
  isLong,
  kill,
  openWorld,
  path,
  repeatedOf,
  seconds,
  slowest,
  type World,
} from './world-at-risk.ts'

const deposits = 4
/** One of each deposit: its successors wait for it. */
const inFlight = deposits
const recoveryMs = 20_000

type Step = {
  name: string
  claim: string
  roles?: string
  /** Brings the node to the step and kills it there. */
  crash(world: World, victim: Program): Promise<void>
  /** How many are sent once more. */
  repeats: number
}

const steps: Step[] = [
  {
    name: 'after commit, before wake',
    claim: 'what was committed without a notification is found by polling',
    roles: 'api,worker',
    async crash(world, victim) {
      const { body } = await world.shops[0]!.create()
      const letCommit = await holdAt(world, 'after insert on deliveries deferrable initially deferred')
      const asked = signedPost(victim, world.shops[0]!, `/api/v1/requests/deposit/${body.id}/cancel`)
      const unanswered = assert.rejects(asked)
      await until('its commit waits', () => isWaiting(world, 'commit'))
      await freeze(victim)
      await letCommit()
      await until('it is committed', async () => (await world.due()).size === 1)
      await kill(victim)
      await unanswered
    },
    repeats: 0,
  },
  {
    name: 'after claim',
    claim: 'a lane that was claimed and never read goes to another',
    async crash(world, victim) {
      const showLanes = await world.hideLanes()
      await world.makeEvents(deposits)
      const letRead = await hold(
        world.gateway.database.owner,
        sql`lock table events in access exclusive mode`,
      )
      await showLanes()
      await until('its read waits', () => isWaiting(world, 'select h.endpoint_id'))
      assert.equal(await ownedLanes(world), 1n)
      await kill(victim)
      await letRead()
    },
    repeats: 0,
  },
  {
    name: 'mid-request',
    claim: 'what was being sent is sent again',
    async crash(world, victim) {
      world.receiver.answer(path, hangs)
      await world.makeEvents(deposits)
      await until('all are under way', () => world.receiver.received.length === inFlight)
      await kill(victim)
      world.receiver.answer(path, ok)
    },
    repeats: inFlight,
  },
  {
    name: 'after 2xx, before flush',
    claim: 'what was answered and not yet read from the socket is sent again',
    async crash(world, victim) {
      const { behaviour, open } = gate()
      world.receiver.answer(path, behaviour)
      await world.makeEvents(deposits)
      await until('all are under way', () => world.receiver.received.length === inFlight)
      await freeze(victim)
      open()
      await until('all are answered', () =>
        world.receiver.received.every((callback) => callback.status === 200),
      )
      await kill(victim)
    },
    repeats: inFlight,
  },
  {
    name: 'mid-flush, undone',
    claim: 'what the server did not get to write is sent again',
    async crash(world, victim) {
      const letFlush = await sendIntoHeldFlush(world)
      await kill(victim)
      await endStatements(world)
      await letFlush()
    },
    repeats: inFlight,
  },
  {
    name: 'mid-flush, finished',
    claim: 'what the server wrote without the node is not sent again',
    async crash(world, victim) {
      const letFlush = await sendIntoHeldFlush(world)
      await kill(victim)
      await letFlush()
    },
    repeats: 0,
  },
  {
    name: 'after flush',
    claim: 'what was written is not sent again',
    async crash(world, victim) {
      await world.makeEvents(deposits)
      await world.untilDrained()
      await kill(victim)
    },
    repeats: 0,
  },
]

/** A statement that does this to a row waits for the test, and for no lock timeout. */
async function holdAt({ gateway }: World, moment: string): Promise<() => Promise<void>> {
  const { owner } = gateway.database
  await owner.script(`
    create function hold_here() returns trigger language plpgsql as $$
    begin
      perform set_config('lock_timeout', '0', true);
      perform pg_advisory_xact_lock(1);
      return null;
    end $$;
    create constraint trigger hold_here ${moment} for each row execute function hold_here()`)
  const release = await hold(owner, sql`select pg_advisory_xact_lock(1)`)
  return async () => {
    await release()
    await until('the schema is as it was', () =>
      owner.script('drop function hold_here cascade').then(
        () => true,
        () => false,
      ),
    )
  }
}

/** Everything is sent and answered, and the flush waits in the middle of what it must change. */
async function sendIntoHeldFlush(world: World): Promise<() => Promise<void>> {
  const { behaviour, open } = gate()
  world.receiver.answer(path, behaviour)
  await world.makeEvents(deposits)
  await until('all are under way', () => world.receiver.received.length === inFlight)
  const letFlush = await holdAt(world, 'after insert on delivery_attempts')
  open()
  await until('its flush waits', () => isWaiting(world, 'json_to_recordset'))
  return letFlush
}

/** As a server does that ends, or that notices who is gone. */
const endStatements = ({ gateway }: World) =>
  gateway.database.owner.query(sql`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where datname = current_database() and application_name = 'victim'`)

/** The node's statement with these words waits for a lock. */
async function isWaiting(world: World, words: string): Promise<boolean> {
  const rows = await world.gateway.database.owner.query(sql`
    select pid
    from pg_stat_activity
    where datname = current_database()
      and application_name = 'victim'
      and wait_event_type = 'Lock'
      and position(${words}::text in lower(query)) > 0`)
  return rows.length > 0
}

/** Whatever the dead node had asked for is done or undone. */
const untilForgotten = ({ gateway }: World) =>
  until('PostgreSQL has closed its connections', async () => {
    const rows = await gateway.database.owner.query(sql`
      select pid from pg_stat_activity where datname = current_database() and application_name = 'victim'`)
    return rows.length === 0
  })

async function ownedLanes({ gateway }: World): Promise<bigint> {
  const [row] = await gateway.db.query<{ count: bigint }>(
    sql`select count(*) from endpoints where owner is not null and owner_until > now()`,
  )
  return row!.count
}

let undisturbedMs = 0
before(async () => {
  if (!isLong) return
  const world = await openWorld()
  await world.startNode('undisturbed')
  await world.makeEvents(deposits)
  await world.untilDrained()
  await assertDelivered(world)
  assert.deepEqual(repeatedOf(world), [], 'I4: none without a fault')
  undisturbedMs = await slowest(world)
})

describe('a node killed with -9', { skip: !isLong && 'in npm run test:faults', timeout: 480_000 }, () => {
  for (const { name, claim, roles, crash, repeats } of steps) {
    test(`${name}: ${claim}`, async () => {
      const world = await openWorld()
      const victim = await world.startNode('victim', roles ? { INLET_ROLES: roles } : {})
      await crash(world, victim)
      await untilForgotten(world)
      const due = await world.due()
      const unwritten = world.receiver.received.map((callback) => callback.id).filter((id) => due.has(id))
      await world.startNode('survivor')
      assert.equal(unwritten.length, repeats)
      await world.makeEvents(1)
      await world.untilDrained()
      await assertDelivered(world)
      assert.deepEqual(repeatedOf(world).toSorted(), unwritten.toSorted(), 'I4: only what was in flight')
      await assertSoon(name, world)
    })
  }
})

async function assertSoon(name: string, world: World): Promise<void> {
  const lateMs = (await slowest(world)) - undisturbedMs
  console.log(`${name}: ${seconds(lateMs)} later than undisturbed`)
  assert.ok(lateMs <= recoveryMs, 'I7: recovery')
}
