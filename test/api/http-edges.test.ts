/** The edges of HTTP: whatever arrives, the answer has one shape and reveals nothing internal. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { signLiteral } from '../../sdk/signature.ts'
import { Problem } from '../../src/domain/deposits/record.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { openDatabase } from '../../src/platform/db.ts'
import { atEnd } from '../support/clean-up.ts'
import { testLogin } from '../support/database.ts'
import { assertDescribed } from '../support/described.ts'
import {
  type Answer,
  call,
  createPath,
  openShop,
  type Shop,
  shopOf,
  startGateway,
  type TestGateway,
  textOf,
} from '../support/gateway.ts'

const limitPath = '/api/v1/requests/limit'

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
})

type RawAnswer = { status: number; headers: Headers; body: string }

/** Sends bytes as they are and reads until the server closes. The socket stays open for writing. */
function raw(bytes: string | Buffer, socket = dial(gateway)): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('close', () => resolve(parseAnswer(Buffer.concat(chunks).toString())))
  socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)))
  socket.write(bytes)
  return promise
}

const dial = ({ url }: TestGateway) => connect(Number(new URL(url).port), 'localhost')

/** The last answer on the connection, if there was one. */
function parseAnswer(text: string): RawAnswer {
  const [head, ...body] = text.slice(Math.max(0, text.lastIndexOf('HTTP/1.1 '))).split('\r\n\r\n')
  const [first, ...lines] = head!.split('\r\n')
  const pairs = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  return {
    status: Number(first!.split(' ')[1] ?? 0),
    headers: new Headers(pairs),
    body: body.join('\r\n\r\n'),
  }
}

type Refused = Answer | RawAnswer

/** A body of two bytes in one chunk. */
const chunked = (header: string, version = '1.1') =>
  `POST ${createPath} HTTP/${version}\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`

function assertProblem({ status, headers, body }: Refused, expected: number, code: string) {
  const problem = typeof body === 'string' ? JSON.parse(body) : body
  assert.deepEqual([status, problem.code], [expected, code], JSON.stringify(problem))
  assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assertDescribed(Problem, problem)
  assert.equal(problem.status, expected)
  assert.equal(problem.type, `${gateway.url}/docs/errors#${code}`)
  assert.match(problem.request_id, /^req_[A-Za-z0-9_-]{16}$/)
}

for (const path of [
  '/api',
  '/api/v1',
  '/api/v2/requests/limit',
  '/API/V1/requests/limit',
  '/.env',
  '/%zz',
  '//',
]) {
  test(`404 in problem+json for ${path}`, async () => {
    assertProblem(await call(gateway.url, path), 404, 'not_found')
  })
}

