/**
 * All merchants and customers share the connections to the database. However many requests wait for the same lock,
 * connections stay free for the others.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { signV2 } from '../../sdk/signature.ts'
import { type Statement, sql } from '../../src/platform/db.ts'
import { behindProxy, fromAnywhere } from '../support/attempts.ts'
import {
  call,
  type Fields,
  freshSeconds,
  openShop,
  type Shop,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { untilWaiting } from '../support/held-account.ts'

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway({ environment: { ...behindProxy, INLET_ROLES: 'api,pay' } })
  shop = await openShop(gateway)
})

/** The largest number that waited for a connection, while forty of these requests waited for the held lock. */
async function mostWaiting(held: Statement, ask: () => Promise<unknown>): Promise<number> {
  let release = () => {}
  const gone = new Promise<void>((resolve) => {
    release = resolve
  })
  const begun = Promise.withResolvers<void>()
  const holding = gateway.database.owner.transaction(async (tx) => {
    await tx.query(held)
    begun.resolve()
    await gone
  })
  await begun.promise
  const asked = Array.from({ length: 40 }, ask)
  let most = 0
  try {
    await untilWaiting(gateway, 1)
    for (let looks = 0; looks < 40; looks++) {
      most = Math.max(most, gateway.db.pool.waiting)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  } finally {
    release()
    await holding
    await Promise.all(asked)
  }
  return most
}

const rowOf = (id: string) => sql`select from deposits where id = ${id} for no key update`

const signed = (method: string, target: string, fields?: Fields) => {
  const { secret, keyId: kid } = shop
  const body = Buffer.from(fields ? JSON.stringify(fields) : '')
  const signature = signV2({ secret, kid, t: freshSeconds(target), method, target, body })
  const headers = { 'x-signature': signature, ...(fields && { 'content-type': 'application/json' }) }
  return call(gateway.url, target, { method, headers, ...(fields && { body }) })
}

test('cancels that wait for one deposit leave connections free', async () => {
  const { body } = await shop.create()
  const cancel = () => signed('POST', `/api/v1/requests/deposit/${body.id}/cancel`)
  assert.equal(await mostWaiting(rowOf(body.id), cancel), 0)
})

test('pages of events and callbacks that wait leave connections free', async () => {
  const held = sql`lock table events in access exclusive mode`
  assert.equal(await mostWaiting(held, () => shop.get('/api/v1/events')), 0)
  assert.equal(await mostWaiting(held, () => shop.get('/api/v1/callbacks')), 0)
})

test('acts of customers that wait for one deposit leave connections free, from many networks', async () => {
  const { body: built } = await shop.build()
  const { body: created } = await shop.create()
  for (const [act, id, page] of [
    ['choose', built.uuid, built.payment_data.url],
    ['claim', created.id, created.payment_data.url],
    ['give-up', created.id, created.payment_data.url],
  ]) {
    const ask = () =>
      fetch(`${page}/${act}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...fromAnywhere() },
        body: 'method=any_bank',
        redirect: 'manual',
      })
    assert.equal(await mostWaiting(rowOf(id), ask), 0, act)
  }
})
