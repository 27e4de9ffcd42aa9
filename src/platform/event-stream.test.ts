import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { openEventStream } from './event-stream.ts'
import { closeHttp, createHttp, type Reply } from './http.ts'
import { createLog } from './log.ts'
import { createRateLimit } from './rate-limit.ts'

/** Opens a stream to somebody who does not read, and fills it. Answers how much was waiting at the end. */
async function fillUnread(streamUnreadBytes: number): Promise<number> {
  const app = createHttp({
    log: createLog('error', () => {}),
    publicUrl: 'http://localhost',
    trustedProxies: [],
    limits: createRateLimit(100, () => 0),
  })
  const opened = new Promise<[ReturnType<typeof openEventStream>, Reply]>((resolve) => {
    app.get('/events', (_request, reply) =>
      resolve([openEventStream(reply, streamUnreadBytes, () => {}), reply]),
    )
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const reader = connect(port, '127.0.0.1').pause()
  reader.write('GET /events HTTP/1.1\r\nHost: x\r\n\r\n')
  const [stream, { raw }] = await opened
  let waiting = 0
  // Far more than the buffers of both ends hold.
  for (let sent = 0; sent < 1_000 && !stream.hasEnded; sent++) {
    stream.send('x'.repeat(64 * 1024))
    waiting = Math.max(waiting, raw.writableLength)
    await nextRound()
  }
  assert.ok(stream.hasEnded)
  reader.destroy()
  app.server.closeAllConnections()
  await closeHttp(app)
  return waiting
}

test('a reader that does not read loses its stream', { timeout: 60_000 }, async () => {
  const waiting = await fillUnread(8 * 1024)
  assert.ok(waiting < 200_000, `${waiting} bytes`)
})
