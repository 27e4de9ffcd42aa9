/**
 * Limits what the connections of one client may use: how many there are, and how much answered data is not read. A client over a
 * limit loses a connection; others are not affected. When all connections are taken, the network with the most of them makes room for
 * one that has fewer. Requests that are sent ahead of an answer wait until it was read: see `bounded-reads.ts`.
 *
 * Behind a trusted proxy a connection does not identify the client. There the requests in progress are counted instead, and
 * the client with the most loses one whose body has not arrived yet.
 *
 * A client that sends requests and reads no answers makes us keep the answers: TCP stops, and the bytes
 * stay here: they are counted from the moment an answer is made until the system has taken its last byte. In the same way a
 * client that sends a request and not its end makes us keep what has arrived of it.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { type BoundedReads, boundReads, type ReadBounds } from './bounded-reads.ts'
import type { Log } from './log.ts'
import { networkOf, siteOf } from './network.ts'
import { createReadRounds } from './read-rounds.ts'

export type ConnectionBounds = {
  /** Open at once: in all, and of one network. */
  most: number
  mostOfNetwork: number
  /** Bytes of requests that have arrived, and of their answers until they are read: of one network, and in all. */
  unreadBytesOfNetwork: number
  unreadBytesInAll: number
  /** Bytes of requests that have not arrived completely: in all, and how many of one connection count: no more of them are kept. */
  unfinishedBytesInAll: number
  unfinishedBytes: number
  /** Node's parser keeps a head until the next one: with a quarter of all connections open, one with a longer head is not kept. */
  keptHeadBytes: number
  /** A connection with a head of more fields, which is refused, is not kept. */
  headerFields: number
  /** An answer of which nothing is read for this long is given up. */
  unreadMs: number
  /** What was refused is logged this often at most. */
  logMs: number
  read: ReadBounds
  /** How long a round of the event loop parses what was received. */
  roundMs: number
}

type ConnectionParts = {
  bounds: ConnectionBounds
  /** A proxy has many clients: only the total and per-connection limits apply to it; each of them has limits of its own. */
  isTrustedProxy: (address: string) => boolean
  /** Answers on the raw socket, and closes it. */
  refuse: (socket: Socket) => void
  log: Log
}

export type BoundedServer = {
  server: Server
  /** Connections that are open now. */
  readonly open: number
  /** An answer of so many bytes was made; call it once per answer. */
  answered(response: ServerResponse, bytes: number): void
  /** Behind a trusted proxy: whether this client may have one more request under way. */
  admits(request: IncomingMessage, clientNetwork: () => string): boolean
  /**
   * Whether the connection can end with this answer: no request was sent after it. Nothing that comes later is served, because
   * nobody would get its answer.
   */
  endsWith(response: ServerResponse): boolean
}

type Connection = {
  socket: Socket
  network: Usage
  site: Usage
  unread: number
  unfinished: number
  /** Requests whose answer is not read yet. */
  unanswered: number
  /** Until it has arrived completely, and its answer is read. */
  newest?: IncomingMessage | undefined
  /** The client for whom a trusted proxy has sent the newest request, until that request has ended. */
  client?: Client | undefined
  isLastAnswered: boolean
  reads: BoundedReads
}
/** What one network or one site uses; behind trusted proxies, what they use for it. */
type Usage = { name: string; connections: Set<Connection>; unread: number; unfinished: number }
type Client = { network: Usage; site: Usage }

/** All proxies are counted as one, without bounds of its own. */
const ofProxies = 'trusted proxies'

const admitted = new WeakSet<IncomingMessage>()

/** Stops counting this body as unfinished: its reader knows the sender, and limits its memory itself. */
export const admitBody = (request: IncomingMessage): void => void admitted.add(request)

const streamCounters = new WeakMap<Socket, (more: number) => void>()

/** So many more bytes of a stream wait to be read; or fewer, if negative. */
export const countStreamed = ({ socket }: IncomingMessage, more: number): void =>
  streamCounters.get(socket)?.(more)