test('every documented path answers any other method with 405, and Allow names exactly what it takes', async () => {
  const { body: document } = await call(gateway.url, '/openapi.json')
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  const wrong: string[] = []
  for (const [path, operations] of Object.entries<object>(document.paths)) {
    const target = path.replace(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000')
    const taken = Object.keys(operations)
      .map((name) => name.toUpperCase())
      .filter((name) => methods.includes(name))
      .flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
      .sort()
    for (const method of methods.filter((method) => !taken.includes(method))) {
      const { status, headers } = await fetch(gateway.url + target, { method })
      const allow = headers.get('allow')?.split(', ').sort().join() ?? 'none'
      if (status !== 405 || allow !== taken.join()) wrong.push(`${method} ${path}: ${status}, Allow ${allow}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('a method that the framework refuses by itself is answered with a refusal, not with a fault', async () => {
  for (const path of ['/', '/nowhere', limitPath, createPath]) {
    const answer = await raw(`QUERY ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.equal(answer.status, 400, path)
    const { code, request_id: id } = JSON.parse(answer.body)
    assert.equal(code, 'malformed_request')
    assert.ok(!gateway.logged.some((line) => line.includes('internal_error') && line.includes(id)))
  }
})

test('TRACE echoes nothing, and no answer allows another origin', async () => {
  const headers = 'Host: x\r\nOrigin: https://other.example\r\nX-Canary: canary\r\nConnection: close'
  for (const [method, path] of [
    ['TRACE', limitPath],
    ['TRACE', createPath],
    ['OPTIONS', createPath],
    ['GET', limitPath],
  ] as const) {
    const answer = await raw(`${method} ${path} HTTP/1.1\r\n${headers}\r\n\r\n`)
    assert.equal(answer.status, method === 'GET' ? 200 : 405, `${method} ${path}`)
    assert.doesNotMatch(answer.body, /canary/)
    assert.deepEqual(
      [...answer.headers.keys()].filter((name) => name.startsWith('access-control')),
      [],
    )
  }
})

const post = (body: string, headers: Record<string, string> = {}) =>
  call(gateway.url, createPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })

test('413 begins with the first byte past 16 KiB, whether the length is announced or not', async () => {
  const bodyOf = (bytes: number) => `{"customer":"${'x'.repeat(bytes - 15)}"}`
  assert.equal(Buffer.byteLength(bodyOf(16_384)), 16_384)
  assert.equal((await post(bodyOf(16_384))).status, 401)
  assertProblem(await post(bodyOf(16_385)), 413, 'body_too_large')
  const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`
  const chunked = await raw(
    `POST ${createPath} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}0\r\n\r\n`,
  )
  assertProblem(chunked, 413, 'body_too_large')
})

test('431 for headers past 8 KiB, in problem+json on the bare socket', async () => {
  const answer = await raw(`GET ${limitPath} HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(8_300)}\r\n\r\n`)
  assertProblem(answer, 431, 'headers_too_large')
  assert.equal(answer.headers.get('connection'), 'close')
})

test('431 for more than a hundred short headers, and the connection ends; a hundred are served', async () => {
  const ask = (many: number, connection: string) =>
    raw(
      `GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n${'a:b\r\n'.repeat(many - 2)}\r\n`,
    )
  const refused = await ask(101, 'keep-alive')
  assertProblem(refused, 431, 'headers_too_large')
  assert.equal(refused.headers.get('connection'), 'close')
  assert.equal((await ask(100, 'close')).status, 200)
})

// What two servers could read differently is in the suite of attacks.
for (const [what, bytes] of [
  ['noise', '\u0016\u0003\u0001 hello\r\n\r\n'],
  ['an unknown method', `FETCH ${limitPath} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a space in the target', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a header without a colon', `GET ${limitPath} HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n`],
  ['a control character in a header', `GET ${limitPath} HTTP/1.1\r\nHost: x\r\nA: \u0001\r\n\r\n`],
  ['no Host', `GET ${limitPath} HTTP/1.1\r\n\r\n`],
  ['a list of Hosts', `GET ${limitPath} HTTP/1.1\r\nHost: x, y\r\n\r\n`],
  ['a Host with a path', `GET ${limitPath} HTTP/1.1\r\nHost: x/y\r\n\r\n`],
  ['two transfer encodings', chunked('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity')],
  ['a transfer encoding that nobody undoes', chunked('Transfer-Encoding: gzip, chunked')],
  ['a transfer encoding in HTTP/1.0', chunked('Transfer-Encoding: chunked', '1.0')],
  ['a version that we do not speak', `GET ${limitPath} HTTP/2.0\r\nHost: x\r\n\r\n`],
] as const) {
  test(`malformed HTTP (${what}): 400 in problem+json, then the connection is closed`, async () => {
    const answer = await raw(bytes)
    assertProblem(answer, 400, 'malformed_request')
    assert.equal(answer.headers.get('connection'), 'close')
  })
}

