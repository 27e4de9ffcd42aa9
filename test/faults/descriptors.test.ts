/**
 * Thousands of endpoints, each an origin of its own: connections are kept for the last of them only, and none is
 * kept for long (I13). Every address of 127.0.0.0/8 is this machine, so that one listener is all of them.
 *
 * In `npm run test:faults`; in `npm test` outbound.test.ts bounds the connections.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { newId } from '../../src/platform/clock.ts'
import { type Db, sql } from '../../src/platform/db.ts'
import { atEnd } from '../support/clean-up.ts'
import { type DeliveryShop, openDeliveryWorld, until } from '../support/delivery.ts'
import { isLong } from './measure.ts'

const endpoints = 5_000
/** src/platform/outbound-connections.ts keeps so many origins; one that is busy is never closed, and closing takes a moment. */
const connectionsMost = 1_000 + 200
/** Both ends of a connection are in this process. */
const descriptorsMost = 2 * connectionsMost

const skip =
  (!isLong && 'in npm run test:faults') ||
  (!existsSync('/proc/self/fd') && 'descriptors are counted in /proc, which only Linux has')

test(`${endpoints} endpoints are reached with a bounded number of descriptors`, {
  skip,
  timeout: 300_000,
}, async () => {
  const world = await openDeliveryWorld()
  const arrived = new Map<string, number>()
  const port = await listenEverywhere((host) => arrived.set(host, (arrived.get(host) ?? 0) + 1))
  const shop = await world.openShop(null)
  const origins = Array.from({ length: endpoints }, (_, index) => `http://${addressOf(index)}:${port}`)
  await enqueueForEach(world.database.owner, shop, origins)

  const before = descriptors()
  const rssBefore = process.memoryUsage.rss()
  const began = performance.now()
  let most = 0
  let rssMost = rssBefore
  const engine = world.startEngine()
  await until(
    'all arrived',
    () => {
      most = Math.max(most, descriptors() - before)
      rssMost = Math.max(rssMost, process.memoryUsage.rss())
      return arrived.size === endpoints
    },
    120_000,
  )
  const seconds = (performance.now() - began) / 1000
  await until('all written', async () => (await world.due()).length === 0)
  const repeats = [...arrived.values()].reduce((sum, times) => sum + times - 1, 0)
  const failed = await failedAttempts(world.database.owner)
  assert.ok(repeats <= failed.length, `${repeats} repeats, and these failed: ${JSON.stringify(failed)}`)
  assert.deepEqual(
    origins.filter((origin) => !arrived.has(new URL(origin).host)),
    [],
  )
  assert.ok(most <= descriptorsMost, `${most} descriptors for ${endpoints} endpoints`)

  // What is left are the database's connections.
  await until('idle connections are closed', () => descriptors() - before <= 10, 40_000)
  await engine.stop()
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)
  console.log(
    `${endpoints} endpoints in ${seconds.toFixed(1)} s: ${most} descriptors at most (both ends), ` +
      `rss ${megabytes(rssBefore)} MB before, ${megabytes(rssMost)} at most, ` +
      `${megabytes(process.memoryUsage.rss())} after; closed after ${((performance.now() - began) / 1000).toFixed(1)} s`,
  )
})

const addressOf = (index: number): string => `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`

/** All of them: nothing else is opened meanwhile, and asking each what it is would keep this process from sending. */
const descriptors = (): number => readdirSync('/proc/self/fd').length

async function listenEverywhere(onRequest: (host: string) => void): Promise<number> {
  const server = createServer((request, response) => {
    onRequest(String(request.headers.host))
    request.resume()
    response.writeHead(200).end()
  })
  // It is we who close, not the receiver.
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', 4_096, resolve))
  atEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

/** On a machine that is busy enough an answer may come too late, and only then is anything sent again. */
const failedAttempts = (owner: Db): Promise<{ error: string | null; ms: number }[]> =>
  owner.query(sql`select error, ms from delivery_attempts where outcome <> 'ok'`)

/** A lane for each origin, and one callback in it. */
async function enqueueForEach(
  owner: Db,
  { merchantId }: DeliveryShop,
  origins: readonly string[],
): Promise<void> {
  await owner.query(sql`
    with lane as (
      insert into endpoints (merchant_id, origin)
      select ${merchantId}, origin from unnest(${origins}::text[]) as origin
      returning id, origin
    ), made as (
      insert into events (made_on, id, merchant_id, sequence, deposit_id, type, url, body, made_at)
      select (inlet_now() at time zone 'UTC')::date, n.id, ${merchantId}, n.number, n.id, 'deposit.confirmed',
        n.origin || '/callback', '{}', inlet_now()
      from unnest(${origins.map(newId)}::uuid[], ${origins}::text[]) with ordinality as n (id, origin, number)
      returning made_on, id, merchant_id, sequence, deposit_id, made_at, url
    )
    insert into deliveries (endpoint_id, merchant_id, deposit_id, sequence, event_id, made_on, due_at)
    select lane.id, merchant_id, deposit_id, sequence, made.id, made_on, made_at
    from made
    join lane on made.url = lane.origin || '/callback'`)
}
