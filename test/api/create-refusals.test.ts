/** Spec 7 and 8: bad input gets a clear refusal with a registry code, and nothing is stored. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { signLiteral, signV2 } from '../../sdk/signature.ts'
import {
  type Answer,
  call,
  createPath,
  type Fields,
  nowSeconds,
  openShop,
  type Shop,
  startGateway,
  type TestGateway,
  textOf,
} from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let liveShop: Shop
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  liveShop = await openShop(gateway, { mode: 'live' })
})
/** Signs exactly these bytes with v2, so that only the body is wrong. */
function sendRaw(body: string | Uint8Array, contentType = 'application/json', as = shop): Promise<Answer> {
  const bytes = Buffer.from(body)
  return call(gateway.url, createPath, {
    method: 'POST',
    headers: {
      'content-type': contentType,
      'x-signature': signV2({
        secret: as.secret,
        kid: as.keyId,
        t: nowSeconds(),
        method: 'POST',
        target: createPath,
        body: bytes,
      }),
    },
    body: bytes,
  })
}

function assertProblem(answer: Answer, status: number, code: string, pointers?: string[]) {
  assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body))
  assert.match(answer.headers.get('content-type')!, /^application\/problem\+json/)
  assert.deepEqual(Object.keys(answer.body).slice(0, 8), [
    'type',
    'title',
    'status',
    'code',
    'detail',
    'retryable',
    'request_id',
    'errors',
  ])
  assert.equal(answer.body.request_id, answer.headers.get('request-id'))
  if (pointers)
    assert.deepEqual(
      answer.body.errors.map((error: { pointer: string }) => error.pointer),
      pointers,
    )
}

const required = ['order_id', 'cents', 'currency', 'payment_type', 'customer'] as const
for (const field of required) {
  test(`${field} missing: 422 that names it`, async () => {
    const { [field]: _missing, ...order } = shop.order()
    const answer = await shop.post('create', order as Fields)
    assertProblem(answer, 422, 'invalid_value', [`#/${field}`])
    assert.equal(answer.body.errors[0].code, 'required')
  })
  test(`${field} empty: 422 that names it`, async () => {
    const answer = await shop.post('create', shop.order({ [field]: '' }))
    assertProblem(answer, 422, 'invalid_value', [`#/${field}`])
    assert.equal(answer.body.errors[0].code, 'empty')
  })
}

test('a request without a merchant is answered 401', async () => {
  const { merchant: _missing, ...order } = shop.order()
  assertProblem(await shop.post('create', order as Fields), 401, 'signature_invalid')
  assertProblem(await shop.post('create', shop.order({ merchant: '' })), 401, 'signature_invalid')
})

test('all problems of one request come together', async () => {
  const answer = await shop.post('create', shop.order({ cents: 0, customer: '', callback_url: 'ftp://x' }))
  assertProblem(answer, 422, 'invalid_value', ['#/cents', '#/customer', '#/callback_url'])
})

const names = [
  'merchant',
  'order_id',
  'cents',
  'currency',
  'payment_type',
  'customer',
  'callback_url',
  'success_url',
  'reject_url',
  'customer_phone_number',
]
for (const [what, json] of [
  ['null', 'null'],
  ['a boolean', 'true'],
  ['an array', '["x"]'],
  ['an object', '{"a":{"b":1}}'],
] as const) {
  test(`every field as ${what}: 400 invalid_type that names it`, async () => {
    for (const name of names) {
      const body = JSON.stringify({ ...shop.order(), [name]: '@' }).replace('"@"', json)
      assertProblem(await sendRaw(body), 400, 'invalid_type', [`#/${name}`])
    }
  })
}

test('a text field as a number: 400 invalid_type', async () => {
  for (const name of names.filter((name) => name !== 'cents')) {
    assertProblem(await sendRaw(JSON.stringify({ ...shop.order(), [name]: 7 })), 400, 'invalid_type', [
      `#/${name}`,
    ])
  }
})

for (const name of ['order_id', 'customer', 'payment_type']) {
  test(`${name} of 129 characters: 422; of 128, emoji included, no length problem`, async () => {
    const answer = await shop.post('create', shop.order({ [name]: 'я'.repeat(129) }))
    assertProblem(answer, 422, 'invalid_value', [`#/${name}`])
    assert.equal(answer.body.errors[0].code, 'length')
    const fits = await shop.post('create', shop.order({ [name]: '😀'.repeat(128), cents: 1 }))
    assert.ok(!JSON.stringify(fits.body).includes('"length"'))
  })
}

