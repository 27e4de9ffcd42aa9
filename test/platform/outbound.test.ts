/**
 * Calls to servers that may be broken, slow or hostile, and names that lead where nobody may go. Every receiver is
 * real and on loopback; names are answered by the test. Nothing here touches another machine. Redirects, names whose address
 * changes, and hundreds of spellings: test/attacks/outgoing-calls.test.ts.
 */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { type AddressRule, isAllowedAddress } from '../../src/platform/allowed-address.ts'
import { monotonicMs, sleep } from '../../src/platform/clock.ts'
import { insideOf } from '../../src/platform/network.ts'
import { createOutbound, type Sent } from '../../src/platform/outbound.ts'
import type { OutboundOptions } from '../../src/platform/outbound-connections.ts'
import { atEnd } from '../support/clean-up.ts'
import { createDatabase } from '../support/database.ts'

const pem = (name: string) => readFileSync(resolve(import.meta.dirname, '../support/tls', name), 'utf8')
const tlsFiles = { key: pem('receiver.key.pem'), cert: pem('receiver.cert.pem') }
const expiredTlsFiles = { key: tlsFiles.key, cert: pem('expired.cert.pem') }

const trustReceivers = () =>
  setDefaultCACertificates([...getCACertificates('bundled'), tlsFiles.cert, expiredTlsFiles.cert])

const development: AddressRule = { allowed: insideOf([]), loopback: true }
const strict: AddressRule = { allowed: insideOf([]), loopback: false }
const only = (address: string): AddressRule => ({ allowed: insideOf([address]), loopback: false })

/** Every name is this machine, unless the test says otherwise. */
const open = (rule: AddressRule = development, options: OutboundOptions = {}) => {
  const outbound = createOutbound(rule, { lookup: async () => ['127.0.0.1'], ...options })
  atEnd(() => outbound.close())
  return {
    ...outbound,
    to: (url: string, deadlineMs = 5_000, owner = 'shop') =>
      outbound.post({
        url,
        headers: { 'content-type': 'application/json' },
        body: '{"a":1}',
        deadlineMs,
        owner,
      }),
  }
}

