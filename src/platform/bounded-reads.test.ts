/** What one read of a connection makes the parser do before the connection can be ended. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises'
import { heldMegabytes } from '../../test/support/heap.ts'
import { bounds } from './bounds.ts'
import { closeHttp, createHttp, type Http } from './http.ts'
import { createLog } from './log.ts'
import { createRateLimit } from './rate-limit.ts'

let app: Http
let port: number
let parsed = 0
const logged: string[] = []
const bodyBytes = 4 * 1024 * 1024
before(async () => {
  app = createHttp({
    log: createLog('info', (line) => logged.push(line)),
    publicUrl: 'http://localhost',
    trustedProxies: [],
    limits: createRateLimit(100, () => 0),
    connections: { ...bounds.connections, logMs: 1 },
  })
  app.get('/held', (_request, reply) => {
    app.server.emit('held', () => reply.send('held'))
  })
  app.get('/closing', (_request, reply) => reply.header('connection', 'close').send('closing'))
  app.get('/early', (_request, reply) => reply.send('early'))
  app.post('/length', { bodyLimit: bodyBytes }, (request, reply) =>
    reply.send(String((request.body as Buffer).length)),
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  app.server.on('request', (_request: IncomingMessage) => parsed++)
  port = (app.server.address() as { port: number }).port
})
after(() => {
  app.server.closeAllConnections()
  return closeHttp(app)
})

/** Sends all of it at once, or in these parts, and returns the bodies of the answers. Ends when the server does, or after so many. */
async function send(text: string | string[], answers = Number.POSITIVE_INFINITY): Promise<string[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  const parts = [text].flat()
  // In a round of its own each: the server reads it alone.
  const sending = (async () => {
    for (const part of parts) {
      socket.write(part)
      if (parts.length > 1) await nextRound()
    }
  })()
  let received = ''
  const bodies = () =>
    received
      .split('HTTP/1.1 200')
      .slice(1)
      .map((answer) => answer.split('\r\n\r\n')[1]!)
  socket.on('data', (bytes) => {
    received += bytes
    if (bodies().filter((body) => body !== '').length >= answers) socket.destroy()
  })
  await Promise.all([sending, new Promise((resolve) => socket.once('close', resolve))])
  return bodies()
}

/** Connections that are ended are logged a moment later, all of one kind in one line. */
async function logLine(text: string): Promise<void> {
  while (!logged.some((line) => line.includes(text))) await sleep(1)
}

const chunksOf = (length: number, count: number) =>
  `${`${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`.repeat(count)}0\r\n\r\n`
const chunked = (body: string) =>
  `POST /length HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n${body}`
const whole = (body: string) =>
  `POST /length HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`

for (const [what, head, answers] of [
  ['in one read', '', 0],
  ['behind a body of known length', whole('x'.repeat(20_000)), 1],
  ['behind a body in chunks', chunked(chunksOf(1, 5)), 1],
] as const)
  test(`of two thousand short requests ${what} the first is parsed, and the next when it is answered`, {
    timeout: 20_000,
  }, async () => {
    parsed = 0
    const first = once(app.server, 'held')
    const sent = send(head + 'GET /held HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000), answers + 1)
    const [answer] = (await first) as [() => void]
    await send(whole('x'), 1)
    assert.equal(parsed, answers + 2, 'with the one of another client')
    const second = once(app.server, 'held')
    answer()
    assert.equal((await sent).at(-1), 'held')
    await second
    assert.equal(parsed, answers + 3)
  })

test('of requests with bodies that end in the next piece the first is parsed, and the next when it is answered', {
  timeout: 20_000,
}, async () => {
  const piece = bounds.connections.read.bytes
  const unit = (length: number) => {
    const head = (bytes: number) => `POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`
    const body = length - head(100).length
    return head(body) + 'x'.repeat(body)
  }
  parsed = 0
  const first = once(app.server, 'held')
  const sent = send(
    `GET /held HTTP/1.1\r\nHost: x\r\nContent-Length: 1025\r\n\r\n${'x'.repeat(1025)}${unit(piece - 50)}${unit(piece).repeat(60)}`,
    1,
  )
  const [answer] = (await first) as [() => void]
  await send(whole('x'), 1)
  assert.ok(
    parsed <= 3,
    `${parsed} with the one of another client: of two heads the ends may come in one piece`,
  )
  answer()
  await sent
})

test('a request behind a body that came after the answer is parsed in its order', {
  timeout: 20_000,
}, async () => {
  parsed = 0
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
  })
  socket.write('GET /early HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n')
  while (!received.includes('early')) await once(socket, 'data')
  // The text of a request, inside a body, where the second piece of this read begins.
  const hidden = 'GET /early HTTP/1.1\r\nHost: x\r\n\r\n'
  const head = (bytes: number) =>
    `POST /length HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${bytes}\r\n\r\n`
  const filler = bounds.connections.read.bytes - 100 - head(100).length
  received = ''
  socket.write('b'.repeat(100) + head(filler + hidden.length) + 'p'.repeat(filler) + hidden)
  while (!/\r\n\r\n./.test(received)) await once(socket, 'data')
  socket.destroy()
  assert.equal(received.split('\r\n\r\n').at(-1), String(filler + hidden.length))
})

