/**
 * Signature confusions: one request that the merchant signed, and everything else that its signature could be used
 * for. The forger knows the signed text and its signature, never the secret.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Operation, signatureString, signedFields, signLiteral, signV2 } from '../../sdk/signature.ts'
import { attackedGateway } from '../support/attacked-gateway.ts'
import { attacksOf, fromAnywhere, inTurns, isWhole, many, pick, seed, seeded } from '../support/attempts.ts'
import {
  type Answer,
  call,
  createPath,
  type Fields,
  nowSeconds,
  openShop,
  type Shop,
  type TestGateway,
  textOf,
} from '../support/gateway.ts'
import { RawConnection } from '../support/raw-connection.ts'

const { attack, report } = attacksOf('signature confusion')
const random = seeded(seed)
const pathOf = (operation: string) => `/api/v1/requests/deposit/${operation}`
const json = { 'content-type': 'application/json' }

let gateway: TestGateway
let shop: Shop
let other: Shop
before(async () => {
  gateway = await attackedGateway()
  shop = await openShop(gateway)
  other = await openShop(gateway)
})

/** An answer that the forger did not want: a refusal of this request, and not of its sender or by a fault. */
function isThrough(name: string, { status, body }: Answer): boolean {
  assert.ok(status < 500 && status !== 429, `${name}: ${status} ${body.code}`)
  return status < 400
}

const send = (operation: string, headers: Record<string, string>, body: string | Buffer<ArrayBuffer>) =>
  call(gateway.url, pathOf(operation), { method: 'POST', headers: { ...fromAnywhere(), ...headers }, body })

const sendFields = (operation: string, fields: Fields, signature: string) =>
  send(operation, { ...json, 'x-signature': signature }, JSON.stringify(fields))

const optional = {
  create: ['callback_url', 'customer_phone_number', 'reject_url', 'success_url'],
  build: ['callback_url', 'customer', 'reject_url', 'success_url'],
} as const
type Flow = keyof typeof optional

const values: Record<string, string> = {
  callback_url: 'https://s.example/cb',
  customer_phone_number: '+79991234567',
  customer: 'customer-9',
  reject_url: 'https://s.example/no',
  success_url: 'https://s.example/ok',
}

/** All 16 ways to send or leave out the optional fields. */
const presences = (flow: Flow): string[][] =>
  Array.from({ length: 16 }, (_, bits) => optional[flow].filter((_name, place) => bits & (1 << place)))

function honest(flow: Flow, present: readonly string[]): Fields {
  const { customer, ...order } = shop.order(flow === 'build' ? { payment_type: 'uzs_select' } : {})
  const base: Fields = flow === 'build' ? order : { ...order, customer: customer! }
  return { ...base, ...Object.fromEntries(present.map((name) => [name, values[name]!])) }
}

const required = {
  create: ['cents', 'currency', 'customer', 'merchant', 'order_id', 'payment_type'],
  build: ['cents', 'currency', 'merchant', 'order_id', 'payment_type'],
}

/** The signed parts dealt out to other fields; `cut` says where a part ends, since a value may hold several. */
function reading(flow: Flow, present: readonly string[], parts: readonly string[], cut: () => number) {
  const names = signedFields[flow].filter((name) => required[flow].includes(name) || present.includes(name))
  const spare = parts.length - names.length
  if (spare < 0) return undefined
  const extra = names.map(() => 0)
  for (let left = spare; left > 0; left--) extra[Math.floor(cut() * names.length)]!++
  const fields: Fields = {}
  let at = 0
  for (const [place, name] of names.entries()) {
    fields[name] = parts.slice(at, at + 1 + extra[place]!).join('::')
    at += 1 + extra[place]!
  }
  return fields
}

const isSame = (left: Fields, right: Fields) =>
  Object.keys(left).length === Object.keys(right).length &&
  Object.entries(left).every(([name, value]) => String(right[name]) === String(value))

test('control: the honest request is taken, in each flow, with every set of optional fields', async () => {
  for (const flow of ['create', 'build'] as const)
    for (const present of isWhole ? presences(flow) : [[], [...optional[flow]]]) {
      const fields = honest(flow, present)
      const answer = await sendFields(flow, fields, signLiteral(shop.secret, flow, textOf(fields)))
      assert.equal(answer.status, 201, `${flow} ${present}: ${JSON.stringify(answer.body)}`)
    }
})

