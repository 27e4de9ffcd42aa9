/** A server that was asked to end: connected clients get an answer, which says that the connection ends with it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RawConnection } from '../../test/support/raw-connection.ts'
import { createHttp, isDraining, listenHttp } from './http.ts'
import { createLog } from './log.ts'
import { createRateLimit } from './rate-limit.ts'

const ask = 'GET /small HTTP/1.1\r\nHost: x\r\n\r\n'
const closes = (head: string) => /^connection: close$/im.test(head)

async function serving() {
  const app = createHttp({
    log: createLog('error', () => {}),
    publicUrl: 'http://localhost',
    trustedProxies: [],
    limits: createRateLimit(100, () => 0),
  })
  const held = Promise.withResolvers<void>()
  app.get('/small', (_request, reply) => reply.send('small'))
  app.get('/held', async () => {
    await held.promise
    return 'held'
  })
  const listening = await listenHttp(app, { host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  return { app, listening, held, port, url: `http://127.0.0.1:${port}` }
}

test('kept and new connections are answered while a server leaves, each for the last time; then the port is closed', async () => {
  const { app, listening, held, url } = await serving()
  const [kept, busy, idle] = [1, 2, 3].map(() => new RawConnection({ url })) as [
    RawConnection,
    RawConnection,
    RawConnection,
  ]
  for (const connection of [kept, busy, idle]) connection.write(ask)
  for (const connection of [kept, busy, idle]) {
    const [first] = await connection.settle(1)
    assert.deepEqual([first!.status, closes(first!.head)], [200, false])
  }
  busy.write(ask.replace('small', 'held'))
  const left = listening.leaving()
  assert.equal(isDraining(app), true)
  const late = new RawConnection({ url })
  kept.write(ask)
  late.write(ask)
  for (const [connection, count] of [
    [kept, 2],
    [late, 1],
  ] as const) {
    const last = (await connection.settle(count)).at(-1)!
    assert.deepEqual([last.status, last.body, closes(last.head)], [200, 'small', true])
  }
  held.resolve()
  assert.deepEqual((await busy.settle(2)).at(-1)!.body, 'held')
  await left
  // What asked nothing was closed without an answer that nobody asked for.
  await idle.settle(2)
  assert.deepEqual([idle.isClosed, idle.answers().length], [true, 1])
  await assert.rejects(fetch(url))
})

test('without connections a server leaves at once, and answers none of the next', async () => {
  const { listening, url } = await serving()
  await listening.leaving()
  await assert.rejects(fetch(url))
})