test('a request behind an answer that ends the connection is not served', { timeout: 20_000 }, async () => {
  parsed = 0
  const text = 'GET /closing HTTP/1.1\r\nHost: x\r\n\r\nGET /early HTTP/1.1\r\nHost: x\r\n\r\n'
  assert.deepEqual(await send(text), ['closing'])
  assert.equal(parsed, 1)
})

test('behind a request for an upgrade, which is ignored, nothing is lost', { timeout: 20_000 }, async () => {
  const upgrade = whole('hello').replace('\r\n', '\r\nConnection: Upgrade\r\nUpgrade: foo\r\n')
  const sent = send(upgrade + whole('x'.repeat(500)), 2)
  assert.deepEqual(await Promise.race([sent, sleep(2_000, 'no answer', { ref: false })]), ['5', '500'])
})

test('a body in long chunks may have many empty lines', { timeout: 20_000 }, async () => {
  const lines = 'a line\r\n\r\n'.repeat(500)
  const body = `${lines.length.toString(16)}\r\n${lines}\r\n0\r\n\r\n`
  assert.deepEqual(await send(chunked(body), 1), [String(lines.length)])
})

test('of short requests behind a body whose chunks end in an unusual way, few are parsed, and the connection ends', {
  timeout: 20_000,
}, async () => {
  parsed = 0
  const held = 'GET /held HTTP/1.1\r\nHost: x\r\n\r\n'
  await send(chunked(chunksOf(1, 5)).replace(/0\r\n\r\n$/, '00\r\n\r\n') + held.repeat(2_000))
  assert.ok(parsed <= 40, `${parsed} were parsed`)
  await logLine('too many requests ahead of their answers')
})

test('requests arrive whole, wherever the network divides them', { timeout: 60_000 }, async () => {
  const text = whole('{}') + chunked(chunksOf(1, 3)) + whole('xyz') + chunked(chunksOf(4, 1))
  for (let at = 1; at < text.length; at++)
    assert.deepEqual(await send([text.slice(0, at), text.slice(at)], 4), ['2', '3', '3', '4'])
  assert.deepEqual(await send([...text], 4), ['2', '3', '3', '4'])
})

test('empty lines before requests may come with the beginning of the first', {
  timeout: 60_000,
}, async () => {
  const text = 'GET /early HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5)
  // While the connection is being made, several parts may be read as one.
  const emptyLines = Array<string>(20).fill('\r\n')
  for (let at = 1; at < 5; at++)
    assert.deepEqual(
      await send([...emptyLines, `\r\n\r\n${text.slice(0, at)}`, text.slice(at)], 5),
      Array(5).fill('early'),
    )
})