attack(
  'a signed text read as other fields: every pair of presences, in and across the flows',
  async (note) => {
    const jobs: { from: Flow; to: Flow; was: string[]; becomes: string[] }[] = []
    for (const from of ['create', 'build'] as const)
      for (const to of ['create', 'build'] as const)
        for (const was of presences(from))
          for (const becomes of presences(to)) jobs.push({ from, to, was, becomes })
    const chosen = isWhole ? jobs : jobs.filter(() => random() < 0.03)
    await inTurns(chosen, async ({ from, to, was, becomes }) => {
      const fields = honest(from, was)
      const text = signatureString(from, textOf(fields))
      const signature = signLiteral(shop.secret, from, textOf(fields))
      await sendFields(from, fields, signature)
      for (let round = 0; round < many(6, 2); round++) {
        const forged = reading(to, becomes, text.split('::'), random)
        if (!forged || (from === to && isSame(forged, fields))) continue
        const name = `${from}(${was}) as ${to}(${becomes}): ${JSON.stringify(forged)}`
        note(name, isThrough(name, await sendFields(to, forged, signature)))
      }
    })
  },
)

attack('the separator inside of values, and colons at their edges', async (note) => {
  const texts = ['bob::+79990000000', 'a:', ':a', 'a::b', 'a:::b', '::', ':', 'a::', '::a']
  for (const forged of texts.flatMap((text) => [{ customer: text }, { order_id: text }])) {
    const fields = { ...shop.order(), ...forged }
    // Signed over the very text, as a shop would that joins without looking.
    const text = signatureString('create', textOf(fields))
    const signature = createHmac('sha256', shop.secret).update(text).digest('hex')
    const name = JSON.stringify(forged)
    note(name, isThrough(name, await sendFields('create', fields, signature)))
  }
})

/** Small changes of a request whose signature is kept. */
const changes: Record<string, (fields: Fields) => Fields> = {
  'one more cent': (f) => ({ ...f, cents: Number(f.cents) + 1 }),
  'cents as a decimal': (f) => ({ ...f, cents: `${f.cents}.0` }),
  'cents with a sign': (f) => ({ ...f, cents: `+${f.cents}` }),
  'cents with a zero before': (f) => ({ ...f, cents: `0${f.cents}` }),
  'cents with a zero behind': (f) => ({ ...f, cents: `${f.cents}0` }),
  'cents with a space': (f) => ({ ...f, cents: ` ${f.cents}` }),
  'cents in other digits': (f) => ({ ...f, cents: '١٥٠٠٠٠' }),
  'cents in full width': (f) => ({ ...f, cents: '１５００００' }),
  'cents with an exponent': (f) => ({ ...f, cents: '15e4' }),
  'cents as hexadecimal': (f) => ({ ...f, cents: '0x249f0' }),
  'negative cents': (f) => ({ ...f, cents: -Number(f.cents) }),
  'currency in lower case': (f) => ({ ...f, currency: 'rub' }),
  'another currency': (f) => ({ ...f, currency: 'KZT' }),
  'currency with Cyrillic letters': (f) => ({ ...f, currency: 'RUВ' }),
  'customer in another case': (f) => ({ ...f, customer: 'Customer-1' }),
  'customer with a space': (f) => ({ ...f, customer: `${f.customer} ` }),
  'customer with a soft hyphen': (f) => ({ ...f, customer: `${f.customer}\u00ad` }),
  'customer with a zero-width space': (f) => ({ ...f, customer: `${f.customer}\u200b` }),
  'customer with a NUL': (f) => ({ ...f, customer: `${f.customer}\u0000` }),
  'another order': (f) => ({ ...f, order_id: `${f.order_id}x` }),
  'order in another case': (f) => ({ ...f, order_id: String(f.order_id).toUpperCase() }),
  'another type': (f) => ({ ...f, payment_type: 'sbp' }),
  'type in upper case': (f) => ({ ...f, payment_type: 'ACCOUNT_NUMBER' }),
  'another merchant': (f) => ({ ...f, merchant: other.merchant }),
  'merchant in upper case': (f) => ({ ...f, merchant: String(f.merchant).toUpperCase() }),
  'merchant in braces': (f) => ({ ...f, merchant: `{${f.merchant}}` }),
  'merchant without dashes': (f) => ({ ...f, merchant: String(f.merchant).replaceAll('-', '') }),
  'merchant with a space': (f) => ({ ...f, merchant: `${f.merchant} ` }),
  'an address more': (f) => ({ ...f, callback_url: 'https://evil.example/cb' }),
  'a return address more': (f) => ({ ...f, success_url: 'https://evil.example/' }),
  'a phone more': (f) => ({ ...f, customer_phone_number: '+79990000000' }),
  'an unknown field more': (f) => ({ ...f, merchant_id: other.merchant }),
  'a field named __proto__': (f) => JSON.parse(JSON.stringify(f).replace('{', '{"__proto__":"x",')),
  'a field named constructor': (f) => ({ ...f, constructor: 'x' }) as unknown as Fields,
  'no customer': ({ customer: _customer, ...f }) => f,
  'no merchant': ({ merchant: _merchant, ...f }) => f,
  'merchant and customer exchanged': (f) => ({ ...f, merchant: f.customer!, customer: f.merchant! }),
  'order and type exchanged': (f) => ({ ...f, order_id: f.payment_type!, payment_type: f.order_id! }),
}

