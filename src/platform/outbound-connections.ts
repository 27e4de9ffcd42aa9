/**
 * The connections to receivers. A name is looked up and its addresses are checked while its connection is made: undici's own
 * `blockList` is silently ignored for https, and a name that is checked and then looked up again may answer differently the
 * second time. It must never connect to an address that was not checked.
 */
import { constants } from 'node:crypto'
import { lookup as systemLookup } from 'node:dns/promises'
import { createRequire } from 'node:module'
import { isIP, type Socket } from 'node:net'
import { callbackify } from 'node:util'
import type * as undici from 'undici'
import { type AddressRule, isAllowedAddress } from './allowed-address.ts'
import { monotonicMs } from './clock.ts'
import { createFairLimit } from './fair-limit.ts'

// These two parts of undici: the whole has fetch, caches and mocks, and doubles what it costs at each start (70 ms, 13 MB).
const load = createRequire(import.meta.url)
const Client: typeof undici.Client = load('undici/lib/dispatcher/client.js')
const buildConnector: typeof undici.buildConnector = load('undici/lib/core/connect.js')

export type OutboundOptions = {
  /** All addresses of a name; throws when it has none. */
  lookup?: (host: string) => Promise<string[]>
  /** Per owner and origin. */
  connections?: number
}

const connectionBounds = {
  /** Every address of a name is checked, and a name server can return thousands. */
  addressesOfName: 64,
  addressesTried: 4,
  /**
   * 32 threads of the process do lookups. A name whose server does not answer occupies one for many seconds, and a lookup
   * cannot be canceled. Some threads stay free for the database's own name.
   */
  lookups: { atOnce: 28, ofOwner: 2, waiting: 1_000 },
  /** Lookup, TCP and TLS together. */
  connectMs: 3_000,
  headerBytes: 16 * 1024,
  perReceiver: 32,
  idleMs: 10_000,
  /** Then a connection is replaced, however busy: its name may lead elsewhere by now. */
  ageMs: 30_000,
  /** Beyond these, idle connections close. Busy ones are the caller's bound. */
  receivers: 1_000,
  sockets: 4_000,
} as const

type Receivers = {
  of(owner: string, origin: string): Receiver
  close(): Promise<void>
}

export type Way = {
  /** Where the last connection went, or was refused to go. */
  address?: string
  /** An allowed private target's answer may hold what its operator would not show a merchant. */
  isPrivate: boolean
}

export type ConnectError = 'dns' | 'blocked_address' | 'connect' | 'tls'

/** No connection came about. undici hands it to every request that waited for this connection. */
export class NoConnection extends Error {
  readonly why: ConnectError
  constructor(why: ConnectError, cause?: Error) {
    super(`no connection: ${why}`, { cause })
    this.why = why
  }
}

/**
 * Connections by owner and origin. Two owners may have receivers at one origin: what one of them answers, and how slowly,
 * must not reach the other.
 */
