/**
 * A lean HTTP/1.1 client over bare sockets: one request at a time on each keep-alive connection, and of an
 * answer only its status and its length are read. It shares two cores with what it measures, so whatever it
 * does not do is not charged to Inlet.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'
import type { LoadResult, LoadRun, Task } from './load.ts'
import { buildOrders } from './orders.ts'

/** After the last request is sent, its answer must come within this time. */
const timeoutMs = 15_000

let requests: Uint8Array[] = []
let sentBefore = 0

parentPort!.on('message', async (task: Task) => {
  if ('prepare' in task) {
    requests = buildOrders(task.prepare)
    parentPort!.postMessage('prepared')
  } else if ('raw' in task) {
    requests = task.raw
    sentBefore = requests.length
    parentPort!.postMessage('prepared')
  } else parentPort!.postMessage(await drive(task.drive))
})

async function drive({ port, connections, seconds, rate, replay = false }: LoadRun): Promise<LoadResult> {
  const lines = await Promise.all(Array.from({ length: connections }, () => openLine(port)))
  const supply = replay ? requests.slice(0, sentBefore) : requests
  // A replay goes round and round; the bound only keeps the book of latencies finite.
  const most = replay ? 1_000_000 : supply.length
  const latencies = new Float64Array(most)
  const statuses: Record<number, number> = {}
  let problem: string | null = null
  let sent = 0
  let answered = 0

  const begin = performance.now()
  const end = begin + seconds * 1000
  let lastAnswer = begin
  const isOver = () => sent >= most || performance.now() >= end
  const send = (line: Line, dueAt: number) => {
    line.dueAt = dueAt
    line.socket.write(supply[sent++ % supply.length]!)
  }

  await new Promise<void>((resolve, reject) => {
    const finish = () => {
      clearTimeout(patience)
      resolve()
    }
    const patience = setTimeout(
      () => reject(new Error(`${sent - answered} requests were not answered.`)),
      seconds * 1000 + timeoutMs,
    )
    const take = (line: Line, status: number) => {
      lastAnswer = performance.now()
      latencies[answered++] = lastAnswer - line.dueAt
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status > 399) problem ??= line.text()
    }

    if (rate === null) {
      for (const line of lines) {
        line.answered = (status) => {
          take(line, status)
          if (!isOver()) send(line, performance.now())
          else if (answered === sent) finish()
        }
        send(line, begin)
      }
      return
    }

    // Open loop: requests become due by the clock. One that finds no free connection waits, and its wait counts.
    const free = [...lines]
    let due = 0
    const dueAtOf = (index: number) => begin + Math.ceil(((index + 1) / rate) * 1000)
    const sendDue = () => {
      while (free.length > 0 && sent < due && sent < most) send(free.pop()!, dueAtOf(sent))
    }
    for (const line of lines) {
      line.answered = (status) => {
        take(line, status)
        free.push(line)
        sendDue()
        if (isOver() && answered === sent && sent >= Math.min(due, most)) finish()
      }
    }
    const tick = () => {
      const now = Math.min(performance.now(), end)
      due = Math.floor(((now - begin) / 1000) * rate)
      sendDue()
      if (now < end && sent < most) setTimeout(tick, 1)
      else if (answered === sent) finish()
    }
    tick()
  })

  for (const line of lines) line.socket.destroy()
  if (!replay) sentBefore = sent
  const elapsed = (lastAnswer - begin) / 1000
  const sorted = latencies.subarray(0, answered).sort()
  return {
    answered,
    seconds: elapsed,
    perSecond: answered / elapsed,
    p99Ms: sorted[Math.min(answered - 1, Math.floor(answered * 0.99))] ?? 0,
    statuses,
    problem,
  }
}

type Line = { socket: Socket; dueAt: number; answered: (status: number) => void; text: () => string }

async function openLine(port: number): Promise<Line> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  let held: Buffer = Buffer.alloc(0)
  const line: Line = { socket, dueAt: 0, answered: () => {}, text: () => held.toString().slice(0, 2_000) }
  socket.on('data', (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    if (held.length < answerLength(held)) return
    const status = (held[9]! - 48) * 100 + (held[10]! - 48) * 10 + (held[11]! - 48)
    line.answered(status)
    held = Buffer.alloc(0)
  })
  socket.on('error', () => {}) // Its requests stay unanswered, which is what is reported.
  return line
}

/** The bytes the answer will have, or infinity while its head is not complete. */
function answerLength(bytes: Buffer): number {
  const head = bytes.indexOf('\r\n\r\n')
  if (head < 0) return Number.POSITIVE_INFINITY
  let at = bytes.indexOf('content-length: ')
  if (at < 0 || at > head) return Number.POSITIVE_INFINITY
  let length = 0
  for (at += 16; bytes[at] !== 13; at++) length = length * 10 + bytes[at]! - 48
  return head + 4 + length
}