const isAdmitted = ({ newest }: Connection): boolean =>
  newest !== undefined && !newest.complete && admitted.has(newest)

export function createBoundedServer(
  options: ServerOptions,
  serve: RequestListener,
  { bounds, isTrustedProxy, refuse, log }: ConnectionParts,
): BoundedServer {
  const networks = new Map<string, Usage>()
  const sites = new Map<string, Usage>()
  const clientNetworks = new Map<string, Usage>()
  const clientSites = new Map<string, Usage>()
  const known = new WeakMap<Socket, Connection>()
  let open = 0
  let unread = 0
  let unfinished = 0
  const note = logEvery(bounds.logMs, log)
  const rounds = createReadRounds<Connection>(bounds.roundMs, (connection) => {
    connection.reads.resume()
    receive(connection)
  })

  const server = createServer(options, (request, response) => {
    const connection = known.get(request.socket)
    // Node parses a received chunk to its end, even after we have refused further requests of it.
    if (!connection || request.socket.destroyed || connection.isLastAnswered) return
    connection.newest = request
    connection.unanswered++
    /** A body that is still on its way takes the connection for as long as before. An idle one keeps nothing: a head may have 8 KB. */
    const release = () => {
      if (connection.newest !== request || !request.complete || !response.destroyed) return
      leaveClient(connection)
      connection.newest = undefined
    }
    let keptBytes = 0
    response.once('close', () => {
      connection.unanswered--
      countUnread(connection, -keptBytes)
      release()
      connection.reads.resume()
    })
    // Only in a body whose chunks end in an unusual way can two follow in one piece.
    if (connection.unanswered > 2)
      return end(connection, 'connections ended: too many requests ahead of their answers')
    const isLong = connection.reads.requestBytes > bounds.keptHeadBytes && open > bounds.most / 4
    // Node drops what it has of the next request behind one that asks for an upgrade and ends in an unusual way.
    const { upgrade, 'transfer-encoding': coding } = request.headers
    const mayLoseNext = upgrade !== undefined && coding !== undefined
    if (isLong || mayLoseNext || request.rawHeaders.length > bounds.headerFields * 2) {
      response.shouldKeepAlive = false
      connection.isLastAnswered = true
    }
    connection.reads.requestStarted(request, () => {
      countUnfinished(connection)
      // The request stays in memory until its answer is read.
      if (!response.destroyed) {
        keptBytes = Math.min(connection.reads.arrivedBytes, bounds.unfinishedBytes)
        keep(connection, keptBytes)
      }
      release()
    })
    serve(request, response)
  })

  // Node drops further ones: they cost nothing, and one more than allowed shows that there were too many.
  server.maxHeadersCount = bounds.headerFields + 1

  // In place of Node's own listener: a connection that is refused never gets a parser.
  const [accept] = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const name = isTrustedProxy(address) ? ofProxies : networkOf(address)
    const network = networks.get(name) ?? newUsage(name)
    const siteName = siteOf(name)
    const site = sites.get(siteName) ?? newUsage(siteName)
    const isFull = name !== ofProxies && network.connections.size >= bounds.mostOfNetwork
    if (isFull || (open >= bounds.most && !makeRoomFor(network, site))) {
      note('connections refused: too many are open')
      return refuse(socket)
    }
    open++
    rounds.accepted()
    accept!.call(server, socket)
    const reads = boundReads(socket, bounds.read, {
      isReady: () =>
        (connection.unanswered === 0 || (connection.unanswered === 1 && !connection.newest?.complete)) &&
        rounds.mayParse(siteName, connection),
      isAnswered: () => connection.unanswered === 0 && connection.newest !== undefined,
      received: () => receive(connection),
      endConnection: () =>
        end(connection, 'connections ended: a body in too many chunks, or with long trailers'),
    })
    const counts = { unanswered: 0, unread: 0, unfinished: 0 }
    const connection: Connection = { socket, network, site, ...counts, isLastAnswered: false, reads }
    known.set(socket, connection)
    streamCounters.set(socket, (more) => (more > 0 ? keep : countUnread)(connection, more))
    addTo(connection, network, networks)
    addTo(connection, site, sites)
    socket.once('close', () => leave(connection))
  })

  /** Closes a connection of the site with the most, if that evens them out, of its network with the most: an idle one, else the oldest. */
  function makeRoomFor(network: Usage, site: Usage): boolean {
    if (network.name === ofProxies) return makeRoomForProxy()
    let largest = site
    for (const other of sites.values())
      if (other.name !== ofProxies && sizeOf(other) > Math.max(sizeOf(largest), sizeOf(site) + 1))
        largest = other
    let most: Usage | undefined
    const least = largest === site ? sizeOf(network) + 1 : 0
    for (const { network: other } of largest.connections)
      if (sizeOf(other) > (most ? sizeOf(most) : least)) most = other
    if (!most) return false
    const [oldest] = most.connections
    const idle = most.connections.values().find(({ newest }) => !newest)
    end(idle ?? oldest!, 'connections ended: all are taken, and this network has most')
    return true
  }

  /** Nothing has been done yet for a request that has not arrived. Who comes next is not known: with one each, nobody makes room. */
  function makeRoomForProxy(): boolean {
    let most = 1
    let unfinished: Connection | undefined
    for (const { connections } of clientSites.values()) {
      if (connections.size <= most) continue
      const found = connections.values().find(({ newest }) => newest && !newest.complete)
      if (found) [most, unfinished] = [connections.size, found]
    }
    if (unfinished) end(unfinished, 'connections ended: all are taken, and this client of a proxy has most')
    return unfinished !== undefined
  }

  function leaveClient(connection: Connection): void {
    const { client } = connection
    if (!client) return
    connection.client = undefined
    removeFrom(connection, client.network, clientNetworks)
    removeFrom(connection, client.site, clientSites)
  }

  function countUnfinished(connection: Connection): void {
    const { network, reads } = connection
    const isCounted = network.connections.has(connection) && !isAdmitted(connection)
    const bytes = isCounted ? Math.min(reads.requestBytes + reads.waitingBytes, bounds.unfinishedBytes) : 0
    const more = bytes - connection.unfinished
    connection.unfinished = bytes
    for (const usage of usagesOf(connection)) usage.unfinished += more
    unfinished += more
  }

  function receive(connection: Connection): void {
    countUnfinished(connection)
    if (unfinished > bounds.unfinishedBytesInAll) endMostUnfinished()
  }

  /** The heaviest connection of the heaviest site. Requests from proxies whose client is not known yet are compared together. */
  function findHeaviest(amountOf: (counted: Usage | Connection) => number): Connection {
    const ofUnknownClients = newUsage('')
    for (const connection of sites.get(ofProxies)?.connections ?? [])
      if (!connection.client) addTo(connection, ofUnknownClients)
    const { connections } = withMost(
      [ofUnknownClients, ...sites.values().filter(({ name }) => name !== ofProxies), ...clientSites.values()],
      amountOf,
    )
    return withMost(connections, amountOf)
  }

  function endMostUnfinished(): void {
    const heaviest = findHeaviest(unfinishedOf)
    // Nothing has arrived since its reader admitted it.
    if (isAdmitted(heaviest)) countUnfinished(heaviest)
    else end(heaviest, 'connections ended: too many bytes of unfinished requests')
  }

  function leave(connection: Connection): void {
    const { network, site } = connection
    if (!network.connections.has(connection)) return
    open--
    rounds.forget(site.name, connection)
    leaveClient(connection)
    removeFrom(connection, network, networks)
    removeFrom(connection, site, sites)
    unread -= connection.unread
    unfinished -= connection.unfinished
    connection.unread = 0
    connection.unfinished = 0
  }

  /** A closed connection is not counted. */
  function countUnread(connection: Connection, more: number): void {
    if (!connection.network.connections.has(connection)) return
    for (const counted of [connection, ...usagesOf(connection)]) counted.unread += more
    unread += more
  }

  function keep(connection: Connection, bytes: number): void {
    countUnread(connection, bytes)
    const { network } = connection
    if (network.name !== ofProxies && network.unread > bounds.unreadBytesOfNetwork) {
      end(withMost(network.connections, unreadOf), 'connections ended: too many unread bytes of one network')
    } else if (unread > bounds.unreadBytesInAll) {
      end(findHeaviest(unreadOf), 'connections ended: too many unread bytes in all')
    }
  }

  function end(connection: Connection, message: string): void {
    note(message)
    leave(connection)
    // What was received and not parsed yet is not parsed any more.
    connection.reads.discard()
    connection.socket.removeAllListeners('data').destroy()
  }

  // Node calls a connection idle when nothing came and nothing of what waits was taken.
  server.setTimeout(bounds.unreadMs, (socket: Socket) => {
    const connection = known.get(socket)
    const isWorking =
      connection && connection.unanswered > 0 && socket.writable && socket.writableLength === 0
    if (isWorking) return
    if (connection && socket.writableLength > 0) note('connections ended: nobody reads the answers')
    socket.destroy()
  })

  return {
    server,
    get open() {
      return open
    },
    answered(response, bytes) {
      const connection = response.req && known.get(response.req.socket)
      if (!connection || connection.socket.destroyed) return
      keep(connection, bytes)
      response.once('close', () => countUnread(connection, -bytes))
    },
    admits(request, clientNetwork) {
      const connection = known.get(request.socket)
      if (connection?.network.name !== ofProxies) return true
      leaveClient(connection)
      const name = clientNetwork()
      const network = clientNetworks.get(name) ?? newUsage(name)
      if (network.connections.size >= bounds.mostOfNetwork) {
        note('requests refused: too many of one network behind a proxy are under way')
        return false
      }
      const siteName = siteOf(name)
      const site = clientSites.get(siteName) ?? newUsage(siteName)
      connection.client = { network, site }
      addTo(connection, network, clientNetworks)
      addTo(connection, site, clientSites)
      return true
    },
    endsWith(response) {
      const connection = response.req && known.get(response.req.socket)
      if (!connection || connection.newest !== response.req || connection.reads.waitingBytes > 0) return false
      connection.isLastAnswered = true
      return true
    },
  }
}

