// The signing rule against the published vectors, against forgers (every other reading of a signed text),
// and against the client, whose requests a small gateway here verifies as the real one does.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CallbackEvent, Inlet, InletError, type NewDeposit, readCallback } from './client.ts'
import { eventTypes } from './event-types.ts'
import {
  matchesAny,
  matchesHex,
  type Operation,
  parseSignatureHeader,
  returnString,
  separatorProblem,
  signatureString,
  signCallback,
  signedFields,
  signLiteral,
  signReturn,
  signV2,
  v2String,
  verifyCallback,
} from './signature.ts'

type Sent = Record<string, string | number>
type Literal = {
  name: string
  secret: string
  operation: Operation
  fields: Sent
  string: string
  signature: string
}
type V2 = {
  name: string
  secret: string
  kid: string
  t: number
  method: string
  target: string
  body: string
} & {
  body_bytes: number
  sha256: string
  string: string
  signature: string
  header: string
}
type Callback = {
  name: string
  secret: string
  id: string
  timestamp: number
  body: string
  signature: string
}
type Return = {
  secret: string
  id: string
  order_id: string
  state: string
  ts: number
  string: string
  signature: string
}
type Variant = { name: string; fields: Sent; signature: string | null }
const vectors: {
  literal: Literal[]
  v2: V2[]
  callback: Callback[]
  return: Return[]
  must_pass: Variant[]
  must_fail: Variant[]
  separator: { value: string; refused: boolean }[]
} = JSON.parse(readFileSync(new URL('../test/vectors/signature.json', import.meta.url), 'utf8'))

const bytes = (text: string) => new TextEncoder().encode(text)
const asText = (fields: Sent) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))

test('literal vectors hold, from an object and from a map', () => {
  for (const { name, secret, operation, fields, string, signature } of vectors.literal) {
    const values = asText({ ...fields, signature: 'never a part of the string' })
    assert.equal(signatureString(operation, values), string, name)
    assert.equal(signatureString(operation, new Map(Object.entries(values).reverse())), string, name)
    assert.equal(signLiteral(secret, operation, values), signature, name)
    assert.deepEqual(parseSignatureHeader(signature), { scheme: 'literal', hex: signature }, name)
    assert.ok(matchesAny(['another secret', secret], string, signature), name)
  }
})

test('v2 vectors hold', () => {
  for (const vector of vectors.v2) {
    const { secret, kid, t, signature: hex } = vector
    const body = bytes(vector.body)
    assert.equal(body.length, vector.body_bytes, vector.name)
    assert.equal(v2String({ ...vector, body }), vector.string, vector.name)
    assert.ok(vector.string.endsWith(vector.sha256), vector.name)
    assert.equal(signV2({ ...vector, body }), vector.header, vector.name)
    assert.deepEqual(parseSignatureHeader(vector.header), { scheme: 'v2', t, kid, hex }, vector.name)
    assert.ok(matchesHex(secret, vector.string, hex), vector.name)
  }
})

test('callback and return vectors hold', () => {
  for (const { name, secret, id, timestamp, body, signature } of vectors.callback) {
    assert.equal(signCallback({ secrets: [secret], id, timestamp, body: bytes(body) }), signature, name)
    const received = { secrets: [secret], id, timestamp: String(timestamp), signature, body, now: timestamp }
    assert.ok(verifyCallback(received), name)
    // The last digit has two spare bits: M and N decode to the same bytes, and only one is the spelling.
    assert.ok(!verifyCallback({ ...received, signature: signature.replace(/M=$/, 'N=') }), name)
  }
  for (const { secret, order_id: orderId, string, signature, ...rest } of vectors.return) {
    assert.equal(returnString({ ...rest, orderId }), string)
    assert.equal(signReturn({ ...rest, secret, orderId }), signature)
  }
})

test('variants of vector 1 pass and fail as listed', () => {
  const { secret, operation } = vectors.literal[0]!
  const passes = ({ fields, signature }: Variant) => {
    const message = signatureString(operation, asText(fields))
    const parsed = parseSignatureHeader(signature ?? '')
    assert.equal(
      matchesHex(secret, message, signature ?? ''),
      parsed !== null && matchesHex(secret, message, parsed.hex),
    )
    return matchesAny([secret], message, signature ?? '')
  }
  for (const variant of vectors.must_pass) assert.equal(passes(variant), true, variant.name)
  for (const variant of vectors.must_fail) assert.equal(passes(variant), false, variant.name)
})

