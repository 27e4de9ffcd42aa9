/**
 * Bounds what one read of a connection can cost. Node's parser takes all that the system has received at once: 64 KB of short
 * requests, or of a body in chunks of one byte, keep the thread for up to 100 ms, and nothing can stop it in between. So
 * what was received is handed to it in short pieces, and a connection that was ended meanwhile gets no more of them.
 *
 * A piece has the end of one request at most, so that requests which are sent ahead of an answer wait as bytes: each is parsed when
 * the one before it is answered, and no more is read meanwhile. Of a body whose length is known the rest is one piece, however long.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export type ReadBounds = {
  /** Bytes that are parsed before it is checked whether the connection was ended. */
  bytes: number
  /** A body may have so many chunks, and one more for every `chunkBytes` bytes of it. */
  chunks: number
  chunkBytes: number
  /** How many bytes of a body in chunks may arrive after its answer: then its chunks are not counted. */
  unreadBytes: number
}

export type BoundedReads = {
  /** Memory of a request that has not arrived completely, and bytes behind it that are not parsed yet. */
  readonly requestBytes: number
  readonly waitingBytes: number
  /** Memory of the last request that has arrived completely. */
  readonly arrivedBytes: number
  /** Call it when the head of a request has been read. `arrived` is called when the whole request has been. */
  requestStarted(request: IncomingMessage, arrived: () => void): void
  /** Call it when the parser may have the next request. */
  resume(): void
  /** Call it when the connection was ended: its memory is free at once, and not when the system has closed it. */
  discard(): void
}

type ConnectionState = {
  /** Whether the parser may have more: no whole request waits for its answer. */
  isReady: () => boolean
  /** Whether the rest of a body is still arriving although its request was answered: nobody reads it. */
  isAnswered: () => boolean
  /** Bytes were received, and parsed as far as they may be. */
  received: () => void
  /** Called when a body comes in too many chunks, with long trailers, or too long after its answer. */
  endConnection: () => void
}

const nothing = Buffer.alloc(0)
/** Memory of a header field besides its bytes. */
export const fieldMemory = 100
/** Node gives every chunk of a body memory of its own, of which 400 bytes are not its content: shorter ones are joined. */
const joinedBytes = 1024
const lineEnd = '\r\n'
const emptyLine = '\r\n\r\n'
const lastChunk = '\r\n0\r\n'
/** Empty lines before a head are ignored (RFC 9112, 2.2). */
const beyondLineEnds = /[^\r\n]/

/** `Buffer.concat` would use a pool of memory that is only freed together with all other buffers in it. */
function join(one: Buffer, other: Buffer): Buffer {
  const both = Buffer.alloc(one.length + other.length)
  one.copy(both)
  other.copy(both, one.length)
  return both
}

