/**
 * Splits CSV text into lines, chunk by chunk, and keeps the line break of each. A quoted field may contain line breaks,
 * so only the reader of quotes can decide whether a different kind of break is text or damage.
 */
import { message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'

/** `end`: the line break; empty at the end of the file. */
export type CsvLine = { text: string; end: '\r\n' | '\n' | '\r' | '' }

export class CsvLines {
  #rest = ''
  #linesRead = 0

  /** The number of the line being read, from 1. */
  get line(): number {
    return this.#linesRead + 1
  }

  push(text: string): CsvLine[] {
    const whole = this.#rest + text
    const lines: CsvLine[] = []
    let at = 0
    for (const { 0: end, index } of whole.matchAll(/\r\n|\n|\r/g)) {
      // A CR at the end may be the first half of a CRLF.
      if (end === '\r' && index === whole.length - 1) break
      lines.push(this.#counted({ text: whole.slice(at, index), end: end as CsvLine['end'] }))
      at = index + end.length
    }
    this.#rest = whole.slice(at)
    this.#refuseTooLong(this.#rest)
    return lines
  }

  end(): CsvLine[] {
    if (this.#rest === '') return []
    const isEnded = this.#rest.endsWith('\r')
    const text = isEnded ? this.#rest.slice(0, -1) : this.#rest
    this.#rest = ''
    return [this.#counted({ text, end: isEnded ? '\r' : '' })]
  }

  #counted(line: CsvLine): CsvLine {
    this.#refuseTooLong(line.text)
    this.#linesRead++
    return line
  }

  #refuseTooLong({ length }: string): void {
    if (length > statementBounds.lineCharacters)
      throw new DamagedStatement(this.line, message('line_too_long'))
  }
}