const closing = 'Host: x\r\nConnection: close\r\n'
for (const [what, bytes, status, code] of [
  [
    'two content types',
    `POST ${createPath} HTTP/1.1\r\n${closing}Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
    415,
    'unsupported_media_type',
  ],
  [
    'two tokens',
    `POST /api/v1/bank/transfers HTTP/1.1\r\n${closing}Authorization: Bearer a\r\nAuthorization: Bearer b\r\nContent-Length: 2\r\n\r\n{}`,
    401,
    'bank_token_invalid',
  ],
  [
    'a signature behind the body',
    `POST ${createPath} HTTP/1.1\r\n${closing}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Signature: ${'f'.repeat(64)}\r\n\r\n`,
    401,
    'signature_invalid',
  ],
  ['TRACE', `TRACE /health/live HTTP/1.1\r\n${closing}\r\n`, 405, 'method_not_allowed'],
  ['dots in a path', `GET /docs/../health/live HTTP/1.1\r\n${closing}\r\n`, 404, 'not_found'],
  ['an encoded slash', `GET /health%2flive HTTP/1.1\r\n${closing}\r\n`, 404, 'not_found'],
] as const) {
  test(`${what}: ${status} ${code}`, async () => {
    assertProblem(await raw(bytes), status, code)
  })
}

for (const [what, bytes] of [
  ['another server’s name in the target', `GET http://other.example/health/live HTTP/1.1\r\n${closing}\r\n`],
  [
    'an upgrade to WebSocket',
    `GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  ],
  [
    'an upgrade to HTTP/2',
    `GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
  ],
] as const) {
  test(`${what} changes nothing`, async () => {
    const { status, body } = await raw(bytes)
    assert.deepEqual([status, body], [200, '{"live":true}'])
  })
}

test('HTTP/1.0 needs no Host, as load balancers ask for health', async () => {
  const { status, body } = await raw('GET /health/ready HTTP/1.0\r\n\r\n')
  assert.deepEqual([status, body], [200, '{"ready":true,"database":"reachable"}'])
})

test('a stopping gateway finishes running requests and answers new ones with 503 problem+json', async () => {
  const leaving = await startGateway({ beside: gateway })
  const socket = dial(leaving)
  const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>()
  const all = raw(
    `POST ${createPath} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`,
    socket,
  )
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk
    hasBegun()
  })
  await begun
  const stopped = leaving.stop()
  await setTimeout(50)
  socket.write('{}GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  const last = await all
  assert.match(heard, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /)
  const problem = JSON.parse(last.body)
  assert.deepEqual([last.status, problem.code, problem.retryable], [503, 'service_unavailable', true])
  assert.deepEqual([last.headers.get('retry-after'), last.headers.get('connection')], ['1', 'close'])
  assert.equal(last.headers.get('request-id'), problem.request_id)
  await stopped
})

const security = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

const kinds: [string, number, () => Promise<{ status: number; headers: Headers }>][] = [
  ['a created deposit', 201, () => shop.create()],
  ['the catalogue', 200, () => call(gateway.url, limitPath)],
  ['HEAD', 200, () => fetch(gateway.url + limitPath, { method: 'HEAD' })],
  ['health', 200, () => call(gateway.url, '/health/live')],
  ['an unknown address', 404, () => call(gateway.url, '/nothing')],
  ['a target that cannot be decoded', 404, () => call(gateway.url, '/%zz')],
  ['a wrong method', 405, () => call(gateway.url, createPath, { method: 'PUT' })],
  ['a wrong body', 400, () => post('{')],
  ['a wrong type', 415, () => post('{}', { 'content-type': 'text/plain' })],
  ['a large body', 413, () => post('x'.repeat(20_000))],
  ['no signature', 401, () => post('{}')],
  ['a refused value', 422, () => shop.create({ cents: 1 })],
  ['large headers', 431, () => raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`)],
  ['malformed HTTP', 400, () => raw('nonsense\r\n\r\n')],
]
for (const [what, status, ask] of kinds) {
  test(`${what} (${status}) carries every security header and its request id, and no product name`, async () => {
    const answer = await ask()
    assert.equal(answer.status, status)
    const found = Object.fromEntries(Object.keys(security).map((name) => [name, answer.headers.get(name)]))
    assert.deepEqual(found, security)
    assert.match(answer.headers.get('request-id') ?? 'none', /^req_/)
    assert.deepEqual([answer.headers.get('server'), answer.headers.get('x-powered-by')], [null, null])
  })
}

test('behind https every answer demands https for a year', async () => {
  const secure = await startGateway({
    beside: gateway,
    environment: { INLET_PUBLIC_URL: 'https://pay.example' },
  })
  const { headers, body } = await call(secure.url, '/nothing')
  assert.equal(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains')
  assert.equal(body.type, 'https://pay.example/docs/errors#not_found')
  await secure.stop()
  assert.equal((await call(gateway.url, limitPath)).headers.get('strict-transport-security'), null)
})

test('request ids: ours and never the caller’s, unique, and the same in header and body', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      call(gateway.url, '/nothing', { headers: { 'request-id': 'req_mine' } }),
    ),
  )
  for (const { headers, body } of answers) assert.equal(headers.get('request-id'), body.request_id)
  const ids = new Set(answers.map(({ body }) => body.request_id))
  assert.equal(ids.size, 50)
  assert.ok(!ids.has('req_mine'))
})

test('HEAD answers like GET, without the body', async () => {
  for (const path of [limitPath, '/health/live', '/health/ready', '/nothing', `${limitPath}?unknown=1`]) {
    const [get, head] = [await call(gateway.url, path), await fetch(gateway.url + path, { method: 'HEAD' })]
    assert.deepEqual(
      [head.status, head.headers.get('content-type'), await head.text()],
      [get.status, get.headers.get('content-type'), ''],
      path,
    )
  }
})

/** Runs SQL beside the test's database, as its owner. */
const admin = openDatabase({ ...testLogin(), database: 'postgres' }, { connections: 1 })
atEnd(() => admin.close())

/** Locks the gateway out of its database for as long as the work takes. */
async function withoutDatabase(testGateway: TestGateway, work: () => Promise<void>): Promise<void> {
  const { database } = testGateway.database.login
  const allow = (allowed: boolean) => admin.script(`alter database ${database} allow_connections ${allowed}`)
  await allow(false)
  try {
    await admin.script(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid()`,
    )
    await work()
  } finally {
    await allow(true)
  }
}