attack('one value changed under its signature, in both encodings and both rules', async (note) => {
  for (const [what, change] of Object.entries(changes)) {
    const fields = shop.order()
    const forged = change(fields)
    const literal = signLiteral(shop.secret, 'create', textOf(fields))
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const v2 = signV2({
      ...{ secret: shop.secret, kid: shop.keyId, t: nowSeconds(), method: 'POST', target: createPath },
      body: Buffer.from(JSON.stringify(fields)),
    })
    const ways: [string, Record<string, string>, string][] = [
      ['JSON', { ...json, 'x-signature': literal }, JSON.stringify(forged)],
      ['form', { ...form, 'x-signature': literal }, String(new URLSearchParams(textOf(forged)))],
      ['in the body', json, JSON.stringify({ ...forged, signature: literal })],
      ['v2', { ...json, 'x-signature': v2 }, JSON.stringify(forged)],
    ]
    for (const [way, headers, body] of ways)
      note(`${what}, ${way}`, isThrough(what, await send('create', headers, body)))
  }
})

attack('bodies that two readers read differently', async (note) => {
  const order = shop.order()
  const text = JSON.stringify(order)
  const signature = signLiteral(shop.secret, 'create', textOf(order))
  const inside = text.slice(1, -1)
  const json = { 'content-type': 'application/json', 'x-signature': signature }
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-signature': signature }
  const encoded = String(new URLSearchParams(textOf(order)))
  const bodies: [string, Record<string, string>, string | Buffer<ArrayBuffer>][] = [
    ['a key twice, forged last', json, `{${inside},"cents":999999}`],
    ['a key twice, forged first', json, `{"cents":999999,${inside}}`],
    ['a key twice, once escaped', json, `{${inside},"\\u0063ents":999999}`],
    ['a key twice with the same value', json, `{${inside},"cents":150000}`],
    ['signature twice', json, `{${inside},"signature":"${signature}","signature":"${'f'.repeat(64)}"}`],
    ['an array around it', json, `[${text}]`],
    ['two documents', json, `${text}${text}`],
    ['a comment', json, `/* x */${text}`],
    ['a trailing comma', json, `{${inside},}`],
    ['a byte order mark', json, `\ufeff${text}`],
    ['UTF-16', json, Buffer.from(text, 'utf16le')],
    [
      'invalid UTF-8',
      json,
      Buffer.concat([Buffer.from(`{${inside},"customer":"`), Buffer.from([0xff, 0x22, 0x7d])]),
    ],
    ['cents as an array', json, text.replace('150000', '[150000]')],
    ['cents as an object', json, text.replace('150000', '{"$ne":1}')],
    ['customer as an array', json, text.replace('"customer-1"', '["customer-1"]')],
    ['null for a value', json, text.replace('"customer-1"', 'null')],
    ['true for a value', json, text.replace('"customer-1"', 'true')],
    ['a form said to be JSON', json, encoded],
    ['JSON said to be a form', form, text],
    ['a form key twice', form, `${encoded}&cents=999999`],
    ['a form key twice, first', form, `cents=999999&${encoded}`],
    ['a form key with brackets', form, `${encoded}&cents[]=999999`],
    ['a form key in another case', form, `${encoded}&Cents=999999`],
    ['a form with semicolons', form, `${encoded};cents=999999`],
    ['a broken escape', form, `${encoded}&customer_phone_number=%zz`],
    ['an overlong escape', form, `${encoded}&customer_phone_number=%c0%af`],
    ['no type at all', { 'x-signature': signature, 'content-type': '' }, text],
    ['XML', { 'x-signature': signature, 'content-type': 'application/xml' }, text],
    ['plain text', { 'x-signature': signature, 'content-type': 'text/plain' }, text],
    ['multipart', { 'x-signature': signature, 'content-type': 'multipart/form-data; boundary=x' }, text],
    ['two types', { ...json, 'content-type': 'text/plain, application/json' }, text],
    ['compressed', { ...json, 'content-encoding': 'gzip' }, Buffer.from(gzipSync(text))],
  ]
  for (const [name, headers, body] of bodies) note(name, isThrough(name, await send('create', headers, body)))
  const taken = await call(gateway.url, createPath, { method: 'POST', headers: json, body: text })
  assert.equal(taken.status, 201, 'control: what all of them were made of')
})

