/**
 * The HTTP server: sizes, times, request ids, security headers, and the one place where a refusal becomes
 * problem+json and anything else a bare 500. Bodies arrive as bytes and are read only by our own parser.
 */

import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http'
import { Server, type Socket } from 'node:net'
import { promisify } from 'node:util'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { bounds } from './bounds.ts'
import { monotonicMs, randomToken, sleep } from './clock.ts'
import { isContended, isDatabaseAway, sqlState } from './db-errors.ts'
import { faultFields, type Log } from './log.ts'
import { insideOf, networkOf, siteOf } from './network.ts'
import { type RateLimit, rateHeaders, rateLimited } from './rate-limit.ts'
import { problemOf, Refusal, type RefusalCode, refusals } from './refusals.ts'
import { readFields } from './request-fields.ts'

export type Http = FastifyInstance
export type { FastifyReply as Reply, FastifyRequest as Request }

/** A route for browsers answers refusals as a page. */
export type RouteConfig = {
  /** A long-lived response, such as an event stream. */
  isLong?: boolean
  asPage?: (refusal: Refusal, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}
declare module 'fastify' {
  interface FastifyContextConfig extends RouteConfig {}
}

type HttpOptions = {
  log: Log
  publicUrl: string
  trustedProxies: string[]
  limits: RateLimit
  /** The page for refusals to browsers, where the route has none of its own. */
  pageFor?: (request: FastifyRequest) => RouteConfig['asPage']
  /** Called when a peer that is no trusted proxy forwards a request for another client. */
  forwardedByStranger?: (peer: string) => void
}

export function createHttp({
  log,
  publicUrl,
  trustedProxies,
  limits,
  pageFor = () => undefined,
  forwardedByStranger = () => {},
}: HttpOptions): Http {
  const security = { ...securityHeaders, ...(publicUrl.startsWith('https:') && strictTransport) }
  const isTrustedProxy = insideOf(trustedProxies)
  const limited = limitedByAddress(limits)
  /** What came behind a head that two servers could read differently is no request of anybody. */
  const ended = new WeakSet<Socket>()

  /** Answers malformed requests, which never reach Fastify, in the same format on the raw socket. */
  const refuseOnSocket = (code: RefusalCode, socket: Socket): void => {
    const { status } = refusals[code]
    const requestId = newRequestId()
    const body = JSON.stringify(problemOf(new Refusal(code), requestId, publicUrl))
    const headers = {
      ...security,
      'request-id': requestId,
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  }

  const app = fastify({
    logger: false,
    genReqId: newRequestId,
    bodyLimit: bounds.bodyBytes,
    trustProxy: trustedProxies.length > 0 && isTrustedProxy,
    forceCloseConnections: 'idle',
    // Refused below, in the format of every other refusal.
    return503OnClosing: false,
    serverFactory: (serve) => createServer(serverOptions(), serve),
    // No route has a schema of Fastify's. Without these it would load its validator and its serializer all the same.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    // A query is read where it is needed (`queryOf`): for every request, and before its limits, many short names took 23 times their bytes.
    routerOptions: { maxParamLength: 200, caseSensitive: true, querystringParser: () => ({}) },
    clientErrorHandler: (error: Error & { code?: string }, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      // An upload may take longer than other requests; its reader has its own timeout.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && slowBodies.has(socket)) return
      refuseOnSocket(socketCodes[error.code ?? ''] ?? 'malformed_request', socket)
    },
    frameworkErrors: (error, request, reply) => {
      const refusal = refusalOfHead(request) ?? error
      const answer = (refused: unknown) => answerError(refused, request, reply)
      limited(request, reply).then(() => answer(refusal), answer)
    },
  })
  app.server.maxConnections = bounds.connections
  // Node drops further fields: they cost nothing, and one more than allowed shows that there were too many.
  app.server.maxHeadersCount = bounds.headerFields + 1

  const refusalOfHead = ({ raw }: FastifyRequest): Refusal | undefined => {
    if (raw.rawHeaders.length > bounds.headerFields * 2) return tooManyHeaders
    if (isUnambiguous(raw) && !ended.has(raw.socket)) return undefined
    ended.add(raw.socket)
    return ambiguous
  }

  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    // A client that left before the end of its body: its error looks like one of the database.
    const isGone = !request.raw.complete && request.raw.socket.destroyed
    const refusal = isGone ? new Refusal('request_timeout') : refusalFrom(error)
    const where = { request_id: request.id, route: routeOf(request) }
    noteForLog(request, { code: refusal.code })
    if (refusal.code === 'internal_error') log.error(refusal.code, { ...where, ...faultFields(error) })
    // Thousands of these occur while the database is away or busy: one short line each.
    if (refusal.code === 'service_unavailable' || (!isGone && isContended(error)))
      log.warn(refusal.code, { ...where, ...causeOf(error) })
    const { retryAfterSeconds, headers } = refusal.details
    reply.headers(security).header('request-id', request.id)
    if (headers) reply.headers(headers)
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
    const problem = () =>
      reply
        .code(refusals[refusal.code].status)
        .type('application/problem+json; charset=utf-8')
        .send(problemOf(refusal, request.id, publicUrl))
    const asPage = request.routeOptions.config?.asPage ?? pageFor(request)
    if (!asPage) return problem()
    // A request that the framework refused has no query and no parameters, so the page may fail: that must end here.
    return asPage(refusal, request, reply.code(refusals[refusal.code].status)).catch((fault) => {
      log.error('a refusal could not be shown', { ...where, ...faultFields(fault) })
      return problem()
    })
  }

  app.removeAllContentTypeParsers()
  // By name too: Fastify would parse the type of each request anew to find out that any will do.
  for (const type of ['application/json', '*'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  const routes = new Map<string, { shape: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ method, url }) => {
    const route = routes.get(url) ?? { shape: shapeOf(url), methods: new Set() }
    for (const verb of [method].flat()) route.methods.add(verb)
    routes.set(url, route)
  })
  /** The methods that a path accepts, by the pattern with the fewest parameters that fits; empty if there is no such path. */
  const methodsAt = (path: string): Set<string> => {
    const fitting = [...routes].filter(([, { shape }]) => shape.test(path))
    const [nearest] = fitting.sort(([a], [b]) => a.split(':').length - b.split(':').length)
    return nearest?.[1].methods ?? new Set()
  }
  const wrongMethod = (methods: ReadonlySet<string>) =>
    new Refusal('method_not_allowed', { headers: { allow: [...methods].join(', ') } })
  /** The router looks at each method alone, so it takes the end of `…/deposit/create` for the id of `GET …/deposit/:id`. */
  const refusalOfPath = ({ url, method, routeOptions: { url: pattern = '' } }: FastifyRequest) => {
    if (!pattern.includes(':')) return undefined
    const path = pathOf(url)
    const meant = routes.get(pattern.slice(0, pattern.lastIndexOf('/')) + path.slice(path.lastIndexOf('/')))
    return meant && !meant.methods.has(method) ? wrongMethod(meant.methods) : undefined
  }

  const mayLogRefused = (request: FastifyRequest): boolean =>
    limits.take(`refused:${clientSite(request)}`, bounds.refusedLogRate).allowed

  const state = { isDraining: false, isClosing: false }
  states.set(app, state)
  app.addHook('preClose', (done) => {
    state.isClosing = true
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(security).header('request-id', request.id)
    if (state.isDraining) reply.header('connection', 'close')
    const { remoteAddress: peer } = request.raw.socket
    if (request.headers['x-forwarded-for'] !== undefined && peer && !isTrustedProxy(peer))
      forwardedByStranger(peer)
    const refusal = state.isClosing ? leaving : refusalOfHead(request)
    if (refusal) return done(refusal)
    const wrongPath = refusalOfPath(request)
    if (!wrongPath) return done()
    limited(request, reply).then(() => done(wrongPath), done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const noted = notedForLog.get(request)
    const isRefused = (refusedStatuses.has(reply.statusCode) || noted?.isDenied) && mayLogRefused(request)
    const isSlow = reply.elapsedTime > slowMs && !isLong(request)
    const fields = {
      request_id: request.id,
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    if (isRefused)
      log.warn('refused', { ...fields, code: noted?.code, person: noted?.person, address: request.ip })
    else if (isSlow) log.warn('slow request', fields)
    else log.debug('request', fields)
    done()
  })

  app.setErrorHandler(answerError)
  app.setNotFoundHandler({ preHandler: limited }, (request, reply) => {
    const methods = methodsAt(pathOf(request.url))
    const isElsewhere = methods.size === 0 || methods.has(request.method)
    return answerError(isElsewhere ? new Refusal('not_found') : wrongMethod(methods), request, reply)
  })
  return app
}

/** "localhost" may be two addresses; everybody who tries the other one first finds this one next. */
export async function listenHttp(
  app: Http,
  { host, port }: { host: string; port: number },
): Promise<Listening> {
  await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port })
  return {
    now: () => closeHttp(app),
    async leaving() {
      await drainHttp(app, bounds.leaving)
      await closeHttp(app)
    },
    async replaced() {
      // An HTTP server would close idle connections too, on which the next request may be on its way.
      Server.prototype.close.call(app.server)
      await drainHttp(app, bounds.processes)
      await closeHttp(app)
    },
  }
}

/**
 * The ways to close. `leaving`: clients that come straight to us get a last answer on each connection, and new ones are
 * answered until the end. `replaced`: another process has taken over the port, so that connections move there without haste.
 */
type Listening = Record<'now' | 'leaving' | 'replaced', () => Promise<void>>
export type Closing = keyof Listening

/** A readiness check gets the answer that the server is about to stop. */
export const isDraining = (app: Http): boolean => states.get(app)!.isDraining

const states = new WeakMap<Http, { isDraining: boolean; isClosing: boolean }>()

type DrainBounds = { idleDrainMs: number; drainPollMs: number; drainMs: number }

/** Answers with `Connection: close` until no connection is left. Idle ones are closed after a while. */
async function drainHttp(app: Http, { idleDrainMs, drainPollMs, drainMs }: DrainBounds): Promise<void> {
  states.get(app)!.isDraining = true
  const countOpen = promisify(app.server.getConnections).bind(app.server)
  const began = monotonicMs()
  while ((await countOpen()) > 0 && monotonicMs() - began < drainMs) {
    if (monotonicMs() - began > idleDrainMs) app.server.closeIdleConnections()
    await sleep(drainPollMs)
  }
}

/**
 * Takes no new requests and finishes those under way. A browser's spare connection has sent nothing and counts
 * as neither busy nor idle: after the grace whatever is left is cut.
 */
export async function closeHttp(app: Http): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), 5_000)
  await app.close().finally(() => clearTimeout(cut))
}