test('live is always true; ready is 503 while the database is away, and recovers by itself', async () => {
  const asked = async () => {
    const [live, ready] = [await call(gateway.url, '/health/live'), await call(gateway.url, '/health/ready')]
    return [live.status, live.body, ready.status, ready.body]
  }
  const well = [200, { live: true }, 200, { ready: true, database: 'reachable' }]
  assert.deepEqual(await asked(), well)
  await withoutDatabase(gateway, async () => {
    assert.deepEqual(await asked(), [200, { live: true }, 503, { ready: false, database: 'away' }])
  })
  assert.deepEqual(await asked(), well)
})

test('while the database is away a create is 503 with Retry-After, and the same create succeeds afterwards', async () => {
  const order = shop.order()
  await withoutDatabase(gateway, async () => {
    const answer = await shop.post('create', order)
    assertProblem(answer, 503, 'service_unavailable')
    assert.deepEqual([answer.body.retryable, answer.headers.get('retry-after')], [true, '1'])
  })
  assert.equal((await shop.post('create', order)).status, 201)
})

/** What was logged since, as objects. */
const loggedSince = (from: number): Record<string, unknown>[] =>
  gateway.logged.slice(from).map((line) => JSON.parse(line))

test('a fault is a bare 500: nothing of its cause in the answer, the request id in the log, no values there', async () => {
  const order = shop.order({ customer: 'canary-customer', customer_phone_number: '+79995550101' })
  const from = gateway.logged.length
  await gateway.database.owner.script('alter table deposits rename to deposits_away')
  const answers = [
    await shop.post('create', order),
    await shop.get(`/api/v1/requests/deposit?order_id=${order.order_id}`),
    await shop.get('/api/v1/requests/deposits'),
  ]
  await gateway.database.owner.script('alter table deposits_away rename to deposits')
  for (const answer of answers) {
    assertProblem(answer, 500, 'internal_error')
    const { request_id, type: _type, ...rest } = answer.body
    assert.deepEqual(rest, {
      title: 'Something went wrong on our side',
      status: 500,
      code: 'internal_error',
      detail: 'Repeat the same request; if it persists, tell the operator the request_id.',
      retryable: true,
      errors: [],
    })
    const line = loggedSince(from).find((entry) => entry.request_id === request_id && entry.level === 'error')
    assert.deepEqual([line?.message, line?.sqlstate], ['internal_error', '42P01'])
  }
  const text = gateway.logged.slice(from).join('')
  for (const value of ['canary-customer', '+79995550101', String(order.order_id)])
    assert.ok(!text.includes(value))
  assert.equal((await shop.post('create', order)).status, 201)
})

