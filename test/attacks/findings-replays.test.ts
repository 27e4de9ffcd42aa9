/** A finding of the audit: signed requests that are not idempotent, sent again as they are within their time. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { signV2 } from '../../sdk/signature.ts'
import { sql } from '../../src/platform/db.ts'
import { attackedGateway } from '../support/attacked-gateway.ts'
import { attacksOf, behindProxy, fromAnywhere, many } from '../support/attempts.ts'
import {
  call,
  freshSeconds,
  openShop,
  type Shop,
  signedPost,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'

const { attack, report } = attacksOf('replays')

let gateway: TestGateway
let beside: TestGateway
let shop: Shop
before(async () => {
  gateway = await attackedGateway()
  beside = await startGateway({ beside: gateway, environment: { ...behindProxy, INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
})

const transfers = '/api/v1/sandbox/transfers'
/** A request of its own each time. */
function signed(target: string, fields?: object) {
  const body = Buffer.from(fields ? JSON.stringify(fields) : '')
  const t = freshSeconds(target)
  const signature = signV2({ secret: shop.secret, kid: shop.keyId, t, method: 'POST', target, body })
  const headers = { ...(fields && { 'content-type': 'application/json' }), 'x-signature': signature }
  return (at: TestGateway) =>
    call(at.url, target, {
      method: 'POST',
      headers: { ...headers, ...fromAnywhere() },
      ...(fields && { body }),
    })
}

const transfersOf = async (depositId: string): Promise<number> => {
  const [row] = await gateway.database.owner.query<{ count: number }>(
    sql`select count(*)::int as count from transfers t join deposits d on d.account_id = t.account_id
        where d.id = ${depositId} and position(d.reference in t.purpose) > 0`,
  )
  return row!.count
}

attack('a transfer of the test bank, captured and sent again', async (note) => {
  for (let round = 0; round < many(10, 2); round++) {
    const { id } = (await shop.create()).body
    const send = signed(transfers, { deposit: id, cents: 100 })
    assert.equal((await send(gateway)).status, 201, 'control: the first time')
    for (const at of [gateway, beside, gateway]) {
      const before = await transfersOf(id)
      const { status } = await send(at)
      note(`sent again: ${status}`, status === 201 || (await transfersOf(id)) !== before)
    }
    const both = signed(transfers, { deposit: id, cents: 200 })
    const before = await transfersOf(id)
    const answers = await Promise.all([both(gateway), both(beside), both(gateway), both(beside)])
    const made = (await transfersOf(id)) - before
    note(`four at once: ${answers.map(({ status }) => status)}, ${made} made`, made > 1)
  }
})

attack('a replay of a callback, captured and sent again', async (note) => {
  const { id } = (await shop.create()).body
  await signedPost(gateway, shop, `/api/v1/requests/deposit/${id}/cancel`)
  const { body } = await shop.get('/api/v1/callbacks')
  const callback = body.callbacks[0].id
  for (let round = 0; round < many(10, 2); round++) {
    const send = signed(`/api/v1/callbacks/${callback}/replay`)
    assert.equal((await send(gateway)).status, 202, 'control: the first time')
    for (const at of [gateway, beside]) {
      const { status } = await send(at)
      note(`sent again: ${status}`, status < 400)
    }
  }
})

attack('the clock of test mode, captured and sent again', async (note) => {
  const { id } = (await shop.create()).body
  const read = async () => (await shop.get(`/api/v1/requests/deposit/${id}`)).body.expires_at as string
  const send = signed('/api/v1/sandbox/clock', { minutes: 1 })
  const first = await read()
  assert.equal((await send(gateway)).status, 200, 'control: the first time')
  const before = await read()
  assert.notEqual(before, first, 'control: time has passed')
  const { status } = await send(beside)
  note(`sent again: ${status}`, status < 400 || (await read()) !== before)
})

test('control: idempotent requests may be repeated as they are', async () => {
  const order = shop.order()
  const send = signed('/api/v1/requests/deposit/create', order)
  assert.deepEqual([(await send(gateway)).status, (await send(beside)).status], [201, 200])
})

report()
