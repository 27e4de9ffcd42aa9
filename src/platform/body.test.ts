// The strict body reader: each refusal beside what is accepted, then properties against JSON.parse and
// URLSearchParams, which know the syntax and none of our rules.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseFlat, parseJson, pointerTo } from './body.ts'
import { bounds } from './bounds.ts'
import type { Refusal } from './refusals.ts'

const { fields: maxFields, jsonDepth } = bounds

const bytes = (text: string) => new TextEncoder().encode(text)

/** Problems as `code pointer`, or the fields: one line to compare. */
function outcome(body: Uint8Array | string, encoding: 'json' | 'form'): unknown {
  const { fields, numbers, problems } = parseFlat(typeof body === 'string' ? bytes(body) : body, encoding)
  if (problems.length > 0) return problems.map(({ code, pointer }) => `${code} ${pointer}`.trim())
  return Object.fromEntries([...fields].map(([name, text]) => [name, numbers.has(name) ? [text] : text]))
}

const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
const manyJson = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n])))
const manyForm = (count: number) => Array.from({ length: count }, (_, n) => `f${n}=${n}`).join('&')

// A number is shown in brackets: [ '1e2' ].
const jsonCases: [claim: string, body: string | Uint8Array, expected: unknown][] = [
  ['an empty object is a flat object', '{}', {}],
  ['strings and numbers', '{"a":"x","cents":150000}', { a: 'x', cents: ['150000'] }],
  ['whitespace of all four kinds', ' \t\r\n{ "a"\n:\t"x" \r, "b" : 1 } \n', { a: 'x', b: ['1'] }],
  [
    'a number keeps its source text',
    '{"a":1e2,"b":1.50,"c":-0,"d":0.0E+1,"e":12345678901234567890}',
    { a: ['1e2'], b: ['1.50'], c: ['-0'], d: ['0.0E+1'], e: ['12345678901234567890'] },
  ],
  ['every escape', String.raw`{"a":"\"\\\/ \u0041\u00e9\ud83d\ude00"}`, { a: '"\\/ Aé😀' }],
  ['an escaped name is the name', String.raw`{"\u0063ents":1}`, { cents: ['1'] }],
  ['an empty name and an empty value', '{"":""}', { '': '' }],
  ['letters beyond ASCII', '{"customer":"Фарҳод 😀"}', { customer: 'Фарҳод 😀' }],
  [
    'a name of the prototype is a name',
    '{"__proto__":"x","constructor":"y"}',
    Object.fromEntries([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]),
  ],
  [
    'as many fields as allowed',
    manyJson(maxFields),
    Object.fromEntries(Array.from({ length: maxFields }, (_, n) => [`f${n}`, [String(n)]])),
  ],

  ['a repeated name', '{"a":"1","a":"1"}', ['duplicate_field #/a']],
  [
    'a name repeated in another spelling',
    String.raw`{"cents":1,"\u0063ents":2}`,
    ['duplicate_field #/cents'],
  ],
  ['a name repeated three times is said once', '{"a":1,"a":2,"a":3}', ['duplicate_field #/a']],
  ['a repeated name whose first value was refused', '{"a":null,"a":1}', ['duplicate_field #/a']],
  [
    'all other types',
    '{"a":null,"b":true,"c":false,"d":[],"e":{}}',
    ['invalid_type #/a', 'invalid_type #/b', 'invalid_type #/c', 'invalid_type #/d', 'invalid_type #/e'],
  ],
  [
    'problems after a nested value are still found',
    '{"a":{"b":[1,"x",{"c":null}]},"d":"1","d":"2","e":true}',
    ['duplicate_field #/d', 'invalid_type #/a', 'invalid_type #/e'],
  ],
  ['nesting up to the bound', nested(jsonDepth - 1), ['invalid_type #/a']],
  ['nesting past the bound', nested(jsonDepth), ['malformed_body']],
  ['one field too many', manyJson(maxFields + 1), ['malformed_body']],
  [
    'an escaped control character',
    String.raw`{"a":"x\n","b":"\u0000","c":"\u007f","d":"\u0085"}`,
    ['control_character #/a', 'control_character #/b', 'control_character #/c', 'control_character #/d'],
  ],
  ['a raw control character that JSON allows', '{"a":"\u0085"}', ['control_character #/a']],
  ['a raw control character that JSON does not allow', '{"a":"x\ny"}', ['malformed_body']],
  [
    'a nested name that is repeated',
    '{"a":[{"b":1,"b":1}]}',
    ['duplicate_field #/a/0/b', 'invalid_type #/a'],
  ],
  [
    'an unpaired surrogate',
    String.raw`{"a":"\ud83d","b":"\ude00\ud83d","c":"\ud83dx"}`,
    ['control_character #/a', 'control_character #/b', 'control_character #/c'],
  ],
  [
    'a control character in a name, which is shown without it',
    String.raw`{"a\nb":1}`,
    ['control_character #/ab'],
  ],
  ['a name with pointer characters', '{"a/b~c":null}', ['invalid_type #/a~1b~0c']],

  ['an empty body', '', ['malformed_body']],
  ['only whitespace', ' \n', ['malformed_body']],
  ['a top-level array', '[{"a":1}]', ['malformed_body']],
  ['a top-level string', '"a"', ['malformed_body']],
  ['a truncated body', '{"a":"x"', ['malformed_body']],
  ['a string that ends in a backslash', '{"a":"\\', ['malformed_body']],
  // JSON.parse knows the syntax: more of it is in the property below.
  ['a trailing comma', '{"a":1,}', ['malformed_body']],
  ['whitespace JSON does not know', '\u00a0{}', ['malformed_body']],
  ['a byte order mark', '\ufeff{}', ['malformed_body']],
  ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), ['malformed_body']],
  ['an overlong encoding', Uint8Array.of(0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x7d), ['malformed_body']],
  ['a surrogate in UTF-8', Uint8Array.of(0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d), ['malformed_body']],
]

