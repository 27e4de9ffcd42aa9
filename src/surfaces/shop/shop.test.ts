import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signReturn } from '../../../sdk/signature.ts'
import { bounds } from '../../platform/bounds.ts'
import {
  basketFrom,
  callbackState,
  firstBasket,
  type Order,
  type ReturnFields,
  Shop,
  totalOf,
} from './shop.ts'

const secret = 'a secret of the demo merchant'
const headers = [['id', 'x']] as const

function shopWithOrder(): { shop: Shop; order: Order } {
  const shop = new Shop()
  shop.add({ id: 'demo-1', basket: firstBasket, depositId: 'd-1', payPath: '/pay/x' })
  return { shop, order: shop.find('demo-1')! }
}

const event = (sequence: number, state: string) => ({
  id: `e-${sequence}`,
  type: `deposit.${state}`,
  sequence,
  data: { state },
})

test('the shop remembers the latest orders and no more, newest first', () => {
  const shop = new Shop()
  const { orders: most } = bounds.demoShop
  for (let n = 1; n <= most + 5; n++)
    shop.add({ id: `demo-${n}`, basket: firstBasket, depositId: `d-${n}`, payPath: '/pay/x' })
  assert.equal(shop.orders().length, most)
  assert.deepEqual([shop.orders()[0]?.id, shop.orders().at(-1)?.id], [`demo-${most + 5}`, 'demo-6'])
  assert.equal(shop.find('demo-5'), undefined)
})

test('an order remembers the latest callbacks and no more; one that comes again is counted', () => {
  const { shop, order } = shopWithOrder()
  const { callbacks: most } = bounds.demoShop
  for (let n = 1; n <= most + 5; n++) shop.take(order, { event: event(n, 'created'), headers })
  assert.equal(order.callbacks.length, most)
  for (let n = 0; n < 3; n++) shop.take(order, { event: event(most + 5, 'created'), headers })
  assert.deepEqual([order.callbacks.length, order.callbacks[0]?.times], [most, 4])
})

test('the event with the greatest sequence decides, in whatever order callbacks come', () => {
  const { shop, order } = shopWithOrder()
  assert.equal(callbackState(order), null)
  shop.take(order, { event: event(7, 'confirmed'), headers })
  shop.take(order, { event: event(3, 'expired'), headers })
  assert.equal(callbackState(order), 'confirmed')
  shop.take(order, { event: event(8, 'reversed'), headers })
  assert.equal(callbackState(order), 'reversed')
})

test('a return is valid when every part of it is signed for this order', () => {
  const signed = (id: string, orderId: string, state: string, ts: number): ReturnFields => ({
    id,
    order_id: orderId,
    state,
    ts: String(ts),
    signature: signReturn({ secret, id, orderId, state, ts }),
  })
  const good = signed('d-1', 'demo-1', 'confirmed', 1_700_000_000)
  const cases: [fields: ReturnFields, holds: boolean][] = [
    [good, true],
    [{ ...good, state: 'rejected' }, false],
    [{ ...good, ts: '1700000001' }, false],
    [{ ...good, ts: '01700000000' }, false],
    [{ ...good, ts: '' }, false],
    [{ ...good, signature: '' }, false],
    [signed('d-2', 'demo-1', 'confirmed', 1_700_000_000), false],
    [signed('d-1', 'demo-2', 'confirmed', 1_700_000_000), false],
  ]
  for (const [fields, holds] of cases) {
    const { shop, order } = shopWithOrder()
    shop.takeReturn(order, fields, secret)
    assert.deepEqual([order.returned?.holds, callbackState(order)], [holds, null], JSON.stringify(fields))
    shop.takeReturn(order, good, secret)
    shop.takeReturn(order, { ...good, state: 'rejected' }, secret)
    assert.deepEqual(order.returned, { fields: good, holds: true })
  }
})

test('a basket holds only what the page offers', () => {
  const form = { product: 'pen', quantity: '9', currency: 'UZS', way: 'choose' }
  const basket = basketFrom((name) => form[name as keyof typeof form])
  assert.deepEqual(basket, { ...form, quantity: 9 })
  assert.equal(totalOf(basket!), 261_000_000n)
  for (const wrong of [
    { product: 'toString' },
    { product: undefined },
    { quantity: '0' },
    { quantity: '10' },
    { quantity: '1.5' },
    { quantity: '' },
    { currency: 'KZT' },
    { way: '__proto__' },
    { way: 'phone', currency: 'UZS' },
  ]) {
    const asked: Record<string, string | undefined> = { ...form, ...wrong }
    assert.equal(
      basketFrom((name) => asked[name]),
      undefined,
      JSON.stringify(wrong),
    )
  }
})
