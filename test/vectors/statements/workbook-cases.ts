/** Workbooks: the ways in which programs write cells, and what is refused. */
import { csvMappingOf } from '../../support/writers/csv.ts'
import { numberCell, partsOf, sheetXml, textCell, zipOf } from '../../support/writers/xlsx.ts'
import { workbook } from './bank-table-cases.ts'
import type { Case } from './statement-case.ts'

/** Of tables with four columns. */
export function mappingFor(account: string) {
  const { encoding, separator, skipRows } = csvMappingOf({ account })
  return {
    ...{ encoding, separator, skipRows, account },
    header: ['Date', 'Amount', 'Purpose', 'Number'],
    dateFormat: 'dd.mm.yyyy' as const,
    columns: { date: 0, amount: 1, purpose: [2], documentNumber: 3 },
  }
}

const account = 'KZ90999TEST000000001'
const mapping = mappingFor(account)

const header = mapping.header.map(textCell)
const parts = partsOf([header, [textCell('14.11.2026'), numberCell('-1'), textCell('A'), numberCell('17')]])
const stored = (files: Record<string, string | Uint8Array>) => zipOf(files, { isStored: true })
const sheet = 'xl/worksheets/sheet1.xml'

/** The sheet as it stands, with one piece of its XML replaced. */
const changed = (from: string, to: string): Uint8Array =>
  stored({ ...parts, [sheet]: parts[sheet]!.replace(from, to) })

const shared = `<?xml version="1.0" encoding="UTF-8"?><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>Date</t></si><si><t>Amount</t></si><si><r><t>Pur</t></r><r><rPr><b/></rPr><t>pose</t></r><rPh sb="0" eb="1"><t>x</t></rPh></si><si><t>Number</t></si><si><t xml:space="preserve"> =1+1;"
KT48219034 </t></si></sst>`

const row = (line: number, ...cells: string[]) => `<row r="${line}">${cells.join('')}</row>`
const cells = (line: number, xml: string[]) =>
  row(line, ...xml.map((cell, at) => cell.replace('<c', `<c r="${'ABCD'[at]}${line}"`)))
const worksheet = (...rows: string[]) =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:D9"/><sheetData>${rows.join('')}</sheetData><mergeCells count="1"><mergeCell ref="C4:D4"/></mergeCells></worksheet>`
const names = cells(1, [
  '<c t="s"><v>0</v></c>',
  '<c t="s"><v>1</v></c>',
  '<c t="s"><v>2</v></c>',
  '<c t="s"><v>3</v></c>',
])

const amounts = [
  ...['1234.56', '1234.5600000000001', '0.30000000000000004', '1.5E3', '1E-2', '-17', '8.850', '1234.561'],
  ...['1234.5600001', '123456789012.345', '9999999999999.99', '1e400', 'NaN'],
]

export const workbookCases: Case[] = [
  {
    file: 'workbook-shared.xlsx',
    mapping,
    bytes: stored({
      ...parts,
      'xl/sharedStrings.xml': shared,
      [sheet]: worksheet(
        names,
        cells(2, [
          '<c s="1"><v>46340</v></c>',
          '<c><v>1500.5</v></c>',
          '<c t="s"><v>4</v></c>',
          '<c t="str"><v>17</v></c>',
        ]),
        cells(3, [
          '<c s="2"><v>46340.5216435185</v></c>',
          '<c><v>-300</v></c>',
          '<c t="inlineStr"><is><t>B</t></is></c>',
          '<c><v>18</v></c>',
        ]),
        // Merged over two columns: the value is the first one's.
        cells(4, [
          '<c t="d"><v>2026-11-15T00:00:00</v></c>',
          '<c><v>1</v></c>',
          '<c t="inlineStr"><is><t>C</t></is></c>',
          '<c/>',
        ]),
        cells(6, [
          '<c t="inlineStr"><is><t>15.11.2026</t></is></c>',
          '<c t="inlineStr"><is><t>1 000,00 ₸</t></is></c>',
        ]),
        // A number that nobody calls a day is none.
        cells(7, ['<c><v>46340</v></c>', '<c><v>1</v></c>']),
        cells(9, ['<c t="e"><v>#REF!</v></c>', '<c t="b"><v>1</v></c>']),
      ),
    }),
  },
  {
    file: 'workbook-1904.xlsx',
    mapping,
    bytes: stored({
      ...parts,
      'xl/workbook.xml': parts['xl/workbook.xml']!.replace('<sheets>', '<workbookPr date1904="1"/><sheets>'),
      [sheet]: sheetXml([header, [numberCell('44878', 1), numberCell('-1'), textCell('A'), textCell('1')]]),
    }),
  },
  {
    file: 'workbook-amounts.xlsx',
    mapping,
    bytes: workbook([
      mapping.header,
      ...amounts.map((amount, at) => ['14.11.2026', numberCell(amount), 'A', String(at)]),
    ]),
  },
  {
    file: 'workbook-other-header.xlsx',
    mapping,
    bytes: workbook([
      ['Date', 'Sum'],
      ['14.11.2026', 1],
    ]),
  },
  { file: 'workbook-no-rows.xlsx', mapping, bytes: workbook([mapping.header]) },
  {
    file: 'workbook-unknown.xlsx',
    bytes: workbook([
      ['Date', 'Sum'],
      ['14.11.2026', 1],
    ]),
  },
  {
    file: 'workbook-two-sheets.xlsx',
    mapping,
    bytes: stored({
      ...parts,
      'xl/workbook.xml': parts['xl/workbook.xml']!.replace(
        '</sheets>',
        '<sheet name="Again" sheetId="2" r:id="rId3"/></sheets>',
      ),
      'xl/_rels/workbook.xml.rels': parts['xl/_rels/workbook.xml.rels']!.replace(
        '</Relationships>',
        '<Relationship Id="rId3" Type="x" Target="/xl/worksheets/sheet2.xml"/></Relationships>',
      ),
      'xl/worksheets/sheet2.xml': parts[sheet]!,
    }),
  },
  {
    file: 'workbook-doctype.xlsx',
    mapping,
    bytes: changed('<worksheet', '<!DOCTYPE x [<!ENTITY a "b">]><worksheet'),
  },
  { file: 'workbook-card.xlsx', mapping, bytes: changed('>A<', '>card 4111111111111111<') },
  {
    file: 'workbook-cell-twice.xlsx',
    mapping,
    bytes: changed('<c r="B2">', '<c r="A2" t="str"><v>15.11.2026</v></c><c r="B2">'),
  },
  { file: 'workbook-rows-astray.xlsx', mapping, bytes: changed('<row r="2">', '<row r="1">') },
  { file: 'workbook-missing-text.xlsx', mapping, bytes: changed('<c r="B2"><v>', '<c r="B2" t="s"><v>') },
  {
    file: 'document.docx',
    bytes: stored({ '[Content_Types].xml': '<Types/>', 'word/document.xml': '<x/>' }),
  },
]