const formCases: [claim: string, body: string | Uint8Array, expected: unknown][] = [
  ['names and values', 'a=x&cents=150000', { a: 'x', cents: '150000' }],
  ['plus is a space, %2B is a plus', 'a=x+y&b=%2B7', { a: 'x y', b: '+7' }],
  ['percent escapes in both cases', 'a=%D1%8F%d1%8f', { a: 'яя' }],
  ['unescaped UTF-8', 'a=я', { a: 'я' }],
  ['a second equals sign belongs to the value', 'a=b=c', { a: 'b=c' }],
  ['a name without an equals sign has an empty value', 'a&b=', { a: '', b: '' }],
  ['an empty name', '=x', { '': 'x' }],
  ['empty pieces say nothing', '&a=1&&b=2&', { a: '1', b: '2' }],
  ['a name of the prototype is a name', '__proto__=x', Object.fromEntries([['__proto__', 'x']])],
  [
    'as many fields as allowed',
    manyForm(maxFields),
    Object.fromEntries(Array.from({ length: maxFields }, (_, n) => [`f${n}`, String(n)])),
  ],

  ['a repeated name', 'a=1&a=1', ['duplicate_field #/a']],
  ['a name repeated in another spelling', 'a=1&%61=1', ['duplicate_field #/a']],
  ['one field too many', manyForm(maxFields + 1), ['malformed_body']],
  [
    'control characters',
    'a=x%0A&b=%00&c=%C2%85&d=x\n',
    ['control_character #/a', 'control_character #/b', 'control_character #/c', 'control_character #/d'],
  ],
  ['an empty body', '', ['malformed_body']],
  ['a broken escape', 'a=1&b=%4', ['malformed_body #/b']],
  ['a broken escape in a name', '%zz=1', ['malformed_body #/%zz']],
  ['escapes that make no UTF-8', 'a=%FF', ['malformed_body #/a']],
  ['an escaped surrogate', 'a=%ED%A0%80', ['malformed_body #/a']],
  ['an overlong escape', 'a=%C0%AF', ['malformed_body #/a']],
  ['bytes that are no UTF-8', Uint8Array.of(0x61, 0x3d, 0xff), ['malformed_body']],
  ['a byte order mark', '\ufeffa=1', ['malformed_body']],
]

for (const [encoding, cases] of [
  ['json', jsonCases],
  ['form', formCases],
] as const) {
  test(`${encoding} bodies are read or refused as the table says`, async (t) => {
    for (const [claim, body, expected] of cases) {
      await t.test(claim, () => assert.deepEqual(outcome(body, encoding), expected))
    }
  })
}

