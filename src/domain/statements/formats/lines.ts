/**
 * Cuts text into lines, a piece at a time. The first line ending (CRLF, LF or CR) is that of the file; any other kind is
 * damage, because a line break in a payer's text must not count as one of the bank's. The length of a line is limited.
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

  /** The lines that end in this piece. They are checked one by one, so that the first damage in a file is reported. */
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

  /** The last line, if it has no line ending, or only the first half of a CRLF. */
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

/** A CR is recognised only with the character after it, which may be an LF. */
const firstEnding = /\r\n|\r(?=[\s\S])|\n/
