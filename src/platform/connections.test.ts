/** Clients that open too much, ask ahead or do not read: they lose their connection, and nobody else an answer. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { collectGarbage } from '../../test/support/heap.ts'
import { bounds } from './bounds.ts'
import { admitBody, type ConnectionBounds } from './connections.ts'
import { closeHttp, createHttp } from './http.ts'
import { createLog } from './log.ts'
import { createRateLimit } from './rate-limit.ts'

/** More than the buffers of both ends hold. */
const large = Buffer.alloc(15 * 1024 * 1024, 'x')
const boundsAboveLarge = { unreadBytesOfNetwork: 16 * 1024 * 1024, unreadBytesInAll: 32 * 1024 * 1024 }

const closing: (() => Promise<void>)[] = []
after(() => Promise.all(closing.map((close) => close())))

async function serving(changed: Partial<ConnectionBounds>, trustedProxies: string[] = []) {
  const logged: string[] = []
  const app = createHttp({
    log: createLog('info', (line) => logged.push(line)),
    publicUrl: 'http://localhost',
    trustedProxies,
    limits: createRateLimit(100, () => 0),
    connections: { ...bounds.connections, ...boundsAboveLarge, logMs: 1, ...changed },
  })
  const held: (() => void)[] = []
  app.get('/small', (_request, reply) => reply.send('small'))
  app.get('/large', (_request, reply) => reply.send(large))
  app.get('/middle', (_request, reply) => reply.send(large.subarray(0, 8 * 1024 * 1024)))
  app.post('/body', (_request, reply) => reply.send('body'))
  app.post('/refused', { onRequest: async (_request, reply) => reply.send('refused') }, () => {})
  app.post('/admitted', { onRequest: async (request) => admitBody(request.raw) }, (_request, reply) =>
    reply.send('admitted'),
  )
  app.get('/held', (_request, reply) => {
    held.push(() => reply.send('held'))
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  closing.push(() => {
    app.server.closeAllConnections()
    return closeHttp(app)
  })
  const { port } = app.server.address() as { port: number }

  /** A client that reads nothing until it is asked to. What became of its connection only the server knows then. */
  async function open(from = '127.0.0.1'): Promise<Client> {
    const isIpv6 = from.includes(':')
    // This machine may have no addresses of its own in an IPv6 network.
    if (isIpv6)
      app.server.prependOnceListener('connection', (socket: Socket) =>
        Object.defineProperty(socket, 'remoteAddress', { value: from }),
      )
    const accepted = once(app.server, 'connection') as Promise<[Socket]>
    const localAddress = isIpv6 ? '127.0.0.1' : from
    // It never ends by itself: the server must not wait for that.
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true }).pause()
    socket.on('error', () => {})
    const [atServer] = await accepted
    const ended = new Promise((resolve) => atServer.once('close', resolve))
    return {
      send: (path, times = 1) => void socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times)),
      sendFor: (client, path, times = 1) =>
        void socket.write(
          `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\n\r\n`.repeat(times),
        ),
      async beginFor(client, bytes = 1, path = '/body') {
        const begun = once(app.server, 'request')
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\nContent-Length: ${bytes + 1}\r\n\r\n${'1'.repeat(bytes)}`,
        )
        await begun
      },
      beginHead: (bytes) => void socket.write(`GET /small HTTP/1.1\r\nHost: x\r\nX: ${'1'.repeat(bytes)}`),
      sendTrailers: (trailers) =>
        void socket.write(
          `POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n${trailers}\r\n`,
        ),
      finish: () => void socket.write('2'),
      finishHead: () => void socket.write('\r\n\r\n'),
      ended: () => ended,
      isOpen: () => !atServer.destroyed,
      read: (answers) => readAnswers(socket, answers),
      async leave() {
        socket.destroy()
        await ended
      },
    }
  }
  return { open, held, logged, server: app.server }
}

type Client = {
  send(path: string, times?: number): void
  /** As a proxy does for one of its clients. */
  sendFor(client: string, path: string, times?: number): void
  /** The same, with half of a body. */
  beginFor(client: string, bytes?: number, path?: string): Promise<void>
  /** Half of the head of a request. */
  beginHead(bytes: number): void
  sendTrailers(trailers: string): void
  finish(): void
  finishHead(): void
  ended(): Promise<unknown>
  isOpen(): boolean
  read(answers: number): Promise<Answer[]>
  leave(): Promise<void>
}
type Answer = { status: number; type: string | undefined; length: number; start: string }

/** Reads so many whole answers, or as many as come before the server ends. */
async function readAnswers(socket: Socket, count: number): Promise<Answer[]> {
  const answers: Answer[] = []
  let rest = Buffer.alloc(0)
  let missing = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const take = (chunk: Buffer) => {
    const ofBody = Math.min(missing, chunk.length)
    missing -= ofBody
    rest = Buffer.concat([rest, chunk.subarray(ofBody)])
    const end = rest.indexOf('\r\n\r\n')
    if (missing === 0 && end > 0) {
      const head = rest.subarray(0, end).toString()
      const length = Number(/content-length: (\d+)/i.exec(head)![1])
      const body = rest.subarray(end + 4)
      const type = /content-type: (.*)/i.exec(head)?.[1]
      answers.push({
        status: Number(head.split(' ')[1]),
        type,
        length,
        start: body.toString('latin1', 0, Math.min(length, 1_000)),
      })
      rest = Buffer.alloc(0)
      missing = length
      return take(body)
    }
    if (missing === 0 && answers.length === count) resolve()
  }
  socket.on('data', take)
  socket.once('close', () => resolve())
  socket.resume()
  await promise
  socket.off('data', take)
  socket.pause()
  return answers
}

const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status)

async function assertServed(client: Client): Promise<void> {
  client.send('/small')
  assert.deepEqual(statusesOf(await client.read(1)), [200])
}

async function assertRefused(client: Client): Promise<void> {
  const [answer] = await client.read(1)
  assert.equal(answer?.status, 503)
  assert.equal(answer.type, 'application/problem+json; charset=utf-8')
  assert.equal(JSON.parse(answer.start).code, 'overloaded')
  await client.ended()
}

const timeout = 20_000

test('connections of one network beyond its bound are refused, and those of another are served', {
  timeout,
}, async () => {
  const { open, logged } = await serving({ mostOfNetwork: 2 })
  const [first, second] = [await open(), await open()]
  await assertServed(first)
  await assertServed(second)
  await assertRefused(await open())
  await assertServed(await open('127.0.0.2'))
  await first.leave()
  await assertServed(await open())
  while (logged.length === 0) await setTimeout(1)
  const lines = logged.map((line) => JSON.parse(line)).map(({ message, count }) => [message, count])
  assert.deepEqual(lines, [['connections refused: too many are open', 1]])
})

test('a trusted proxy has as many connections as there are in all', { timeout }, async () => {
  const { open } = await serving({ mostOfNetwork: 1, most: 3 }, ['127.0.0.2'])
  for (const from of ['127.0.0.2', '127.0.0.2', '127.0.0.1']) await assertServed(await open(from))
  await assertRefused(await open('127.0.0.2'))
  await assertRefused(await open('127.0.0.3'))
})

test('when all connections are taken, the network with most of them makes room, until all have as many', {
  timeout,
}, async () => {
  const { open, held } = await serving({ most: 4 }, ['127.0.0.9'])
  const working = await open('127.0.0.2')
  working.send('/held')
  while (held.length === 0) await setTimeout(1)
  const idle = await open('127.0.0.2')
  const proxy = [await open('127.0.0.9'), await open('127.0.0.9')]
  for (const client of proxy) await assertServed(client)
  // Its own second would only trade places; a proxy takes none from others.
  await assertRefused(await open('127.0.0.9'))
  const newcomer = await open('127.0.0.3')
  await assertServed(newcomer)
  await idle.ended()
  assert.ok(working.isOpen(), 'who waits for an answer stays')
  await assertRefused(await open('127.0.0.4'))
  await assertRefused(await open('127.0.0.2'))
  held.shift()!()
  assert.deepEqual(statusesOf(await working.read(1)), [200])
  await newcomer.leave()
  await assertServed(await open('127.0.0.4'))
})

test('behind a trusted proxy, unfinished requests of one network beyond its bound are refused, and those of another are served', {
  timeout,
}, async () => {
  const { open, logged } = await serving({ mostOfNetwork: 2 }, ['127.0.0.2'])
  const [first, second, third] = [await open('127.0.0.2'), await open('127.0.0.2'), await open('127.0.0.2')]
  await first.beginFor('203.0.113.9')
  await second.beginFor('203.0.113.9')
  await third.beginFor('203.0.113.9')
  await assertRefused(third)
  const other = await open('127.0.0.2')
  other.sendFor('198.51.100.7', '/small')
  assert.deepEqual(statusesOf(await other.read(1)), [200])
  first.finish()
  assert.deepEqual(statusesOf(await first.read(1)), [200])
  // What was answered is no longer counted, and the connection is the next client's.
  other.sendFor('203.0.113.9', '/small')
  assert.deepEqual(statusesOf(await other.read(1)), [200])
  first.sendFor('198.51.100.7', '/small')
  assert.deepEqual(statusesOf(await first.read(1)), [200])
  while (!logged.join().includes('too many of one network')) await setTimeout(1)
})

test('when a trusted proxy has taken all connections, the client with most unfinished requests loses one of them', {
  timeout,
}, async () => {
  const { open, held } = await serving({ most: 4 }, ['127.0.0.2'])
  const working = [await open('127.0.0.2'), await open('127.0.0.2')]
  for (const client of working) client.sendFor('198.51.100.7', '/held')
  while (held.length < 2) await setTimeout(1)
  const slow = [await open('127.0.0.2'), await open('127.0.0.2')]
  for (const client of slow) await client.beginFor('203.0.113.9')
  const newcomer = await open('127.0.0.2')
  newcomer.sendFor('198.51.100.8', '/small')
  assert.deepEqual(statusesOf(await newcomer.read(1)), [200])
  await slow[0]!.ended()
  assert.ok(slow[1]!.isOpen())
  // Every client has one unfinished request at most: nobody makes room.
  await assertRefused(await open('127.0.0.2'))
  for (const answer of held) answer()
  for (const client of working) assert.deepEqual(statusesOf(await client.read(1)), [200])
})

test('loopback is a network like others where it is no trusted proxy', { timeout }, async () => {
  const { open } = await serving({ mostOfNetwork: 1 })
  await assertServed(await open())
  await assertRefused(await open())
})

test('pipelined requests are served one after the other, each after the previous answer was read', {
  timeout,
}, async () => {
  const { open, held } = await serving({})
  const client = await open()
  client.send('/held', 500)
  for (let answered = 0; answered < 500; answered++) {
    while (held.length === answered) await setTimeout(0)
    await assertServed(await open())
    assert.equal(held.length, answered + 1)
    held[answered]!()
    assert.deepEqual(statusesOf(await client.read(1)), [200])
  }

  client.send('/large')
  client.send('/held', 2)
  await assertServed(await open('127.0.0.2'))
  assert.equal(held.length, 500, 'nobody reads the long answer')
  assert.equal((await client.read(1))[0]?.length, large.length)
  while (held.length === 500) await setTimeout(0)
  for (const answer of held.slice(500)) answer()
  client.send('/small')
  while (held.length === 501) await setTimeout(0)
  held[501]!()
  assert.deepEqual(
    (await client.read(3)).map(({ start }) => start),
    ['held', 'held', 'small'],
  )
})

for (const proxies of [[], ['127.0.0.2', '127.0.0.3']])
  test(`bytes of requests sent ahead count as unfinished${proxies.length > 0 ? ', also behind a trusted proxy' : ''}`, {
    timeout,
  }, async () => {
    const { open, logged } = await serving({ unfinishedBytesInAll: 20_000 }, proxies)
    const few = await open('127.0.0.2')
    few.sendFor('203.0.113.1', '/held', 20)
    const many = await open('127.0.0.3')
    many.sendFor('203.0.113.2', '/held', 400)
    while (many.isOpen()) await assertServed(await open('127.0.0.4'))
    assert.ok(few.isOpen())
    while (!logged.join().includes('bytes of unfinished requests')) await setTimeout(1)
  })

for (const [what, changed, proxies, froms] of [
  ['of one network', { unreadBytesOfNetwork: 40_000_000 }, [], ['127.0.0.2', '127.0.0.2', '127.0.0.2']],
  ['in all', { unreadBytesInAll: 40_000_000 }, [], ['127.0.0.2', '127.0.0.3', '127.0.0.4']],
  [
    'in all, also by a trusted proxy',
    { unreadBytesInAll: 40_000_000 },
    ['127.0.0.2'],
    ['127.0.0.2', '127.0.0.2', '127.0.0.2'],
  ],
] as const) {
  test(`too many bytes that nobody reads ${what} end a connection that holds many of them`, {
    timeout,
  }, async () => {
    const { open } = await serving(changed, [...proxies])
    const bystander = await open('127.0.0.9')
    await assertServed(bystander)
    const idlers: Client[] = []
    for (const from of froms) idlers.push(await open(from))
    for (const idler of idlers) idler.send('/large')
    await Promise.race(idlers.map((idler) => idler.ended()))
    assert.equal(idlers.filter((idler) => idler.isOpen()).length, 2)
    await assertServed(bystander)
    // Bytes of connections that are over are free again.
    for (const idler of idlers) await idler.leave()
    for (const from of froms) {
      const reader = await open(from)
      reader.send('/large')
      assert.deepEqual(statusesOf(await reader.read(1)), [200])
    }
  })
}

test('a trusted proxy holds more than one network may', { timeout }, async () => {
  const { open } = await serving({ unreadBytesOfNetwork: 20_000_000 }, ['127.0.0.2'])
  const clients = [await open('127.0.0.2'), await open('127.0.0.2')]
  for (const client of clients) client.send('/large')
  for (const client of clients) assert.deepEqual(statusesOf(await client.read(1)), [200])
})

for (const [what, proxies, begin] of [
  ['bodies', [], (client: Client) => client.beginFor('203.0.113.9', 8_000)],
  [
    'bodies, behind a trusted proxy',
    ['127.0.0.2', '127.0.0.9'],
    (client: Client) => client.beginFor('203.0.113.9', 8_000),
  ],
  [
    'bodies to addresses that the router refuses, behind a trusted proxy',
    ['127.0.0.2', '127.0.0.9'],
    (client: Client) => client.beginFor('203.0.113.9', 8_000, '/%zz'),
  ],
  [
    'requests with many short fields',
    [],
    (client: Client) => client.beginFor(`203.0.113.9${'\r\nA: 1'.repeat(75)}`, 100),
  ],
  ['heads', [], (client: Client) => client.beginHead(8_000)],
  ['heads, behind a trusted proxy', ['127.0.0.2', '127.0.0.9'], (client: Client) => client.beginHead(8_000)],
  [
    'heads behind whole requests',
    [],
    (client: Client) => {
      client.send('/small')
      client.beginHead(8_000)
    },
  ],
] as const) {
  test(`too many bytes of unfinished ${what} end a connection of the network that has sent most of them`, {
    timeout,
  }, async () => {
    const { open, logged } = await serving({ unfinishedBytesInAll: 24_000 }, [...proxies])
    const bystander = await open('127.0.0.9')
    await bystander.beginFor('198.51.100.7', 4_000)
    const slow = [await open('127.0.0.2'), await open('127.0.0.2'), await open('127.0.0.2')]
    for (const client of slow) await begin(client)
    await Promise.race(slow.map((client) => client.ended()))
    assert.equal(slow.filter((client) => client.isOpen()).length, 2)
    bystander.finish()
    assert.deepEqual(statusesOf(await bystander.read(1)), [200])
    while (!logged.join().includes('bytes of unfinished requests')) await setTimeout(1)
  })
}

for (const proxies of [[], ['127.0.0.9']]) {
  test(`a body that its reader admits is not counted as unfinished${proxies.length > 0 ? ', behind a trusted proxy' : ''}`, {
    timeout,
  }, async () => {
    const { open } = await serving({ unfinishedBytesInAll: 24_000 }, proxies)
    const sender = await open('127.0.0.9')
    await sender.beginFor('198.51.100.7', 15_000, '/admitted')
    const slow: Client[] = []
    for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']) slow.push(await open(from))
    for (const client of slow) await client.beginFor('203.0.113.9', 8_000)
    await Promise.race(slow.map((client) => client.ended()))
    sender.finish()
    assert.deepEqual(statusesOf(await sender.read(1)), [200])
    // What is sent on the same connection afterwards counts.
    await Promise.race([sender.beginFor('198.51.100.7', 12_000), sender.ended()])
    await sender.ended()
  })
}

const ofOneSite = ['2001:db8:7:1::1', '2001:db8:7:2::1', '2001:db8:7:3::1']

for (const isProxied of [false, true])
  test(`networks of one IPv6 /48 count together for unfinished requests${isProxied ? ', behind a trusted proxy' : ''}`, {
    timeout,
  }, async () => {
    const { open } = await serving({ unfinishedBytesInAll: 24_000 }, isProxied ? ['127.0.0.2'] : [])
    const openFrom = (address: string) => open(isProxied ? '127.0.0.2' : address)
    const bystander = await openFrom('127.0.0.9')
    await bystander.beginFor('192.0.2.7', 9_000)
    const slow: Client[] = []
    for (const address of ofOneSite) slow.push(await openFrom(address))
    for (const [at, client] of slow.entries()) await client.beginFor(ofOneSite[at]!, 6_000)
    await Promise.race(slow.map((client) => client.ended()))
    bystander.finish()
    assert.deepEqual(statusesOf(await bystander.read(1)), [200])
  })

test('networks of one IPv6 /48 count together for unread answers', { timeout }, async () => {
  const { open } = await serving({ unreadBytesInAll: 70_000_000, unreadBytesOfNetwork: 40_000_000 })
  const bystander = await open('127.0.0.9')
  bystander.send('/large', 2)
  const idlers: Client[] = []
  for (const address of [...ofOneSite, '2001:db8:7:4::1']) idlers.push(await open(address))
  for (const idler of idlers) idler.send('/large')
  await Promise.race(idlers.map((idler) => idler.ended()))
  assert.deepEqual(statusesOf(await bystander.read(2)), [200, 200])
})

test('when a trusted proxy has taken all connections, the networks of one IPv6 /48 make room together', {
  timeout,
}, async () => {
  const { open } = await serving({ most: 3 }, ['127.0.0.2'])
  const slow: Client[] = []
  for (const address of ofOneSite) {
    slow.push(await open('127.0.0.2'))
    await slow.at(-1)!.beginFor(address)
  }
  const bystander = await open('127.0.0.2')
  bystander.sendFor('192.0.2.7', '/small')
  assert.deepEqual(statusesOf(await bystander.read(1)), [200])
})

test('behind a trusted proxy, the client with most unread bytes loses a connection', {
  timeout,
}, async () => {
  const { open } = await serving({ unreadBytesInAll: 36_000_000 }, ['127.0.0.2'])
  const bystander = await open('127.0.0.2')
  bystander.sendFor('192.0.2.7', '/large')
  const idlers = [await open('127.0.0.2'), await open('127.0.0.2'), await open('127.0.0.2')]
  for (const idler of idlers) idler.sendFor('192.0.2.9', '/middle')
  await Promise.race(idlers.map((idler) => idler.ended()))
  assert.deepEqual(statusesOf(await bystander.read(1)), [200])
})

test('what is kept of a request counts until its answer is read', { timeout }, async () => {
  const { open } = await serving({ unreadBytesInAll: 2 * large.length + 12_000 })
  const idlers = [await open('127.0.0.2'), await open('127.0.0.3')]
  for (const idler of idlers) idler.send(`/large?${'x'.repeat(7_000)}`)
  await Promise.race(idlers.map((idler) => idler.ended()))
})

test('what has arrived is no longer counted as unfinished', { timeout }, async () => {
  const { open } = await serving({ unfinishedBytesInAll: 20_000 })
  const [bodies, heads] = [await open(), await open()]
  for (let times = 0; times < 5; times++) {
    await bodies.beginFor('203.0.113.9', 8_000)
    bodies.finish()
    assert.deepEqual(statusesOf(await bodies.read(1)), [200])
    heads.beginHead(8_000)
    heads.finishHead()
    assert.deepEqual(statusesOf(await heads.read(1)), [200])
  }
})

for (const [what, path] of [
  ['answered', '/body'],
  ['refused before its body had arrived', '/refused'],
] as const) {
  test(`an idle connection keeps nothing of a request that was ${what}`, { timeout }, async () => {
    const { open, server } = await serving({})
    const asked: WeakRef<object>[] = []
    server.on('request', (request) => asked.push(new WeakRef(request)))
    const client = await open()
    await client.beginFor('203.0.113.9', 8_000, path)
    if (path === '/refused') await client.read(1)
    client.finish()
    if (path === '/body') await client.read(1)
    // Whatever was looked at is kept until the turn of the event loop ends.
    for (let times = 0; times < 100; times++) {
      await setTimeout(1)
      collectGarbage()
      if (!asked[0]!.deref()) break
    }
    assert.equal(asked[0]!.deref(), undefined)
    await assertServed(client)
  })
}

test('what all connections can send at once as heads is a small part of the memory of a process', () => {
  assert.ok(bounds.connections.most * bounds.headerBytes <= 32 * 1024 * 1024)
})

test('while many connections are open, one that has sent a long head ends with its answer', {
  timeout,
}, async () => {
  const { open, server } = await serving({ most: 8, keptHeadBytes: 2_000 })
  let parsed = 0
  server.on('request', () => parsed++)
  const [client, other] = [await open(), await open()]
  const sendLong = async () => {
    client.beginHead(4_000)
    client.finishHead()
    assert.deepEqual(statusesOf(await client.read(1)), [200])
  }
  await sendLong()
  await assertServed(client)
  await open()
  parsed = 0
  client.beginHead(4_000)
  client.finishHead()
  client.send('/small', 500)
  assert.deepEqual(statusesOf(await client.read(1)), [200])
  await client.ended()
  assert.equal(parsed, 1, 'what it has sent behind it is not even parsed')
  await assertServed(other)
  await assertServed(other)
})

for (const [what, trailers] of [
  ['long', `X: ${'1'.repeat(4_000)}\r\n`],
  ['many', 'X: 1\r\n'.repeat(100)],
] as const) {
  test(`a connection ends with ${what} trailers, which the parser would keep`, { timeout }, async () => {
    const { open } = await serving({})
    const [client, other] = [await open(), await open()]
    other.sendTrailers('X: 1\r\n')
    assert.deepEqual(statusesOf(await other.read(1)), [200])
    client.sendTrailers(trailers)
    await client.ended()
    await assertServed(other)
  })
}

test('an unread answer times out; slow work does not', {
  timeout,
}, async () => {
  const { open, held, logged } = await serving({ unreadMs: 50 })
  const waiting = await open()
  waiting.send('/held')
  const idler = await open()
  idler.send('/large')
  await idler.ended()
  while (!logged.join().includes('nobody reads the answers')) await setTimeout(1)
  assert.ok(waiting.isOpen())
  held.shift()!()
  assert.equal((await waiting.read(1))[0]?.start, 'held')
})

for (const [what, isGone] of [
  ['never does', false],
  ['has sent more, and left', true],
] as const)
  test(`a request that did not arrive in time ends its connection, also where the client ${what}`, {
    timeout,
  }, async () => {
    const { open, server } = await serving({ unreadMs: 500 })
    server.requestTimeout = 100
    server.headersTimeout = 100
    const client = await open()
    await client.beginFor('1.2.3.4')
    assert.deepEqual(statusesOf(await client.read(1)), [408])
    if (isGone) {
      client.finish()
      await setTimeout(100)
      client.leave()
    }
    const outcome = await Promise.race([client.ended().then(() => 'ended'), setTimeout(3_000, 'open')])
    assert.equal(outcome, 'ended')
  })
