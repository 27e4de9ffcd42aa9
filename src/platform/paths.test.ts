import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPaths } from './paths.ts'

const path = createPaths('/shops/:shop', ['/', '/orders', '/orders/:id', '/orders/:id/items/:number'])

test('a pattern is filled in from left to right, the root first', () => {
  assert.equal(path('/', 'a'), '/shops/a')
  assert.equal(path('/orders', 'a'), '/shops/a/orders')
  assert.equal(path('/orders/:id/items/:number', 'a', 'b', 7n), '/shops/a/orders/b/items/7')
})

test('the router gets the patterns as they are written', () => {
  assert.equal(path.route('/orders/:id'), '/shops/:shop/orders/:id')
  assert.deepEqual(path.routes.slice(0, 2), ['/shops/:shop', '/shops/:shop/orders'])
})

test('a value stays one segment, whatever it holds', () => {
  assert.equal(path('/orders/:id', 'a', '../x?y#z:w'), '/shops/a/orders/..%2Fx%3Fy%23z%3Aw')
  assert.equal(path('/orders/:id', 'a', '\ud800$&'), '/shops/a/orders/%EF%BF%BD%24%26')
  for (const value of ['', '.', '..']) assert.throws(() => path('/orders/:id', 'a', value))
})

test('what is not on the list, or lacks a value, does not compile', () => {
  // @ts-expect-error: no such pattern
  path.route('/order')
  // @ts-expect-error: one value is missing
  assert.equal(typeof path('/orders/:id', 'a'), 'string')
})