/**
 * This connection uploads a file: the usual request timeout does not apply to it any more. The answer to an upload ends
 * its connection (`withFile` in guarded-routes.ts), so that no other request is exempt.
 */
export const allowSlowBody = ({ raw }: FastifyRequest): void => void slowBodies.add(raw.socket)
const slowBodies = new WeakSet<object>()

/** The network of the client, which rate limits count. */
export const clientNetwork = (request: FastifyRequest): string => networkOf(request.ip)

/** The site of the client, whose share of costly work is bounded. */
export const clientSite = (request: FastifyRequest): string => siteOf(clientNetwork(request))

/** Unsigned requests share one budget per network. */
export const limitedByAddress =
  (limits: RateLimit) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const verdict = limits.take(`address:${clientNetwork(request)}`, bounds.addressRate)
    if (!verdict.allowed) throw rateLimited('address', verdict)
    reply.headers(rateHeaders('address', verdict))
  }

export const bodyOf = (request: FastifyRequest): Uint8Array =>
  Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)

/** The encoding a body claims to be in; parameters of the type are ignored, other types refused. */
export function encodingOf(request: FastifyRequest): 'json' | 'form' {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/json') return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  throw new Refusal('unsupported_media_type')
}

const queryText = ({ raw: { url } }: FastifyRequest): string => url!.split('?').slice(1).join('?')

