/**
 * CSV by RFC 4180, for spreadsheets. A text from outside (a payer's name, an order id) must never be run as a
 * formula: it gets an apostrophe before whatever a spreadsheet could take for the beginning of one. Numbers are
 * ours and stay numbers.
 */
import { signed } from './report.ts'

export type Separator = ';' | ','
/** A bigint is money in minor units, a number a count; null is an empty cell. */
export type Cell = string | bigint | number | null

/** With it spreadsheets read the file as UTF-8. */
export const byteOrderMark = '\ufeff'

/** With semicolons between cells money has a decimal comma; with commas, a point. */
export const decimalMark = (separator: Separator): ',' | '.' => (separator === ';' ? ',' : '.')

export const csvRow = (cells: readonly Cell[], separator: Separator): string =>
  `${cells.map((cell) => written(cell, separator)).join(separator)}\r\n`

function written(cell: Cell, separator: Separator): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  if (typeof cell === 'bigint') return signed(cell).replace('.', decimalMark(separator))
  const text = neutral(cell)
  return /[";,\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * The apostrophe goes before = + - @ and their other widths, at the beginning of the text and also after anything
 * that starts a cell if the file is opened with another separator. Invisible characters
 * (spaces, zero-width marks) may precede the sign.
 */
export function neutral(text: string): string {
  const whole = text.toWellFormed().replaceAll('\0', '')
  const inside = whole.replace(startInside, "$1'")
  return startOfAll.test(inside) ? `'${inside}` : inside
}

// Full-width and small forms, superscripts and subscripts: NFKC makes the plain signs of all of these. U+2212 and
// U+2795 to U+2796 look like them and cost nothing to add.
const sign = '[=+\\-@＝＋－＠﹦﹢﹣﹫⁺⁻⁼₊₋₌−➕➖]'
const unseen = '[\\p{Z}\\p{Cc}\\p{Cf}\\ufe00-\\ufe0f]*'
const startOfAll = new RegExp(`^(?:[\\t\\r\\n]|${unseen}${sign})`, 'u')
const startInside = new RegExp(`([;,|\\t\\r\\n"])(?=${unseen}${sign})`, 'gu')
