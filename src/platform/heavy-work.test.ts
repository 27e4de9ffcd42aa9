import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHeavyWork } from './heavy-work.ts'
import { Refusal } from './refusals.ts'

const full = () => new Refusal('rate_limited', { retryAfterSeconds: 3 })
const passwords = createHeavyWork('passwords', 2, full)
const pictures = createHeavyWork('pictures', 2)

const order: string[] = []
let atWork = 0
const ask = (kind: typeof passwords, name: string, isKnown = false, group = name) =>
  kind.run({ name, isKnown, group }, async () => {
    assert.equal(++atWork, 1)
    await new Promise(setImmediate)
    order.push(name)
    atWork--
  })

test('one works, few wait, and the next is refused at once, each kind in its own words', async () => {
  const asked = ['a', 'b', 'c'].flatMap((name) => [ask(passwords, name), ask(pictures, name)])
  const stranger = { name: 'd', isKnown: false }
  assert.throws(() => passwords.refuseWhenFull(stranger), { code: 'rate_limited' })
  assert.throws(() => pictures.refuseWhenFull(stranger), { code: 'overloaded' })
  await assert.rejects(ask(passwords, 'd'), { code: 'rate_limited', details: { retryAfterSeconds: 3 } })
  await Promise.all(asked)
  passwords.refuseWhenFull(stranger)
})

test('known people wait where strangers cannot, and are served in turn with them', async () => {
  order.length = 0
  const asked = ['a', 'b', 'c'].map((name) => ask(passwords, name))
  const drawn = ['d', 'e', 'f'].map((name) => ask(pictures, name))
  await Promise.all([...asked, ...drawn, ask(passwords, 'person', true)])
  assert.ok(order.indexOf('person') < order.indexOf('b'), order.join())
})

test('an owner with much waiting work loses some of it to an owner with less', async () => {
  const [first, second, third] = ['one', 'two', 'three'].map((name) => ask(passwords, name, true, 'merchant'))
  const lost = assert.rejects(third!, { code: 'rate_limited' })
  const other = { name: 'other', isKnown: true }
  passwords.refuseWhenFull(other)
  assert.throws(() => passwords.refuseWhenFull({ name: 'four', isKnown: true, group: 'merchant' }))
  await Promise.all([first, second, ask(passwords, 'other', true), lost])
})
