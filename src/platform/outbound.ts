/**
 * The only module that calls servers of others. The address is resolved and checked here, and the
 * connection goes to exactly that address, for http and https alike: undici's own `blockList` is silently ignored
 * for https, and a name that is checked and then resolved again may answer differently the second time.
 *
 * It must never connect to an address that was not checked, follow a redirect, send anything twice, exceed its
 * deadline, or run while a transaction is open.
 */
import assert from 'node:assert/strict'
import { constants } from 'node:crypto'
import { lookup as systemLookup } from 'node:dns/promises'
import { createRequire } from 'node:module'
import { isIP, type Socket } from 'node:net'
import type * as undici from 'undici'
import { type AddressRule, isAllowedAddress, isPublicAddress } from './allowed-address.ts'
import { AnswerTooLong, boundAnswers } from './bounded-answer.ts'
import { monotonicMs } from './clock.ts'
import { isTransactionOpen } from './db.ts'
import { createOwnerTurns } from './owner-turns.ts'

// These two parts of undici: the whole has fetch, caches and mocks, and doubles what it costs at each start (70 ms, 13 MB).
const load = createRequire(import.meta.url)
const Pool: typeof undici.Pool = load('undici/lib/dispatcher/pool.js')
const buildConnector: typeof undici.buildConnector = load('undici/lib/core/connect.js')
type Connector = undici.buildConnector.connector

type Outgoing = {
  url: string
  headers: Record<string, string>
  body: string
  deadlineMs: number
  /** Who chose the address: DNS lookups per owner are limited. */
  owner: string
}

type SendError = 'dns' | 'blocked_address' | 'connect' | 'tls' | 'timeout' | 'reset' | 'invalid_answer'

/** The receiver's status line, or why there was none. A 2xx status line is success. */
export type Sent =
  | { ok: boolean; status: number; ms: number; answer: string; address: string; retryAfterSeconds?: number }
  | { error: SendError; ms: number; address?: string }

export type Outbound = {
  /** Never throws for what the receiver does. The answer is text of at most 4 KB without control characters. */
  post(outgoing: Outgoing): Promise<Sent>
  /** Waits for what is under way, each within its deadline, and closes every connection. */
  close(): Promise<void>
}

export type OutboundOptions = {
  /** All addresses of a name; throws when it has none. */
  lookup?: (host: string) => Promise<string[]>
  /** Per origin. */
  connections?: number
}

const outboundBounds = {
  /** TCP and TLS together. */
  connectTimeoutMs: 3_000,
  /** undici counts these from chunk to chunk, and coarsely: the deadline is what holds. */
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 5_000,
  headerBytes: 16 * 1024,
  /** Beyond this, closing the connection is cheaper than reading on. */
  answerBytesRead: 16 * 1024,
  answerBytesKept: 4 * 1024,
  /** Of one answer in all, as it comes: its status, information before it, headers, body, chunks. */
  answer: { lines: 500, bytes: 64 * 1024, pieces: 200 },

  connectionsPerOrigin: 32,
  keepAliveMs: 10_000,
  keepAliveMostMs: 30_000,
  tlsSessions: 5_000,
  /** Beyond these, idle pools close, the one that was quiet longest first. Busy ones are the caller's bound. */
  pools: 1_000,
  sockets: 4_000,

  /** An address that takes no connection costs connectTimeoutMs: the second may be tried, not the tenth. */
  addressesTried: 2,
  /** Each address of a name is judged, and a name server can name thousands: 80 ms for every callback. */
  addressesOfName: 64,
  lookupTimeoutMs: 3_000,
  /**
   * The system's threads look up 32 at once, and a name that nobody answers for holds one for many seconds: nothing can end
   * that. Some threads stay free for the database's own name.
   */
  lookups: { ofOwner: 2, trusted: 20, suspected: 8, suspectedForMs: 10 * 60_000, waitMs: 3_000 },
  lookupSlowMs: 1_000,
  /**
   * Handshakes run on the thread that serves everybody. A receiver may send 100 KB of certificates with the largest keys
   * there are: all signatures are checked before the chain is refused, 50 ms in one stretch.
   */
  handshakes: { ofOwner: 8, trusted: 1_000, suspected: 2, suspectedForMs: 10 * 60_000, waitMs: 10_000 },
  /** After each its place stays taken for this long: even a good one takes 4 ms, and a receiver may close after every answer. */
  handshakeRestMs: { done: 200, failed: 1_000 },
  namesKnown: 10_000,
  nameKnownMs: 30_000,
  nameFailedMs: 5_000,
} as const

