/**
 * Fields of a CSV row as RFC 4180 has them: a field in quotes may hold separators, line breaks and doubled quotes.
 * A quote inside a field without quotes is an ordinary character, because banks write ООО "Ромашка" so.
 */
import { type Message, message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'

export type Row = {
  line: number
  fields: string[]
  raw: string
  /** Why the row cannot be trusted. */
  flaw: Message | undefined
}

export class RowReader {
  readonly #separator: string
  #row: Row | undefined
  /** The field in quotes that the last line left open. */
  #open: string | undefined

  constructor(separator: string) {
    this.#separator = separator
  }

  /** The row that ends with this line; none while a quote is open. */
  take(text: string, line: number): Row | undefined {
    const row = this.#row ?? { line, fields: [], raw: '', flaw: undefined }
    this.#row = row
    row.raw = row.raw === '' ? text : `${row.raw}\n${text}`
    if (row.raw.length > statementBounds.lineCharacters)
      throw new DamagedStatement(row.line, message('row_too_long'))
    this.#split(row, text)
    if (this.#open !== undefined) return undefined
    this.#row = undefined
    return row
  }

  /** The row that the end of the file cuts off. */
  end(): Row | undefined {
    return this.#row
  }

  #split(row: Row, text: string): void {
    let at = 0
    for (;;) {
      if (this.#open !== undefined || text[at] === '"') {
        at = this.#quotedField(row, text, this.#open === undefined ? at + 1 : at)
        if (this.#open !== undefined) return
      } else {
        const end = text.indexOf(this.#separator, at)
        const field = text.slice(at, end === -1 ? text.length : end)
        noteBreak(row, field)
        row.fields.push(field)
        at = end === -1 ? text.length : end
      }
      if (at >= text.length) return
      at += this.#separator.length
    }
  }

  /** Reads on inside quotes and gives the place behind the field. */
  #quotedField(row: Row, text: string, start: number): number {
    let field = this.#open === undefined ? '' : `${this.#open}\n`
    this.#open = undefined
    for (let at = start; ; ) {
      const quote = text.indexOf('"', at)
      if (quote === -1) {
        this.#open = field + text.slice(at)
        return text.length
      }
      field += text.slice(at, quote)
      if (text[quote + 1] === '"') {
        field += '"'
        at = quote + 2
        continue
      }
      const next = text.indexOf(this.#separator, quote + 1)
      const end = next === -1 ? text.length : next
      const behind = text.slice(quote + 1, end)
      noteBreak(row, behind)
      if (behind.trim() !== '') row.flaw = message('text_follows_quote')
      row.fields.push(field)
      return end
    }
  }
}

/** Only the file's own line ending ends a row; a CR right before it is none. */
function noteBreak(row: Row, unquoted: string): void {
  if (/\r(?!$)|\n/.test(unquoted)) row.flaw = message('foreign_break_outside_quotes')
}
