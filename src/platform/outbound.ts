/**
 * The only module that calls servers of others. It must never follow a redirect, send anything twice, exceed its deadline, or
 * run while a transaction is open. Where it may connect: outbound-connections.ts.
 */
import assert from 'node:assert/strict'
import type * as undici from 'undici'
import type { AddressRule } from './allowed-address.ts'
import { monotonicMs } from './clock.ts'
import { isTransactionOpen } from './db.ts'
import {
  type ConnectError,
  createReceivers,
  NoConnection,
  type OutboundOptions,
  type Receiver,
  type Receivers,
  type Way,
} from './outbound-connections.ts'

type Outgoing = {
  url: string
  headers: Record<string, string>
  body: string
  deadlineMs: number
  /** Who chose the address: connections and DNS lookups are apart for each owner. */
  owner: string
}

type SendError = ConnectError | 'timeout' | 'reset' | 'invalid_answer'

/** The receiver's status line, or why there was none. A 2xx status line is success. */
export type Sent = Outcome & { ms: number; address?: string }

type Outcome =
  | { ok: boolean; status: number; answer: string; retryAfterSeconds?: number }
  | { error: SendError }

export type Outbound = {
  /** Never throws for what the receiver does. The answer is text of at most 4 KB without control characters. */
  post(outgoing: Outgoing): Promise<Sent>
  /** Waits for what is under way, each within its deadline, and closes every connection. */
  close(): Promise<void>
}

const answerBounds = {
  /** Beyond this, closing the connection is cheaper than reading on. */
  bytesRead: 16 * 1024,
  bytesKept: 4 * 1024,
  informationLines: 16,
} as const

export function createOutbound(rule: AddressRule, options: OutboundOptions = {}): Outbound {
  const receivers = createReceivers(rule, options)
  const underWay = new Set<Promise<Sent>>()
  let closed = false

  return {
    async post(outgoing) {
      assert(!isTransactionOpen(), 'nothing may leave the machine while a transaction is open')
      assert(!closed, 'outbound is closed')
      const sending = send(outgoing, receivers)
      underWay.add(sending)
      return sending.finally(() => underWay.delete(sending))
    },
    async close() {
      closed = true
      await Promise.allSettled(underWay)
      await receivers.close()
    },
  }
}

async function send(outgoing: Outgoing, receivers: Receivers): Promise<Sent> {
  const began = monotonicMs()
  const url = URL.parse(outgoing.url)
  // The URL parser has already read every spelling of an IPv4 address: decimal, octal, hex, short, full-width.
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    return { error: 'blocked_address', ms: 0 }
  if (outgoing.deadlineMs <= 0) return { error: 'timeout', ms: 0 }
  const receiver = receivers.of(outgoing.owner, url.origin)
  const outcome = await exchange(receiver, url.pathname + url.search, outgoing)
  const { address } = receiver.way
  const ms = Math.round(monotonicMs() - began)
  return address === undefined ? { ...outcome, ms } : { ...outcome, ms, address }
}

/**
 * One request on one connection. undici's `dispatch` and not its `request`: the body is looked at in passing and
 * never becomes a stream that someone must drain, and the deadline can end the wait at any stage (undici listens
 * to an abort only once the request is on a connection).
 */
function exchange(
  { pool, way }: Receiver,
  path: string,
  { headers, body, deadlineMs }: Outgoing,
): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  let controller: undici.Dispatcher.DispatchController | undefined
  let answer: Answer | undefined
  let informed = 0
  let isOver = false

  const end = (settle: () => void) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    settle()
  }
  /** From the status line on the outcome is known, whatever becomes of the body. */
  const endWith = (error: SendError) => end(() => resolve(answer ? outcomeOf(answer, way) : { error }))

  const timer = setTimeout(() => {
    endWith('timeout')
    controller?.abort(new Error('the deadline has passed'))
  }, deadlineMs)

  pool.dispatch(
    { method: 'POST', path, headers, body },
    {
      onRequestStart(started) {
        controller = started
        if (isOver) started.abort(new Error('the deadline passed before a connection was there'))
      },
      onResponseStart(started, status, received) {
        if (status >= 200) answer = { status, headers: received, chunks: [], bytes: 0 }
        // 1xx is not the answer yet, and may be sent without end.
        else if (++informed > answerBounds.informationLines) {
          endWith('invalid_answer')
          started.abort(new Error('the answer does not begin'))
        }
      },
      onResponseData(started, chunk) {
        if (!answer) return
        if (answer.bytes < answerBounds.bytesKept) answer.chunks.push(chunk)
        answer.bytes += chunk.length
        if (answer.bytes <= answerBounds.bytesRead) return
        endWith('invalid_answer')
        started.abort(new Error('the answer is too long'))
      },
      // undici takes a connection back one turn of the event loop later. The next request, if sent immediately, would
      // open a second connection beside one that is about to be free.
      onResponseEnd: () => setImmediate(() => setImmediate(endWith, 'invalid_answer')),
      onResponseError(_controller, error) {
        if (isMistake(error)) end(() => reject(error))
        else endWith(nameOf(error))
      },
    },
  )
  return promise
}

type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  chunks: Buffer[]
  bytes: number
}

function outcomeOf({ status, headers, chunks }: Answer, { isPrivate }: Way): Outcome {
  const retryAfterSeconds = readRetryAfter(first(headers['retry-after']), first(headers.date))
  const encoding = first(headers['content-encoding']) ?? 'identity'
  // Never decompressed: a few bytes can become gigabytes. A compressed answer would be useless to a reader.
  const isReadable = !isPrivate && encoding.toLowerCase() === 'identity'
  return {
    ok: status >= 200 && status <= 299,
    status,
    answer: isReadable ? readable(Buffer.concat(chunks)) : '',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

/** Someone will print this: on a terminal, in a page, in a row of a table. One byte each, so 4 KB stay 4 KB. */
const readable = (bytes: Buffer): string =>
  bytes
    .subarray(0, answerBounds.bytesKept)
    .toString('utf8')
    .replace(/[\t\n\r]/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]/gu, '?')

/** RFC 9110, 10.2.3: seconds or a date. The date is read against the receiver's own clock, never against ours. */
function readRetryAfter(text: string | undefined, receiverNow: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
  // Date.parse takes much that is no date: "-5" would be one in 2001.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  const seconds = Math.ceil((Date.parse(text) - Date.parse(receiverNow ?? '')) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

const codeOf = (error: Error): string => String((error as { code?: unknown }).code ?? '')

/** Our own request was malformed: not the receiver's doing, so not an outcome. */
const isMistake = (error: Error): boolean =>
  ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'].includes(
    codeOf(error),
  )

function nameOf(error: Error): SendError {
  if (error instanceof NoConnection) return error.why
  const code = codeOf(error)
  if (/^ERR_(SSL|TLS)/.test(code)) return 'tls'
  // The parser's own errors carry no code (measured, undici 8.12.4).
  if (error.name === 'HTTPParserError' || /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(code))
    return 'invalid_answer'
  // An unasked 100 or 101.
  if (/^bad (response|upgrade)$/.test(error.message)) return 'invalid_answer'
  return 'reset'
}