export function createOutbound(rule: AddressRule, options: OutboundOptions = {}): Outbound {
  const resolve = createResolver(rule, options.lookup ?? everyAddress)
  const pools = createPools(rule, options.connections ?? outboundBounds.connectionsPerOrigin)
  const underWay = new Set<Promise<Sent>>()
  let closed = false

  return {
    async post(outgoing) {
      assert(!isTransactionOpen(), 'nothing may leave the machine while a transaction is open')
      assert(!closed, 'outbound is closed')
      const sending = send(outgoing, resolve, pools, rule)
      underWay.add(sending)
      return sending.finally(() => underWay.delete(sending))
    },
    async close() {
      closed = true
      await Promise.allSettled(underWay)
      await pools.close()
    },
  }
}

/** Where a request goes: `host` as a resolver takes it, `origin` and `path` as HTTP says them. */
type Target = { origin: string; path: string; host: string; secure: boolean }

async function send(outgoing: Outgoing, resolve: Resolver, pools: Pools, rule: AddressRule): Promise<Sent> {
  const began = monotonicMs()
  const elapsed = () => Math.round(monotonicMs() - began)
  const timeLeft = () => Math.max(0, outgoing.deadlineMs - (monotonicMs() - began))

  const target = readTarget(outgoing.url)
  if (!target) return { error: 'blocked_address', ms: elapsed() }
  const found = await resolve(outgoing.owner, target.host, timeLeft())
  if ('error' in found) return { ...found, ms: elapsed() }

  let sent: Sent = { error: 'timeout', ms: elapsed() }
  for (const address of found.addresses.slice(0, outboundBounds.addressesTried)) {
    if (timeLeft() === 0) break
    // An allowed private target's answer may hold what its operator would not show a merchant.
    const keepsAnswer = isPublicAddress(address) || isAllowedAddress(address, onlyLoopback(rule))
    const outcome = await exchange(pools, target, address, outgoing, timeLeft(), keepsAnswer)
    sent = { ...outcome, ms: elapsed(), address }
    // Only a request that was never sent may be tried at another address.
    if (!('error' in sent) || sent.error !== 'connect') break
    found.demote(address)
  }
  return sent
}

function readTarget(text: string): Target | undefined {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) return undefined
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    // The URL parser has already read every spelling of an IPv4 address: decimal, octal, hex, short, full-width.
    host: url.hostname.replace(/^\[|\]$/g, ''),
    secure: url.protocol === 'https:',
  }
}

const onlyLoopback = ({ loopback }: AddressRule): AddressRule => ({
  allowed: { check: () => false },
  loopback,
})

type Outcome =
  | { ok: boolean; status: number; answer: string; retryAfterSeconds?: number }
  | { error: SendError }

/**
 * One request on one connection. undici's `dispatch` and not its `request`: the body is looked at in passing and
 * never becomes a stream that someone must drain, and the deadline can end the wait at any stage (undici listens
 * to an abort only once the request is on a connection).
 */
function exchange(
  pools: Pools,
  target: Target,
  address: string,
  { headers, body, owner }: Outgoing,
  deadlineMs: number,
  keepsAnswer: boolean,
): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const { pool, release } = pools.take(owner, target, address)
  let controller: undici.Dispatcher.DispatchController | undefined
  let answer: Answer | undefined
  let isOver = false

  const end = (settle: () => void) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    release()
    settle()
  }
  /** From the status line on the outcome is known, whatever becomes of the body. */
  const endWith = (error: SendError) => end(() => resolve(answer ? outcomeOf(answer) : { error }))

  const timer = setTimeout(() => {
    endWith('timeout')
    controller?.abort(new Error('the deadline has passed'))
  }, deadlineMs)

  pool.dispatch(
    { method: 'POST', path: target.path, headers, body },
    {
      onRequestStart(started) {
        controller = started
        if (isOver) started.abort(new Error('the deadline passed before a connection was there'))
      },
      onResponseStart(_controller, status, received) {
        // 1xx is not the answer yet.
        if (status >= 200) answer = { status, headers: received, chunks: [], bytes: 0, keepsAnswer }
      },
      onResponseData(started, chunk) {
        if (!answer) return
        if (answer.bytes < outboundBounds.answerBytesKept) answer.chunks.push(chunk)
        answer.bytes += chunk.length
        if (answer.bytes <= outboundBounds.answerBytesRead) return
        endWith('invalid_answer')
        started.abort(new Error('the answer is too long'))
      },
      // undici takes a connection back one turn of the event loop later. Who sends the next request at once would
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
  keepsAnswer: boolean
}

function outcomeOf({ status, headers, chunks, keepsAnswer }: Answer): Outcome {
  const retryAfterSeconds = readRetryAfter(first(headers['retry-after']), first(headers.date))
  const encoding = first(headers['content-encoding']) ?? 'identity'
  // Never decompressed: a few bytes can become gigabytes. And what is compressed tells a reader nothing.
  const isReadable = keepsAnswer && encoding.toLowerCase() === 'identity'
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
    .subarray(0, outboundBounds.answerBytesKept)
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

/** No connection came about. undici hands it to every request that waited for this connection. */
class ConnectFault extends Error {
  readonly kind: SendError
  constructor(kind: SendError, cause?: Error) {
    super(`no connection: ${kind}`, { cause })
    this.kind = kind
  }
}

const codeOf = (error: Error): string => String((error as { code?: unknown }).code ?? '')

/** Our own request was malformed: not the receiver's doing, so not an outcome. */
const isMistake = (error: Error): boolean =>
  ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'].includes(
    codeOf(error),
  )

function nameOf(error: Error): SendError {
  if (error instanceof ConnectFault) return error.kind
  if (error instanceof AnswerTooLong) return 'invalid_answer'
  const code = codeOf(error)
  if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)) return 'timeout'
  if (/^ERR_(SSL|TLS)/.test(code)) return 'tls'
  // The parser's own errors carry no code (measured, undici 8.12.4).
  if (error.name === 'HTTPParserError' || /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(code))
    return 'invalid_answer'
  // An unasked 100 or 101.
  if (/^bad (response|upgrade)$/.test(error.message)) return 'invalid_answer'
  return 'reset'
}

