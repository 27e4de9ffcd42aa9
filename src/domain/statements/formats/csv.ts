/**
 * CSV by a saved mapping, or by its header where that is one we know. Under a mapping the header must be what it was when
 * the mapping was made: a renamed or moved column stops the import, because a wrong column would go unnoticed.
 */
import { message } from '../../messages/message.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { linesWithoutControls } from '../../transfers/bank-text/controls.ts'
import { type BadRow, DamagedStatement, type Part, type ReadContext, type StatementFormat } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { guessEncoding, type Head, headBytes, rowsOf } from './csv-guess.ts'
import { type CsvLine, CsvLines } from './csv-lines.ts'
import { type CsvMapping, separators } from './csv-mapping.ts'
import { type Row, RowReader } from './csv-row.ts'
import { decode } from './decode.ts'
import { checkHeader, TableReader, type TableReading } from './table.ts'
import { LineNumbers } from './table-balance.ts'
import { accountOf, fitsIn, oneFit, readingOf, reportLayout } from './table-layout.ts'

export const csv: StatementFormat = {
  name: 'csv',
  async *read(bytes, context) {
    const source = new PeekableBytes(bytes)
    try {
      const reader = new CsvReader(context.mapping ?? (await readingByHeader(source, context)), context)
      for await (const text of decode(
        source,
        () => reader.encoding,
        () => reader.line,
      ))
        yield* reader.push(text)
      yield* reader.end()
    } finally {
      // If the header is refused, the rest is never requested: without this the file would stay open.
      await source.close()
    }
  },
}

/** How the file is cut, and how its table is read. */
type CsvReading = Pick<CsvMapping, 'encoding' | 'separator' | 'skipRows'> & { table: TableReading }

export class CsvReader {
  readonly #reading: CsvReading
  readonly #table: TableReader
  readonly #lines = new CsvLines()
  readonly #rows: RowReader
  /** The line ending of the header, which every row must have. */
  #lineEnd: CsvLine['end'] | undefined
  /** Rows whose text in quotes may contain other rows. */
  readonly #quotedRows = new LineNumbers()
  #line = 0
  /** The number of its fields, with empty names at its end; 0 before it was read. */
  #headerWidth = 0
  /** The lines of entries, by the number of their fields. */
  readonly #widths = new Map<number, LineNumbers>()

  constructor(mappingOrReading: CsvMapping | CsvReading, context: ReadContext) {
    this.#reading = 'table' in mappingOrReading ? mappingOrReading : readingBy(mappingOrReading)
    this.#rows = new RowReader(this.#reading.separator)
    this.#table = new TableReader(this.#reading.table, context)
  }

  get encoding(): CsvMapping['encoding'] {
    return this.#reading.encoding
  }

  get line(): number {
    return this.#lines.line
  }