export function createReceivers(rule: AddressRule, { lookup, connections }: OutboundOptions): Receivers {
  const addressesOf = createLookup(lookup)
  let receivers = new Map<string, Receiver>()
  let sockets = 0

  /** A single denied address refuses the name: a server that mixes denied addresses with allowed ones is not trusted. */
  function check(addresses: string[], way: Way): void {
    const denied = addresses.find((address) => !isAllowedAddress(address, rule))
    way.address = denied ?? addresses[0]!
    if (denied !== undefined) throw new NoConnection('blocked_address')
    const exceptLoopback = { ...rule, allowed: () => false }
    way.isPrivate ||= addresses.some((address) => !isAllowedAddress(address, exceptLoopback))
  }

  function connectorOf(owner: string, way: Way): undici.buildConnector.connector {
    const checkedAddresses = async (host: string, _options: unknown) => {
      const addresses = await addressesOf(owner, host)
      if (addresses.length === 0 || addresses.length > connectionBounds.addressesOfName)
        throw new NoConnection('dns')
      check(addresses, way)
      return addresses
        .slice(0, connectionBounds.addressesTried)
        .map((address) => ({ address, family: isIP(address) }))
    }
    const open = buildConnector({
      timeout: connectionBounds.connectMs,
      lookup: callbackify(checkedAddresses),
      autoSelectFamily: true,
      allowH2: false,
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable it.
      rejectUnauthorized: true,
      // A receiver could ask for handshake after handshake on one connection.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    })
    return (to, done) => {
      // An address is not looked up, so it is checked here.
      if (isIP(to.hostname)) check([to.hostname], way)
      let stage: ConnectError = 'dns'
      const connecting = open(to, (error, socket) => {
        if (error) return done(error instanceof NoConnection ? error : new NoConnection(stage, error), null)
        sockets++
        socket.once('close', () => sockets--)
        done(null, socket)
      }) as unknown as Socket
      connecting.on('connectionAttempt', (address: string) => {
        way.address = address
        stage = 'connect'
      })
      connecting.once('connect', () => {
        stage = 'tls'
      })
    }
  }

  function create(owner: string, origin: string): Receiver {
    const way: Way = { isPrivate: false }
    const connect = connectorOf(owner, way)
    const open = () =>
      new Client(origin, {
        connect,
        pipelining: 1,
        allowH2: false,
        useMilo: false,
        // The caller's deadline is shorter, and exact.
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: connectionBounds.idleMs,
        keepAliveMaxTimeout: connectionBounds.idleMs,
        maxHeaderSize: connectionBounds.headerBytes,
      })
    return new Receiver(way, open, connections ?? connectionBounds.perReceiver)
  }

  /** Idle connections end at once, the others with their requests. */
  function startAnew(): void {
    for (const receiver of receivers.values()) receiver.close()
    receivers = new Map()
  }

  return {
    of(owner, origin) {
      if (receivers.size > connectionBounds.receivers || sockets > connectionBounds.sockets) startAnew()
      const key = `${owner} ${origin}`
      const receiver = receivers.get(key) ?? create(owner, origin)
      receivers.set(key, receiver)
      return receiver
    },
    async close() {
      // No caller waits any more: only requests past their deadline are left.
      await Promise.all([...receivers.values()].map((receiver) => receiver.destroy()))
    },
  }
}

export type Connection = { client: undici.Client; connectedAt: number }

/**
 * An origin that an owner calls, over a bounded number of connections. Each has one request at a time, so the one used last is
 * taken first, and nobody looks for a free one: undici's Pool asks each of its connections before each request.
 */
export class Receiver {
  readonly way: Way
  readonly #open: () => undici.Client
  readonly #most: number
  readonly #all = new Set<Connection>()
  readonly #idle: Connection[] = []
  readonly #waiting: ((connection: Connection) => void)[] = []
  #isClosing = false

  constructor(way: Way, open: () => undici.Client, most: number) {
    this.way = way
    this.#open = open
    this.#most = most
  }

  /** Starts with a connection that nobody else uses: at once, or when one is given back. */
  take(start: (connection: Connection) => void): void {
    const idle = this.#idle.pop()
    if (idle) start(this.#young(idle))
    else if (this.#all.size < this.#most) start(this.#connection())
    else this.#waiting.push(start)
  }

  /** Its request has ended, in whichever way. */
  give(connection: Connection): void {
    const next = this.#waiting.shift()
    if (next) next(this.#young(connection))
    else if (this.#isClosing) void connection.client.close()
    else this.#idle.push(connection)
  }

  #connection(): Connection {
    const connection: Connection = { client: this.#open(), connectedAt: Number.POSITIVE_INFINITY }
    connection.client.on('connect', () => {
      connection.connectedAt = monotonicMs()
    })
    this.#all.add(connection)
    return connection
  }

  #young(connection: Connection): Connection {
    if (monotonicMs() - connection.connectedAt < connectionBounds.ageMs) return connection
    this.#all.delete(connection)
    void connection.client.close()
    return this.#connection()
  }

  close(): void {
    this.#isClosing = true
    for (const { client } of this.#idle.splice(0)) void client.close()
  }

  destroy(): Promise<unknown> {
    return Promise.all([...this.#all].map(({ client }) => client.destroy()))
  }
}

/** A name is looked up once at a time for each owner, however many connections wait for it. */
function createLookup(
  lookup: (host: string) => Promise<string[]> = everyAddress,
): (owner: string, host: string) => Promise<string[]> {
  const inTurn = createFairLimit(connectionBounds.lookups)
  const underWay = new Map<string, Promise<string[]>>()
  return (owner, host) => {
    const key = `${owner} ${host}`
    const found = underWay.get(key) ?? inTurn(owner, () => lookup(host)).finally(() => underWay.delete(key))
    underWay.set(key, found)
    return found
  }
}

const everyAddress = async (host: string): Promise<string[]> =>
  (await systemLookup(host, { all: true })).map(({ address }) => address)
