/**
 * CSV by a saved mapping. The header must be what it was when the mapping was made: a renamed or moved column stops the
 * import, because a wrong column would go unnoticed.
 */
import { message } from '../../messages/message.ts'
import { linesWithoutControls } from '../../transfers/bank-text/controls.ts'
import { quoted } from '../../transfers/bank-text/masked.ts'
import { DamagedStatement, type Part, type ReadContext, type StatementFormat } from '../entry.ts'
import type { CsvMapping } from './csv-mapping.ts'
import { type Row, RowReader } from './csv-row.ts'
import type { Encoding } from './decode.ts'
import { type Line, type LineReader, readLines } from './lines.ts'
import { headerOf, requireMapping, TableReader, tidy } from './table.ts'
import { LineNumbers } from './table-balance.ts'

export const csv: StatementFormat = {
  name: 'csv',
  read: (bytes, context) => readLines(bytes, () => new CsvReader(context)),
}

export class CsvReader implements LineReader {
  readonly areEven = false
  readonly encoding: Encoding
  readonly #mapping: CsvMapping
  readonly #table: TableReader
  readonly #rows: RowReader
  /** How many fields it has, with empty names at its end, and the line break that every row must have. */
  #header: { width: number; end: Line['end'] } | undefined
  /** Rows whose text in quotes may contain other rows. */
  readonly #quotedRows = new LineNumbers()
  #line = 0

  constructor(context: ReadContext) {
    this.#mapping = requireMapping(context)
    this.encoding = this.#mapping.encoding
    this.#rows = new RowReader(this.#mapping.separator)
    this.#table = new TableReader(this.#mapping, context, { isSparse: false })
  }

  *end(): Generator<Part, void, undefined> {
    const open = this.#rows.end()
    if (!this.#header) {
      const line = this.#mapping.skipRows + 1
      throw new DamagedStatement(this.#line, message('file_ends_before_header', { line }))
    }
    if (open?.raw.includes('\n')) throw new DamagedStatement(open.line, message('quote_never_closed'))
    if (open) yield { bad: { line: open.line, detail: message('row_cut_off') } }
    else if (!this.#table.hasRows) throw new DamagedStatement(this.#line, message('file_has_no_rows'))
    yield* this.#table.end()
    if (this.#quotedRows.count > 0)
      yield { warning: message('quoted_text_may_hide_rows', { lines: `${this.#quotedRows}` }) }
  }

  *take({ line, text, end }: Line): Generator<Part, void, undefined> {
    this.#line = line
    if (line <= this.#mapping.skipRows) return
    const row = this.#rows.take(linesWithoutControls(text), line)
    if (!row) return
    if (!this.#header) {
      if (row.fields.every((field) => field.trim() === '')) return
      checkHeader(row, this.#mapping.header)
      this.#header = { width: row.fields.length, end }
      return
    }
    // The bank puts a line break inside a field in quotes. One without quotes is from a payer's text, and cuts a row in two.
    if (end !== '' && end !== this.#header.end) row.flaw ??= message('row_line_break_differs')
    if (this.#mayContainRows(row)) this.#quotedRows.add(row.line)
    // At the end of a file, only a separator, a quote or the sign of a currency shows that all digits before it are there.
    const isOpen = end === '' && /[\d.,]$/.test(row.raw.trimEnd())
    const part = this.#table.take({ ...row, isOpen, maxFields: this.#header.width })
    if (!part) return
    // A stray quote can join several rows: the message says which lines were read as one.
    if ('bad' in part && line > row.line)
      part.bad.detail = message('lines_read_as_one_row', { why: part.bad.detail, from: row.line, to: line })
    yield part
  }

  /** If the bank's program does not double quotes, one payer can open a quote, another close it, and the rows in between become one field. */
  #mayContainRows({ fields }: Row): boolean {
    const { separator, header } = this.#mapping
    return fields.some((field) => field.includes('\n') && field.split(separator).length >= header.length)
  }
}

function checkHeader({ line, fields }: Row, expected: readonly string[]): void {
  const found = headerOf(fields)
  for (let place = 0; place < Math.max(found.length, expected.length); place++) {
    const [was, is] = [tidy(expected[place]), found[place] ?? '']
    if (was === is) continue
    const column = { place: place + 1, is: quoted(is), was: quoted(was) }
    throw new DamagedStatement(line, message('header_column_changed', column), {
      code: 'statement_header_changed',
    })
  }
}