test('after all kinds of requests the log at level debug holds no secret, number, phone, token or customer', async () => {
  const from = gateway.logged.length
  const phone = '+79995550199'
  const canary = {
    customer: 'canary-customer',
    customer_phone_number: phone,
    callback_url: 'https://canary.example/cb?token=canary-token',
  }
  const secrets = new Set<string>([shop.secret, phone, phone.slice(1), 'canary'])
  for (const payment_type of ['any_bank', 'sbp', 'bankx', 'account_number']) {
    const order = shop.order({ ...canary, payment_type, cents: 345_600 })
    const { status, body } = await shop.post('create', order)
    assert.equal(status, 201)
    secrets.add(body.payment_data.number)
    secrets.add(body.payment_data.url.split('/').at(-1))
    secrets.add(signLiteral(shop.secret, 'create', textOf(order)))
    assert.equal((await shop.post('create', { ...order, cents: 345_601 })).status, 422)
    assert.equal((await shop.get(`/api/v1/requests/deposit/${body.id}?canary=canary`)).status, 400)
  }
  assert.equal((await shop.create({ ...canary, cents: 1 })).status, 422)
  assert.equal((await shop.create({ ...canary, callback_url: 'canary' })).status, 422)
  assert.equal((await post(JSON.stringify({ ...canary, canary: 'canary' }))).status, 400)
  assert.equal((await post(JSON.stringify(shop.order(canary)), { 'x-signature': 'canary' })).status, 401)
  assert.equal((await call(gateway.url, '/canary?canary=canary')).status, 404)
  await gateway.database.owner.script('alter table deposits rename to deposits_away')
  assert.equal((await shop.create(canary)).status, 500)
  await gateway.database.owner.script('alter table deposits_away rename to deposits')

  const lines = loggedSince(from)
  const text = gateway.logged.slice(from).join('')
  assert.ok(lines.filter((line) => line.level === 'debug').length >= 16)
  assert.ok(lines.some((line) => line.level === 'error'))
  for (const secret of secrets) assert.ok(!text.includes(secret), secret)
  assert.doesNotMatch(text, /(?<![0-9a-f-])\d{16,20}(?![0-9a-f-])/)
})

test('headers or a body that arrive slowly delay no one and end with 408', async () => {
  const patient = { headersTimeoutMs: bounds.headersTimeoutMs, requestTimeoutMs: bounds.requestTimeoutMs }
  Object.assign(bounds, { headersTimeoutMs: 1_000, requestTimeoutMs: 1_500 })
  const environment = { INLET_PUBLIC_URL: gateway.url }
  const hasty = await startGateway({ beside: gateway, environment }).finally(() =>
    Object.assign(bounds, patient),
  )
  const trickling = [
    `GET ${limitPath} HTTP/1.1\r\nHost: x\r\nX-Slow: `,
    `POST ${createPath} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"cents"`,
  ].map((bytes) => raw(bytes, dial(hasty)))
  assert.equal((await shopOf(hasty, shop.merchant, shop.keyId, shop.secret).create()).status, 201)
  for (const answer of await Promise.all(trickling)) assertProblem(answer, 408, 'request_timeout')
})

test('a gateway that found the disk full is not ready until a write that needs space succeeds', async () => {
  const ready = async () => {
    const { status, body } = await call(gateway.url, '/health/ready')
    return [status, body.database]
  }
  const { owner } = gateway.database
  await owner.script(`
    create function disk_is_full() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
    create trigger disk_is_full before insert on deposits execute function disk_is_full();
    create trigger disk_is_full before insert on used_once execute function disk_is_full()`)
  assert.deepEqual(await ready(), [200, 'reachable'], 'nobody has written yet')
  const refused = await shop.create()
  assert.deepEqual([refused.status, refused.body.code], [503, 'service_unavailable'])
  assert.deepEqual(await ready(), [503, 'full'])
  await owner.script('drop function disk_is_full cascade')
  assert.deepEqual(await ready(), [200, 'reachable'])
  assert.equal((await shop.create()).status, 201)
})
