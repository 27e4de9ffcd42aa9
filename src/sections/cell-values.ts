/** Cells for programs: one value in JSON, one line of text for a terminal, and the cells of a file. */

import { readable } from '../domain/money.ts'
import { csvRow, type Cell as FileCell } from '../domain/reports/csv.ts'
import type { Cell, Column } from './section.ts'

type Columns<Row> = Readonly<Record<string, Column<Row>>>

export const isList = (cell: Cell): cell is readonly Cell[] => Array.isArray(cell)

/** A bigint is written as a number in cents: amounts are below 2⁵³. */
export function jsonOf(cell: Cell): unknown {
  if (cell === null) return null
  if (isList(cell)) return cell.map(jsonOf)
  switch (cell.is) {
    case 'text':
    case 'foreign':
      return cell.detail === undefined ? cell.text : { text: cell.text, detail: cell.detail }
    case 'message':
      return `${cell.text}`
    case 'code':
      return cell.text
    case 'words':
      return cell.words[0]
    case 'number':
      return cell.number
    case 'money':
      return { cents: Number(cell.cents), currency: cell.currency }
    case 'share':
      return {
        cents: Number(cell.cents),
        of_cents: cell.of === null ? null : Number(cell.of),
        currency: cell.currency,
      }
    case 'time':
    case 'age':
    case 'since':
      return cell.at?.toISOString() ?? null
    case 'day':
      return cell.day
    case 'state':
      return cell.value
    case 'link':
      return cell.id
    case 'person':
      return cell.actor
  }
}

export function plainOf(cell: Cell): string {
  if (cell === null) return ''
  if (isList(cell)) return cell.map(plainOf).filter(Boolean).join(' ')
  if (cell.is === 'money') return readable(cell.cents, cell.currency)
  if (cell.is === 'share')
    return cell.of === null
      ? readable(cell.cents, cell.currency)
      : `${readable(cell.cents, cell.currency)} of ${readable(cell.of, cell.currency)}`
  if (cell.is === 'text' || cell.is === 'foreign')
    return cell.detail === undefined ? cell.text : `${cell.text} ${cell.detail}`.trim()
  return `${jsonOf(cell) ?? ''}`
}

/** The head of a file. Cells are separated by semicolons, so amounts have a decimal comma. */
export const fileHead = <Row>(columns: Columns<Row>): string =>
  csvRow(
    Object.entries(columns).flatMap(([name, { is }]) =>
      is === 'money' ? [`${name} (0,00)`, 'currency'] : [name],
    ),
    ';',
  )

export const fileRow = <Row>(columns: Columns<Row>, row: Row): string =>
  csvRow(
    Object.values(columns).flatMap((column) => fileCells(column, column.cell(row))),
    ';',
  )

function fileCells<Row>({ is }: Column<Row>, cell: Cell): FileCell[] {
  if (is === 'money') return cell && 'currency' in cell ? [cell.cents, cell.currency] : [null, null]
  if (cell && 'number' in cell) return [cell.number]
  return [plainOf(cell)]
}