  *push(text: string): Generator<Part, void, undefined> {
    for (const line of this.#lines.push(linesWithoutControls(text))) yield* this.#take(line)
  }

  *end(): Generator<Part, void, undefined> {
    for (const line of this.#lines.end()) yield* this.#take(line)
    const open = this.#rows.end()
    if (this.#line === 0) throw new DamagedStatement(1, message('file_is_empty'))
    if (this.#headerWidth === 0)
      throw new DamagedStatement(this.#line, message('file_ends_before_header', { line: this.#headerLine }))
    if (open?.raw.includes('\n')) throw new DamagedStatement(open.line, message('quote_never_closed'))
    if (open) yield { bad: { line: open.line, detail: message('row_cut_off') } }
    else if (!this.#table.hasRows) throw new DamagedStatement(this.#line, message('file_has_no_rows'))
    yield* this.#table.end()
    yield* this.#unevenRows()
    if (this.#quotedRows.count > 0)
      yield { warning: message('quoted_text_may_hide_rows', { lines: `${this.#quotedRows}` }) }
  }

  get #headerLine(): number {
    return this.#reading.skipRows + 1
  }

  *#take({ text, end }: CsvLine): Generator<Part, void, undefined> {
    this.#line++
    if (this.#line < this.#headerLine) return
    const row = this.#rows.take(text, this.#line)
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
    if (this.#line > row.line && this.#mayContainRows(row)) this.#quotedRows.add(row.line)
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

  #noteWidth({ fields, line }: Row): void {
    const lines = this.#widths.get(fields.length) ?? new LineNumbers()
    lines.add(line)
    this.#widths.set(fields.length, lines)
  }

  /**
   * If the header ends with separators, rows may have them or not. If rows differ in this, the additional separator may be from a
   * payer's text, and have shifted the columns after it.
   */
  *#unevenRows(): Generator<Part, void, undefined> {
    const [, ...wider] = [...this.#widths].toSorted(([left], [right]) => left - right)
    if (wider.length === 0) return
    const lines = LineNumbers.join(wider.map(([, lines]) => lines))
    yield { warning: message('rows_have_more_fields', { lines: `${lines}` }) }
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

function readingBy({ encoding, separator, skipRows, ...mapping }: CsvMapping): CsvReading {
  return { encoding, separator, skipRows, table: tableReadingBy(mapping, { isSparse: false }) }
}

/** The reading by a mapping, for CSV and workbooks. A workbook has its own dates. */
export function tableReadingBy(
  mapping: Omit<CsvMapping, 'encoding' | 'separator' | 'skipRows'>,
  { isSparse }: { isSparse: boolean },
): TableReading {
  const { header, dateFormat, account, currency, columns, directions, booked } = mapping
  return {
    header,
    account: normalizeAccountNumber(account),
    ...(currency && { currency }),
    dateFormats: isSparse ? [dateFormat, 'yyyy-mm-dd'] : [dateFormat],
    columns,
    ...(directions && { directions }),
    ...(booked && { booked }),
    isSparse,
    isMapped: true,
  }
}

/** Bytes whose beginning can be read in advance. The reader closes them. */
class PeekableBytes {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #chunks: Uint8Array[] = []
  #isOver = false

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#source = bytes[Symbol.asyncIterator]()
  }

  async head(): Promise<Head> {
    for (let length = 0; length < headBytes; ) {
      const chunk = await this.#next()
      if (!chunk) break
      // Copied, because a source may reuse its buffer.
      this.#chunks.push(Uint8Array.from(chunk))
      length += chunk.length
    }
    const all = Buffer.concat(this.#chunks)
    return { bytes: all.subarray(0, headBytes), isWhole: this.#isOver && all.length <= headBytes }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.#chunks.splice(0)
    for (let chunk = await this.#next(); chunk; chunk = await this.#next()) yield chunk
  }

  async close(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    await this.#source.return?.()
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isOver) return undefined
    const { value, done } = await this.#source.next()
    if (!done) return value
    this.#isOver = true
    return undefined
  }
}

/** Chooses the separator with which a known header is found. */
async function readingByHeader(source: PeekableBytes, context: ReadContext): Promise<CsvReading> {
  const head = await source.head()
  if (head.bytes.length === 0) throw new DamagedStatement(1, message('file_is_empty'))
  const encoding = guessEncoding(head.bytes)
  const found = separators.flatMap((separator) => {
    const rows = rowsOf(head, { encoding, separator, skipRows: 0 })
    return rows.slice(0, statementBounds.headerRows).flatMap((row, at) =>
      fitsIn([row.fields], 'csv').map((fit) => ({
        ...fit,
        separator,
        row,
        above: rows.slice(0, at).flatMap(({ fields }) => fields),
        below: rows.slice(at + 1).map(({ fields }) => fields),
      })),
    )
  })
  const fit = oneFit(found)
  const account = accountOf(fit, fit, context)
  reportLayout(fit, context)
  return {
    encoding,
    separator: fit.separator,
    skipRows: fit.row.line - 1,
    table: readingOf(fit, account, { isSparse: false }),
  }
}