attack('names in another normal form of Unicode', async (note) => {
  for (const name of ['Фарҳод Йўлдошев', 'José Ångström', 'ﬁ', 'Ⅳ', 'ＡＢ', 'ё', '한국']) {
    const forms = (['NFC', 'NFD', 'NFKC', 'NFKD'] as const).map((form) => name.normalize(form))
    for (const signed of new Set(forms))
      for (const sent of new Set(forms)) {
        if (signed === sent) continue
        const order = shop.order({ customer: signed })
        const signature = signLiteral(shop.secret, 'create', textOf(order))
        const answer = await sendFields('create', { ...order, customer: sent }, signature)
        note(`${name} signed as ${spelled(signed)}, sent as ${spelled(sent)}`, isThrough(name, answer))
      }
  }
})

const spelled = (text: string) =>
  JSON.stringify(text).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`)

/** Forms of the header that are not the signature, made from the right one. */
const headerForms = (right: string): string[] => [
  ...['', ' ', '0', 'null', 'undefined', 'true', '*', '-'],
  ...[
    right.slice(0, 62),
    right.slice(0, 63),
    right.slice(1),
    `${right}zz`,
    `${right}0`,
    `${right}00`,
    `0${right}`,
  ],
  ...[
    `0x${right}`,
    `"${right}"`,
    `'${right}'`,
    `<${right}>`,
    `sha256=${right}`,
    `v1=${right}`,
    `hmac ${right}`,
  ],
  ...[`${right},${right}`, `${right} ${right}`, `${right};`, `${right},`, `signature=${right}`],
  ...[right.replace(/./, 'g'), `${right.slice(0, 63)}z`, 'z'.repeat(64), '0'.repeat(64), 'f'.repeat(64)],
  ...[right.split('').reverse().join(''), right.replaceAll('0', 'O'), right.replaceAll('1', 'l')],
  ...[Buffer.from(right, 'hex').toString('base64'), Buffer.from(right, 'hex').toString('base64url')],
  ...[
    `%${right.slice(0, 2)}${right.slice(2)}`,
    `${right.slice(0, 32)}-${right.slice(32)}`,
    `${right.slice(0, 32)} ${right.slice(32)}`,
  ],
]

attack(
  'forms of the header that are not the signature, in header and body, with and without a right one',
  async (note) => {
    for (const operation of ['create', 'build'] as const) {
      const fields = honest(operation, [])
      const right = signLiteral(shop.secret, operation, textOf(fields))
      for (const form of headerForms(right)) {
        const spelled = { ...json, 'x-signature': form }
        const body = JSON.stringify(fields)
        note(`${operation}: "${form}"`, isThrough(form, await send(operation, spelled, body)))
        const inBody = await send(operation, json, JSON.stringify({ ...fields, signature: form }))
        note(`${operation} in the body: "${form}"`, isThrough(form, inBody))
        const both = JSON.stringify({ ...fields, signature: form })
        const differing = await send(operation, { ...json, 'x-signature': right }, both)
        note(`${operation}, right header, body "${form}"`, isThrough(form, differing))
      }
      assert.equal((await sendFields(operation, fields, right)).status, 201, 'control: the right one')
    }
  },
)

attack('v2 under a changed method, path, query, time, key or body', async (note) => {
  const order = shop.order()
  const body = Buffer.from(JSON.stringify(order))
  const right = {
    secret: shop.secret,
    kid: shop.keyId,
    t: nowSeconds(),
    method: 'POST',
    target: createPath,
    body,
  }
  const signed = (part: Partial<typeof right>) => signV2({ ...right, ...part })
  const headers = (signature: string) => ({ ...json, 'x-signature': signature })
  const wrong: Record<string, string> = {
    'another method': signed({ method: 'PUT' }),
    'the method in lower case': signed({ method: 'post' }),
    'another path': signed({ target: pathOf('build') }),
    'a slash at the end': signed({ target: `${createPath}/` }),
    'a query': signed({ target: `${createPath}?a=1` }),
    'the whole address': signed({ target: `${gateway.url}${createPath}` }),
    'another body': signed({ body: Buffer.from('{}') }),
    'an empty body': signed({ body: Buffer.alloc(0) }),
    'the body with a line more': signed({ body: Buffer.concat([body, Buffer.from('\n')]) }),
    'the secret of another merchant': signed({ secret: other.secret }),
    'the key of another merchant': signed({ kid: other.keyId }),
    'key and secret of another merchant': signed({ kid: other.keyId, secret: other.secret }),
    'an hour ago': signed({ t: nowSeconds() - 3_600 }),
    'in an hour': signed({ t: nowSeconds() + 3_600 }),
    'at the beginning of time': signed({ t: 0 }),
    'in a thousand years': signed({ t: nowSeconds() + 31_536_000_000 }),
    'the literal rule as v2': `t=${right.t},kid=${shop.keyId},v2=${signLiteral(shop.secret, 'create', textOf(order))}`,
    'v2 as the literal rule': signed({}).slice(-64),
    'another order of parts': `kid=${shop.keyId},t=${right.t},v2=${signed({}).slice(-64)}`,
    'spaces between parts': signed({}).replaceAll(',', ', '),
    v3: signed({}).replace('v2=', 'v3='),
    V2: signed({}).replace('v2=', 'V2='),
    'two times': `t=${right.t},${signed({})}`,
    'two keys': signed({}).replace('kid=', `kid=${other.keyId},kid=`),
    'two digests': `${signed({})},v2=${'f'.repeat(64)}`,
    'a time with a sign': signed({}).replace('t=', 't=+'),
    'a time with a fraction': signed({}).replace(`t=${right.t}`, `t=${right.t}.0`),
    'an empty key': signed({}).replace(shop.keyId, ''),
    'a key that is a pattern': signed({}).replace(shop.keyId, '%'),
    'no time': signed({}).replace(/^t=\d+,/, ''),
  }
  for (const [name, signature] of Object.entries(wrong))
    note(name, isThrough(name, await send('create', headers(signature), body)))
  const inBody = JSON.stringify({ ...order, signature: signed({}) })
  note('in the body', isThrough('in the body', await send('create', json, inBody)))
  // The signature of one address sent to others.
  const target = `/api/v1/requests/deposits?limit=1`
  const read = signV2({ ...right, method: 'GET', target, body: Buffer.alloc(0) })
  const ask = (path: string, method = 'GET') =>
    call(gateway.url, path, { method, headers: { ...fromAnywhere(), 'x-signature': read } })
  assert.equal((await ask(target)).status, 200, 'control')
  for (const path of [
    ...[
      '/api/v1/requests/deposits',
      '/api/v1/requests/deposits?limit=2',
      '/api/v1/requests/deposits?limit=1&',
    ],
    ...['/api/v1/requests/deposits?limit=1&state=created', '/api/v1/requests/deposits?limit=%31'],
    ...['/api/v1/requests/deposits?limit=1#x&y=2'.replace('#', '%23'), '/api/v1/events', '/api/v1/callbacks'],
    ...[
      '/api/v1/requests/deposit?order_id=x',
      '/api/v1/requests//deposits?limit=1',
      '/api/v1/./requests/deposit',
    ],
  ])
    note(`GET ${path}`, isThrough(path, await ask(path)))
  const { body: made } = await shop.create()
  const cancel = `/api/v1/requests/deposit/${made.id}/cancel`
  const record = signV2({
    ...right,
    method: 'GET',
    target: cancel.replace('/cancel', ''),
    body: Buffer.alloc(0),
  })
  for (const signature of [
    record,
    read,
    signLiteral(shop.secret, 'limit', { merchant: shop.merchant, timestamp: String(nowSeconds()) }),
  ]) {
    const init = { method: 'POST', headers: { ...fromAnywhere(), 'x-signature': signature } }
    note('cancel by the signature of a question', isThrough('cancel', await call(gateway.url, cancel, init)))
  }
  assert.equal((await send('create', headers(signed({})), body)).status, 201, 'control: the right one')
})

attack('a key that takes v2 only, asked by the literal rule', async (note) => {
  const strict = await openShop(gateway)
  await gateway.database.owner.script(`update api_keys set v2_only = true where id = '${strict.keyId}'`)
  for (const operation of ['create', 'build'] as const) {
    const fields = strict.order(operation === 'build' ? { payment_type: 'uzs_select' } : {})
    const signature = signLiteral(strict.secret, operation, textOf(fields))
    note(`${operation}, header`, isThrough(operation, await sendFields(operation, fields, signature)))
    const inBody = await send(operation, json, JSON.stringify({ ...fields, signature }))
    note(`${operation}, body`, isThrough(operation, inBody))
  }
  const query = { merchant: strict.merchant, timestamp: String(nowSeconds()) }
  const signature = signLiteral(strict.secret, 'limit', query)
  const target = `/api/v1/requests/limit?${new URLSearchParams({ ...query, signature })}`
  note('limit', isThrough('limit', await call(gateway.url, target, { headers: fromAnywhere() })))
  assert.equal((await strict.createV2(strict.order())).status, 201, 'control')
})

attack('headers repeated, folded into one or under other names', async (note) => {
  const order = shop.order()
  const right = signLiteral(shop.secret, 'create', textOf(order))
  const wrong = 'f'.repeat(64)
  const pairs: [string, [string, string][]][] = [
    [
      'twice the same',
      [
        ['X-Signature', right],
        ['x-signature', right],
      ],
    ],
    [
      'right and wrong',
      [
        ['X-Signature', right],
        ['X-Signature', wrong],
      ],
    ],
    [
      'wrong and right',
      [
        ['X-Signature', wrong],
        ['X-Signature', right],
      ],
    ],
    [
      'right and empty',
      [
        ['X-Signature', right],
        ['X-Signature', ''],
      ],
    ],
    ['with an underscore', [['X_Signature', right]]],
    ['without the X', [['Signature', right]]],
    ['as authorization', [['Authorization', `Bearer ${right}`]]],
    ['as a cookie', [['Cookie', `x-signature=${right}`]]],
    [
      'as a trailer',
      [
        ['Trailer', 'X-Signature'],
        ['TE', 'trailers'],
      ],
    ],
  ]
  for (const [name, headers] of pairs) {
    const status = await rawPost(headers, JSON.stringify(order))
    assert.ok(status >= 400 && status < 500 && status !== 429, `${name}: ${status}`)
    note(name, status < 400)
  }
  assert.equal(await rawPost([['X-Signature', right]], JSON.stringify(order)), 201, 'control')
})

async function rawPost(headers: [string, string][], body: string): Promise<number> {
  const lines = [...headers, ...Object.entries(fromAnywhere())].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const connection = new RawConnection(gateway)
  connection.write(
    `POST ${createPath} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}\r\n${body}`,
  )
  const [answer] = await connection.settle(1)
  connection.close()
  return answer?.status ?? 0
}

attack(`random requests that nobody signed (seed ${seed})`, async (note) => {
  const known = shop.order()
  const signature = signLiteral(shop.secret, 'create', textOf(known))
  await sendFields('create', known, signature)
  const words = [
    ...Object.values(textOf(known)),
    ...Object.values(values),
    'build',
    'uzs_select',
    '',
    '0',
    '::',
    'sbp',
  ]
  const rounds = Array.from({ length: many(3_000, 60) })
  await inTurns(rounds, async () => {
    const operation: Operation = pick(random, ['create', 'build'])
    const fields: Fields = { ...known, payment_type: pick(random, ['account_number', 'uzs_select', 'sbp']) }
    for (let changed = 0; changed < 1 + random() * 3; changed++)
      fields[pick(random, [...signedFields[operation]])] = pick(random, words)
    if (isSame(fields, known)) return
    const name = `${operation} ${JSON.stringify(fields)}`
    note(name, isThrough(name, await sendFields(operation, fields, bent(signature))))
  })
})

/** Mostly as it is, sometimes with a digit changed or cut. */
function bent(signature: string): string {
  const place = Math.floor(random() * 64)
  const digit = pick(random, [...'0123456789abcdef'])
  const ways = [
    signature,
    signature,
    `${signature.slice(0, place)}${digit}${signature.slice(place + 1)}`,
    signature.slice(0, place),
  ]
  return pick(random, ways)
}

report()
