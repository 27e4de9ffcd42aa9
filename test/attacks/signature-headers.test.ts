/** Signature confusions in the header: forms that are no signature, v2 under another request, weaker rules, repetitions. */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { signLiteral, signV2 } from '../../sdk/signature.ts'
import { attackedGateway } from '../support/attacked-gateway.ts'
import { attacksOf, fromAnywhere } from '../support/attempts.ts'
import { type Forger, forgerAt, isThrough, json, pathOf } from '../support/forger.ts'
import {
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

let gateway: TestGateway
let shop: Shop
let other: Shop
let send: Forger['send']
let sendFields: Forger['sendFields']
before(async () => {
  gateway = await attackedGateway()
  ;({ send, sendFields } = forgerAt(gateway))
  shop = await openShop(gateway)
  other = await openShop(gateway)
})

const honest = (operation: 'create' | 'build'): Fields =>
  shop.order(operation === 'build' ? { payment_type: 'uzs_select' } : {})

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
  ...[right.split('').reverse().join(''), right.replace(/\d/, 'O'), right.replace(/\d/, 'l')],
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
      const fields = honest(operation)
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

report()