/** `demote` puts an address behind the others, for as long as this answer is believed. */
type Found =
  | { addresses: readonly string[]; demote: (address: string) => void }
  | { error: 'dns' | 'blocked_address' | 'timeout'; address?: string }

type Resolver = (owner: string, host: string, timeLeftMs: number) => Promise<Found>

/**
 * Resolves names to allowed addresses. A single denied address refuses the name: a server that is honest
 * in one answer of two is not honest. No caller waits longer than lookupTimeoutMs, but a name is looked up only once
 * at a time, however long the system takes, because lookups occupy threads that other names need. For the same
 * reason owners take turns, and share no lookup.
 */
function createResolver(rule: AddressRule, lookup: (host: string) => Promise<string[]>): Resolver {
  const known = new Map<string, { found: Promise<Found>; until: number }>()
  const inTurn = createOwnerTurns(outboundBounds.lookups)

  const judge = (addresses: string[]): Found => {
    const denied = addresses.find((address) => !isAllowedAddress(address, rule))
    if (denied !== undefined) return { error: 'blocked_address', address: denied }
    const demote = (address: string) => {
      const place = addresses.indexOf(address)
      if (place >= 0) addresses.push(...addresses.splice(place, 1))
    }
    return addresses.length === 0 ? { error: 'dns' } : { addresses, demote }
  }

  const ask = (key: string, owner: string, host: string): Promise<Found> => {
    const entry = {
      until: Number.POSITIVE_INFINITY,
      found: inTurn(owner, (suspect) => timed(lookup(host), suspect)).then(
        (addresses): Found =>
          addresses.length > outboundBounds.addressesOfName
            ? { error: 'dns' }
            : judge([...new Set(addresses)]),
        (): Found => ({ error: 'dns' }),
      ),
    }
    entry.found.then((found) => {
      const hasFailed = 'error' in found && found.error === 'dns'
      entry.until = monotonicMs() + (hasFailed ? outboundBounds.nameFailedMs : outboundBounds.nameKnownMs)
    })
    known.delete(key)
    known.set(key, entry)
    if (known.size > outboundBounds.namesKnown) known.delete(known.keys().next().value!)
    return entry.found
  }

  return (owner, host, timeLeftMs) => {
    if (isIP(host)) return Promise.resolve(judge([host]))
    const key = `${owner} ${host}`
    const entry = known.get(key)
    const found = entry && monotonicMs() < entry.until ? entry.found : ask(key, owner, host)
    const { lookupTimeoutMs } = outboundBounds
    return timeLeftMs < lookupTimeoutMs
      ? within(found, timeLeftMs, { error: 'timeout' })
      : within(found, lookupTimeoutMs, { error: 'dns' })
  }
}

function timed(lookup: Promise<string[]>, slow: () => void): Promise<string[]> {
  const timer = setTimeout(slow, outboundBounds.lookupSlowMs)
  return lookup.finally(() => clearTimeout(timer))
}

const everyAddress = async (host: string): Promise<string[]> =>
  (await systemLookup(host, { all: true })).map(({ address }) => address)

