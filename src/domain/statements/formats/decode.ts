/**
 * Decodes bytes to text, a piece at a time. The encoding is chosen once, by the beginning of the file. A file that changes
 * it midway is damaged, because a name or an amount could be misread without notice.
 */
import { message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'

export const encodings = ['utf-8', 'windows-1251', 'ibm866'] as const
export type Encoding = (typeof encodings)[number]

/**
 * The text of the file without its byte order mark. `choose` sees the first bytes of a file without one. `lineNow`
 * says which line the next character belongs to, so that damage is reported where it is.
 */
export async function* decode(
  bytes: AsyncIterable<Uint8Array>,
  choose: (head: Uint8Array) => Encoding,
  lineNow: () => number,
): AsyncGenerator<string, void, undefined> {
  let encoding: Encoding | undefined
  let rest: Uint8Array = new Uint8Array(0)
  for await (const read of pieces(bytes)) {
    let piece = rest.length > 0 ? Buffer.concat([rest, read]) : read
    if (encoding === undefined) {
      const isMarked = hasMark(piece)
      if (isMarked) piece = piece.subarray(mark.length)
      encoding = isMarked ? 'utf-8' : choose(piece)
    }
    const complete = encoding === 'utf-8' ? completeLength(piece) : piece.length
    rest = piece.slice(complete)
    yield textOf(piece.subarray(0, complete), encoding, lineNow)
  }
  if (rest.length > 0) yield textOf(rest, encoding!, lineNow)
}

/** The first bytes as text, for guessing only: bytes that are invalid in the encoding are replaced. */
export function decodeHead(head: Uint8Array, encoding: Encoding, most = 4_096): string {
  return new TextDecoder(encoding).decode(head.subarray(0, most))
}

export const hasMark = (bytes: Uint8Array): boolean => mark.every((byte, at) => bytes[at] === byte)

const mark = [0xef, 0xbb, 0xbf]

/** Pieces of one size, whatever the source yields. The buffer is reused: a piece is valid until the next one is requested. */
async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const buffer = new Uint8Array(statementBounds.pieceBytes)
  let filled = 0
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + buffer.length - filled)
      buffer.set(part, filled)
      filled += part.length
      at += part.length
      if (filled === buffer.length) {
        yield buffer
        filled = 0
      }
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled)
}

/** Where the last whole UTF-8 character ends: a character is four bytes at most. */
function completeLength(piece: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, piece.length); back++) {
    const byte = piece[piece.length - back]!
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const needed = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 1
    return needed > back ? piece.length - back : piece.length
  }
  return piece.length
}

const decoders = Object.fromEntries(
  encodings.map((encoding) => [encoding, new TextDecoder(encoding, { fatal: true, ignoreBOM: true })]),
) as Record<Encoding, TextDecoder>

function textOf(piece: Uint8Array, encoding: Encoding, lineNow: () => number): string {
  const text = tryText(piece, encoding)
  if (text === undefined)
    throw new DamagedStatement(
      lineNow() + badLine(piece, encoding),
      message('line_in_another_encoding', { encoding }),
    )
  const zero = text.indexOf('\0')
  if (zero !== -1)
    throw new DamagedStatement(lineNow() + breaksIn(text.slice(0, zero)), message('line_holds_zero_byte'))
  return text
}

function tryText(piece: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return decoders[encoding].decode(piece)
  } catch {
    return undefined
  }
}

/** How many line breaks precede the line that cannot be decoded. */
function badLine(piece: Uint8Array, encoding: Encoding): number {
  let breaks = 0
  let start = 0
  for (let at = 0; at < piece.length; at++) {
    const isBreak = piece[at] === 0x0a || (piece[at] === 0x0d && piece[at + 1] !== 0x0a)
    if (!isBreak) continue
    if (tryText(piece.subarray(start, at + 1), encoding) === undefined) return breaks
    breaks++
    start = at + 1
  }
  return breaks
}

export const breaksIn = (text: string): number => text.match(/\r\n?|\n/g)?.length ?? 0
