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

  take(text: string, line: number): Row | undefined {
    const row = this.#row ?? { line, fields: [], raw: '', flaw: undefined }
    row.raw = row.raw === '' ? text : `${row.raw}\n${text}`
    if (row.raw.length > statementBounds.lineCharacters)
      throw new DamagedStatement(row.line, message('row_too_long'))
    for (let at = 0; at <= text.length; ) at = this.#field(row, text, at) + this.#separator.length
    this.#row = this.#open === undefined ? undefined : row
    return this.#row ? undefined : row
  }

  end(): Row | undefined {
    return this.#row
  }

  #field(row: Row, text: string, start: number): number {
    const isQuoted = this.#open !== undefined || text[start] === '"'
    let field = this.#open === undefined ? '' : `${this.#open}\n`
    let at = isQuoted && this.#open === undefined ? start + 1 : start
    this.#open = undefined
    while (isQuoted) {
      const quote = text.indexOf('"', at)
      if (quote === -1) {
        this.#open = field + text.slice(at)
        return text.length
      }
      field += text.slice(at, quote)
      at = quote + 1
      if (text[at] !== '"') break
      field += '"'
      at++
    }
    const next = text.indexOf(this.#separator, at)
    const end = next === -1 ? text.length : next
    const unquoted = text.slice(at, end)
    if (isQuoted && unquoted.trim() !== '') row.flaw = message('text_follows_quote')
    row.fields.push(isQuoted ? field : unquoted)
    return end
  }
}