async function within<Result>(work: Promise<Result>, ms: number, otherwise: Result): Promise<Result> {
  const late = Promise.withResolvers<Result>()
  const timer = setTimeout(() => late.resolve(otherwise), ms)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

type Pools = {
  /** The owner's connections to one address for one origin; `release` once the exchange is over. */
  take(owner: string, target: Target, address: string): { pool: undici.Pool; release: () => void }
  close(): Promise<void>
}

/**
 * Connections by owner, origin and address. Two owners may have receivers at one origin: what one of them answers, and how
 * slowly, must not reach the other. A connection kept alive serves a name only while the name still leads to its address. undici's own Agent keeps a pool for every origin it ever saw (nodejs/undici#4223): here
 * a pool ends with its last connection.
 */
function createPools(rule: AddressRule, connections: number): Pools {
  type Entry = { key: string; pool: undici.Pool; taken: number }
  const entries = new Map<string, Entry>()
  const inTurn = createOwnerTurns(outboundBounds.handshakes)
  let sockets = 0
  let isClosed = false

  const open = buildConnector({
    timeout: outboundBounds.connectTimeoutMs,
    maxCachedSessions: outboundBounds.tlsSessions,
    allowH2: false,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable it.
    rejectUnauthorized: true,
    // A receiver could ask for handshake after handshake on one connection.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  })

  /** Connects to the checked address; the certificate's name, SNI and Host stay the host name. */
  const pinned = (owner: string, { host, secure }: Target, address: string): Connector => {
    // For http undici would connect to the servername, so there must be none; nor is a number a name (RFC 6066).
    const servername = secure && !isIP(host) ? host.replace(/\.$/, '') : ''
    const connect = (...[to, done]: Parameters<Connector>) => {
      if (isClosed) return done(new ConnectFault('connect'), null)
      let isReached = false
      const connecting = open({ ...to, hostname: address, servername }, (error, socket) => {
        if (error) return done(new ConnectFault(isReached ? 'tls' : 'connect', error), null)
        sockets++
        socket.once('close', () => sockets--)
        boundAnswers(socket, outboundBounds.answer)
        done(null, socket)
      }) as unknown as Socket
      connecting.once('connect', () => {
        isReached = true
      })
    }
    return (to, done) => {
      if (!isAllowedAddress(address, rule)) return done(new ConnectFault('blocked_address'), null)
      if (!secure) return connect(to, done)
      const shakeHands = (suspect: () => void) =>
        new Promise<void>((resolve) => {
          connect(to, (...[fault, socket]) => {
            const hasFailed = fault instanceof ConnectFault && fault.kind === 'tls'
            if (hasFailed) suspect()
            const { done: rest, failed: longRest } = outboundBounds.handshakeRestMs
            setTimeout(resolve, hasFailed ? longRest : rest).unref()
            if (fault) done(fault, null)
            else done(null, socket!)
          })
        })
      inTurn(owner, shakeHands).catch(() => done(new ConnectFault('timeout'), null))
    }
  }

  const drop = (entry: Entry) => {
    if (entries.get(entry.key) === entry) entries.delete(entry.key)
    // No caller waits for it any more: only requests past their deadline are left.
    return entry.pool.destroy()
  }
  const dropUnused = (entry: Entry) => {
    if (entry.taken === 0 && entry.pool.stats.connected === 0) drop(entry)
  }
  const makeRoom = () => {
    for (const entry of entries.values()) {
      if (entries.size <= outboundBounds.pools && sockets <= outboundBounds.sockets) return
      if (entry.taken === 0) drop(entry)
    }
  }

  const create = (key: string, owner: string, target: Target, address: string): Entry => {
    const pool = new Pool(target.origin, {
      connect: pinned(owner, target, address),
      connections,
      pipelining: 1,
      allowH2: false,
      useMilo: false,
      headersTimeout: outboundBounds.headersTimeoutMs,
      bodyTimeout: outboundBounds.bodyTimeoutMs,
      keepAliveTimeout: outboundBounds.keepAliveMs,
      keepAliveMaxTimeout: outboundBounds.keepAliveMostMs,
      maxHeaderSize: outboundBounds.headerBytes,
    })
    const entry = { key, pool, taken: 0 }
    pool.on('disconnect', () => dropUnused(entry))
    return entry
  }

  return {
    take(owner, target, address) {
      const key = `${owner} ${target.origin} ${address}`
      const entry = entries.get(key) ?? create(key, owner, target, address)
      entry.taken++
      // Last in the map is last used.
      entries.delete(key)
      entries.set(key, entry)
      makeRoom()
      const release = () => {
        entry.taken--
        dropUnused(entry)
      }
      return { pool: entry.pool, release }
    },
    async close() {
      isClosed = true
      await Promise.all([...entries.values()].map(drop))
    },
  }
}
