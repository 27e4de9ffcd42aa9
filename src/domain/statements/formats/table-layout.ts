/**
 * Which of the layouts that we know a header is. Names are compared whole, columns are found by their names, and a new
 * column is accepted unless it looks like one that changes the meaning of a row. Two fitting layouts are refused.
 */

import { message } from '../../messages/message.ts'
import { maskedNumber } from '../../requisites/requisite.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { DamagedStatement, type ReadContext } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import type { ColumnName, TableColumns } from './csv-mapping.ts'
import { type Layout, layouts } from './layouts.ts'
import { headerOf, type TableReading } from './table.ts'
import { plain } from './table-footer.ts'

/** A table whose header is known: in a sheet, or in a text that is cut at a separator. */
type Found = {
  layout: Layout
  columns: TableColumns
  header: string[]
  headerLine: number
  above: string[]
  below: (readonly string[])[]
}

/** What the first known header among these rows may be. In a workbook it may have two rows, whose names stand in groups. */
export function tablesIn(
  rows: readonly { line: number; fields: readonly string[] }[],
  format: Layout['format'],
): Found[] {
  for (const [first, { fields }] of rows.slice(0, statementBounds.headerRows).entries())
    for (const last of format === 'xlsx' ? [first, first + 1] : [first]) {
      if (!rows[last]) continue
      const header = headerOf(last === first ? fields : joined(fields, rows[last].fields))
      const found = fitsOf(header, format)
      if (found.length === 0) continue
      const above = rows.slice(0, last).flatMap((row) => row.fields)
      const below = rows.slice(last + 1).map((row) => row.fields)
      return found.map((fit) => ({ ...fit, header, headerLine: rows[last]!.line, above, below }))
    }
  return []
}

/** The layouts that this header is. */
function fitsOf(header: readonly string[], format: Layout['format']): Pick<Found, 'layout' | 'columns'>[] {
  if (header.length > statementBounds.columns) return []
  // Any row may be asked, of every sheet: each name is looked at once, and no long text.
  const places = Map.groupBy(header.keys(), (at) =>
    header[at]!.length > statementBounds.headerCharacters ? '' : plain(header[at]),
  )
  return layouts.flatMap((layout) => {
    const columns = layout.format === format ? columnsIn(layout, places) : undefined
    return columns ? [{ layout, columns }] : []
  })
}

/** The one that was found. */
export function onlyLayout<Table extends Found>(found: readonly Table[]): Table {
  const names = [...new Set(found.map(({ layout }) => layout.name))]
  if (names.length === 1) return found[0]!
  const detail =
    names.length === 0
      ? message('header_unknown')
      : message('header_fits_several_layouts', { names: names.join(', ') })
  throw new DamagedStatement(1, detail, { code: 'statement_mapping_missing' })
}

/**
 * Our account: given by a person, or the only one of ours above the header. Where the rows name it
 * themselves, the first of ours stands for the file.
 */
function accountOf({ layout, columns, above, below }: Found, context: ReadContext): string {
  const inRows = below.map((fields) => normalizeAccountNumber(fields[columns.ownAccount ?? -1] ?? ''))
  const [first] = inRows.filter((number) => number !== '')
  if (first !== undefined) return inRows.find((number) => context.currencyOf(number)) ?? first
  const chosen = context.account === undefined ? undefined : normalizeAccountNumber(context.account)
  const named = new Set(above.flatMap(numbersIn).filter((number) => context.currencyOf(number)))
  const [only] = named
  if (chosen !== undefined && (only === undefined || named.has(chosen))) return chosen
  if (chosen === undefined && only !== undefined && named.size === 1) return only
  const detail =
    chosen === undefined
      ? message('file_names_no_account', { name: layout.name })
      : message('file_names_another_account', { named: maskedNumber(only!), said: maskedNumber(chosen) })
  throw new DamagedStatement(1, detail, { code: 'statement_account_unknown' })
}

export function readingOf(found: Found, context: ReadContext): TableReading {
  const { layout, columns, header } = found
  const account = accountOf(found, context)
  context.layoutFound?.(layout.name)
  const { booked, held, dateFormats = ['dd.mm.yyyy'] } = layout
  return {
    ...{ header, account, columns, booked, held, dateFormats },
    ...{ isSparse: layout.format === 'xlsx', isSigned: true },
  }
}

/**
 * The names of a header of two rows: a name above several columns is part of the names below it. What is merged has its
 * text in its first cell, and the cells behind it are empty.
 */
function joined(upper: readonly string[], lower: readonly string[]): string[] {
  let group = ''
  return Array.from({ length: Math.max(upper.length, lower.length) }, (_, at) => {
    const [above, below] = [upper[at]?.trim() ?? '', lower[at]?.trim() ?? '']
    if (above !== '') group = below === '' ? '' : above
    return below === '' ? above : `${above || group} ${below}`
  })
}

function columnsIn(
  { columns, optional = [], others = [] }: Layout,
  places: ReadonlyMap<string, readonly number[]>,
): TableColumns | undefined {
  const found: Record<string, number> = {}
  const known = new Set(others.map(plain))
  for (const [name, choices] of Object.entries(columns)) {
    const [place, ...further] = choices.flatMap((choice) => places.get(plain(choice)) ?? [])
    for (const choice of choices) known.add(plain(choice))
    if (place !== undefined && further.length === 0) found[name] = place
    else if (!optional.includes(name as ColumnName)) return undefined
  }
  if (places.keys().some((name) => !known.has(name) && meaningful.test(name))) return undefined
  const { purpose, ...single } = found
  return { ...single, purpose: [purpose] } as TableColumns
}

/** A column of such a name says whether a row counts, or which way the money went. */
const meaningful =
  /статус|состояни|status|направлени|direction|дебет\/кредит|приход\/расход|^д\/к$|^тип операции$/

/** What could be a number of an account in the bank's own words. */
const numbersIn = (text: string): string[] => [
  normalizeAccountNumber(text),
  ...(text.toUpperCase().match(/\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b|\+?\d{11,20}(?!\d)/g) ?? []),
  ...(text.toUpperCase().match(/\b[A-Z]{2}\d{2}(?: [A-Z0-9]{4}){3,7}\b|\b\d{4}(?: \d{4}){3,4}\b/g) ?? []).map(
    normalizeAccountNumber,
  ),
]
