/** Text to lines, a piece at a time: CRLF, LF or CR, mixed as they come. No line is longer than its bound. */
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'

export class LineCutter {
  #rest = ''
  #cut = 0

  /** The number of the line being read, from 1. */
  get line(): number {
    return this.#cut + 1
  }

  /** The lines that end in this piece. Their numbers follow on from `line` as it was before. */
  push(text: string): string[] {
    const whole = this.#rest + text
    // A CR at the end may be the first half of a CRLF.
    const isOpen = whole.endsWith('\r')
    const lines = (isOpen ? whole.slice(0, -1) : whole).split(/\r\n?|\n/)
    this.#rest = lines.pop()! + (isOpen ? '\r' : '')
    this.#check(lines)
    this.#cut += lines.length
    this.#check([this.#rest])
    return lines
  }

  /** Whether the text ends inside a line. */
  get isOpen(): boolean {
    return this.#rest !== '' && !this.#rest.endsWith('\r')
  }

  /** The last line, when no further one follows. */
  end(): string[] {
    const last = this.#rest.replace(/\r$/, '')
    const lines = this.#rest === '' ? [] : [last]
    this.#rest = ''
    this.#cut += lines.length
    return lines
  }

  #check(lines: string[]): void {
    const long = lines.findIndex((line) => line.length > statementBounds.lineCharacters)
    if (long !== -1)
      throw new DamagedStatement(
        this.line + long,
        'This line is longer than 64 KB: the file is not a statement, or its line breaks were lost.',
      )
  }
}