async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
  })
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done))
  atEnd(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A receiver that sends the bytes it was given, once the request has arrived. */
const rawReceiver = (answer: (socket: Socket) => void) =>
  listen(createServer((socket) => socket.once('data', () => answer(socket))))

const httpReceiver = (answer: RequestListener) => listen(createHttpServer(answer))

const httpsReceiver = (answer: RequestListener, options: ServerOptions = tlsFiles) =>
  listen(createHttpsServer(options, answer))

const answered = (sent: Sent) => {
  assert.ok('status' in sent, `no answer: ${JSON.stringify(sent)}`)
  return sent
}
const failed = (sent: Sent) => {
  assert.ok('error' in sent, `an answer: ${JSON.stringify(sent)}`)
  return sent.error
}

/** Counts the TCP connections that the work begins, wherever they lead, or only those to a port. Others of this process may begin some too. */
async function connectionsDuring(work: () => Promise<unknown>, port?: number): Promise<number> {
  let begun = 0
  const ofWork = new AsyncLocalStorage<true>()
  const count = (message: unknown) => {
    if (!ofWork.getStore()) return
    const { socket } = message as { socket: Socket }
    socket.on('connectionAttempt', (_address: string, tried: number) => {
      if (port === undefined || tried === port) begun++
    })
  }
  subscribe('net.client.socket', count)
  await ofWork.run(true, work).finally(() => unsubscribe('net.client.socket', count))
  return begun
}

/** A listener that nobody may ever reach, on both loopback addresses, and how often someone did. */
async function openCanary() {
  const canary = { port: 0, reached: 0 }
  const note = (socket: Socket) => {
    canary.reached++
    socket.destroy()
  }
  canary.port = await listen(createServer(note))
  await listen(createServer(note), '::1', canary.port)
  return canary
}

test('a request arrives as it was sent: name in Host, headers, bytes; the answer comes back', async () => {
  const seen: unknown[] = []
  const port = await httpReceiver((request, response) => {
    request.setEncoding('utf8').on('data', (body) => {
      const { host, 'webhook-id': id, 'content-length': length, 'content-type': type } = request.headers
      seen.push({ method: request.method, url: request.url, host, id, length, type, body })
      response.writeHead(202).end('thanks')
    })
  })
  const outbound = open()
  const sent = await outbound.post({
    url: `http://shop.test:${port}/hook?order=5#top`,
    headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
    body: '{"имя":1}',
    deadlineMs: 5_000,
    owner: 'shop',
  })
  const { ms, ...rest } = answered(sent)
  assert.deepEqual(rest, { ok: true, status: 202, answer: 'thanks', address: '127.0.0.1' })
  assert.ok(Number.isInteger(ms) && ms >= 0 && ms < 5_000)
  assert.deepEqual(seen, [
    {
      method: 'POST',
      url: '/hook?order=5',
      host: `shop.test:${port}`,
      id: 'evt_1',
      length: '12',
      type: 'application/json',
      body: '{"имя":1}',
    },
  ])
})

test('a 2xx is success, and nothing else is', async () => {
  const port = await httpReceiver(({ url }, response) => response.writeHead(Number(url!.slice(1))).end())
  const outbound = open()
  for (const status of [200, 204, 299, 300, 302, 304, 400, 410, 429, 500, 599]) {
    const sent = answered(await outbound.to(`http://shop.test:${port}/${status}`))
    assert.deepEqual([sent.status, sent.ok], [status, status < 300])
  }
})

test('connections are kept and used again, never more than allowed at once', async () => {
  let now = 0
  let most = 0
  const server = createHttpServer(async (_request, response) => {
    most = Math.max(most, ++now)
    await sleep(20)
    now--
    response.end('ok')
  })
  let connections = 0
  server.on('connection', () => connections++)
  const port = await listen(server)
  const outbound = open(development, { connections: 3 })
  const sent = await Promise.all(Array.from({ length: 12 }, () => outbound.to(`http://shop.test:${port}/`)))
  assert.ok(sent.every((outcome) => answered(outcome).ok))
  assert.deepEqual([most, connections], [3, 3])
})

test('an information line before the answer is not the answer', async () => {
  const port = await rawReceiver((socket) =>
    socket.end(
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok',
    ),
  )
  const sent = answered(await open().to(`http://shop.test:${port}/`))
  assert.deepEqual([sent.ok, sent.status, sent.answer], [true, 201, 'ok'])
})

test('a receiver that refuses connections is "connect"', async () => {
  const server = createServer()
  const port = await listen(server)
  await new Promise((done) => server.close(done))
  for (const scheme of ['http', 'https']) {
    const sent = await open().to(`${scheme}://shop.test:${port}/`)
    assert.equal(failed(sent), 'connect')
    assert.equal(sent.address, '127.0.0.1')
  }
})

test('the second address is tried when the first takes no connection, and remembered', async () => {
  const port = await httpReceiver((_request, response) => response.end())
  const outbound = open(development, { lookup: async () => ['::1', '127.0.0.1'] })
  const first = await connectionsDuring(async () =>
    assert.equal(answered(await outbound.to(`http://shop.test:${port}/`)).address, '127.0.0.1'),
  )
  const second = await connectionsDuring(async () =>
    assert.equal(answered(await outbound.to(`http://shop.test:${port}/`)).address, '127.0.0.1'),
  )
  assert.deepEqual([first, second], [2, 0])
})

test('a request that reached a receiver is never sent again to another address', async () => {
  let requests = 0
  const reset = (socket: Socket) => {
    requests++
    socket.resetAndDestroy()
  }
  const port = await rawReceiver(reset)
  await listen(
    createServer((socket) => socket.once('data', () => reset(socket))),
    '::1',
    port,
  )
  const outbound = open(development, { lookup: async () => ['127.0.0.1', '::1'] })
  assert.equal(failed(await outbound.to(`http://shop.test:${port}/`)), 'reset')
  assert.equal(requests, 1)
})

/** Receivers that would hold a slot forever. The deadline is short, and what counts is that it ends. */
test('a receiver that holds its request costs the deadline and no more; a status line is an answer', async () => {
  const says = (head: string) => () => rawReceiver((socket) => socket.write(head))
  const drips = (head: string, piece?: string) => () => rawReceiver((socket) => drip(socket, head, piece))
  const cases: [name: string, receiver: () => Promise<number>, expected: string | number, scheme?: string][] =
    [
      ['takes the connection and says nothing', says(''), 'timeout'],
      ['never finishes its TLS handshake', says(''), 'timeout', 'https'],
      ['drips its headers', drips('HTTP/1.1 200 OK\r\nX-Slow: '), 'timeout'],
      ['sends information lines without end', drips('', 'HTTP/1.1 102 Processing\r\n\r\n'), 'timeout'],
      ['drips the body of a success', drips('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n'), 200],
      ['drips the body of a failure', drips('HTTP/1.1 503 Busy\r\nContent-Length: 1000000\r\n\r\n'), 503],
      ['says nothing after its headers', says('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'), 200],
    ]
  const outcomes = cases.map(async ([name, receiver, expected, scheme = 'http']) => {
    // Long enough to connect and to read the headers, where there are any.
    const deadlineMs = expected === 'timeout' ? 400 : 1_500
    const sent = await open().to(`${scheme}://shop.test:${await receiver()}/`, deadlineMs)
    assert.equal('status' in sent ? sent.status : sent.error, expected, name)
    // Without a deadline it would not end at all.
    assert.ok(sent.ms >= deadlineMs - 50 && sent.ms < 20_000, `${name}: ${sent.ms} ms`)
  })
  await Promise.all(outcomes)
})

function drip(socket: Socket, head: string, piece = 'x'): void {
  socket.write(head)
  const timer = setInterval(() => socket.write(piece), 50)
  socket.on('close', () => clearInterval(timer))
}

test('a name server that never answers costs the deadline and no more, and is asked once', async () => {
  let asked = 0
  const silent = () => {
    asked++
    return new Promise<string[]>(() => {})
  }
  const outbound = open(development, { lookup: silent })
  const sent = await Promise.all([1, 2, 3].map(() => outbound.to('http://shop.test/', 300)))
  assert.deepEqual(sent.map(failed), ['timeout', 'timeout', 'timeout'])
  assert.equal(asked, 1)
})

test('a name of more than 64 addresses is none: each would have to be judged', async () => {
  const port = await httpReceiver((_request, response) => response.end())
  const addressesOf = (many: number) => Array.from({ length: many }, (_, last) => `127.0.0.${last + 1}`)
  for (const [many, expected] of [
    [64, 200],
    [65, 'dns'],
  ] as const) {
    const outbound = open(development, { lookup: async () => addressesOf(many) })
    const sent = await outbound.to(`http://shop.test:${port}/`)
    assert.equal('status' in sent ? sent.status : sent.error, expected)
  }
})

test('one merchant’s unresolvable names do not block the lookups of another', async () => {
  const port = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  const asked: string[] = []
  const outbound = open(development, {
    lookup: (host) => {
      asked.push(host)
      return host === 'fine.test' ? Promise.resolve(['127.0.0.1']) : new Promise<string[]>(() => {})
    },
  })
  const hanging = Array.from({ length: 100 }, (_, place) => `shop-${place}.test`)
  const sent = hanging.map((host) => outbound.to(`http://${host}/`, 400, 'hangs'))
  // Also where the other one has named the same host before.
  sent.push(outbound.to(`http://fine.test:${port}/`, 400, 'hangs'))
  assert.equal(answered(await outbound.to(`http://fine.test:${port}/`, 5_000, 'fine')).status, 200)
  assert.deepEqual((await Promise.all(sent)).map(failed), Array(101).fill('timeout'))
  assert.deepEqual(asked, [...hanging.slice(0, 2), 'fine.test'])
})

test('names of one merchant are looked up few at a time, and all of them', async () => {
  const port = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  let [atOnce, most] = [0, 0]
  const outbound = open(development, {
    lookup: async () => {
      most = Math.max(most, ++atOnce)
      await sleep(1)
      atOnce--
      return ['127.0.0.1']
    },
  })
  const sent = await Promise.all(
    Array.from({ length: 50 }, (_, place) => outbound.to(`http://shop-${place}.test:${port}/`)),
  )
  for (const outcome of sent) assert.equal(answered(outcome).status, 200)
  assert.equal(most, 2)
})

test('requests that wait for a connection end at their deadline and are not sent later', async () => {
  let requests = 0
  const held: Socket[] = []
  const port = await rawReceiver((socket) => {
    requests++
    held.push(socket)
  })
  const outbound = open(development, { connections: 1 })
  const first = outbound.to(`http://shop.test:${port}/`, 30_000)
  assert.equal(failed(await outbound.to(`http://shop.test:${port}/`, 200)), 'timeout')
  while (held.length === 0) await sleep(5)
  held[0]!.resetAndDestroy()
  assert.equal(failed(await first), 'reset')
  await sleep(100)
  assert.equal(requests, 1)
})

test('a deadline that has passed sends nothing', async () => {
  const canary = await openCanary()
  assert.equal(failed(await open().to(`http://shop.test:${canary.port}/`, 0)), 'timeout')
  assert.equal(canary.reached, 0)
})

test('an answer of 1 GB is a success that is cut off: little is read, 4 KB are kept', async () => {
  const gigabyte = 1024 ** 3
  let written = 0
  const ended = Promise.withResolvers<void>()
  const port = await httpReceiver((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    response.writeHead(200, { 'content-length': gigabyte })
    const write = () => {
      while (written < gigabyte && !response.destroyed) {
        written += chunk.length
        if (!response.write(chunk)) return void response.once('drain', write)
      }
    }
    response.on('close', ended.resolve)
    write()
  })
  const before = process.memoryUsage().rss
  const sent = answered(await open().to(`http://shop.test:${port}/`))
  await ended.promise
  assert.deepEqual([sent.ok, sent.answer], [true, 'x'.repeat(4096)])
  assert.ok(written < 64 * 1024 ** 2, `${written} bytes were taken`)
  assert.ok(process.memoryUsage().rss - before < 128 * 1024 ** 2)
})

test('an answer of up to 16 KB is read to its end, so the connection is kept', async () => {
  const server = createHttpServer((request, response) => {
    response.end('x'.repeat(Number(request.url!.slice(1))))
  })
  let connections = 0
  server.on('connection', () => connections++)
  const port = await listen(server)
  const outbound = open()
  for (const [bytes, expected] of [
    [16 * 1024, 1],
    [16 * 1024, 1],
    [16 * 1024 + 1, 1],
    [1, 2],
  ] as const) {
    assert.equal(answered(await outbound.to(`http://shop.test:${port}/${bytes}`)).ok, true)
    assert.equal(connections, expected)
  }
})

test('an answer of information lines without end is cut off long before its deadline', async () => {
  const closed = Promise.withResolvers<void>()
  const port = await rawReceiver((socket) => {
    socket.once('close', closed.resolve)
    pump(socket, 'HTTP/1.1 102 \r\n\r\n'.repeat(4_000))
  })
  const began = monotonicMs()
  assert.equal(failed(await open().to(`http://shop.test:${port}/`, 30_000)), 'invalid_answer')
  await closed.promise
  assert.ok(monotonicMs() - began < 9_000)
})

function pump(socket: Socket, piece: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(piece));
    if (!socket.destroyed) socket.once('drain', write)
  }
  write()
}