test('a value that could move a boundary is refused before signing, by name', () => {
  for (const { value, refused } of vectors.separator) {
    assert.equal(separatorProblem(value), refused, value)
    const sign = () =>
      signLiteral('secret', 'create', { ...asText(vectors.literal[0]!.fields), customer: value })
    if (refused) assert.throws(sign, /^Error: customer contains/)
    else assert.match(sign(), /^[0-9a-f]{64}$/)
  }
})

test('an empty secret, key list or callback secret never signs and never matches', () => {
  assert.throws(() => signLiteral('', 'limit', { merchant: 'm' }), /empty/)
  assert.equal(matchesAny([], 'text', '0'.repeat(64)), false)
  const call = { id: 'a', timestamp: 1, body: '' }
  for (const secrets of [
    [],
    [''],
    ['whsec_'],
    ['whsec_AAAA'],
    [`whsec_${'!'.repeat(40)}`],
    ['A'.repeat(44)],
  ]) {
    assert.throws(() => signCallback({ ...call, secrets }), /callback secret/)
    assert.throws(
      () => verifyCallback({ ...call, secrets, timestamp: '1', signature: 'v1,', now: 1 }),
      /callback secret/,
    )
  }
})

// ---- No two requests with different meaning share a string ----

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const currencies = ['RUB', 'UZS', 'KZT', 'TJS']
const directTypes = ['any_bank', 'sbp', 'bankx', 'account_number']
type Rule = (value: string) => boolean
const matches = (pattern: RegExp) => (value: string) => pattern.test(value)
const oneOf = (values: string[]) => (value: string) => values.includes(value)
const optional = (rule: Rule) => (value: string | undefined) =>
  value === undefined || value === '' || rule(value)
const required = (rule: Rule) => (value: string | undefined) => value !== undefined && rule(value)
const text: Rule = (value) => value.length >= 1 && value.length <= 128
// Looser than the server's own check of addresses, so what holds here holds there.
const url = matches(/^https?:\/\//i)
const cents = matches(/^[1-9][0-9]{0,14}$/)

/** The closed grammar (security-and-reliability.md, 1.2), field by field in signing order. */
const grammar: Record<Operation, Record<string, (value: string | undefined) => boolean>> = {
  create: {
    callback_url: optional(url),
    cents: required(cents),
    currency: required(oneOf(currencies)),
    customer: required(text),
    customer_phone_number: optional(matches(/^\+?[0-9]{7,15}$/)),
    merchant: required(matches(uuid)),
    order_id: required(text),
    payment_type: required(oneOf(directTypes)),
    reject_url: optional(url),
    success_url: optional(url),
  },
  build: {
    callback_url: optional(url),
    cents: required(cents),
    currency: required(oneOf(['RUB', 'UZS'])),
    customer: optional(text),
    merchant: required(matches(uuid)),
    order_id: required(text),
    payment_type: required(oneOf(['uzs_select'])),
    reject_url: optional(url),
    success_url: optional(url),
  },
  limit: {
    currency: optional(oneOf(currencies)),
    merchant: required(matches(uuid)),
    payment_type: optional(oneOf([...directTypes, 'uzs_select'])),
    timestamp: required(matches(/^[0-9]{1,12}$/)),
  },
}

type Reading = { operation: Operation; values: Record<string, string> }

/**
 * Every request whose signature string is this text: each field absent or ending at any `::`, also at one
 * that overlaps another. It presumes nothing about how a text splits, so it finds what a forger could.
 */
function readings(signed: string, separatorsRefused = true): Reading[] {
  const found: Reading[] = []
  for (const operation of Object.keys(signedFields) as Operation[]) {
    const names: readonly string[] = signedFields[operation]
    const read = (index: number, rest: string | undefined, values: Record<string, string>): void => {
      const name = names[index]
      if (name === undefined) {
        if (rest === undefined) found.push({ operation, values })
        return
      }
      const accepts = grammar[operation][name]!
      if (accepts(undefined)) read(index + 1, rest, values)
      if (rest === undefined) return
      for (let end = rest.indexOf('::'); ; end = rest.indexOf('::', end + 1)) {
        const value = end < 0 ? rest : rest.slice(0, end)
        if (accepts(value) && !(separatorsRefused && separatorProblem(value))) {
          read(index + 1, end < 0 ? undefined : rest.slice(end + 2), { ...values, [name]: value })
        }
        if (end < 0) return
      }
    }
    read(0, signed, {})
  }
  return found
}

/** What the gateway does for a request: an empty optional value is treated as absent. */
function meaning({ operation, values }: Reading, swapReturn = false): string {
  const { reject_url: reject, success_url: success, ...rest } = values
  const returns = swapReturn
    ? { reject_url: success, success_url: reject }
    : { reject_url: reject, success_url: success }
  const sent = Object.entries({ ...rest, ...returns }).filter(([, value]) => value)
  return JSON.stringify([operation, sent.sort()])
}

const isUnsent = (value: string | undefined) => value === undefined || value === ''
const sendsOneReturn = ({ values }: Reading) => isUnsent(values.reject_url) !== isUnsent(values.success_url)

const uuids = fc.uuid()
const cleanText = (max: number) =>
  fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: max }),
      fc.string({ unit: fc.constantFrom(':', ':', 'a', '1', '+', '/', ' '), minLength: 1, maxLength: 12 }),
    )
    .filter((value) => value.length <= max && !separatorProblem(value))
