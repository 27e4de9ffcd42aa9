/** A merchant's server on a real port. Every path answers as the test sets it, and everything that arrives is kept. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { atEnd } from './clean-up.ts'

export type Received = {
  path: string
  /** The header that names the callback. */
  id: string
  sequence: number
  depositId: string
  body: string
  hash: string
  headers: IncomingHttpHeaders
  at: number
  /** Set when our answer has left. */
  answeredAt?: number
  status?: number
}

type Reply =
  | { status: number; headers?: Record<string, string>; body?: string; delayMs?: number }
  /** hang: never answers. reset: ends the connection. */
  | { stops: 'hang' | 'reset' }

/** A promise is an answer that waits for somebody. */
type Behaviour = (received: Received) => Reply | Promise<Reply>

export const ok: Behaviour = () => ({ status: 200, body: 'thank you' })
export const slow =
  (delayMs: number): Behaviour =>
  () => ({ status: 200, delayMs })
export const answers =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  () => ({ status, headers, body: `this is ${status}` })
export const tooMany = (seconds: number): Behaviour => answers(429, { 'retry-after': String(seconds) })
export const hangs: Behaviour = () => ({ stops: 'hang' })
export const resets: Behaviour = () => ({ stops: 'reset' })
/** Fails with everything of one deposit. */
export const failsFor =
  (depositId: string, status = 500): Behaviour =>
  (received) => ({ status: received.depositId === depositId ? status : 200 })
/** Fails so many times, then takes one, and again. */
export const flaps = (failures: number, status = 500): Behaviour => {
  let count = 0
  return () => ({ status: count++ % (failures + 1) < failures ? status : 200 })
}

export type Receiver = {
  url(path: string): string
  answer(path: string, behaviour: Behaviour): void
  received: Received[]
  of(path: string): Received[]
  /** How many sendings a path had in its hands at once, at most. */
  mostAtOnce(path: string): number
  /** Callbacks that arrived while the same callback was still being answered. */
  overlaps: string[]
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const behaviours = new Map<string, Behaviour>()
  const received: Received[] = []
  const open = new Map<string, Set<string>>()
  const most = new Map<string, number>()
  const overlaps: string[] = []

  const server = createServer(async (request, response) => {
    const entry = await readEntry(request)
    received.push(entry)
    const now = open.get(entry.path) ?? new Set()
    open.set(entry.path, now)
    if (now.has(entry.id)) overlaps.push(entry.id)
    now.add(entry.id)
    most.set(entry.path, Math.max(most.get(entry.path) ?? 0, now.size))
    response.once('close', () => now.delete(entry.id))
    const reply = await (behaviours.get(entry.path) ?? ok)(entry)
    if ('stops' in reply) return void (reply.stops === 'reset' && request.socket.resetAndDestroy())
    if (reply.delayMs) await wait(reply.delayMs)
    entry.answeredAt = performance.now()
    entry.status = reply.status
    // Before the last byte leaves: the sender may call again sooner than 'close' is heard.
    now.delete(entry.id)
    response.writeHead(reply.status, reply.headers).end(reply.body ?? '')
  })
  // Connections outlive every test, so that no sending meets one that is being closed.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  atEnd(close)
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    answer: (path, behaviour) => void behaviours.set(path, behaviour),
    received,
    of: (path) => received.filter((entry) => entry.path === path),
    mostAtOnce: (path) => most.get(path) ?? 0,
    overlaps,
    close,
  }
}

async function readEntry(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const body = bytes.toString('utf8')
  const { sequence, data } = JSON.parse(body) as { sequence: number; data: { id: string } }
  return {
    path: request.url ?? '',
    id: String(request.headers['webhook-id']),
    sequence,
    depositId: data.id,
    body,
    hash: createHash('sha256').update(bytes).digest('hex'),
    headers: request.headers,
    at: performance.now(),
  }
}
