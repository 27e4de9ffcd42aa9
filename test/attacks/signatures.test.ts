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
import { attacksOf, inTurns, isWhole, many, pick, seed, seeded } from '../support/attempts.ts'
import { type Forger, forgerAt, isThrough, json } from '../support/forger.ts'
import { createPath, type Fields, nowSeconds, openShop, type Shop, textOf } from '../support/gateway.ts'

const { attack, report } = attacksOf('signature confusion')
const random = seeded(seed)

let shop: Shop
let other: Shop
let send: Forger['send']
let sendFields: Forger['sendFields']
before(async () => {
  const gateway = await attackedGateway()
  ;({ send, sendFields } = forgerAt(gateway))
  shop = await openShop(gateway)
  other = await openShop(gateway)
})

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
  const taken = await send('create', json, text)
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
