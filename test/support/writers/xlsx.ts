/**
 * A statement as an Excel workbook of one sheet, the same table as CSV: texts stand in their cells, amounts and balances
 * are numbers. The minimum that Excel opens without a warning.
 */
import { crc32, deflateRawSync } from 'node:zlib'
import { lettersOf } from '../../../src/domain/statements/formats/xlsx-sheet.ts'
import { oneLine, type WrittenStatement } from '../../../src/domain/statements/writers/statement.ts'
import { numberColumns, tableOf } from './csv.ts'

export function writeXlsx(statement: Omit<WrittenStatement, 'account'>): Uint8Array {
  const [header = [], ...rows] = tableOf(statement)
  return workbookOf([
    header.map(textCell),
    ...rows.map((row) =>
      row.map((value, place) => (numberColumns.includes(place) ? numberCell(value) : textCell(value))),
    ),
  ])
}

/** The content of one cell. */
export type WrittenCell = { type: 'inlineStr' | 'n'; content: string; style?: number }

export const textCell = (value: string): WrittenCell => ({
  type: 'inlineStr',
  content: `<is><t xml:space="preserve">${escaped(oneLine(value))}</t></is>`,
})

/** As it stands: a decimal number. */
export const numberCell = (value: string, style?: number): WrittenCell => ({
  type: 'n',
  content: `<v>${value}</v>`,
  ...(style !== undefined && { style }),
})

/** Style 1 is a day, style 2 a day with its time. */
export const partsOf = (
  rows: readonly (readonly (WrittenCell | null)[])[],
  sheetName = 'Statement',
): Record<string, string> => ({
  '[Content_Types].xml': `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${sheetType('sheet.main')}"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${sheetType('worksheet')}"/><Override PartName="/xl/styles.xml" ContentType="${sheetType('styles')}"/></Types>`,
  '_rels/.rels': `${declaration}<Relationships xmlns="${packaged}"><Relationship Id="rId1" Type="${relation}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${relation}"><sheets><sheet name="${escaped(sheetName)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${declaration}<Relationships xmlns="${packaged}"><Relationship Id="rId1" Type="${relation}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relation}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `${declaration}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd.mm.yyyy\\ hh:mm:ss"/></numFmts><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  'xl/worksheets/sheet1.xml': sheetXml(rows),
})

export const workbookOf = (rows: readonly (readonly (WrittenCell | null)[])[]): Uint8Array =>
  zipOf(partsOf(rows))

export const sheetXml = (rows: readonly (readonly (WrittenCell | null)[])[]): string =>
  `${declaration}<worksheet xmlns="${main}"><sheetData>${rows.map((row, at) => rowXml(row, at + 1)).join('')}</sheetData></worksheet>`

const rowXml = (cells: readonly (WrittenCell | null)[], line: number): string =>
  `<row r="${line}">${cells.map((cell, place) => (cell ? cellXml(cell, `${lettersOf(place)}${line}`) : '')).join('')}</row>`

const cellXml = ({ type, content, style }: WrittenCell, name: string): string =>
  `<c r="${name}"${style === undefined ? '' : ` s="${style}"`}${type === 'n' ? '' : ` t="${type}"`}>${content}</c>`

/** Files packed one after another, then their directory. No times: the same statement gives the same file. */
export function zipOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  { isStored = false } = {},
): Uint8Array {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let start = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const packed = isStored ? bytes : deflateRawSync(bytes)
    const title = Buffer.from(name)
    const sizes = Buffer.alloc(22)
    sizes.writeUInt16LE(20, 0)
    sizes.writeUInt16LE(isStored ? 0 : 8, 4)
    sizes.writeUInt16LE(firstDay, 8)
    sizes.writeUInt32LE(crc32(bytes), 10)
    sizes.writeUInt32LE(packed.length, 14)
    sizes.writeUInt32LE(bytes.length, 18)
    const lengths = Buffer.alloc(4)
    lengths.writeUInt16LE(title.length, 0)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), sizes, lengths, title, packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(start, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0', 'latin1'), sizes, lengths, place, title]),
    )
    parts.push(local)
    start += local.length
  }
  const all = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(all.length, 12)
  end.writeUInt32LE(start, 16)
  return Buffer.concat([...parts, all, end])
}

/** 1 January 1980, the earliest date in a zip. */
const firstDay = 0x21

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const packaged = 'http://schemas.openxmlformats.org/package/2006/relationships'
const relation = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const sheetType = (name: string): string =>
  `application/vnd.openxmlformats-officedocument.spreadsheetml.${name}+xml`

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (value: string): string => value.replace(/[&<>"]/g, (letter) => escapes[letter]!)
