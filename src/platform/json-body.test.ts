import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson, repeatedNames } from './json-body.ts'

for (const [title, text, pointers] of [
  ['each name once', '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', []],
  ['a name twice', '{"a":1,"a":2}', ['#/a']],
  ['a name three times is reported once', '{"a":1,"a":2,"a":3}', ['#/a']],
  [
    'in an object of an array',
    '{"transfers":[{"id":"1"},{"id":"2","cents":1,"id":"3"}]}',
    ['#/transfers/1/id'],
  ],
  ['deep inside', '{"a":{"b":[[{"c":{"d":1,"d":1}}]]}}', ['#/a/b/0/0/c/d']],
  ['written with an escape', '{"id":1,"\\u0069d":2}', ['#/id']],
  ['a name with a slash and a tilde', '{"a/b~c":1,"a/b~c":2}', ['#/a~1b~0c']],
  ['the empty name', '{"":1,"":2}', ['#/']],
  ['names inside of texts are no names', '{"a":"{\\"a\\":1,\\"a\\":2}","b":"\\\\","c":"\\\\\\""}', []],
  ['a value that equals a name', '{"a":"a","b":"a"}', []],
  ['texts of an array', '["a","a",{"a":1}]', []],
  ['after a nested object the names go on', '{"a":{"x":1},"b":[1,2],"a":3}', ['#/a']],
  ['two places', '[{"a":1,"a":2},{"b":1,"b":2}]', ['#/0/a', '#/1/b']],
  ['the name of every object’s parent', '{"__proto__":1,"__proto__":2}', ['#/__proto__']],
] as const) {
  test(`repeated names: ${title}`, () => {
    JSON.parse(text)
    assert.deepEqual(repeatedNames(text, 100), pointers)
  })
}

test('a body that is nested more deeply than any of ours is refused', () => {
  const nested = (depth: number) => Buffer.from(`${'{"a":['.repeat(depth / 2)}0${']}'.repeat(depth / 2)}`)
  assert.ok(parseJson(nested(32)))
  assert.ok(parseJson(Buffer.from(`[${'[],'.repeat(100)}{}]`)))
  assert.throws(() => parseJson(nested(34)), { code: 'malformed_body' })
})

test('a name that is repeated very often is reported once, in a moment', () => {
  const text = `{${Array.from({ length: 200_000 }, () => '"a":1').join()}}`
  assert.deepEqual(repeatedNames(text, 100), ['#/a'])
})

test('only a limited number of repeated names is reported', () => {
  const text = `{${Array.from({ length: 500 }, (_, n) => `"a${n % 250}":1`).join()}}`
  assert.equal(repeatedNames(text, 100).length, 100)
})

test('JSON.stringify writes no repeated name, and an added duplicate is found', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, nth) => {
      const text = JSON.stringify(value)
      assert.deepEqual(repeatedNames(text, 10), [])
      const names = Object.keys(value)
      if (names.length === 0) return
      const name = JSON.stringify(names[nth % names.length])
      const twice = `${text.slice(0, -1)},${name}:0}`
      assert.equal(repeatedNames(twice, 10).length, 1)
      assert.throws(() => parseJson(Buffer.from(twice)), { code: 'duplicate_field' })
    }),
  )
})

test('invalid JSON and invalid UTF-8 are refused as such', () => {
  for (const bytes of ['', '{', '{"a":1,"a"', '{"a":1}x', "{'a':1}"].map((text) => Buffer.from(text)))
    assert.throws(() => parseJson(bytes), { code: 'malformed_body' })
  assert.throws(() => parseJson(Buffer.from([0x22, 0xff, 0x22])), { code: 'malformed_body' })
})

test('four million characters are looked through in a moment, whatever they are', () => {
  for (const text of [
    JSON.stringify('\\"'.repeat(1_000_000)),
    `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`,
    JSON.stringify({ transfers: Array.from({ length: 100_000 }, (_, id) => ({ id, a: '"\\' })) }),
  ]) {
    const from = process.cpuUsage().user
    assert.deepEqual(repeatedNames(text, 100), [])
    assert.ok(process.cpuUsage().user - from < 3_000_000)
  }
})