const phones = fc.stringMatching(/^\+?[0-9]{7,15}$/)
const amounts = fc.stringMatching(/^[1-9][0-9]{0,14}$/)
const urls = fc
  .tuple(
    fc.constantFrom('https://', 'http://'),
    fc.constantFrom('shop.example', 'a:8443', '[2001:db8:0:1:1:1:1:1]'),
    cleanText(20),
  )
  .map(([scheme, host, path]) => `${scheme}${host}/${path}`)
// Customers and orders are free text, so a forger chooses them to look like any other field.
const freeText = fc.oneof(
  cleanText(128),
  phones,
  amounts,
  urls,
  uuids,
  fc.constantFrom(...currencies, ...directTypes, 'uzs_select', 'return'),
)
const maybe = (value: fc.Arbitrary<string>) =>
  fc.option(fc.oneof({ weight: 4, arbitrary: value }, fc.constant('')), { nil: undefined })
const generated = {
  create: fc.record({
    callback_url: maybe(urls),
    cents: amounts,
    currency: fc.constantFrom(...currencies),
    customer: freeText,
    customer_phone_number: maybe(phones),
    merchant: uuids,
    order_id: freeText,
    payment_type: fc.constantFrom(...directTypes),
    reject_url: maybe(urls),
    success_url: maybe(urls),
  }),
  build: fc.record({
    callback_url: maybe(urls),
    cents: amounts,
    currency: fc.constantFrom('RUB', 'UZS'),
    customer: maybe(freeText),
    merchant: uuids,
    order_id: freeText,
    payment_type: fc.constant('uzs_select'),
    reject_url: maybe(urls),
    success_url: maybe(urls),
  }),
  limit: fc.record({
    currency: maybe(fc.constantFrom(...currencies)),
    merchant: uuids,
    payment_type: maybe(fc.constantFrom(...directTypes, 'uzs_select')),
    timestamp: fc.stringMatching(/^[0-9]{1,12}$/),
  }),
} satisfies Record<Operation, fc.Arbitrary<Record<string, string | undefined>>>

for (const operation of Object.keys(generated) as Operation[]) {
  test(`a signed ${operation} has no other reading, save reject_url for success_url`, () => {
    const requests: fc.Arbitrary<Record<string, string | undefined>> = generated[operation]
    fc.assert(
      fc.property(requests, (request) => {
        const values = JSON.parse(JSON.stringify(request)) // Without the undefined ones.
        const own: Reading = { operation, values }
        const all = readings(signatureString(operation, values))
        assert.ok(
          all.some((reading) => JSON.stringify(reading) === JSON.stringify(own)),
          'its own reading is found',
        )
        for (const other of all) {
          if (meaning(other) === meaning(own)) continue
          assert.ok(operation !== 'limit' && sendsOneReturn(own), `another request: ${JSON.stringify(other)}`)
          assert.equal(meaning(other), meaning(own, true))
        }
      }),
      { numRuns: 3000 },
    )
  })
}

test("the browser's return reads as no request, whatever the order id", () => {
  const state = fc.constantFrom('confirmed', 'rejected', 'canceled', 'expired')
  const order = fc.oneof(
    freeText,
    fc.array(freeText, { minLength: 1, maxLength: 9 }).map((parts) => parts.join('::')),
  )
  fc.assert(
    fc.property(uuids, order, state, fc.nat(), (id, orderId, state, ts) => {
      assert.deepEqual(readings(returnString({ id, orderId, state, ts })), [])
    }),
    { numRuns: 1000 },
  )
})

