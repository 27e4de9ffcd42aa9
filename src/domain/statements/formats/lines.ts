/**
 * Cuts text into lines, a piece at a time, and keeps the ending of each: a line break in a payer's text must not count as
 * one of the bank's. Where every line is the bank's own, the first ending (CRLF, LF or CR) is that of the file, and any
 * other is damage. In CSV a field in quotes may hold any, so there the reader of rows decides. Lines have a maximum length.
 */
import { message } from '../../messages/message.ts'
import { DamagedStatement, type Part } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { decode, type Encoding } from './decode.ts'

/** `line`: its number, from 1. `end` is empty at the end of the file. */
export type Line = { line: number; text: string; end: '\r\n' | '\n' | '\r' | '' }

/** Of a format whose files are lines. Most lines give nothing. */
export type LineReader = {
  encoding: Encoding
  areEven: boolean
  take(line: Line): Iterable<Part> | undefined
  end(): Iterable<Part>
}

/** `open`: the beginning of a file shows how it is read. */
export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  open: (head: Uint8Array) => LineReader,
): AsyncGenerator<Part, void, undefined> {
  let opened = undefined as { reader: LineReader; lines: Lines } | undefined
  const choose = (head: Uint8Array): Encoding => {
    const reader = open(head)
    opened = { reader, lines: new Lines(reader) }
    return reader.encoding
  }
  for await (const text of decode(bytes, choose, () => opened!.lines.cut + 1))
    yield* partsOf(opened!.lines.push(text), opened!.reader)
  if (!opened || opened.lines.isEmpty) throw new DamagedStatement(1, message('file_is_empty'))
  yield* partsOf(opened.lines.end(), opened.reader)
  yield* opened.reader.end()
}

export function* partsOf(lines: Iterable<Line>, reader: LineReader): Generator<Part, void, undefined> {
  for (const line of lines) {
    const parts = reader.take(line)
    if (parts) yield* parts
  }
}

export class Lines {
  readonly #areEven: boolean
  #ending: Line['end'] | undefined
  #rest = ''
  cut = 0

  constructor({ areEven }: { areEven: boolean }) {
    this.#areEven = areEven
  }

  get isEmpty(): boolean {
    return this.cut === 0 && this.#rest === ''
  }

  /** The lines that end in this piece, one by one, so that the first damage in a file is reported. */
  *push(text: string): Generator<Line, void, undefined> {
    const whole = this.#rest + text
    let at = 0
    for (const { 0: end, index } of whole.matchAll(/\r\n|\n|\r/g)) {
      // A CR at the end may be the first half of a CRLF.
      if (end === '\r' && index === whole.length - 1) break
      yield this.#taken(whole.slice(at, index), end as Line['end'])
      at = index + end.length
    }
    this.#rest = whole.slice(at)
    this.#refuseTooLong(this.#rest)
  }

  /** The last line, if it has no ending. Of a CRLF the end of the file may cut off the second half. */
  *end(): Generator<Line, void, undefined> {
    const rest = this.#rest
    if (rest === '') return
    const hasEnd = rest.endsWith('\r')
    const isHalf = this.#areEven && this.#ending === '\r\n'
    yield this.#taken(hasEnd ? rest.slice(0, -1) : rest, hasEnd && !isHalf ? '\r' : '')
  }

  #taken(text: string, end: Line['end']): Line {
    this.#refuseTooLong(text)
    this.#ending ??= end
    if (this.#areEven && end !== '' && end !== this.#ending)
      throw new DamagedStatement(this.cut + 1, message('line_holds_foreign_break'))
    return { line: ++this.cut, text, end }
  }

  #refuseTooLong({ length }: string): void {
    if (length > statementBounds.lineCharacters)
      throw new DamagedStatement(this.cut + 1, message('line_too_long'))
  }
}
