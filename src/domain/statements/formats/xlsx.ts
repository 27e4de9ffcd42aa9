/**
 * A statement in an Excel workbook: the sheet whose header is that of the mapping. The workbook is held as it came,
 * packed; its sheet is unpacked and read row by row.
 */
import { ownText } from '../../../platform/own-text.ts'
import { message } from '../../messages/message.ts'
import { DamagedStatement, type Part, type ReadContext, type StatementFormat } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import type { CsvMapping } from './csv-mapping.ts'
import { headerOf, requireMapping, TableReader, tidy } from './table.ts'
import { lettersOf, rowsOf, type Shared, type Sheet, type SheetRow, sharedIn } from './xlsx-sheet.ts'
import { readWhole, Workbook } from './xlsx-zip.ts'

export const xlsx: StatementFormat = {
  name: 'xlsx',
  async *read(bytes, context) {
    const workbook = new Workbook(await readWhole(bytes), context.pause)
    const shared = await sharedIn(workbook)
    const table = await tableIn(workbook, shared, requireMapping(context))
    yield* entriesIn(rowsOf(workbook, table.sheet, shared), table, context)
  },
}

/** The first rows of the fullest sheet as CSV, a line for each, for who says what its columns mean. */
export async function headAsCsv(
  bytes: AsyncIterable<Uint8Array>,
  pause?: ReadContext['pause'],
): Promise<Uint8Array> {
  const workbook = new Workbook(await readWhole(bytes), pause)
  const shared = await sharedIn(workbook)
  let best: SheetRow[] = []
  const size = (rows: SheetRow[]) => rows.reduce((all, { fields }) => all + fields.length, 0)
  for (const sheet of shared.sheets) {
    const rows = await headOf(workbook, sheet, shared)
    if (size(rows) > size(best)) best = rows
  }
  const lines: string[] = []
  let room: number = statementBounds.lineCharacters
  for (const { line, fields } of best.filter(({ line: at }) => at <= statementBounds.skippedRows)) {
    const written = fields.map((field) => `"${tidy(field).replaceAll('"', '""')}"`).join(';')
    // The limit is that of the shown beginning of a CSV file. A longer row cannot be the header.
    if (written.length > room) continue
    room -= written.length
    lines[line - 1] = written
  }
  return new TextEncoder().encode(Array.from(lines, (line) => `${line ?? ''}\r\n`).join(''))
}

type Table = { sheet: Sheet; headerLine: number; mapping: CsvMapping }

/** The header stands in one sheet. Two fitting sheets may repeat payments or mix accounts: a person has to split them. */
async function tableIn(workbook: Workbook, shared: Shared, mapping: CsvMapping): Promise<Table> {
  const names = mapping.header.map(tidy).join('\n')
  let found: Table | undefined
  // One sheet after another: others are served while the next is unpacked.
  for (const sheet of shared.sheets) {
    const rows = await headOf(workbook, sheet, shared)
    const header = rows.find(({ fields }) => headerOf(fields).join('\n') === names)
    if (!header) continue
    if (found)
      throw new DamagedStatement(
        1,
        message('several_sheets_hold_table', { names: `${found.sheet.name}, ${sheet.name}` }),
      )
    found = { sheet, headerLine: header.line, mapping }
  }
  if (found) return found
  throw new DamagedStatement(1, message('no_sheet_has_header'), { code: 'statement_header_changed' })
}

async function headOf(workbook: Workbook, sheet: Sheet, shared: Shared): Promise<SheetRow[]> {
  const rows: SheetRow[] = []
  let characters = 0
  for await (const row of rowsOf(workbook, sheet, shared)) {
    rows.push({ ...row, fields: row.fields.map(ownText) })
    characters += row.fields.reduce((all, { length }) => all + length, 0)
    if (rows.length >= statementBounds.headerRows || characters >= statementBounds.headerRowsCharacters) break
  }
  return rows
}

async function* entriesIn(
  rows: AsyncIterable<SheetRow>,
  { sheet, headerLine, mapping }: Table,
  context: ReadContext,
): AsyncGenerator<Part, void, undefined> {
  const table = new TableReader(mapping, context, { isSparse: true })
  for await (const { line, fields } of rows) {
    if (line <= headerLine) continue
    const at = (place: number) => `${sheet.name}!${lettersOf(place)}${line}`
    const part = table.take({ line, at, fields })
    if (part) yield part
  }
  if (!table.hasRows) throw new DamagedStatement(headerLine, message('file_has_no_rows'))
  yield* table.end()
}