test('the enumeration has teeth: with separators allowed it finds the forged phone number', () => {
  const values = { ...asText(vectors.literal[0]!.fields), customer: 'bob::+79991234567' }
  const forged = readings(signatureString('create', values), false)
  assert.ok(
    forged.some((reading) => reading.values.customer === 'bob' && reading.values.customer_phone_number),
  )
})

test('over all presence sets only the return addresses can trade places', () => {
  const kinds: Record<string, string> = {
    cents: 'digits',
    customer_phone_number: 'digits',
    customer: 'any',
    order_id: 'any',
  }
  const kind = (operation: Operation, name: string) =>
    name === 'payment_type' ? `${operation} type` : name.endsWith('_url') ? 'url' : (kinds[name] ?? name)
  const presenceSets = (operation: Operation) => {
    let sets: string[][] = [[]]
    for (const name of signedFields[operation]) {
      const without = grammar[operation][name]!(undefined) ? sets : []
      sets = [...sets.map((set) => [...set, name]), ...without]
    }
    return sets
  }
  const collisions = (left: Operation, right: Operation, typed: boolean) =>
    presenceSets(left).flatMap((a, i) =>
      presenceSets(right).filter((b, j) => {
        if ((left === right && j <= i) || a.length !== b.length) return false
        const kindsOf = (at: number) => [kind(left, a[at]!), kind(right, b[at]!)]
        return !typed || a.every((_, at) => kindsOf(at).includes('any') || new Set(kindsOf(at)).size === 1)
      }),
    ).length
  const rows: [Operation, Operation, untyped: number, typed: number][] = [
    ['create', 'create', 27, 4],
    ['build', 'build', 27, 4],
    ['create', 'build', 56, 0],
  ]
  for (const [left, right, untyped, typed] of rows) {
    assert.equal(collisions(left, right, false), untyped)
    assert.equal(collisions(left, right, true), typed)
  }
})

// ---- Headers, round trips ----

const hex64 = fc.stringMatching(/^[0-9a-f]{64}$/)
const kids = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/)
const times = fc.integer({ min: 0, max: 999_999_999_999 })

test('a signature header has one spelling per scheme', () => {
  const hex = 'a'.repeat(64)
  const rows: [header: string, isAccepted: boolean][] = [
    [hex, true],
    [hex.toUpperCase(), true],
    [`t=1,kid=k,v2=${hex}`, true],
    [`${hex}\n`, false],
    [` ${hex}`, false],
    [`${hex},${hex}`, false],
    [`v2=${hex}`, false],
    [`t=1,v2=${hex}`, false],
    [`kid=k,t=1,v2=${hex}`, false],
    [`t=1, kid=k, v2=${hex}`, false],
    [`t=1,kid=k,v2=${hex},v2=${hex}`, false],
    [`t=-1,kid=k,v2=${hex}`, false],
    [`t=1e3,kid=k,v2=${hex}`, false],
    [`t=1234567890123,kid=k,v2=${hex}`, false],
    [`t=1,kid=,v2=${hex}`, false],
    [`t=1,kid=${'k'.repeat(65)},v2=${hex}`, false],
    [`t=1,kid=k,v2=${hex.slice(1)}`, false],
    [`t=1,kid=k,v1=${hex}`, false],
    ['', false],
  ]
  for (const [header, isAccepted] of rows)
    assert.equal(parseSignatureHeader(header) !== null, isAccepted, header)
})

test('the header parser answers any text and never throws', () => {
  const near = fc.tuple(times, kids, hex64, fc.nat(120), fc.string({ unit: 'binary', maxLength: 2 }))
  const edited = near.map(([t, kid, hex, at, put]) => {
    const header = `t=${t},kid=${kid},v2=${hex}`
    return header.slice(0, at) + put + header.slice(at + 1)
  })
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), edited), (header) => {
      const parsed = parseSignatureHeader(header)
      if (parsed?.scheme === 'v2') assert.ok(Number.isSafeInteger(parsed.t))
      if (parsed) assert.equal(parsed.hex.length, 64)
    }),
    { numRuns: 2000 },
  )
})

