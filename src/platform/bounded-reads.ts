/**
 * Bounds what one read of a connection can cost. Node's parser takes all that the system has received at once: 64 KB of short
 * requests, or of a body in chunks of one byte, keep the thread for up to 100 ms, and nothing can stop it in between. So
 * what was received is handed to it in short pieces, and a connection that was ended meanwhile gets no more of them.
 *
 * Requests that are sent ahead of an answer wait as bytes, and no more is read meanwhile: each is parsed when the one before it is
 * answered. For that a piece has the end of one head at most, or of two, where the first one's last bytes came in a read of their own.
 *
 * Of a body whose length is known the rest is one piece, however long.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export type ReadBounds = {
  /** Bytes that are parsed before it is checked whether the connection was ended. */
  bytes: number
  /** A body may have so many chunks, and one more for every `chunkBytes` bytes of it. */
  chunks: number
  chunkBytes: number
}

type RequestEvents = {
  /** The body comes in too many chunks, or with long trailers. */
  endConnection(): void
  /** The whole request has been read. */
  arrived(): void
}

export type BoundedReads = {
  /** Bytes of a request that has not arrived completely, and those behind it that are not parsed yet. */
  readonly parsedBytes: number
  readonly waitingBytes: number
  /** Call it when the head of a request has been read. */
  requestStarted(request: IncomingMessage, events: RequestEvents): void
  /** Call it when the parser may have the next request. */
  resume(): void
  /** Call it when the connection was ended: its memory is free at once, and not when the system has closed it. */
  discard(): void
}

type ConnectionState = {
  /** Whether the parser may have more: no whole request waits for its answer. */
  isReady: () => boolean
  /** Bytes were received, and parsed as far as they may be. */
  received: () => void
}

const nothing = Buffer.alloc(0)
const endOfHead = '\r\n\r\n'

/** Call it when Node has taken the connection. */
export function boundReads(
  socket: Socket,
  most: ReadBounds,
  { isReady, received }: ConnectionState,
): BoundedReads {
  const { push, _read: read } = socket
  let waiting: Buffer = nothing
  let parsedBytes = 0
  /** How many bytes of the current body have not been received, at least. */
  let bodyBytesLeft = 0

  // Node's parser reads from the system by itself, past `push`, until the socket has had a listener for its data.
  const listener = () => {}
  socket.on('data', listener).off('data', listener)

  function nextPiece(): Buffer {
    if (bodyBytesLeft > 0) return waiting.subarray(0, Math.max(most.bytes, bodyBytesLeft))
    const piece = waiting.subarray(0, most.bytes)
    const end = piece.indexOf(endOfHead) + endOfHead.length
    return end >= endOfHead.length && piece.includes(endOfHead, end) ? piece.subarray(0, end) : piece
  }

  /** Returns whether the stream wants more. */
  function parse(): boolean {
    let wantsMore = true
    while (waiting.length > 0 && !socket.destroyed && !socket.isPaused() && isReady()) {
      const piece = nextPiece()
      waiting = waiting.subarray(piece.length)
      parsedBytes += piece.length
      bodyBytesLeft = Math.max(0, bodyBytesLeft - piece.length)
      wantsMore = push.call(socket, piece)
    }
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
    get parsedBytes() {
      return parsedBytes
    },
    get waitingBytes() {
      return waiting.length
    },
    resume: parse,
    discard() {
      waiting = nothing
    },
    requestStarted(request, { endConnection, arrived }) {
      const end = () => {
        parsedBytes = 0
        arrived()
      }
      const { 'content-length': length, 'transfer-encoding': coding } = request.headers
      // A part of the body may have come with the head.
      bodyBytesLeft = coding === undefined ? Math.max(0, Number(length ?? 0) - most.bytes) : 0
      if (coding === undefined && Number(length ?? 0) === 0) return end()
      const { push } = request
      let chunks = 0
      let bytes = 0
      request.push = (chunk: Buffer | null, encoding) => {
        if (chunk === null) end()
        if (coding === undefined) return push.call(request, chunk, encoding)
        if (socket.destroyed) return false
        if (chunk === null && hasLongTrailers(request)) {
          endConnection()
          return false
        }
        bytes += chunk?.length ?? 0
        if (++chunks <= most.chunks + bytes / most.chunkBytes) return push.call(request, chunk, encoding)
        endConnection()
        return false
      }
    },
  }
}
