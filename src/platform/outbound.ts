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
  type Connection,
  createReceivers,
  NoConnection,
  type OutboundOptions,
  type Receiver,
  type Way,
} from './outbound-connections.ts'

type Outgoing = {
  url: string
  headers: Record<string, string>
  body: string | Buffer
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
  let underWay = 0
  let closed: PromiseWithResolvers<void> | undefined
  const ended = () => {
    if (--underWay === 0) closed?.resolve()
  }

  return {
    // One promise for each request: there are thousands at a time.
    post: (outgoing) =>
      new Promise((resolve, reject) => {
        assert(!isTransactionOpen(), 'nothing may leave the machine while a transaction is open')
        assert(!closed, 'outbound is closed')
        const url = URL.parse(outgoing.url)
        // The URL parser has already read every spelling of an IPv4 address: decimal, octal, hex, short, full-width.
        if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
          return resolve({ error: 'blocked_address', ms: 0 })
        if (outgoing.deadlineMs <= 0) return resolve({ error: 'timeout', ms: 0 })
        underWay++
        const receiver = receivers.of(outgoing.owner, url.origin)
        new Exchange(receiver, { resolve, reject, ended }).start(url.pathname + url.search, outgoing)
      }),
    async close() {
      closed = Promise.withResolvers()
      if (underWay > 0) await closed.promise
      await receivers.close()
    },
  }
}

type Caller = {
  resolve(sent: Sent): void
  /** Our own request was malformed. */
  reject(error: Error): void
  ended(): void
}

/**
 * One request on one connection. undici's `dispatch` and not its `request`: the body is looked at in passing and
 * never becomes a stream that someone must drain, and the deadline can end the wait at any stage (undici listens
 * to an abort only once the request is on a connection).
 */
class Exchange {
  readonly #receiver: Receiver
  readonly #caller: Caller
  readonly #began = monotonicMs()
  #timer: NodeJS.Timeout | undefined
  #connection: Connection | undefined
  #controller: undici.Dispatcher.DispatchController | undefined
  #answer: Answer | undefined
  #informed = 0
  #isOver = false

  constructor(receiver: Receiver, caller: Caller) {
    this.#receiver = receiver
    this.#caller = caller
  }

  start(path: string, { headers, body, deadlineMs }: Outgoing): void {
    this.#timer = setTimeout(pastDeadline, deadlineMs, this)
    this.#receiver.take((connection) => {
      if (this.#isOver) return this.#receiver.give(connection)
      this.#connection = connection
      connection.client.dispatch({ method: 'POST', path, headers, body }, this)
    })
  }

  abort(error: SendError, reason: string): void {
    this.#endWith(error)
    this.#controller?.abort(new Error(reason))
  }

  onRequestStart(controller: undici.Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('the deadline passed before a connection was there'))
  }

  onResponseStart(
    _controller: undici.Dispatcher.DispatchController,
    status: number,
    headers: Answer['headers'],
  ): void {
    if (status >= 200) this.#answer = { status, headers, chunks: [], bytes: 0 }
    // 1xx is not the answer yet, and may be sent without end.
    else if (++this.#informed > answerBounds.informationLines)
      this.abort('invalid_answer', 'the answer does not begin')
  }

  onResponseData(_controller: undici.Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#answer) return
    if (this.#answer.bytes < answerBounds.bytesKept) this.#answer.chunks.push(chunk)
    this.#answer.bytes += chunk.length
    if (this.#answer.bytes > answerBounds.bytesRead) this.abort('invalid_answer', 'the answer is too long')
  }

  onResponseEnd(): void {
    this.#endWith('invalid_answer')
    this.#receiver.give(this.#connection!)
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (isMistake(error)) this.#end(() => this.#caller.reject(error))
    else this.#endWith(nameOf(error))
    this.#receiver.give(this.#connection!)
  }

  /** From the status line on the outcome is known, whatever becomes of the body. */
  #endWith(error: SendError): void {
    const { way } = this.#receiver
    const ms = Math.round(monotonicMs() - this.#began)
    this.#end(() => {
      const outcome = this.#answer ? outcomeOf(this.#answer, way) : { error }
      this.#caller.resolve(
        way.address === undefined ? { ...outcome, ms } : { ...outcome, ms, address: way.address },
      )
    })
  }

  #end(settle: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#caller.ended()
    settle()
  }
}

const pastDeadline = (exchange: Exchange) => exchange.abort('timeout', 'the deadline has passed')

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