/** Another text: one character replaced, inserted or removed. */
const changed = (original: string, at: number, put: string) => {
  const place = at % (original.length + 1)
  const result = original.slice(0, place) + put + original.slice(place + 1)
  return result.toLowerCase() === original.toLowerCase() ? `${original}x` : result
}
const puts = fc.constantFrom('', '0', 'a', 'f', 'z', ':', '\n', '0a')

test('a literal signature holds for its string and for nothing one character away', () => {
  fc.assert(
    fc.property(generated.create, fc.string({ minLength: 1 }), fc.nat(), puts, (request, secret, at, put) => {
      const message = signatureString('create', request)
      const hex = signLiteral(secret, 'create', request)
      assert.ok(matchesHex(secret, message, hex) && matchesHex(secret, message, hex.toUpperCase()))
      assert.ok(!matchesHex(secret, message, changed(hex, at, put)))
      assert.ok(!matchesHex(secret, changed(message, at, put), hex))
      assert.ok(!matchesHex(`${secret}x`, message, hex))
      assert.ok(matchesAny([`${secret}x`, secret, `${secret}y`], message, hex))
      assert.ok(!matchesAny([`${secret}x`, `${secret}y`], message, hex))
    }),
  )
})

test('a v2 signature holds for its time, method, target and bytes only', () => {
  const bodies = fc.uint8Array({ maxLength: 50 })
  const targets = fc.webPath().map((path) => `/${path}`)
  fc.assert(
    fc.property(times, kids, targets, bodies, fc.nat(), puts, (t, kid, target, body, at, put) => {
      const request = { t, method: 'POST', target, body }
      const parsed = parseSignatureHeader(signV2({ ...request, secret: 's', kid }))
      assert.ok(parsed?.scheme === 'v2' && parsed.t === t && parsed.kid === kid)
      const holds = (other: object) => matchesHex('s', v2String({ ...request, ...other }), parsed.hex)
      assert.ok(holds({}))
      assert.ok(!holds({ t: t + 1 }))
      assert.ok(!holds({ method: 'GET' }))
      assert.ok(!holds({ target: changed(target, at, put) }))
      assert.ok(!holds({ body: Uint8Array.of(...body, 0) }))
      assert.ok(!matchesHex('s', v2String(request), changed(parsed.hex, at, put)))
    }),
  )
  assert.throws(
    () => signV2({ t: 1.5, method: 'GET', target: '/', body: bytes(''), secret: 's', kid: 'k' }),
    /unix seconds/,
  )
  assert.throws(
    () => signV2({ t: 1, method: 'GET', target: '/', body: bytes(''), secret: 's', kid: 'a,b' }),
    /kid/,
  )
})

const whsec = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`

test('a callback holds for its id, time and bytes, within the tolerance, under any live secret', () => {
  fc.assert(
    fc.property(
      fc.uuid(),
      times,
      fc.string({ unit: 'grapheme' }),
      fc.nat(),
      puts,
      (id, timestamp, body, at, put) => {
        const signature = signCallback({ secrets: [whsec(1), whsec(2)], id, timestamp, body })
        const genuine = {
          secrets: [whsec(2)],
          id,
          timestamp: String(timestamp),
          signature,
          body,
          now: timestamp,
        }
        assert.ok(verifyCallback(genuine))
        assert.ok(verifyCallback({ ...genuine, secrets: [whsec(3), whsec(1)], body: bytes(body) }))
        const single = signCallback({ secrets: [whsec(2)], id, timestamp, body })
        const forgeries = [
          { secrets: [whsec(3)] },
          { id: changed(id, at, put) },
          { id: undefined },
          { timestamp: String(timestamp + 1) },
          { timestamp: `${timestamp}.` },
          { body: changed(body, at, put) },
          { signature: changed(single, at, put) },
          { signature: single.replace('v1,', 'v1a,') },
          { signature: '' },
          { signature: null },
          { now: timestamp + 301 },
          { now: timestamp - 301 },
          { now: Number.NaN },
        ]
        for (const forgery of forgeries)
          assert.ok(!verifyCallback({ ...genuine, ...forgery }), JSON.stringify(forgery))
        assert.ok(
          verifyCallback({ ...genuine, now: timestamp + 300 }) &&
            verifyCallback({ ...genuine, now: timestamp - 300 }),
        )
      },
    ),
  )
})

// ---- The client, against a gateway that checks signatures ----

const merchant = '3f0c9a52-7d1e-4b86-9c2a-5e8f1d20b647'
const secret = 'test_secret_0123456789abcdef'
const deposit: NewDeposit = {
  order_id: 'A-1',
  cents: 150000n,
  currency: 'RUB',
  payment_type: 'sbp',
  customer: 'Фарҳод',
}

/** Answers 200 with what it verified, or the 401 of the contract. */
async function withGateway(run: (baseUrl: string) => Promise<void>): Promise<void> {
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const target = request.url!
    const parsed = parseSignatureHeader(String(request.headers['x-signature']))
    const fields: Sent =
      body.length > 0
        ? JSON.parse(body.toString())
        : Object.fromEntries(new URL(target, 'http://x').searchParams)
    const message =
      parsed?.scheme === 'v2'
        ? v2String({ t: parsed.t, method: request.method!, target, body })
        : signatureString(body.length > 0 ? 'create' : 'limit', asText(fields))
    if (fields.customer === 'html') {
      return void response.writeHead(502, { 'retry-after': 'Mon, 16 Nov 2026 08:00:00 GMT' }).end('<html>')
    }
    if (fields.customer === 'crowd') {
      const busy = { code: 'overloaded', detail: 'Wait.', retryable: true }
      return void response.writeHead(503, { 'retry-after': '7' }).end(JSON.stringify(busy))
    }
    if (parsed && matchesHex(secret, message, parsed.hex)) {
      return void response.end(
        JSON.stringify({ scheme: parsed.scheme, method: request.method, target, fields }),
      )
    }
    const problem = {
      code: 'signature_invalid',
      detail: 'Wrong.',
      retryable: false,
      request_id: 'req_1',
      errors: [],
    }
    response.writeHead(401, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  try {
    await run(`http://127.0.0.1:${address.port}`)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