/** Call it when Node has taken the connection. */
export function boundReads(
  socket: Socket,
  most: ReadBounds,
  { isReady, isAnswered, received, endConnection }: ConnectionState,
): BoundedReads {
  const { push, _read: read } = socket
  let waiting: Buffer = nothing
  let parsedBytes = 0
  let isParsing = false
  /** How much of the current body is missing, where that is known. */
  let bodyBytesLeft = 0
  let fields = 0
  let arrivedBytes = 0
  let isChunked = false
  /** Of a body in chunks: how many pieces it had, and how many bytes came after its answer. */
  let pieces = 0
  let unreadBytes = 0
  /** The last characters of an unfinished head or of chunks: the end marker may have begun there. */
  let lastCharacters = ''

  // Node's parser reads from the system by itself, past `push`, until the socket has had a listener for its data.
  const listener = () => {}
  socket.on('data', listener).off('data', listener)

  const requestBytes = () => parsedBytes + fields * fieldMemory

  /**
   * The bytes up to the end of a head, or of a body in chunks. If something inside a chunk looks like the end, the piece is
   * only shorter.
   */
  function nextPiece(): Buffer {
    if (bodyBytesLeft > 0) return waiting.subarray(0, bodyBytesLeft)
    const piece = waiting.subarray(0, most.bytes)
    const text = lastCharacters + piece.toString('latin1')
    const from = isChunked ? text.indexOf(lastChunk) : lastCharacters === '' ? text.search(beyondLineEnds) : 0
    const end = from < 0 ? -1 : text.indexOf(emptyLine, isChunked ? from + lastChunk.length - 2 : from)
    const length = end < 0 ? piece.length : end + emptyLine.length - lastCharacters.length
    if (end >= 0) lastCharacters = isChunked ? lineEnd : ''
    else if (isChunked)
      lastCharacters = from < 0 || text.length - from > most.bytes ? text.slice(-5) : text.slice(from)
    else lastCharacters = from < 0 ? '' : text.slice(Math.max(from, text.length - 5))
    return piece.subarray(0, length)
  }

  /** Returns whether the stream wants more. */
  function parse(): boolean {
    if (isParsing) return false
    isParsing = true
    let wantsMore = true
    while (waiting.length > 0 && socket.writable && !socket.isPaused() && isReady()) {
      const piece = nextPiece()
      waiting = waiting.subarray(piece.length)
      parsedBytes += piece.length
      bodyBytesLeft = Math.max(0, bodyBytesLeft - piece.length)
      if (isChunked) {
        if (isAnswered()) unreadBytes += piece.length
        if (++pieces > most.chunks + parsedBytes / most.chunkBytes || unreadBytes > most.unreadBytes) {
          endConnection()
          break
        }
      }
      wantsMore = push.call(socket, piece)
    }
    isParsing = false
    // A short rest would keep the memory of all that came with it.
    if (waiting.length < waiting.buffer.byteLength / 2)
      waiting = waiting.length > 0 ? Buffer.from(waiting) : nothing
    return wantsMore && waiting.length === 0
  }

  socket.push = (bytes: Buffer | null, encoding) => {
    if (bytes === null) return push.call(socket, bytes, encoding)
    waiting = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes])
    const wantsMore = parse()
    received()
    return wantsMore
  }
  socket._read = (size) => {
    if (waiting.length === 0) read.call(socket, size)
  }
  socket.on('resume', () => process.nextTick(parse))

  /** Node's parser keeps trailers until the next head, and does not report those beyond its own maximum. */
  const hasLongTrailers = ({ rawTrailers }: IncomingMessage): boolean =>
    rawTrailers.length > most.chunks || rawTrailers.join('').length > most.bytes

  return {
    get requestBytes() {
      return requestBytes()
    },
    get arrivedBytes() {
      return arrivedBytes
    },
    get waitingBytes() {
      return waiting.length
    },
    resume: parse,
    discard() {
      waiting = nothing
    },
    requestStarted(request, arrived) {
      const end = () => {
        arrivedBytes = requestBytes()
        parsedBytes = 0
        fields = 0
        isChunked = false
        lastCharacters = ''
        arrived()
      }
      const { 'content-length': length, 'transfer-encoding': coding } = request.headers
      fields = request.rawHeaders.length / 2
      isChunked = coding !== undefined
      lastCharacters = isChunked ? lineEnd : ''
      pieces = 0
      unreadBytes = 0
      bodyBytesLeft = isChunked ? 0 : Number(length ?? 0)
      if (!isChunked && bodyBytesLeft === 0) return end()
      const { push } = request
      let bytes = 0
      let chunks = 0
      let joined: Buffer = nothing
      const hasTooMany = (chunk: Buffer): boolean => {
        bytes += chunk.length
        return ++chunks > most.chunks + bytes / most.chunkBytes
      }
      const pushJoined = (): boolean => {
        const bytes = joined
        joined = nothing
        return push.call(request, bytes)
      }
      request.push = (chunk: Buffer | null) => {
        if (chunk === null) end()
        if (coding !== undefined) {
          if (socket.destroyed) return false
          if (chunk === null ? hasLongTrailers(request) : hasTooMany(chunk)) {
            endConnection()
            return false
          }
        }
        if (chunk === null) {
          if (joined.length > 0) pushJoined()
          return push.call(request, null)
        }
        joined = joined.length === 0 ? chunk : join(joined, chunk)
        return joined.length < joinedBytes || pushJoined()
      }
    },
  }
}