test('TLS: a receiver that asks for another handshake gets none', async () => {
  trustReceivers()
  let handshakes = 0
  const server = createTlsServer({ ...tlsFiles, maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.renegotiate({ rejectUnauthorized: false }, () => handshakes++))
  })
  assert.match(failed(await open().to(`https://shop.test:${await listen(server)}/`, 300)), /timeout|reset/)
  assert.equal(handshakes, 0)
})

test('receivers of two merchants at one origin have connections of their own', async () => {
  const hanging: Socket[] = []
  let isOver = false
  const port = await httpReceiver((request, response) => {
    if (request.url !== '/hangs') return void response.end()
    hanging.push(request.socket)
    if (isOver) request.socket.resetAndDestroy()
  })
  const outbound = open(development, { connections: 4 })
  const held = Array.from({ length: 10 }, () =>
    outbound.to(`http://shop.test:${port}/hangs`, 30_000, 'hangs'),
  )
  assert.equal(answered(await outbound.to(`http://shop.test:${port}/`, 15_000, 'fine')).status, 200)
  // Before the first of them is given up, and leaves its place to another.
  assert.ok(hanging.length <= 4, `${hanging.length} connections`)
  isOver = true
  for (const socket of hanging) socket.resetAndDestroy()
  assert.deepEqual((await Promise.all(held)).map(failed), Array(10).fill('reset'))
  assert.equal(hanging.length, 10)
})