test('requests of the client verify, in both schemes', () =>
  withGateway(async (baseUrl) => {
    const now = () => 1794700000
    const literal = new Inlet({ baseUrl, merchant, secret, now, keyId: undefined, timeoutMs: undefined })
    const v2 = new Inlet({ baseUrl: `${baseUrl}/`, merchant, secret, keyId: 'key_1', now })
    const fields = { ...deposit, cents: 150000, merchant }
    const target = '/api/v1/requests/deposit/create'
    assert.deepEqual(await literal.createDeposit({ ...deposit, reject_url: undefined }), {
      scheme: 'literal',
      method: 'POST',
      target,
      fields,
    })
    assert.deepEqual(await v2.createDeposit(deposit), { scheme: 'v2', method: 'POST', target, fields })
    const separated = await v2.createDeposit({ ...deposit, order_id: 'A::1' })
    assert.equal((separated as unknown as { fields: Sent }).fields.order_id, 'A::1')
    const answers = [
      [
        await literal.limits({ currency: 'RUB' }),
        'literal',
        `/api/v1/requests/limit?currency=RUB&merchant=${merchant}&timestamp=1794700000`,
      ],
      [await v2.limits(), 'v2', `/api/v1/requests/limit?merchant=${merchant}`],
      [await v2.deposit('a/b'), 'v2', '/api/v1/requests/deposit/a%2Fb'],
      [await v2.depositByOrder('A 1&b=я'), 'v2', '/api/v1/requests/deposit?order_id=A+1%26b%3D%D1%8F'],
      [
        await v2.deposits({ state: 'confirmed', limit: 200 }),
        'v2',
        '/api/v1/requests/deposits?state=confirmed&limit=200',
      ],
    ] as const
    for (const [answer, scheme, target] of answers)
      assert.partialDeepStrictEqual(answer as object, { scheme, target })
    const further = [
      [await v2.cancelDeposit('a/b'), 'POST', '/api/v1/requests/deposit/a%2Fb/cancel'],
      [await v2.events(), 'GET', '/api/v1/events?after=0'],
      [await v2.events(27), 'GET', '/api/v1/events?after=27'],
      [await v2.callbacks(), 'GET', '/api/v1/callbacks'],
      [await v2.callbacks({ state: 'failed', before: 9 }), 'GET', '/api/v1/callbacks?state=failed&before=9'],
      [await v2.replayCallback('../x'), 'POST', '/api/v1/callbacks/..%2Fx/replay'],
    ] as const
    for (const [answer, method, target] of further)
      assert.partialDeepStrictEqual(answer as object, { scheme: 'v2', method, target })
  }))

