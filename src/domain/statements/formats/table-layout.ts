/**
 * Which of the layouts that we know a header is. Names are compared whole, columns are found by their names, and a new
 * column is accepted unless it looks like one that changes the meaning of a row. Two fitting layouts are refused.
 */

import { message } from '../../messages/message.ts'
import { maskedNumber } from '../../requisites/requisite.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { DamagedStatement, type ReadContext } from '../entry.ts'
import { notOurs } from './account.ts'
import { statementBounds } from './bounds.ts'
import { type ColumnName, type Layout, layouts } from './layouts.ts'
import { headerOf, type TableReading } from './table.ts'
import type { TableColumns } from './table-columns.ts'
import { plain } from './table-footer.ts'

export type Fit = { layout: Layout; columns: TableColumns; header: string[] }

/** The layouts that this header is, of one row, or of two where the names stand in groups. */
export function fitsIn(rows: readonly (readonly string[])[], format: Layout['formats'][number]): Fit[] {
  const header = headerOf(joined(rows))
  if (header.length > statementBounds.columns) return []
  // Any row may be asked, of every sheet: each name is looked at once, and no long text.
  const places = Map.groupBy(header.keys(), (at) =>
    header[at]!.length > statementBounds.headerCharacters ? '' : plain(header[at]),
  )
  return layouts
    .filter(({ formats }) => formats.includes(format))
    .flatMap((layout) => {
      const columns = columnsIn(layout, header, places)
      return columns ? [{ layout, columns, header }] : []
    })
}

/** The one that was found. */
export function oneFit<Found extends Fit>(found: readonly Found[]): Found {
  const names = [...new Set(found.map(({ layout }) => layout.name))]
  const [fit] = found
  if (!fit) throw new DamagedStatement(1, message('header_unknown'), { code: 'statement_mapping_missing' })
  if (names.length > 1)
    throw new DamagedStatement(1, message('header_fits_several_layouts', { names: names.join(', ') }), {
      code: 'statement_mapping_missing',
    })
  return fit
}

/**
 * Our account: given by a person, or the only one of ours above the header. Where the rows name it
 * themselves, `below` has their cells, and the first of ours stands for the file.
 */
export function accountOf(
  { above, below }: { above: readonly string[]; below: readonly (readonly string[])[] },
  { layout, columns }: Fit,
  context: ReadContext,
): string {
  const place = columns.ownAccount
  if (place !== undefined) {
    const inRows = below
      .map((fields) => normalizeAccountNumber(fields[place] ?? ''))
      .filter((number) => number !== '')
    const own = inRows.find((number) => context.currencyOf(number))
    if (own !== undefined) return own
    if (inRows[0] !== undefined) throw notOurs(1, inRows[0])
  }
  const named = [...new Set(above.flatMap(numbersIn))].filter((number) => context.currencyOf(number))
  const [only] = named
  const chosen = context.account === undefined ? undefined : normalizeAccountNumber(context.account)
  if (chosen !== undefined && named.length > 0 && !named.includes(chosen))
    throw new DamagedStatement(
      1,
      message('file_names_another_account', { named: maskedNumber(only!), said: maskedNumber(chosen) }),
      { code: 'statement_account_unknown' },
    )
  if (chosen !== undefined) return chosen
  if (only !== undefined && named.length === 1) return only
  throw new DamagedStatement(1, message('file_names_no_account', { name: layout.name }), {
    code: 'statement_account_unknown',
  })
}

/** Reports which layout was found, and the column of its numbers, where banks have one or the other. */
export function reportLayout({ layout, columns, header }: Fit, context: ReadContext): void {
  const { documentNumber } = columns
  const isOneOfSeveral = (layout.columns.documentNumber?.length ?? 0) > 1 && documentNumber !== undefined
  context.layoutFound?.(layout.name)
  context.numberedBy?.(isOneOfSeveral ? `${layout.name}: ${plain(header[documentNumber])}` : layout.name)
}

export const readingOf = (
  { layout, columns, header }: Fit,
  account: string,
  { isSparse }: { isSparse: boolean },
): TableReading => ({
  header,
  account,
  dateFormats: isSparse ? [...layout.dateFormats, 'yyyy-mm-dd'] : layout.dateFormats,
  columns,
  ...(layout.directions && { directions: layout.directions }),
  ...(layout.booked && { booked: layout.booked }),
  ...(layout.held && { held: layout.held }),
  isSigned: true,
  isSparse,
})

/**
 * The names of a header of two rows: a name above several columns is part of the names below it. What is merged has its
 * text in its first cell, and the cells behind it are empty.
 */
function joined(rows: readonly (readonly string[])[]): string[] {
  const [upper = [], lower] = rows
  if (!lower) return [...upper]
  let group = ''
  return Array.from({ length: Math.max(upper.length, lower.length) }, (_, at) => {
    const [above, below] = [upper[at]?.trim() ?? '', lower[at]?.trim() ?? '']
    if (above !== '') group = below === '' ? '' : above
    return below === '' ? above : above === '' ? `${group} ${below}` : `${above} ${below}`
  })
}

function columnsIn(
  { columns, optional = [], others = [] }: Layout,
  header: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
): TableColumns | undefined {
  const taken = new Set<number>()
  const placeOf = (choices: readonly string[]): number | undefined => {
    const [place, ...further] = choices.flatMap((choice) => places.get(plain(choice)) ?? [])
    if (place === undefined || further.length > 0) return undefined
    taken.add(place)
    return place
  }
  const { purpose, ...single } = columns
  const found: Record<string, number | number[]> = {}
  for (const [name, choices] of Object.entries(single) as [ColumnName, readonly string[]][]) {
    const place = placeOf(choices)
    if (place !== undefined) found[name] = place
    else if (!optional.includes(name)) return undefined
  }
  const purposes = purpose.map(placeOf)
  if (purposes.includes(undefined)) return undefined
  found.purpose = purposes as number[]
  const listed = others.map(plain)
  const isStrange = header
    .map(plain)
    .some((name, at) => !taken.has(at) && !listed.includes(name) && meaningful.test(name))
  return isStrange ? undefined : (found as TableColumns)
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
