/**
 * Bounds what one read of a connection can cost. Node's parser takes all that the system has received at once: 64 KB of short
 * requests, or of a body in chunks of one byte, keep the thread for up to 100 ms, and nothing can stop it in between. So
 * what was received is handed to it in short pieces, and a connection that was ended meanwhile gets no more of them.
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
  /** Call it when the head of a request has been read. */
  requestStarted(request: IncomingMessage, events: RequestEvents): void
}

/** Call it when Node has taken the connection. `countBytes` is called with the length of each piece before it is parsed. */
export function boundReads(
  socket: Socket,
  most: ReadBounds,
  countBytes: (bytes: number) => void = () => {},
): BoundedReads {
  const { push } = socket
  /** How many bytes of the current body have not been received, at least. */
  let bodyBytesLeft = 0

  // Node's parser reads from the system by itself, past `push`, until the socket has had a listener for its data.
  const listener = () => {}
  socket.on('data', listener).off('data', listener)

  socket.push = (received: Buffer | null, encoding) => {
    if (received === null) return push.call(socket, received, encoding)
    let wantsMore = true
    for (let at = 0; at < received.length && !socket.destroyed; ) {
      const piece = received.subarray(at, at + Math.max(most.bytes, bodyBytesLeft))
      at += piece.length
      countBytes(piece.length)
      if (socket.destroyed) break
      bodyBytesLeft = Math.max(0, bodyBytesLeft - piece.length)
      wantsMore = push.call(socket, piece, encoding)
    }
    return wantsMore
  }

  /** Node's parser keeps trailers until the next head, and does not report those beyond its own maximum. */
  const hasLongTrailers = ({ rawTrailers }: IncomingMessage): boolean =>
    rawTrailers.length > most.chunks || rawTrailers.join('').length > most.bytes

  return {
    requestStarted(request, { endConnection, arrived }) {
      const { 'content-length': length, 'transfer-encoding': coding } = request.headers
      // A part of the body may have come with the head, and more may wait in the stream.
      const received = most.bytes + socket.readableLength
      bodyBytesLeft = coding === undefined ? Math.max(0, Number(length ?? 0) - received) : 0
      if (coding === undefined && Number(length ?? 0) === 0) return arrived()
      const { push } = request
      let chunks = 0
      let bytes = 0
      request.push = (chunk: Buffer | null, encoding) => {
        if (chunk === null) arrived()
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