test('a problem of the whole body is said in a sentence, with the place where there is one', () => {
  const rows: [body: string, detail: string][] = [
    ['', 'The body is empty.'],
    ['[1]', 'The body is not a JSON object.'],
    ['{"a":1 "b":2}', 'The body is not valid JSON: see character 8.'],
    ['{"a":secret}', 'The body is not valid JSON.'],
    ['\ufeff{}', 'The body starts with a byte order mark.'],
  ]
  for (const [body, detail] of rows) assert.equal(parseFlat(bytes(body), 'json').problems[0]?.detail, detail)
})

test('a view into a larger buffer is read within its own bounds', () => {
  const shared = bytes('xx{"a":"1"}yy')
  assert.deepEqual(outcome(shared.subarray(2, -2), 'json'), { a: '1' })
})

test('a form of a page may hold tabs and line breaks, and no other control character', () => {
  const { fields, problems } = parseFlat(bytes('note=a%0D%0Ab%09c&odd=%00&half=%ED%A0%80'), 'form', {
    takesLines: true,
  })
  assert.deepEqual([...fields], [['note', 'a\r\nb\tc']])
  assert.deepEqual(
    problems.map(({ code, pointer }) => `${code} ${pointer}`),
    ['malformed_body #/half', 'control_character #/odd'],
  )
})

test('names are shown short and printable, values never', () => {
  assert.equal(pointerTo('x'.repeat(1000)), `#/${'x'.repeat(64)}`)
  assert.equal(pointerTo('a\u0000\u001b[31m\u202eb\u2028\ud800'), '#/a[31mb')
  assert.equal(pointerTo(`${'x'.repeat(63)}😀`), `#/${'x'.repeat(63)}`)
  const secret = 's3cr3t'
  for (const body of [
    `{"a":"${secret}\n","a":"${secret}"}`,
    `{"a":["${secret}"]}`,
    `{"a":"${secret}`,
    `{"a":${secret}}`,
  ]) {
    assert.ok(!JSON.stringify(parseFlat(bytes(body), 'json').problems).includes(secret))
  }
  assert.ok(!JSON.stringify(parseFlat(bytes(`a=${secret}%zz`), 'form').problems).includes(secret))
})

const clean = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text))
const flat = fc.dictionary(clean, fc.oneof(clean, fc.maxSafeInteger()), { maxKeys: 20 })
const asTexts = (object: Record<string, string | number>) =>
  Object.entries(object).map(([name, value]) => [name, String(value)])
const texts = (body: string, encoding: 'json' | 'form') => {
  const { fields, problems } = parseFlat(bytes(body), encoding)
  assert.deepEqual(problems, [])
  return [...fields]
}

test('a flat object written by JSON.stringify is read back, with its types', () => {
  fc.assert(
    fc.property(flat, (object) => {
      assert.deepEqual(texts(JSON.stringify(object), 'json'), asTexts(object))
      const { fields, numbers } = parseFlat(bytes(JSON.stringify(object)), 'json')
      for (const name of fields.keys()) assert.equal(numbers.has(name), typeof object[name] === 'number')
    }),
  )
})

test('whitespace and escapes do not change what is read', () => {
  const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n'), maxLength: 3 })
  const escapeAll = (text: string) =>
    text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  fc.assert(
    fc.property(flat, space, space, fc.boolean(), (object, a, b, escaped) => {
      const string = (text: string) => (escaped ? `"${escapeAll(text)}"` : JSON.stringify(text))
      const members = Object.entries(object).map(
        ([name, value]) =>
          `${a}${string(name)}${b}:${a}${typeof value === 'string' ? string(value) : value}${b}`,
      )
      assert.deepEqual(texts(`${b}{${members.join(',') || a}}${a}`, 'json'), asTexts(object))
    }),
  )
})

test('a form is read like the JSON of the same fields', () => {
  fc.assert(
    fc.property(flat, (object) => {
      const form = new URLSearchParams(asTexts(object) as [string, string][]).toString()
      if (form === '') return // No field at all: an empty body is refused.
      assert.deepEqual(texts(form, 'form'), texts(JSON.stringify(object), 'json'))
    }),
  )
})