test('the client reports its own failures and the gateway’s refusals as errors with a reason', () =>
  withGateway(async (baseUrl) => {
    const inlet = new Inlet({ baseUrl, merchant, secret })
    await assert.rejects(
      inlet.createDeposit({ ...deposit, customer: 'bob::+79990000000' }),
      /^Error: customer contains/,
    )
    await assert.rejects(inlet.createDeposit({ ...deposit, cents: 1.5 }), TypeError)
    for (const call of [
      inlet.deposit('x'),
      inlet.cancelDeposit('x'),
      inlet.events(),
      inlet.callbacks(),
      inlet.replayCallback('x'),
    ])
      await assert.rejects(call, /needs a v2 signature/)
    const refused = new Inlet({ baseUrl, merchant, secret: 'wrong' }).createDeposit(deposit)
    await assert.rejects(refused, {
      name: 'InletError',
      code: 'signature_invalid',
      status: 401,
      retryable: false,
      requestId: 'req_1',
      message: 'Wrong.',
    })
    await assert.rejects(inlet.createDeposit({ ...deposit, customer: 'html' }), {
      code: 'unexpected_answer',
      status: 502,
      retryable: true,
      retryAfter: undefined,
    })
    await assert.rejects(inlet.createDeposit({ ...deposit, customer: 'crowd' }), {
      code: 'overloaded',
      retryable: true,
      retryAfter: 7,
    })
    const nobody = new Inlet({ baseUrl: 'http://127.0.0.1:1', merchant, secret })
    await assert.rejects(nobody.createDeposit(deposit), { code: 'unreachable', status: 0, retryable: true })
    assert.throws(() => new Inlet({ baseUrl, merchant, secret: '' }), TypeError)
  }))

test('a callback is handed out only when signature, order, amount and currency are right', async () => {
  const data = { external_id: 'A-1', state: 'confirmed', amount_cents: 150000, amount_currency: 'RUB' }
  const body = JSON.stringify({ type: 'deposit.confirmed', id: 'e1', sequence: 1, data })
  const signature = signCallback({ secrets: [whsec(1)], id: 'e1', timestamp: 1000, body })
  const headers = { 'webhook-id': 'e1', 'webhook-timestamp': '1000', 'webhook-signature': signature }
  const call = { headers, body, secrets: [whsec(1)], now: 1000 }
  const expected = async (orderId: string) =>
    orderId === 'A-1' ? { cents: 150000n, currency: 'RUB' } : undefined
  const { event, paid } = await readCallback({ ...call, expected })
  assert.equal(paid && event.data.external_id, 'A-1')
  assert.equal(
    (await readCallback({ ...call, headers: new Headers(headers), body: bytes(body), expected })).paid,
    true,
  )
  const rows = [
    [{ body: body.replace('150000', '150001') }, 'callback_signature_invalid'],
    [{ headers: {} }, 'callback_signature_invalid'],
    [{ now: 2000 }, 'callback_signature_invalid'],
    [{ expected: () => undefined }, 'callback_order_unknown'],
    [{ expected: () => null }, 'callback_order_unknown'],
    [{ expected: () => ({ cents: 200000, currency: 'RUB' }) }, 'callback_amount_differs'],
    [{ expected: () => ({ cents: 150000, currency: 'UZS' }) }, 'callback_amount_differs'],
  ] as const
  for (const [change, code] of rows) {
    await assert.rejects(
      readCallback({ ...call, expected, ...change }),
      (error) => error instanceof InletError && error.code === code,
    )
  }
})

test('a test call is an event of type test, and about no order: a receiver need not know it to answer 2xx', async () => {
  const event = { type: 'test', id: 'e1', timestamp: '2026-11-16T08:00:00.000Z', data: { merchant } }
  const body = JSON.stringify(event)
  const signature = signCallback({ secrets: [whsec(1)], id: 'e1', timestamp: 1000, body })
  const headers = { 'webhook-id': 'e1', 'webhook-timestamp': '1000', 'webhook-signature': signature }
  const expected = () => assert.fail('a test call has no order')
  const call = { headers, body, secrets: [whsec(1)], now: 1000, expected }
  assert.deepEqual(await readCallback(call), { event, paid: false })
  await assert.rejects(readCallback({ ...call, secrets: [whsec(2)] }), { code: 'callback_signature_invalid' })
})

test('the type of an event is open: the gateway may have one that this client does not know', () => {
  const later: CallbackEvent['type'] = 'deposit.of_the_future'
  assert.ok(!(eventTypes as readonly string[]).includes(later))
})
