/** Answers a POST with a JSON body and does no work: Inlet's front door or a bare Fastify route. Its processor time on request. */
import fastify from 'fastify'
import { bounds } from '../src/platform/bounds.ts'
import { monotonicMs } from '../src/platform/clock.ts'
import { bodyOf, createHttp } from '../src/platform/http.ts'
import { createLog } from '../src/platform/log.ts'
import { createRateLimit } from '../src/platform/rate-limit.ts'

const path = '/api/v1/nothing'
const answer = { id: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803', state: 'created' }

const app = process.argv[2] === 'bare' ? fastify() : front()
if (process.argv[2] === 'bare') app.post(path, async () => answer)
else app.post(path, async (request) => (JSON.parse(bodyOf(request).toString()) ? answer : null))
process.on('message', () => process.send!(process.cpuUsage()))
await app.listen({ host: '127.0.0.1', port: 0 })
process.send!((app.server.address() as { port: number }).port)

function front() {
  const log = createLog('error', () => {})
  const limits = createRateLimit(bounds.rateLimitEntries, monotonicMs)
  return createHttp({ log, publicUrl: 'https://pay.example.com', trustedProxies: ['127.0.0.1'], limits })
}
