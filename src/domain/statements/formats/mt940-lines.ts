/**
 * The lines of a SWIFT message. A payer's text may hold a break of another kind than the bank writes, and a line that
 * begins there would look like a field of the bank's: so the first break decides, and any other one is damage.
 */
import { message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'

export class EvenLines {
  #rest = ''
  #cut = 0
  #break: string | undefined

  /** The number of the line being read, from 1. */
  get line(): number {
    return this.#cut + 1
  }

  /** The lines that end in this piece. Their numbers follow on from `line` as it was before. */
  push(text: string): string[] {
    const whole = this.#rest + text
    // A CR at the end may be the first half of a CRLF.
    const isOpen = whole.endsWith('\r')
    const pieces = (isOpen ? whole.slice(0, -1) : whole).split(/(\r\n|\n|\r)/)
    const lines: string[] = []
    for (let at = 0; at + 1 < pieces.length; at += 2) lines.push(this.#ended(pieces[at]!, pieces[at + 1]!))
    this.#rest = this.#checked(pieces.at(-1)! + (isOpen ? '\r' : ''))
    return lines
  }

  /** The last line, when no further one follows. */
  end(): string[] {
    const last = this.#rest
    this.#rest = ''
    if (last === '') return []
    if (last.endsWith('\r')) return [this.#ended(last.slice(0, -1), '\r')]
    this.#cut++
    return [last]
  }

  #ended(line: string, lineBreak: string): string {
    this.#break ??= lineBreak
    if (lineBreak !== this.#break) throw new DamagedStatement(this.line, message('line_ends_otherwise'))
    this.#checked(line)
    this.#cut++
    return line
  }

  #checked(line: string): string {
    if (line.length > statementBounds.lineCharacters)
      throw new DamagedStatement(this.line, message('line_too_long'))
    return line
  }
}