/** Reads a parameter of a page's address: empty where it has none of this name, or several. */
export function queryOf(request: FastifyRequest): (name: string) => string {
  const query = new URLSearchParams(queryText(request))
  return (name) => {
    const [value = '', ...others] = query.getAll(name)
    return others.length === 0 ? value : ''
  }
}

/** Query parameters under the same strict rules as a body. */
export function readQuery(request: FastifyRequest, names: readonly string[]): Map<string, string> {
  const query = Buffer.from(queryText(request))
  const properties = Object.fromEntries(names.map((name) => [name, {}]))
  return query.length === 0 ? new Map() : readFields(query, 'form', { properties })
}

const serverOptions = () => ({
  requestTimeout: bounds.requestTimeoutMs,
  headersTimeout: bounds.headersTimeoutMs,
  keepAliveTimeout: bounds.keepAliveTimeoutMs,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: bounds.headerBytes,
  requireHostHeader: false, // Refused by ourselves.
  // Of a repeated header Node takes the first and a proxy perhaps the last: joined, it matches nothing.
  joinDuplicateHeaders: true,
})

const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
const strictTransport = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

/** A wrong password, code, signature, token or form, too little rights, too many tries: each is a line of the log. */
const refusedStatuses: ReadonlySet<number> = new Set([401, 403, 429])

