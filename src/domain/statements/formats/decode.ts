/**
 * Decodes bytes to text, a piece at a time. The encoding is chosen once, by the beginning of the file. A file that changes
 * it midway is damaged, because a name or an amount could be misread without notice.
 */
import { isUtf8 } from 'node:buffer'
import { message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'

export type Encoding = 'utf-8' | 'windows-1251' | 'ibm866'

/**
 * The text of the file without its byte order mark. `choose` sees the beginning of the file. `lineNow`
 * says which line the next character belongs to, so that damage is reported where it is.
 */
export async function* decode(
  bytes: AsyncIterable<Uint8Array>,
  choose: (head: Uint8Array) => Encoding,
  lineNow: () => number,
): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined
  for await (const piece of pieces(bytes)) {
    if (!decoder) {
      const chosen = choose(piece)
      decoder = new TextDecoder(hasMark(piece) ? 'utf-8' : chosen, { fatal: true })
    }
    yield textOf(decoder, piece, lineNow)
  }
  if (decoder) yield textOf(decoder, undefined, lineNow)
}

/** The first bytes as text, for guessing only: bytes that are invalid in the encoding are replaced. */
export function decodeHead(head: Uint8Array, encoding: Encoding, most = 4_096): string {
  return new TextDecoder(encoding).decode(head.subarray(0, most))
}

/** Other text is almost never valid UTF-8: the first Russian word decides. The last character may be cut. */
export const isUtf8Head = (head: Uint8Array): boolean =>
  [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, head.length - cut)))

/**
 * The encoding of a file that does not say it, or in which banks say it carelessly. Of the two Russian ones DOS has its letters
 * where the other has signs that are rare.
 */
export function russianEncodingOf(head: Uint8Array): Encoding {
  if (isUtf8Head(head)) return 'utf-8'
  let [dos, windows] = [0, 0]
  for (const byte of head) {
    if (byte >= 0x80 && byte < 0xb0) dos++
    else if ((byte >= 0xc0 && byte < 0xe0) || byte >= 0xf0) windows++
  }
  return dos > windows ? 'ibm866' : 'windows-1251'
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

/** Without a piece: what is left at the end of the file. Only UTF-8 can fail: every byte is a letter of the others. */
function textOf(decoder: TextDecoder, piece: Uint8Array | undefined, lineNow: () => number): string {
  let text: string
  try {
    text = decoder.decode(piece, { stream: piece !== undefined })
  } catch {
    // The piece may begin inside a character.
    const start = piece?.findIndex((byte) => (byte & 0xc0) !== 0x80) ?? 0
    const shown = new TextDecoder().decode(piece?.subarray(Math.max(start, 0)))
    const [before = ''] = shown.split('\ufffd', 1)
    const detail = message('line_in_another_encoding', { encoding: decoder.encoding })
    throw new DamagedStatement(lineNow() + breaksIn(before), detail)
  }
  const zero = text.indexOf('\0')
  if (zero === -1) return text
  throw new DamagedStatement(lineNow() + breaksIn(text.slice(0, zero)), message('line_holds_zero_byte'))
}

export const breaksIn = (text: string): number => text.match(/\r\n?|\n/g)?.length ?? 0
