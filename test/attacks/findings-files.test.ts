/**
 * Bank files that are made to do harm, by their author or by the text of a payer, and that a person at the desk only
 * previews. Nobody else may wait for the preview, and no payer's text may prevent the other rows from being read.
 */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { lettersOf } from '../../src/domain/statements/formats/xlsx-sheet.ts'
import { saveMapping } from '../../src/domain/statements/store.ts'
import { attacksOf } from '../support/attempts.ts'
import { dotted, today } from '../support/bank.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { longestWork } from '../support/longest-work.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'
import { partsOf, textCell, zipOf } from '../support/writers/xlsx.ts'

const { attack, report } = attacksOf('hostile files')

let gateway: TestGateway
let browser: PersonsBrowser
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  browser = (await joined(gateway, { operatorRole: 'operator' })).browser
  await saveMapping(gateway.db, 'hostile', {
    ...{ encoding: 'utf-8', separator: ';', skipRows: 0, header, dateFormat: 'dd.mm.yyyy', account },
    columns: { date: 0, payerAccount: 1, debit: 2, credit: 3, documentNumber: 4, purpose: [6] },
  })
})

const header = [
  ...['Дата проводки', 'Счет Дебет', 'Сумма по дебету', 'Сумма по кредиту', '№ документа'],
  ...['Банк (БИК и наименование)', 'Назначение платежа'],
]
const account = '40702810300000000042'
const paid = (purpose: string): string[] => [
  ...[dotted(today()), '40817810000000000001', '', '100.00', '7', '044525225 Bank', purpose],
]
const book = (rows: readonly (readonly string[])[]) => partsOf(rows.map((row) => row.map(textCell)))

/** Previews a file; returns the text of its page in the end, and for how long others were not served meanwhile. */
async function preview(bytes: Uint8Array): Promise<{ text: string; waitedMs: number; grownMb: number }> {
  const memory = process.memoryUsage.rss()
  let most = memory
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 5)
  let text = ''
  const waitedMs = await longestWork(async () => {
    text = await read(bytes)
  }).finally(() => clearInterval(watch))
  return { text, waitedMs, grownMb: (most - memory) / 1024 / 1024 }
}

async function read(bytes: Uint8Array): Promise<string> {
  const how = { mode: 'test', mapping: 'hostile' }
  const file = new Blob([Buffer.from(bytes)])
  const sent = await browser.upload('/operator/statements/upload', how, file, 'file')
  assert.equal(sent.status, 303, sent.text)
  const page = sent.location!
  let text = ''
  do {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const answer = await browser.get(page)
    assert.equal(answer.status, 200, answer.text)
    text = answer.text
  } while (text.includes('data-under-way'))
  await browser.post(`${page}/drop`)
  return text
}

attack('codes of characters in a payer’s text', async (note) => {
  const codes = ['_x0000_', '_xD800_', 'a_xDC00_b', '_x001B_[2J', '_x2028_', '_xFFFF_', '_x000D__x000A_']
  const { text } = await preview(zipOf(book([[`Счет ${account}`], header, ...codes.map(paid), paid('A')])))
  const rows = Number(/<dt>Rows<\/dt><dd>(\d+)<\/dd>/.exec(text)?.[1])
  note(`${rows} rows of ${codes.length + 1} are read`, rows !== codes.length + 1)
})

const wide = (rows: number, columns: number) =>
  `<worksheet><sheetData>${Array.from(
    { length: rows },
    (_, row) =>
      `<row r="${row + 1}">${Array.from({ length: columns }, (_, place) => `<c r="${lettersOf(place)}${row + 1}" t="s"><v>0</v></c>`).join('')}</row>`,
  ).join('')}</sheetData></worksheet>`

attack('small files that are much work', async (note, t) => {
  const parts = book([[`Счет ${account}`], header, paid('A')])
  const sheet = 'xl/worksheets/sheet1.xml'
  const long = (times: number) => `<sst><si>${`<t>${'x'.repeat(60_000)}</t>`.repeat(times)}</si></sst>`
  const files: Record<string, Uint8Array> = {
    'every cell shares one long text': zipOf({
      ...parts,
      'xl/sharedStrings.xml': long(4),
      [sheet]: wide(8, 500),
    }),
    'every sheet is the same wide one': zipOf({
      ...parts,
      'xl/workbook.xml': parts['xl/workbook.xml']!.replace(/<sheet .*?\/>/, (one) => one.repeat(10)),
      'xl/sharedStrings.xml': '<sst><si><t>x</t></si></sst>',
      [sheet]: wide(100, 400),
    }),
    'a format of numbers that is nothing but brackets': zipOf({
      ...parts,
      'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${'['.repeat(60_000)}"/></numFmts><cellXfs>${'<xf numFmtId="200"/>'.repeat(3)}</cellXfs></styleSheet>`,
    }),
    'a total that is nothing but letters': zipOf(
      book([[`Счет ${account}`], header, paid('A'), ['Итого', '', `${'x'.repeat(60_000)} 1`]]),
    ),
  }
  for (const [name, bytes] of Object.entries(files)) {
    const { waitedMs, grownMb } = await preview(bytes)
    const cost = `${name}, ${bytes.length} bytes: others waited ${Math.round(waitedMs)} ms, ${Math.round(grownMb)} MB`
    t.diagnostic(cost)
    note(cost, waitedMs > 2_000 || grownMb > 400)
  }
})

report()
