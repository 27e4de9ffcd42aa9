/**
 * CSV by a saved mapping, or by its header where that is one we know. Under a mapping the header must be what it was when
 * the mapping was made: a renamed or moved column stops the import, because a wrong column would go unnoticed.
 */
import { message } from '../../messages/message.ts'
import { linesWithoutControls } from '../../transfers/bank-text/controls.ts'
import { type BadRow, DamagedStatement, type Part, type ReadContext, type StatementFormat } from '../entry.ts'
import { guessEncoding, headBytes, rowsOf } from './csv-guess.ts'
import { type CsvMapping, separators } from './csv-mapping.ts'
import { type Row, RowReader } from './csv-row.ts'
import type { Encoding } from './decode.ts'
import { type Line, type LineReader, readLines } from './lines.ts'
import { checkHeader, TableReader, type TableReading, tableReadingBy } from './table.ts'
import { LineNumbers } from './table-balance.ts'
import { onlyLayout, readingOf, tablesIn } from './table-layout.ts'

export const csv: StatementFormat = {
  name: 'csv',
  read: (bytes, context) => readLines(bytes, (head) => new CsvReader(head, context)),
}

/** How the file is cut, and how its table is read. */
type CsvReading = Pick<CsvMapping, 'encoding' | 'separator' | 'skipRows'> & { table: TableReading }

export class CsvReader implements LineReader {
  readonly areEven = false
  readonly encoding: Encoding
  readonly #reading: CsvReading
  readonly #table: TableReader
  readonly #rows: RowReader
  /** The line ending of the header, which every row must have. */
  #lineEnd: Line['end'] | undefined
  /** Rows whose text in quotes may contain other rows. */
  readonly #quotedRows = new LineNumbers()
  #line = 0
  /** The number of its fields, with empty names at its end; 0 before it was read. */
  #headerWidth = 0
  /** The number of fields of the first entry, and the lines of those that have another one. */
  #width: number | undefined
  readonly #unevenRows = new LineNumbers()

  constructor(head: Uint8Array, context: ReadContext) {
    this.#reading = context.mapping ? readingBy(context.mapping) : readingByHeader(head, context)
    this.encoding = this.#reading.encoding
    this.#rows = new RowReader(this.#reading.separator)
    this.#table = new TableReader(this.#reading.table, context)
  }

  *end(): Generator<Part, void, undefined> {
    const open = this.#rows.end()
    if (this.#headerWidth === 0)
      throw new DamagedStatement(this.#line, message('file_ends_before_header', { line: this.#headerLine }))
    if (open?.raw.includes('\n')) throw new DamagedStatement(open.line, message('quote_never_closed'))
    if (open) yield { bad: { line: open.line, detail: message('row_cut_off') } }
    else if (!this.#table.hasRows) throw new DamagedStatement(this.#line, message('file_has_no_rows'))
    yield* this.#table.end()
    if (this.#unevenRows.count > 0)
      yield { warning: message('rows_differ_in_fields', { lines: `${this.#unevenRows}` }) }
    if (this.#quotedRows.count > 0)
      yield { warning: message('quoted_text_may_hide_rows', { lines: `${this.#quotedRows}` }) }
  }

  get #headerLine(): number {
    return this.#reading.skipRows + 1
  }

  *take({ line, text, end }: Line): Generator<Part, void, undefined> {
    this.#line = line
    if (line < this.#headerLine) return
    const row = this.#rows.take(linesWithoutControls(text), line)
    if (!row) return
    if (this.#headerWidth === 0) {
      if (row.fields.every((field) => field.trim() === '')) return
      checkHeader(row.line, row.fields, this.#reading.table.header)
      this.#headerWidth = row.fields.length
      this.#lineEnd = end
      return
    }
    // The bank puts a line break inside a field in quotes. One without quotes is from a payer's text, and cuts a row in two.
    if (end !== '' && end !== this.#lineEnd) row.flaw ??= message('row_line_break_differs')
    if (line > row.line && this.#mayContainRows(row)) this.#quotedRows.add(row.line)
    const part = this.#table.take({ ...row, isOpen: end === '', maxFields: this.#headerWidth })
    if (part && 'entry' in part) this.#noteWidth(row)
    if (part) yield 'bad' in part ? { bad: this.#withLineRange(part.bad, row) } : part
  }

  /** If the bank's program does not double quotes, one payer can open a quote, another close it, and the rows in between become one field. */
  #mayContainRows({ fields }: Row): boolean {
    const { separator, table } = this.#reading
    return fields.some(
      (field) => field.includes('\n') && field.split(separator).length >= table.header.length,
    )
  }

  /**
   * If the header ends with separators, rows may have them or not. If rows differ in this, the additional separator may be from a
   * payer's text, and have shifted the columns after it.
   */
  #noteWidth({ fields, line }: Row): void {
    this.#width ??= fields.length
    if (fields.length !== this.#width) this.#unevenRows.add(line)
  }

  /** A stray quote can join several rows: the message says which lines were read as one. */
  #withLineRange(bad: BadRow, { line }: Row): BadRow {
    if (this.#line === line) return bad
    return {
      ...bad,
      detail: message('lines_read_as_one_row', { why: bad.detail, from: line, to: this.#line }),
    }
  }
}

const readingBy = (mapping: CsvMapping): CsvReading => ({
  ...mapping,
  table: tableReadingBy(mapping, { isSparse: false }),
})

/** Chooses the separator with which a known header is found. */
function readingByHeader(bytes: Uint8Array, context: ReadContext): CsvReading {
  const head = { bytes, isWhole: bytes.length < headBytes }
  const encoding = guessEncoding(bytes)
  const fit = onlyLayout(
    separators.flatMap((separator) => {
      const rows = rowsOf(head, { encoding, separator, skipRows: 0 })
      return tablesIn(rows, 'csv').map((found) => ({ ...found, separator }))
    }),
  )
  return {
    ...{ encoding, separator: fit.separator, skipRows: fit.headerLine - 1 },
    table: readingOf(fit, context),
  }
}
