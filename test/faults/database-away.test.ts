/**
 * The database is away for its nodes and for nobody else: events are made meanwhile, receivers answer what was
 * under way, and nobody writes it down. When it is back everything is delivered, and what was answered while it was
 * away is not sent again by who had the answer.
 *
 * In `npm run test:faults`; in `npm test` survives.test.ts takes PostgreSQL away.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bounds } from '../../src/platform/bounds.ts'
import { until } from '../support/delivery.ts'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'
import { assertDelivered, gate, isLong, openWorld, path, repeatedOf, seconds } from './world-at-risk.ts'

const shops = 3
const deposits = 4
/** One of each deposit: its successors wait for it. */
const inFlight = shops * deposits

type Absence = {
  claim: string
  awayMs: number
  begin(proxy: DatabaseProxy): Promise<void>
  end(proxy: DatabaseProxy): Promise<void>
}

const absences: Absence[] = [
  {
    claim: 'connections cut and refused: delivery goes on when they are accepted again',
    awayMs: 30_000,
    begin: (proxy) => proxy.cut(),
    end: (proxy) => proxy.restore(),
  },
  {
    claim: 'a partition: delivery goes on when the network is whole again',
    awayMs: 20_000,
    begin: (proxy) => proxy.silence(),
    end: (proxy) => proxy.restore(),
  },
  {
    claim: 'a partition that forgets its connections: delivery goes on with new ones',
    awayMs: 20_000,
    begin: (proxy) => proxy.silence(),
    end: (proxy) => proxy.restoreForNew(),
  },
  {
    claim: 'three seconds, within the lease: what was answered meanwhile is not sent again',
    awayMs: 3_000,
    begin: (proxy) => proxy.silence(),
    end: (proxy) => proxy.restoreForNew(),
  },
]
const leaseMs = bounds.delivery.leaseMs

describe('the database is away', {
  skip: !isLong && 'in npm run test:faults',
  concurrency: true,
  timeout: 240_000,
}, () => {
  for (const { claim, awayMs, begin, end } of absences) {
    test(claim, async () => {
      const world = await openWorld(shops)
      const { receiver } = world
      const proxy = await startDatabaseProxy(world.gateway.database.login)
      await Promise.all(['one', 'other'].map((name) => world.startNode(name, { DATABASE_URL: proxy.url })))

      const { behaviour, open } = gate()
      receiver.answer(path, behaviour)
      await world.makeEvents(deposits)
      await until('all are under way', () => receiver.received.length === inFlight)
      const underWay = new Set(receiver.received.map((callback) => callback.id))
      await begin(proxy)
      const back = sleep(awayMs)
      open()
      await world.makeEvents(deposits)
      await back
      assert.equal(receiver.received.length, inFlight, 'nothing is sent that could not be read')
      await end(proxy)
      const returnedAt = performance.now()

      await world.untilDrained()
      await assertDelivered(world)
      const repeated = repeatedOf(world)
      // Past its lease a lane may go to the other node before this one has written what it knows.
      if (awayMs < leaseMs) assert.deepEqual(repeated, [], 'I4: an answer outlives the absence')
      assert.deepEqual(
        repeated.filter((id) => !underWay.has(id)),
        [],
        'I4: only what was under way',
      )
      const lastMs = Math.max(...receiver.received.map((callback) => callback.at)) - returnedAt
      console.log(`${claim}: the last ${seconds(lastMs)} later, ${repeated.length} sent again`)
    })
  }
})
