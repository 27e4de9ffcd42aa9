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
  /** Bytes that are parsed before anybody looks whether the connection goes on. */
  bytes: number
  /** Chunks of a body that may be short, and how long the others are on average. */
  chunks: number
  chunkBytes: number
}

export type BoundedReads = {
  /** Call it for each request when its head has been read. Ends the connection where the body comes in too many chunks. */
  begun(request: IncomingMessage, endConnection: () => void): void
}

/** Call it when Node has taken the connection. */
export function boundReads(socket: Socket, most: ReadBounds): BoundedReads {
  const { push } = socket
  /** Bytes of the last body that was begun that have not been received, at the least. */
  let left = 0

  // Node reads by itself, past the stream, until somebody listens.
  const listener = () => {}
  socket.on('data', listener).off('data', listener)

  socket.push = (received: Buffer | null, encoding) => {
    if (received === null) return push.call(socket, received, encoding)
    let goesOn = true
    for (let at = 0; at < received.length && !socket.destroyed; ) {
      const piece = received.subarray(at, at + Math.max(most.bytes, left))
      at += piece.length
      left = Math.max(0, left - piece.length)
      goesOn = push.call(socket, piece, encoding)
    }
    return goesOn
  }

  return {
    begun(request, endConnection) {
      const { 'content-length': length, 'transfer-encoding': coding } = request.headers
      // The beginning of the body may have come with the head, and what follows that may wait in the stream.
      const received = most.bytes + socket.readableLength
      left = coding === undefined ? Math.max(0, Number(length ?? 0) - received) : 0
      if (coding === undefined) return
      const { push } = request
      let chunks = 0
      let bytes = 0
      request.push = (chunk: Buffer | null, encoding) => {
        if (socket.destroyed) return false
        bytes += chunk?.length ?? 0
        if (++chunks <= most.chunks + bytes / most.chunkBytes) return push.call(request, chunk, encoding)
        endConnection()
        return false
      }
    },
  }
}