/** What is logged of a refused request: no names, no personal addresses, nothing that was sent. */
type NotedForLog = {
  code?: RefusalCode
  /** The id of who is signed in. */
  person?: string
  /** Access was denied, even where the answer is "not found". */
  isDenied?: boolean
}
const notedForLog = new WeakMap<FastifyRequest, NotedForLog>()

/** Why a request was refused, once its answer was made. */
export const refusedAs = (request: FastifyRequest): RefusalCode | undefined => notedForLog.get(request)?.code

export const noteForLog = (request: FastifyRequest, noted: NotedForLog): void =>
  void notedForLog.set(request, { ...notedForLog.get(request), ...noted })

const pathOf = (url: string): string => url.split('?', 1)[0]!

const isLong = ({ routeOptions, headers }: FastifyRequest): boolean =>
  routeOptions.config?.isLong === true || headers.accept === 'text/event-stream'

/**
 * Whether two servers would read this head alike. Node's parser refuses most that they would not; this is the rest (RFC 9112,
 * 2.3, 3.2 and 6.1). Repeated headers arrive joined with a comma.
 */
function isUnambiguous({ httpVersion, headers }: IncomingMessage): boolean {
  const { host, upgrade, 'transfer-encoding': encoding } = headers
  const isModern = httpVersion === '1.1'
  if (!isModern && httpVersion !== '1.0') return false
  // Load balancers ask for health in 1.0, without a host.
  const isNamed = host === undefined ? !isModern : /^[^\s,/?#@\\]+$/.test(host)
  // Node drops what it has of the next request behind one that asks for an upgrade and ends in an unusual way.
  if (upgrade !== undefined && encoding !== undefined) return false
  return isNamed && (encoding === undefined || (isModern && encoding.toLowerCase() === 'chunked'))
}

const routeOf = (request: FastifyRequest) => request.routeOptions.url ?? 'none'

const shapeOf = (url: string) =>
  new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')}$`)

/** Why Inlet cannot serve now: the database's code, or what the operator has to restore. */
const causeOf = (error: unknown) =>
  error instanceof Refusal ? { error: error.details.detail?.toString() } : { sqlstate: sqlState(error) }

/** Only errors that the caller caused become refusals; the rest are our faults. */
function refusalFrom(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isContended(error))
    return new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
  if (isDatabaseAway(error)) return new Refusal('service_unavailable', { retryAfterSeconds: 1 })
  const { code = '', statusCode = 500 } = error as { code?: string; statusCode?: number }
  const isOfCaller = code.startsWith('FST_ERR_') && statusCode < 500
  return new Refusal(frameworkCodes[code] ?? (isOfCaller ? 'malformed_request' : 'internal_error'))
}

const frameworkCodes: Record<string, RefusalCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_body',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

const socketCodes: Record<string, RefusalCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

const slowMs = 1_000

const leaving = new Refusal('service_unavailable', { retryAfterSeconds: 1 })
const ambiguous = new Refusal('malformed_request', { headers: { connection: 'close' } })
const tooManyHeaders = new Refusal('headers_too_large', { headers: { connection: 'close' } })

const unused = () => {
  throw new Error('routes have no schemas')
}
const newRequestId = () => `req_${randomToken(12)}`