test('a compressed answer is never unpacked and never kept', async () => {
  const bomb = gzipSync(Buffer.alloc(10 * 1024 ** 2))
  const port = await httpReceiver((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  const sent = answered(await open().to(`http://shop.test:${port}/`))
  assert.deepEqual([sent.ok, sent.answer], [true, ''])
})

for (const [name, body, expected] of [
  ['control characters', 'a\u0000b\u001b[31mc\u007fd\u0085e', 'a?b?[31mc?d?e'],
  ['line ends and tabs', 'one\r\ntwo\tthree', 'one  two three'],
  ['marks that turn the direction of text', 'pay\u202Eeruces\u200B\u2028', 'pay?eruces??'],
  ['bytes that are no text', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'a??b'],
  ['other alphabets', 'Тўлов қабул қилинди ✓', 'Тўлов қабул қилинди ✓'],
  ['a letter cut in two at 4 KB', `${'x'.repeat(4095)}ж`, `${'x'.repeat(4095)}?`],
  ['4 KB of bytes that are no text', Buffer.alloc(8192, 0xff), '?'.repeat(4096)],
] as const) {
  test(`the kept answer is printable text of at most 4 KB: ${name}`, async () => {
    const port = await httpReceiver((_request, response) => response.writeHead(400).end(body))
    const { answer } = answered(await open().to(`http://shop.test:${port}/`))
    assert.equal(answer, expected)
    assert.ok(Buffer.byteLength(answer) <= 4096)
  })
}

test('the answer of an allow-listed private target is not kept, its status is', async () => {
  const port = await httpReceiver((_request, response) => response.writeHead(500).end('internal secret'))
  const sent = answered(await open(only('127.0.0.1')).to(`http://shop.test:${port}/`))
  assert.deepEqual([sent.status, sent.answer, sent.address], [500, '', '127.0.0.1'])
})

test('Retry-After is seconds, or a date against the receiver’s own clock', async () => {
  let head: Record<string, string> = {}
  const port = await httpReceiver((_request, response) => response.writeHead(429, head).end())
  const outbound = open()
  const date = 'Wed, 21 Oct 2015 07:28:00 GMT'
  for (const [retryAfter, receiverDate, expected] of [
    ['120', date, 120],
    ['0', date, 0],
    ['99999999999999999999999', date, Number.MAX_SAFE_INTEGER],
    ['Wed, 21 Oct 2015 07:29:30 GMT', date, 90],
    ['Wed, 21 Oct 2015 07:00:00 GMT', date, 0],
    ['Wed, 21 Oct 2015 07:29:30 GMT', 'nonsense', undefined],
    ['-5', date, undefined],
    ['soon', date, undefined],
    ['', date, undefined],
  ] as const) {
    head = { 'retry-after': retryAfter, date: receiverDate }
    const sent = answered(await outbound.to(`http://shop.test:${port}/`))
    assert.deepEqual([sent.ok, sent.retryAfterSeconds], [false, expected], retryAfter)
  }
})

for (const [name, answer, expected] of [
  ['closes without an answer', (socket: Socket) => socket.end(), 'reset'],
  ['resets without an answer', (socket: Socket) => socket.resetAndDestroy(), 'reset'],
  [
    'resets in the middle of its headers',
    (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Le', () => socket.resetAndDestroy()),
    'reset',
  ],
  ['does not speak HTTP', (socket: Socket) => socket.end('220 mail.shop.test ESMTP\r\n'), 'invalid_answer'],
  ['sends headers without end', (socket: Socket) => flood(socket), 'invalid_answer'],
  [
    'switches to a protocol nobody asked for',
    (socket: Socket) => socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    'invalid_answer',
  ],
] as const) {
  test(`a receiver that ${name} is "${expected}"`, async () => {
    assert.equal(failed(await open().to(`http://shop.test:${await rawReceiver(answer)}/`)), expected)
  })
}

function flood(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n')
  for (let line = 0; line < 2_000; line++) socket.write(`X-Header-${line}: ${'x'.repeat(100)}\r\n`)
}

for (const [name, head] of [
  ['a length it does not keep', 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\npart'],
  ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n'],
  ['broken chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\nnonsense\r\n'],
] as const) {
  test(`a 2xx status line is success though its body breaks: ${name}`, async () => {
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const port = await rawReceiver((socket) => {
        socket.write(head)
        // Apart, so that what was written is not lost with the reset.
        setTimeout(() => socket[end](), 50)
      })
      const sent = answered(await open().to(`http://shop.test:${port}/`))
      assert.deepEqual([sent.ok, sent.status, sent.answer], [true, 200, 'part'])
    }
  })
}

test('TLS: the name goes into SNI and Host, the connection to the address that was judged', async () => {
  trustReceivers()
  const names: unknown[] = []
  const port = await httpsReceiver((request, response) => {
    names.push([(request.socket as { servername?: string }).servername, request.headers.host])
    names.push((request.socket as { alpnProtocol?: string }).alpnProtocol)
    response.end('ok')
  })
  const outbound = open()
  assert.equal(answered(await outbound.to(`https://shop.test:${port}/`)).answer, 'ok')
  assert.deepEqual(names, [['shop.test', `shop.test:${port}`], 'http/1.1'])
})

for (const [name, host, options] of [
  ['has expired', 'shop.test', expiredTlsFiles],
  ['is for another name', 'other.test', tlsFiles],
  ['is for another name, in TLS 1.2', 'other.test', { ...tlsFiles, maxVersion: 'TLSv1.2' }],
  ['is for a name, where a number was asked', '127.0.0.1', tlsFiles],
] as const) {
  test(`TLS: a certificate that ${name} is refused, the second time too, and nothing is sent`, async () => {
    trustReceivers()
    let requests = 0
    const port = await httpsReceiver(() => requests++, options)
    const outbound = open()
    assert.equal(failed(await outbound.to(`https://${host}:${port}/`)), 'tls')
    assert.equal(failed(await outbound.to(`https://${host}:${port}/`)), 'tls')
    assert.equal(requests, 0)
  })
}

test('TLS: a certificate of an unknown issuer is refused, whatever the environment says', async () => {
  setDefaultCACertificates(getCACertificates('bundled'))
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  let requests = 0
  const port = await httpsReceiver(() => requests++)
  const sent = await open()
    .to(`https://shop.test:${port}/`)
    .finally(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    })
  assert.equal(failed(sent), 'tls')
  assert.equal(requests, 0)
})

test('TLS: a receiver that speaks plain HTTP is "tls"', async () => {
  const port = await httpReceiver((_request, response) => response.end())
  assert.equal(failed(await open().to(`https://shop.test:${port}/`)), 'tls')
})

test('a proxy in the environment is not used', async () => {
  const canary = await openCanary()
  const proxies = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
  for (const name of proxies) process.env[name] = `http://127.0.0.1:${canary.port}`
  const port = await httpReceiver((_request, response) => response.end('direct'))
  const sent = await open().to(`http://shop.test:${port}/`)
  for (const name of proxies) delete process.env[name]
  assert.equal(answered(sent).answer, 'direct')
  assert.equal(canary.reached, 0)
})

test('a name that does not exist is "dns", and so is one without addresses', async () => {
  const lookup = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
  assert.equal(failed(await open(development, { lookup }).to('http://shop.test/')), 'dns')
  assert.equal(failed(await open(development, { lookup: async () => [] }).to('http://shop.test/')), 'dns')
})

test('a name that moves to a denied address gets no further connection', async () => {
  const canary = await openCanary()
  let requests = 0
  const port = await httpReceiver((_request, response) => {
    requests++
    response.setHeader('connection', 'close').end('ok')
  })
  for (const scheme of ['http', 'https']) {
    let answer = ['127.0.0.1']
    const outbound = open(only('127.0.0.1'), { lookup: async () => answer })
    await outbound.to(`http://shop.test:${port}/`)
    const before = requests
    for (const denied of [['::1'], ['10.0.0.1'], ['127.0.0.1', '::1'], ['169.254.169.254']]) {
      answer = denied
      const begun = await connectionsDuring(async () => {
        for (const port of [80, canary.port]) {
          assert.equal(failed(await outbound.to(`${scheme}://shop.test:${port}/`)), 'blocked_address')
        }
        assert.equal(failed(await outbound.to(`http://shop.test:${port}/`)), 'blocked_address')
      })
      assert.equal(begun, 0)
    }
    assert.equal(requests, before)
  }
  assert.equal(canary.reached, 0)
})

/** Ways to write an address that nobody may reach, as the host of a URL; test/attacks makes many more of them. */
const spellings = [
  // This machine: plain, short, decimal, octal, hex, with a dot at its end, in other digits, escaped.
  ...['127.0.0.1', '127.1', '2130706433', '017700000001', '0x7f.0.1', '127.0.0.1.', '0'],
  ...['①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1', '127.0.0.1%00'],
  // Names of this machine.
  ...['localhost', 'LocalHost.', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'sub.localhost', '127.0.0.1.nip.example'],
  // IPv6: this machine, mapped, compatible, translated, tunnelled, with a zone.
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:0:127.0.0.1]'],
  ...['[64:ff9b::127.0.0.1]', '[2002:7f00:1::]', '[::1%25lo]', '[fe80::1%25eth0]'],
  // Private networks, metadata and link-local, everyone.
  ...['10.1', '3232235777', '100.64.0.1', '[::ffff:c0a8:101]', '[fc00::1]', '[2001:db8::1]'],
  ...['169.254.169.254', '0xa9fea9fe', '[2002:a9fe:a9fe::]', '[fd00:ec2::254]', '100.100.100.200'],
  ...['metadata.example.internal', '255.255.255.255', '224.0.0.1', '[ff02::1]'],
]

test('no spelling of a denied address reaches it, by http or https', async (t) => {
  // A slip in the list must not call a stranger.
  const hosts = spellings.map((host) => URL.parse(`http://${host}/`)?.hostname.replace(/^\[|\]$/g, '') ?? '')
  assert.deepEqual(
    hosts.filter((host) => isAllowedAddress(host, strict)),
    [],
  )
  const canary = await openCanary()
  // The worst of all name servers: whatever the URL parser leaves a name, is this machine.
  const outbound = open(strict, { lookup: async () => ['127.0.0.1'] })
  const begun = await connectionsDuring(async () => {
    for (const host of spellings) {
      for (const scheme of ['http', 'https', 'HTTP', 'hTTps']) {
        const sent = await outbound.to(`${scheme}://${host}:${canary.port}/`)
        assert.equal(failed(sent), 'blocked_address', `${scheme}://${host}`)
        assert.equal('answer' in sent, false)
      }
    }
  }, canary.port)
  assert.deepEqual([begun, canary.reached], [0, 0])
  t.diagnostic(`${spellings.length} spellings, 4 schemes, 0 connections`)

  // The canary sings when it is reached: what was counted above was counted rightly.
  for (const scheme of ['http', 'https']) {
    const before = canary.reached
    const seen = await connectionsDuring(() => open().to(`${scheme}://127.1:${canary.port}/`), canary.port)
    assert.deepEqual([seen, canary.reached - before], [1, 1])
  }
})

/** What a name server might answer, alone, before and after an honest address. More of them: allowed-address.test.ts. */
const answers = [
  '127.0.0.1',
  '10.0.0.1',
  '169.254.169.254',
  '::ffff:7f00:1',
  'fe80::1%eth0',
  '0x7f.1',
  'localhost',
  '',
]

test('a name with any denied address is refused, by http or https, with no connection', async () => {
  const canary = await openCanary()
  const begun = await connectionsDuring(async () => {
    for (const bad of answers) {
      for (const answer of [[bad], [bad, '8.8.8.8'], ['8.8.8.8', bad], ['2606:4700::1111', '8.8.8.8', bad]]) {
        const outbound = createOutbound(strict, { lookup: async () => answer })
        for (const scheme of ['http', 'https']) {
          const url = `${scheme}://shop.test:${canary.port}/`
          const sent = await outbound.post({ url, headers: {}, body: '', deadlineMs: 1_000, owner: 'shop' })
          assert.deepEqual([failed(sent), sent.address], ['blocked_address', bad], answer.join())
        }
        await outbound.close()
      }
    }
  })
  assert.deepEqual([begun, canary.reached], [0, 0])
})

test('the system’s own resolver is used by default, and this machine’s name is refused', async () => {
  const canary = await openCanary()
  const outbound = createOutbound(strict)
  for (const scheme of ['http', 'https']) {
    const url = `${scheme}://localhost:${canary.port}/`
    assert.equal(
      failed(await outbound.post({ url, headers: {}, body: '', deadlineMs: 3_000, owner: 'shop' })),
      'blocked_address',
    )
  }
  await outbound.close()
  assert.equal(canary.reached, 0)

  const port = await httpReceiver((_request, response) => response.end('ok'))
  const allowing = createOutbound(development)
  const url = `http://localhost:${port}/`
  assert.equal(
    answered(await allowing.post({ url, headers: {}, body: '', deadlineMs: 3_000, owner: 'shop' })).answer,
    'ok',
  )
  await allowing.close()
})

for (const url of [
  '',
  'shop.test',
  '//shop.test/',
  'ftp://shop.test/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'unix:/var/run/docker.sock',
  'http://',
  'http://[::1',
  'http://user@shop.test/',
  'https://user:secret@shop.test/',
  'http://shop.test:99999/',
]) {
  test(`${JSON.stringify(url)} goes nowhere`, async () => {
    const outbound = open()
    const begun = await connectionsDuring(async () =>
      assert.equal(failed(await outbound.to(url)), 'blocked_address'),
    )
    assert.equal(begun, 0)
  })
}

test('a header that cannot be sent is our mistake: it throws', async () => {
  const port = await httpReceiver((_request, response) => response.end())
  const url = `http://shop.test:${port}/`
  const broken = { url, headers: { 'x-name': 'a\r\nx-other: b' }, body: '', deadlineMs: 1_000, owner: 'shop' }
  await assert.rejects(open().post(broken), { code: 'UND_ERR_INVALID_ARG' })
})

test('connections stay bounded however many origins there are', async () => {
  const server = createHttpServer((_request, response) => response.end())
  server.keepAliveTimeout = 60_000
  const port = await listen(server)
  const outbound = open()
  for (let group = 0; group < 13; group++) {
    const names = Array.from({ length: 100 }, (_, index) => `shop-${group}-${index}.test`)
    const sent = await Promise.all(names.map((name) => outbound.to(`http://${name}:${port}/`, 60_000)))
    assert.ok(sent.every((outcome) => answered(outcome).ok))
  }
  const connections = await new Promise<number>((done) =>
    server.getConnections((_error, count) => done(count)),
  )
  assert.ok(connections <= 1_100, `${connections} connections`)
})

test('close waits for running requests, then ends every connection, and nothing is sent after', async () => {
  const server = createHttpServer(async (_request, response) => {
    await sleep(100)
    response.end('late')
  })
  const port = await listen(server)
  const outbound = open()
  const sending = outbound.to(`http://shop.test:${port}/`)
  await sleep(30)
  await outbound.close()
  assert.equal(answered(await sending).answer, 'late')
  await sleep(20)
  assert.equal(await new Promise((done) => server.getConnections((_error, count) => done(count))), 0)
  await assert.rejects(outbound.to(`http://shop.test:${port}/`), { code: 'ERR_ASSERTION' })
})

test('no request is sent while a transaction is open', async () => {
  const { owner } = await createDatabase()
  const canary = await openCanary()
  const outbound = open()
  await owner.transaction(async () => {
    await assert.rejects(outbound.to(`http://shop.test:${canary.port}/`), { code: 'ERR_ASSERTION' })
  })
  assert.equal(canary.reached, 0)
  await outbound.to(`http://shop.test:${canary.port}/`)
  assert.equal(canary.reached, 1)
})
