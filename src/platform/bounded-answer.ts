/**
 * Bounds what a receiver's answer costs us. The client parses each header, each chunk and each information line on the thread
 * that serves everybody: 64 KB of short ones take 15 ms and megabytes of memory, and a receiver can send them without end.
 * Over TLS each record is a piece of its own: 16 KB in records of one byte take 170 ms.
 */
import type { Socket } from 'node:net'

export class AnswerTooLong extends Error {}

type AnswerBounds = { lines: number; bytes: number; pieces: number }

/**
 * Of the answer to each request, so many lines and bytes are handed out; then the connection is closed. What came before
 * is parsed, so that an answer whose status was among it counts. One that comes in more pieces ends at once.
 */
export function boundAnswers(socket: Socket, most: AnswerBounds): void {
  const { read, push } = socket
  let sent = -1
  let left = most
  let isOver = false

  const end = (): null => {
    socket.destroy(new AnswerTooLong('the answer is too long'))
    return null
  }
  /** Nothing is written but requests, one at a time: what came since the last one is the answer. */
  const leftNow = (): AnswerBounds => {
    if (socket.bytesWritten !== sent) left = most
    sent = socket.bytesWritten
    return left
  }

  // TLS session tickets: one is enough to resume a session, so too many end the connection.
  let tickets = 0
  socket.on('session', () => {
    if (++tickets > ticketsMost) end()
  })
  socket.push = (chunk, encoding) => {
    const { pieces } = leftNow()
    left = { ...left, pieces: pieces - 1 }
    if (pieces === 0) end()
    return push.call(socket, chunk, encoding)
  }
  socket.read = (size) => {
    if (isOver) return end()
    const chunk: Buffer | null = read.call(socket, size)
    if (chunk === null) return null
    let { lines, bytes, pieces } = leftNow()
    let after = 0
    while (lines > 0 && after < chunk.length) {
      const feed = chunk.indexOf(lineFeed, after)
      if (feed >= 0) lines--
      after = feed >= 0 ? feed + 1 : chunk.length
    }
    const fitting = Math.min(after, bytes)
    bytes -= fitting
    left = { lines, bytes, pieces }
    isOver = lines === 0 || bytes === 0
    return chunk.subarray(0, fitting)
  }
}

const ticketsMost = 16
const lineFeed = 0x0a
