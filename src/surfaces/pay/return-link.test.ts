/** The way back: a signature that the shop can check, and nothing of the shop's own address lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesHex, returnString, signReturn } from '../../../sdk/signature.ts'
import { returnLink, returnTarget } from './return-link.ts'
import { screens } from './screen.ts'

const secret = 'sk_test_9f0e2d6a41c5e803'
const returned = {
  id: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803',
  orderId: 'A-1001',
  state: 'confirmed',
  ts: 1_794_736_800,
}

/** What a shop reads from the query, as its framework would. */
function received(link: string) {
  const query = new URL(link).searchParams
  const [id, orderId, state, ts, signature] = ['id', 'order_id', 'state', 'ts', 'signature'].map((name) => {
    assert.equal(query.getAll(name).length, 1, name)
    return query.get(name)!
  }) as [string, string, string, string, string]
  return { returned: { id, orderId, state, ts: Number(ts) }, signature }
}

const orderIds = [
  'A-1001',
  'a b+c',
  'a&b=c#d?e',
  '100%',
  '%41',
  'заказ № 7',
  '👩‍👩‍👧',
  'a::b',
  '"><script>',
  '../..',
  'x'.repeat(128),
]

for (const orderId of orderIds) {
  test(`the shop reads the order id back and the signature holds: ${orderId.slice(0, 20)}`, () => {
    const link = returnLink('https://shop.example/paid', secret, { ...returned, orderId })
    const { returned: read, signature } = received(link)
    assert.deepEqual(read, { ...returned, orderId })
    assert.ok(matchesHex(secret, returnString(read), signature))
    assert.equal(signature, signReturn({ secret, ...read }))
  })
}

test('a signature holds for its own order, state and time only', () => {
  const { returned: read, signature } = received(returnLink('https://shop.example/', secret, returned))
  for (const change of [{ id: 'x' }, { orderId: 'A-1002' }, { state: 'rejected' }, { ts: read.ts + 1 }])
    assert.ok(!matchesHex(secret, returnString({ ...read, ...change }), signature))
  assert.ok(!matchesHex(`${secret}x`, returnString(read), signature))
})

const targets: [target: string, kept: string][] = [
  ['https://shop.example', 'https://shop.example/?'],
  ['https://shop.example/paid?cart=7&cart=8&q=a%20b', 'https://shop.example/paid?'],
  ['https://shop.example/paid#/thanks', 'https://shop.example/paid?'],
  ['https://shop.example/paid?a=%D1%8F#top', 'https://shop.example/paid?'],
  ['https://shop.example:8443/a/%2F/b;c=d', 'https://shop.example:8443/a/%2F/b;c=d?'],
  ['https://shop.example/paid?', 'https://shop.example/paid?'],
  ['http://localhost:3000/paid', 'http://localhost:3000/paid?'],
]

for (const [target, kept] of targets) {
  test(`the shop’s own address stays: ${target}`, () => {
    const link = new URL(returnLink(target, secret, returned))
    const own = new URL(target)
    assert.ok(link.href.startsWith(kept), link.href)
    assert.equal(link.hash, own.hash)
    for (const name of own.searchParams.keys())
      assert.deepEqual(link.searchParams.getAll(name), own.searchParams.getAll(name))
    assert.ok(matchesHex(secret, returnString(returned), received(link.href).signature))
  })
}

test('a shop’s parameter with one of our names is replaced by our signed one', () => {
  const { returned: read } = received(
    returnLink('https://shop.example/?state=confirmed&id=7&id=8&signature=00', secret, {
      ...returned,
      state: 'rejected',
    }),
  )
  assert.deepEqual(read, { ...returned, state: 'rejected' })
})

test('success leads one way, the other ends another, and open screens nowhere', () => {
  const addresses = { successUrl: 'https://shop.example/s', rejectUrl: 'https://shop.example/r' }
  const led = Object.fromEntries(screens.map((screen) => [screen, returnTarget(addresses, screen)]))
  assert.deepEqual(led, {
    choose: null,
    pay: null,
    checking: null,
    short: null,
    success: 'https://shop.example/s',
    rejected: 'https://shop.example/r',
    expired: 'https://shop.example/r',
    closed: 'https://shop.example/r',
    canceled: 'https://shop.example/r',
    reversed: 'https://shop.example/r',
  })
  // With one address known, the other outcome stays on our page.
  assert.equal(returnTarget({ ...addresses, rejectUrl: null }, 'rejected'), null)
  assert.equal(returnTarget({ ...addresses, successUrl: null }, 'success'), null)
})
