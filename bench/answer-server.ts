/** Inlet's front door, whose one route does no work. Its processor time on request. */
import { bounds } from '../src/platform/bounds.ts'
import { monotonicMs } from '../src/platform/clock.ts'
import { bodyOf, createHttp } from '../src/platform/http.ts'
import { createLog } from '../src/platform/log.ts'
import { createRateLimit } from '../src/platform/rate-limit.ts'

const answer = { id: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803', state: 'created', kind: 'deposit' }

const log = createLog('error', () => {})
const limits = createRateLimit(bounds.rateLimitEntries, monotonicMs)
const app = createHttp({ log, publicUrl: 'https://pay.example.com', trustedProxies: ['127.0.0.1'], limits })
app.post('/nothing', async (request) => (JSON.parse(bodyOf(request).toString()) ? answer : null))
process.on('message', () => process.send!(process.cpuUsage()))
process.on('disconnect', () => process.exit())
await app.listen({ host: '127.0.0.1', port: 0 })
process.send!((app.server.address() as { port: number }).port)
