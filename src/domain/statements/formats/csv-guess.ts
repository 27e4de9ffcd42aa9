/**
 * The preview of an unknown CSV file: its first rows, and a guess of its mapping. A guess
 * only fills in a form; a person checks it before any row is read with it.
 */

import { linesWithoutControls } from '../../transfers/bank-text/controls.ts'
import { statementBounds } from './bounds.ts'
import { type CsvMapping, type DateFormat, dateFormats, separators } from './csv-mapping.ts'
import { type Row, RowReader } from './csv-row.ts'
import { dateOf } from './dates.ts'
import { decodeHead, hasMark, isUtf8Head } from './decode.ts'
import { headerOf } from './table.ts'

/** The beginning of a file. `isWhole`: there is nothing more of it, so that its last line is not cut. */
export type Head = { bytes: Uint8Array; isWhole: boolean }
export const headBytes = statementBounds.pieceBytes

export type Reading = Pick<CsvMapping, 'encoding' | 'separator' | 'skipRows'>
export type Sample = { header: string[]; rows: { line: number; fields: string[] }[] }

export function sampleOf(head: Head, reading: Reading, most: number): Sample {
  const [header, ...rows] = rowsOf(head, reading)
  return { header: header ? headerOf(header.fields) : [], rows: rows.slice(0, most) }
}

export function guessReading(head: Head): Reading {
  const encoding = isUtf8Head(head.bytes) ? 'utf-8' : 'windows-1251'
  const found = separators
    .map((separator) => ({
      separator,
      row: likeliestHeader(rowsOf(head, { encoding, separator, skipRows: 0 })),
    }))
    .toSorted((a, b) => widthOf(b.row) - widthOf(a.row))[0]!
  const skipRows = Math.min((found.row?.line ?? 1) - 1, statementBounds.skippedRows)
  return { encoding, separator: found.separator, skipRows }
}

/** The columns whose names leave little doubt. */
export function guessColumns(header: readonly string[]): Record<string, number> {
  const columns: Record<string, number> = {}
  // Some of these patterns search to the end from every word: of a name only its beginning is looked at.
  const names = header
    .slice(0, statementBounds.columns)
    .map((name) => name.slice(0, statementBounds.headerCharacters).toLowerCase())
  for (const [name, heading] of headings) {
    if (columns[name] !== undefined) continue
    const used = Object.values(columns)
    const place = names.findIndex((text, at) => heading.test(text) && !used.includes(at))
    if (place !== -1) columns[name] = place
  }
  const { credit, debit, amount, ...others }: Record<string, number> = columns
  if (credit !== undefined && debit !== undefined) {
    const { direction, ...rest } = others
    return { ...rest, credit, debit }
  }
  return amount === undefined ? others : { ...others, amount }
}

export const guessDateFormat = (days: readonly string[]): DateFormat =>
  (days.length > 0 && dateFormats.find((format) => days.every((day) => dateOf(day, format)))) ||
  dateFormats[0]

function rowsOf({ bytes, isWhole }: Head, { encoding, separator, skipRows }: Reading): Row[] {
  const text = linesWithoutControls(decodeHead(bytes, hasMark(bytes) ? 'utf-8' : encoding, bytes.length))
  const lines = text.split(/\r\n?|\n/)
  if (!isWhole) lines.pop()
  const reader = new RowReader(separator)
  return lines
    .flatMap((line, at) => (at < skipRows ? [] : (reader.take(line, at + 1) ?? [])))
    .filter(({ fields }) => fields.some((field) => field.trim() !== ''))
}

/** The first of the widest rows that hold only names; the bank's name and the period may stand above it. */
function likeliestHeader(rows: readonly Row[]): Row | undefined {
  const named = rows.filter(({ fields }) => headerOf(fields).every((name) => /\p{L}|№/u.test(name)))
  return named.reduce<Row | undefined>((best, row) => (widthOf(row) > widthOf(best) ? row : best), undefined)
}

const widthOf = (row: Row | undefined): number => (row ? headerOf(row.fields).length : 0)

const payer = 'плательщик|отправител|контрагент|корреспондент|payer|sender|counterparty|jo.?natuvchi'
const account = 'сч[её]т|account|р/с|hisob'

/** The order matters: details of the payer come before the payer, money in and out before a plain amount. */
const headings: readonly [name: string, heading: RegExp][] = [
  ['date', /дата.*(операц|провод)|(book|value).*date/],
  ['date', /дата|date|sana|күні/],
  ['payerTaxId', /^(?!.*получат).*(инн|inn\b|бин|иин|стир|tax)/],
  ['payerAccount', new RegExp(`(${account}).*(${payer})|(${payer}).*(${account})`)],
  ['payerName', new RegExp(`^(?!.*(банк|bank|бик|кпп)).*(${payer})`)],
  ['direction', /направлени|приход\/расход|дебет\/кредит|^д\/к$|^тип операции$|direction|^type$/],
  ['status', /статус|состояни|status|holati/],
  ['balance', /остаток|сальдо|баланс|balance|qoldiq|қалдық/],
  ['credit', /приход|кредит|поступ|зачисл|credit|kirim/],
  ['debit', /расход|дебет|списан|debit|chiqim/],
  ['amount', /сумма|amount|summa|сома/],
  ['currency', /валют|currency|valyuta/],
  ['bankId', /идентификатор|референс|reference|(^|\P{L})id($|\P{L})/u],
  ['documentNumber', /^(?!.*(дата|date|тип|вид|type|kind)).*(документ|doc)/],
  // The number of a row, a card or an account is none of a document.
  [
    'documentNumber',
    /^(?!.*(дата|date|п\s?\/\s?п|порядк|строк|row|line|карт|card|сч[её]т|account|телефон|phone|договор|hisob)).*(номер|№.*\p{L}|number)/u,
  ],
  ['purpose', /назначени|описани|детали|основани|purpose|description|details|maqsad/],
]
