/** The connections to receivers, each to an address that was checked. */
import { constants } from 'node:crypto'
import { createRequire } from 'node:module'
import { isIP, type Socket } from 'node:net'
import type * as undici from 'undici'
import { type AddressRule, isAllowedAddress } from './allowed-address.ts'

// These two parts of undici: the whole has fetch, caches and mocks, and doubles what it costs at each start (70 ms, 13 MB).
const load = createRequire(import.meta.url)
const Pool: typeof undici.Pool = load('undici/lib/dispatcher/pool.js')
const buildConnector: typeof undici.buildConnector = load('undici/lib/core/connect.js')
type Connector = undici.buildConnector.connector

const connectionBounds = {
  /** TCP and TLS together. */
  connectTimeoutMs: 3_000,
  /** undici counts these from chunk to chunk, and coarsely: the deadline is what holds. */
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 5_000,
  headerBytes: 16 * 1024,

  connectionsPerOrigin: 32,
  keepAliveMs: 10_000,
  keepAliveMostMs: 30_000,
  tlsSessions: 5_000,
  /** Beyond these, idle pools close, the one that was quiet longest first. Busy ones are the caller's bound. */
  pools: 1_000,
  sockets: 4_000,
} as const

/** Where a request goes: `host` as a resolver takes it, `origin` and `path` as HTTP says them. */
export type Target = { origin: string; path: string; host: string; secure: boolean }

type ConnectError = 'blocked_address' | 'connect' | 'tls'

/** No connection came about. undici hands it to every request that waited for this connection. */
export class ConnectFault extends Error {
  readonly kind: ConnectError
  constructor(kind: ConnectError, cause?: Error) {
    super(`no connection: ${kind}`, { cause })
    this.kind = kind
  }
}

export type Pools = {
  /** The owner's connections to one address for one origin; `release` once the exchange is over. */
  take(owner: string, target: Target, address: string): { pool: undici.Pool; release: () => void }
  close(): Promise<void>
}

/**
 * Connections by owner, origin and address. Two owners may have receivers at one origin: what one of them answers, and how
 * slowly, must not reach the other. A connection kept alive serves a name only while the name still leads to its address.
 * undici's own Agent keeps a pool for every origin it ever saw (nodejs/undici#4223): here a pool ends with its last
 * connection.
 */
export function createPools(
  rule: AddressRule,
  connections: number = connectionBounds.connectionsPerOrigin,
): Pools {
  type Entry = { key: string; pool: undici.Pool; taken: number }
  const entries = new Map<string, Entry>()
  let sockets = 0
  let isClosed = false

  const open = buildConnector({
    timeout: connectionBounds.connectTimeoutMs,
    maxCachedSessions: connectionBounds.tlsSessions,
    allowH2: false,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable it.
    rejectUnauthorized: true,
    // A receiver could ask for handshake after handshake on one connection.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  })

  /** Connects to the checked address; the certificate's name, SNI and Host stay the host name. */
  const pinned = ({ host, secure }: Target, address: string): Connector => {
    // For http undici would connect to the servername, so there must be none; nor is a number a name (RFC 6066).
    const servername = secure && !isIP(host) ? host.replace(/\.$/, '') : ''
    return (to, done) => {
      if (isClosed) return done(new ConnectFault('connect'), null)
      if (!isAllowedAddress(address, rule)) return done(new ConnectFault('blocked_address'), null)
      let isReached = false
      const connecting = open({ ...to, hostname: address, servername }, (error, socket) => {
        if (error) return done(new ConnectFault(isReached ? 'tls' : 'connect', error), null)
        sockets++
        socket.once('close', () => sockets--)
        done(null, socket)
      }) as unknown as Socket
      connecting.once('connect', () => {
        isReached = true
      })
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
      if (entries.size <= connectionBounds.pools && sockets <= connectionBounds.sockets) return
      if (entry.taken === 0) drop(entry)
    }
  }

  const create = (key: string, target: Target, address: string): Entry => {
    const pool = new Pool(target.origin, {
      connect: pinned(target, address),
      connections,
      pipelining: 1,
      allowH2: false,
      useMilo: false,
      headersTimeout: connectionBounds.headersTimeoutMs,
      bodyTimeout: connectionBounds.bodyTimeoutMs,
      keepAliveTimeout: connectionBounds.keepAliveMs,
      keepAliveMaxTimeout: connectionBounds.keepAliveMostMs,
      maxHeaderSize: connectionBounds.headerBytes,
    })
    const entry = { key, pool, taken: 0 }
    pool.on('disconnect', () => dropUnused(entry))
    return entry
  }

  return {
    take(owner, target, address) {
      const key = `${owner} ${target.origin} ${address}`
      const entry = entries.get(key) ?? create(key, target, address)
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
