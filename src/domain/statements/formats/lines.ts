/**
 * Text to lines, a piece at a time. The file's own line ending (CRLF, LF or CR) is the first one in it; another kind in
 * it is damage: a break in a payer's text must not count as one of the bank's. The length of a line is limited.
 */
import { message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'

export class LineCutter {
  #ending: string | undefined
  #rest = ''
  #cut = 0

  /** The number of the line being read, from 1. */
  get line(): number {
    return this.#cut + 1
  }

  /** The lines that end in this piece. Checked one by one, so that the first damage of a file is reported. */
  *push(text: string): Generator<string, void, undefined> {
    const whole = this.#rest + text
    this.#ending ??= firstEnding.exec(whole)?.[0]
    // A CR at the end may be the first half of a CRLF.
    const isHalf = this.#ending !== '\n' && whole.endsWith('\r')
    const lines =
      this.#ending === undefined ? [whole] : (isHalf ? whole.slice(0, -1) : whole).split(this.#ending)
    this.#rest = lines.pop()! + (this.#ending !== undefined && isHalf ? '\r' : '')
    for (const line of lines) yield this.#taken(line)
    this.#check(this.#rest.replace(/\r$/, ''))
  }

  /** Whether the text ends inside a line. */
  get isOpen(): boolean {
    return this.#rest !== '' && !this.#rest.endsWith('\r')
  }

  /** The last line, when no further one follows. A CRLF may be cut in its middle there. */
  *end(): Generator<string, void, undefined> {
    const last = this.#rest
    this.#rest = ''
    if (last !== '') yield this.#taken(last.replace(/\r$/, ''))
  }

  #taken(line: string): string {
    this.#check(line)
    this.#cut += 1
    return line
  }

  #check(line: string): void {
    if (line.includes('\n') || line.includes('\r'))
      throw new DamagedStatement(this.line, message('line_holds_foreign_break'))
    if (line.length > statementBounds.lineCharacters)
      throw new DamagedStatement(this.line, message('line_too_long'))
  }
}

/** A CR counts once it is known what follows it. */
const firstEnding = /\r\n|\r(?=[\s\S])|\n/