test('bytes of any kind are answered, never thrown at', () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0a1-.eE+ntf&=% \n'), maxLength: 60 }).map(bytes),
  )
  fc.assert(
    fc.property(anything, fc.constantFrom('json' as const, 'form' as const), (body, encoding) => {
      const { problems } = parseFlat(body, encoding)
      for (const { detail } of problems) assert.match(detail, /^[^\p{Cc}]+\.$/u)
    }),
    { numRuns: 2000 },
  )
})

test('the parser and JSON.parse agree on what is JSON, whatever is cut, doubled or replaced', () => {
  const source = fc.oneof(
    fc.json({ maxDepth: 3 }),
    flat.map((object) => JSON.stringify(object)),
  )
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(2),
    put: fc.string({ unit: fc.constantFrom(...'{}[]":,\\u01-.e+nt '), maxLength: 2 }),
  })
  fc.assert(
    fc.property(source, fc.option(edit, { nil: undefined }), (json, change) => {
      const at = Math.floor((change?.at ?? 0) * json.length)
      const text = change ? json.slice(0, at) + change.put + json.slice(at + change.cut) : json
      const { fields, numbers, problems } = parseFlat(bytes(text.toWellFormed()), 'json')
      let value: unknown
      try {
        value = JSON.parse(text.toWellFormed())
      } catch {
        return assert.notDeepEqual(problems, []) // No JSON is never accepted.
      }
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
      const isMalformed = problems.some(({ code }) => code === 'malformed_body')
      assert.equal(isMalformed, !isObject) // And JSON is refused for its meaning only.
      if (problems.length > 0) return
      const entries = [...fields].map(([name, text]) => [name, numbers.has(name) ? Number(text) : text])
      assert.deepEqual(Object.fromEntries(entries), { ...(value as object) })
    }),
    { numRuns: 3000 },
  )
})

/** Where names are repeated, as the refusal says. */
function repeatedNames(text: string): string[] {
  try {
    parseJson(Buffer.from(text))
    return []
  } catch (error) {
    assert.equal((error as Refusal).code, 'duplicate_field')
    return (error as Refusal).details.errors!.map(({ pointer }) => pointer)
  }
}

for (const [title, text, pointers] of [
  [
    'in an object of an array',
    '{"transfers":[{"id":"1"},{"id":"2","cents":1,"id":"3"}]}',
    ['#/transfers/1/id'],
  ],
  ['deep inside', '{"a":{"b":[[{"c":{"d":1,"d":1}}]]}}', ['#/a/b/0/0/c/d']],
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
    assert.deepEqual(repeatedNames(text), pointers)
  })
}

test('a body that is nested more deeply than any of ours is refused', () => {
  const nested = (depth: number) => Buffer.from(`${'{"a":['.repeat(depth / 2)}0${']}'.repeat(depth / 2)}`)
  assert.ok(parseJson(nested(32)))
  assert.ok(parseJson(Buffer.from(`[${'[],'.repeat(100)}{}]`)))
  assert.throws(() => parseJson(nested(34)), { code: 'malformed_body' })
})

test('a name that is repeated very often is reported once', () => {
  const text = `{${Array.from({ length: bounds.jsonValues - 1 }, () => '"a":1').join()}}`
  assert.deepEqual(repeatedNames(text), ['#/a'])
})

test('only a limited number of repeated names is reported', () => {
  const text = `{${Array.from({ length: 500 }, (_, n) => `"a${n % 250}":1`).join()}}`
  assert.equal(repeatedNames(text).length, 100)
})

test('JSON.stringify writes no repeated name, and an added duplicate is found', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, nth) => {
      const text = JSON.stringify(value)
      assert.deepEqual(repeatedNames(text), [])
      const names = Object.keys(value)
      if (names.length === 0) return
      const name = JSON.stringify(names[nth % names.length])
      const twice = `${text.slice(0, -1)},${name}:0}`
      assert.equal(repeatedNames(twice).length, 1)
    }),
  )
})

test('four million characters are read or refused, whatever they are', () => {
  assert.ok(parseJson(Buffer.from(JSON.stringify('\\"'.repeat(1_000_000)))))
  for (const text of [
    `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`,
    JSON.stringify({ transfers: Array.from({ length: 100_000 }, (_, id) => ({ id, a: '"\\' })) }),
  ])
    assert.throws(() => parseJson(Buffer.from(text)), { code: 'malformed_body' })
})