for (const [what, hidden] of [
  ['NUL', '\u0000'],
  ['a line feed', '\n'],
  ['DEL', '\u007f'],
  ['a C1 control', '\u0085'],
] as const) {
  test(`${what} in a value: 400 that names the field`, async () => {
    const answer = await sendRaw(JSON.stringify({ ...shop.order(), customer: `a${hidden}b` }))
    assertProblem(answer, 400, 'malformed_body', ['#/customer'])
    assert.equal(answer.body.errors[0].code, 'control_character')
  })
}

test('a lone surrogate in a value: 400 that names the field', async () => {
  const body = JSON.stringify(shop.order()).replace('customer-1', '\\ud800')
  assertProblem(await sendRaw(body), 400, 'malformed_body', ['#/customer'])
})

for (const value of ['bob::+79990000000', ':bob', 'bob:', '::']) {
  test(`"${value}" under the literal rule: 400 separator_in_value; under v2 it is welcome`, async () => {
    const order = shop.order({ customer: value })
    const text = textOf(order)
    const headers = { 'x-signature': signLiteral(shop.secret, 'create', { ...text, customer: 'x' }) }
    const answer = await call(gateway.url, createPath, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    assertProblem(answer, 400, 'separator_in_value', ['#/customer'])
    const stronger = await sendRaw(JSON.stringify({ ...order, cents: 1 }))
    assertProblem(stronger, 422, 'amount_out_of_range')
  })
}

test('an unknown field: 400 that names it', async () => {
  assertProblem(await sendRaw(JSON.stringify({ ...shop.order(), amount: 5 })), 400, 'unknown_field', [
    '#/amount',
  ])
  assertProblem(await sendRaw(JSON.stringify({ ...shop.order(), constructor: 'x' })), 400, 'unknown_field', [
    '#/constructor',
  ])
})

test('a field sent twice, in JSON or form: 400 that names it', async () => {
  const body = JSON.stringify(shop.order()).replace('{', '{"cents":1,')
  assertProblem(await sendRaw(body), 400, 'duplicate_field', ['#/cents'])
  const form = `${new URLSearchParams(textOf(shop.order()))}&cents=1`
  assertProblem(await sendRaw(form, 'application/x-www-form-urlencoded'), 400, 'duplicate_field', ['#/cents'])
})

for (const [cents, status, code] of [
  ['0', 422, 'invalid_value'],
  ['-150000', 422, 'invalid_value'],
  ['1.5', 400, 'invalid_type'],
  ['1e2', 400, 'invalid_type'],
  ['150000.0', 400, 'invalid_type'],
  ['9007199254740992', 422, 'invalid_value'],
  ['1000000000000000', 422, 'invalid_value'],
  ['123456789012345678901234567890', 422, 'invalid_value'],
  ['"1.5"', 422, 'invalid_value'],
  ['"1e2"', 422, 'invalid_value'],
  ['"0150000"', 422, 'invalid_value'],
  ['" 150000"', 422, 'invalid_value'],
  ['"+150000"', 422, 'invalid_value'],
  ['"-0"', 422, 'invalid_value'],
] as const) {
  test(`cents ${cents}: ${status} ${code}`, async () => {
    const body = JSON.stringify(shop.order({ cents: 4242 })).replace('4242', cents)
    assertProblem(await sendRaw(body), status, code, ['#/cents'])
  })
}

for (const [what, cents] of [
  ['below the minimum', 9_999],
  ['above the maximum', 60_000_001],
] as const) {
  test(`8 cents ${what}: 422 amount_out_of_range with both limits`, async () => {
    const answer = await shop.create({ cents })
    assertProblem(answer, 422, 'amount_out_of_range', ['#/cents'])
    assert.deepEqual([answer.body.min_cents, answer.body.max_cents], [10_000, 60_000_000])
  })
}

for (const currency of ['USD', 'rub', 'RUR', 'RUB ']) {
  test(`8 currency ${JSON.stringify(currency)}: 422 currency_not_supported`, async () => {
    assertProblem(await shop.create({ currency }), 422, 'currency_not_supported', ['#/currency'])
  })
}

for (const [payment_type, currency] of [
  ['cash', 'RUB'],
  ['sbp', 'UZS'],
  ['uzs_select', 'UZS'],
  ['ANY_BANK', 'RUB'],
] as const) {
  test(`8 payment_type ${payment_type} in ${currency}: 422 payment_type_not_supported`, async () => {
    const answer = await shop.create({ payment_type, currency, cents: 2_000_000 })
    assertProblem(answer, 422, 'payment_type_not_supported', ['#/payment_type'])
  })
}

for (const field of ['callback_url', 'success_url', 'reject_url']) {
  for (const url of [
    '/relative',
    'shop.example/ok',
    '//shop.example',
    'ftp://shop.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://user:secret@shop.example/',
    'https://user@shop.example/',
    'https://',
    'https:///x',
    'http:shop.example',
    'https://shop.example\\@evil.example',
    'https://shop.example/a b',
    'https://[::1',
    'https://a\u200b b',
  ]) {
    test(`${field} ${JSON.stringify(url)}: 422 url_not_allowed`, async () => {
      const answer = await sendRaw(JSON.stringify(shop.order({ [field]: url })))
      assertProblem(answer, 422, 'url_not_allowed', [`#/${field}`])
      assert.ok(!answer.body.detail.includes('secret'))
    })
  }
}

for (const url of [
  'http://shop.example/x',
  'https://shop.example:9443/',
  'https://203.0.113.9/',
  'https://[2001:db8::1]/',
]) {
  test(`a live merchant's callback_url ${url.slice(0, 40)}: 422 url_not_allowed`, async () => {
    const answer = await sendRaw(
      JSON.stringify(liveShop.order({ callback_url: url })),
      'application/json',
      liveShop,
    )
    assertProblem(answer, 422, 'url_not_allowed', ['#/callback_url'])
  })
}

test('an address of more than 2000 characters: 422 that names it', async () => {
  const answer = await shop.create({ callback_url: `https://shop.example/${'x'.repeat(2000)}` })
  assertProblem(answer, 422, 'invalid_value', ['#/callback_url'])
})

for (const phone of ['+7 999', 'phone', '123456', '+1234567890123456', '８９９９１２３４５６７']) {
  test(`customer_phone_number ${phone}: 422`, async () => {
    assertProblem(await shop.create({ customer_phone_number: phone }), 422, 'invalid_value', [
      '#/customer_phone_number',
    ])
  })
}

for (const [what, body] of [
  ['truncated', '{"merchant":"x"'],
  ['an array', '[]'],
  ['a bare string', '"x"'],
  ['with trailing text', '{} x'],
  ['with a comment', '{/* */}'],
  ['empty', ''],
  ['starting with a byte order mark', '\ufeff{}'],
] as const) {
  test(`a body ${what}: 400 malformed_body`, async () => {
    assertProblem(await sendRaw(body), 400, 'malformed_body')
  })
}

test('a body that is not UTF-8: 400 malformed_body, in JSON and in a form', async () => {
  const latin = Buffer.concat([Buffer.from('{"customer":"'), Buffer.from([0xe9]), Buffer.from('"}')])
  assertProblem(await sendRaw(latin), 400, 'malformed_body')
  assertProblem(await sendRaw('customer=%E9', 'application/x-www-form-urlencoded'), 400, 'malformed_body')
})

test('a body of more than 16 KiB: 413 before anything else', async () => {
  assertProblem(
    await sendRaw(JSON.stringify(shop.order({ customer: 'x'.repeat(17_000) }))),
    413,
    'body_too_large',
  )
})

for (const type of [
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/jsonx',
  'application/json-patch+json',
]) {
  test(`content type ${type}: 415`, async () => {
    assertProblem(await sendRaw('{}', type), 415, 'unsupported_media_type')
  })
}

test('application/json with parameters and other case is JSON', async () => {
  assertProblem(await sendRaw('{}', 'Application/JSON; charset=utf-8'), 422, 'invalid_value')
})

test('no refusal repeats a value that was sent', async () => {
  for (const [field, value] of [
    ['customer', 'CANARY\u0001'],
    ['callback_url', 'CANARY'],
    ['currency', 'CANARY'],
    ['customer_phone_number', 'CANARY'],
  ] as const) {
    const answer = await sendRaw(JSON.stringify(shop.order({ [field]: value })))
    assert.ok(!JSON.stringify(answer.body).includes('CANARY'), field)
  }
  assert.ok(!gateway.logged.join('').includes('CANARY'))
})

test('no refused request stored anything', async () => {
  const [row] = await gateway.database.owner.query<{ count: bigint }>({
    text: 'select count(*) from deposits',
    name: '',
    values: [],
  })
  assert.equal(row!.count, 0n)
})