test('a long body is parsed in long pieces, also while its reader pauses', { timeout: 20_000 }, async () => {
  let pieces = 0
  app.server.once('request', (request: IncomingMessage) => {
    request.on('data', () => {
      pieces++
      request.pause()
      setImmediate(() => request.resume())
    })
  })
  assert.deepEqual(await send(whole('x'.repeat(bodyBytes)), 1), [String(bodyBytes)])
  assert.ok(pieces < bodyBytes / (8 * 1024), `${pieces} pieces`)
})

for (const [what, parts] of [
  ['chunks', [chunked(chunksOf(1, 60))]],
  ['packets', [...whole('x'.repeat(60))]],
] as const)
  test(`a body in tiny ${what} is kept in one place, because each place takes 400 bytes`, {
    timeout: 20_000,
  }, async () => {
    const places: number[] = []
    app.server.once('request', (request: IncomingMessage) => {
      request.on('data', (bytes: Buffer) => places.push(bytes.buffer.byteLength))
    })
    assert.deepEqual(await send([...parts], 1), ['60'])
    assert.deepEqual(places, [60])
  })

test('an address with a thousand parameters takes little more memory than its bytes', {
  timeout: 20_000,
}, async () => {
  const names = Array.from({ length: 1_300 }, (_, at) => (at + 1_296).toString(36)).join('&')
  const head = `POST /length?${names} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\n`
  const before = heldMegabytes()
  parsed = 0
  const sockets = Array.from({ length: 100 }, () => connect({ port, host: '127.0.0.1' }))
  for (const socket of sockets) socket.on('error', () => {}).write(head)
  while (parsed < sockets.length) await sleep(5)
  const grown = heldMegabytes() - before
  for (const socket of sockets) socket.destroy()
  assert.ok(grown < 5, `${grown} MB`)
})

test('a body in thousands of tiny chunks ends its connection', { timeout: 20_000 }, async () => {
  assert.deepEqual(await send(chunked(chunksOf(1, 8_000)), 1), [])
  await logLine('a body in too many chunks')
  assert.doesNotMatch(logged.join('\n'), /service_unavailable/, 'who left is not taken for the database')
})

test('bodies in few or long chunks, or whole, arrive as they were sent', { timeout: 20_000 }, async () => {
  const text =
    chunked(chunksOf(1, 50)) +
    chunked(chunksOf(200, 500)) +
    chunked(chunksOf(60_000, 50)) +
    whole('x'.repeat(bodyBytes)) +
    whole('{}')
  const lengths = [50, 100_000, 3_000_000, bodyBytes, 2].map(String)
  assert.deepEqual(await send(text, lengths.length), lengths)
})

for (const [what, rest] of [
  ['in thousands of tiny chunks', '1\r\nx\r\n'.repeat(10_000)],
  ['of what looks like its end', `fffff\r\n${'0\r\n\r\n'.repeat(12_000)}`],
] as const)
  test(`a body ${what} ends its connection also behind its answer, when nobody reads it`, {
    timeout: 20_000,
  }, async () => {
    logged.length = 0
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.on('error', () => {})
    socket.write('GET /early HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    await once(socket, 'data')
    const closed = once(socket.resume(), 'close').then(() => 'ended')
    socket.write(rest)
    const outcome = await Promise.race([closed, sleep(3_000, 'open', { ref: false })])
    socket.destroy()
    assert.equal(outcome, 'ended')
  })

test('a request for an upgrade with a body in chunks ends its connection, because Node may lose what is behind it', {
  timeout: 20_000,
}, async () => {
  const upgrade = chunked('5\r\nhello\r\n00\r\n\r\n').replace(
    '\r\n',
    '\r\nConnection: Upgrade\r\nUpgrade: foo\r\n',
  )
  assert.deepEqual(await send(upgrade + whole('x'.repeat(50))), ['5'])
})