const newUsage = (name: string): Usage => {
  return { name, connections: new Set(), unread: 0, unfinished: 0 }
}

function addTo(connection: Connection, usage: Usage, usages?: Map<string, Usage>): void {
  usage.connections.add(connection)
  usage.unread += connection.unread
  usage.unfinished += connection.unfinished
  usages?.set(usage.name, usage)
}

function removeFrom(connection: Connection, usage: Usage, usages: Map<string, Usage>): void {
  usage.connections.delete(connection)
  usage.unread -= connection.unread
  usage.unfinished -= connection.unfinished
  if (usage.connections.size === 0) usages.delete(usage.name)
}

const usagesOf = ({ network, site, client }: Connection): Usage[] =>
  client ? [network, site, client.network, client.site] : [network, site]

const sizeOf = ({ connections }: Usage): number => connections.size
const unreadOf = ({ unread }: Usage | Connection): number => unread
const unfinishedOf = ({ unfinished }: Usage | Connection): number => unfinished

/** Of equal ones the newest: what is freed soon costs V8 less memory than what it has kept for a while. */
const withMost = <T>(items: Iterable<T>, amountOf: (item: T) => number): T =>
  [...items].reduce((most, item) => (amountOf(item) >= amountOf(most) ? item : most))

/** Floods are thousands a second: one line per interval says how many. */
function logEvery(ms: number, log: Log): (message: string) => void {
  const counts = new Map<string, number>()
  const tell = () => {
    for (const [message, count] of counts) log.warn(message, { count })
    counts.clear()
  }
  return (message) => {
    if (counts.size === 0) setTimeout(tell, ms).unref()
    counts.set(message, (counts.get(message) ?? 0) + 1)
  }
}
