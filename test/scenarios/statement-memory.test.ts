/** Readers keep little of a file in memory, even of one that is made to fill it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Part, ReadContext, StatementFormat } from '../../src/domain/statements/entry.ts'
import { statementFormats } from '../../src/domain/statements/formats/detect.ts'
import { Totals } from '../../src/domain/statements/totals.ts'
import { heldMegabytes, usedMegabytes } from '../support/heap.ts'
import { partsOf, textCell, zipOf } from '../support/writers/xlsx.ts'
import { currencyOf, encoded } from '../vectors/statements/statement-case.ts'

const cyrillic = (text: string): Uint8Array => encoded(text, 'windows-1251')

/** Reads a file like an import does. Returns how much memory it took after any of every so many pieces, if that was more than `most`. */
async function readMeasured(
  name: StatementFormat['name'],
  bytes: Iterable<Uint8Array>,
  { most, everyPieces = 100, ...context }: Partial<ReadContext> & { most: number; everyPieces?: number },
) {
  const totals = new Totals(name)
  const counts: Record<string, number> = {}
  let megabytes = 0
  let pieces = 0
  // What the file was made of can be collected a moment later.
  await setImmediate()
  const before = heldMegabytes()
  const measure = () => {
    // To collect garbage takes long: what is used with it included is more than what is reachable.
    if (++pieces % everyPieces === 0 && usedMegabytes() - before > most)
      megabytes = Math.max(megabytes, heldMegabytes() - before)
    return undefined
  }
  async function* source() {
    for (const chunk of bytes) {
      measure()
      yield chunk
    }
  }
  let refusal = ''
  try {
    const reading = statementFormats[name].read(source(), { currencyOf, pause: measure, ...context })
    for await (const part of reading as AsyncIterable<Part>) {
      const [kind = ''] = Object.keys(part)
      counts[kind] = (counts[kind] ?? 0) + 1
      if ('summary' in part) totals.addSummary(part.summary)
    }
  } catch (error) {
    refusal = `${error}`
  }
  megabytes = Math.max(megabytes, heldMegabytes() - before)
  totals.differences({ badRows: 0, pending: 0 })
  assert.ok(pieces >= everyPieces || refusal !== '', `${pieces} pieces`)
  return { counts, refusal, megabytes }
}

/** One letter of two bytes makes V8 keep the whole piece with two bytes for each letter. */
const filler = `Я=Ж${'x'.repeat(60_000)}`

const camtHead = '<Document><BkToCstmrStmt>'
const ourStatement = '<Stmt><Acct><Id><IBAN>KZ90999TEST000000001</IBAN></Id></Acct>'
const camtTail = '</BkToCstmrStmt></Document>'

test('the figures of a statement are kept without the text around them', async () => {
  const cases: [StatementFormat['name'], head: string, section: string, tail: string][] = [
    [
      ...(['1c', '1CClientBankExchange\nВерсияФормата=1.03\nРасчСчет=40702810300000000042\n'] as const),
      `СекцияРасчСчет\nРасчСчет=40702810300000000042\n${filler}\nКонецРасчСчет\n`,
      'КонецФайла\n',
    ],
    [
      ...(['mt940', ''] as const),
      `:20:1\n:25:40702810300000000042\n:28C:1/1\n:60F:C261113RUB0,\n:62F:C261113RUB0,\n:86:${filler}\n`,
      '',
    ],
    [
      ...(['camt', `<?xml version="1.0" encoding="windows-1251"?>${camtHead}`] as const),
      `${ourStatement}</Stmt><!--${filler}-->`,
      camtTail,
    ],
  ]
  for (const [name, head, section, tail] of cases) {
    const written = cyrillic(section)
    const most = 16
    const { counts, refusal, megabytes } = await readMeasured(
      name,
      [cyrillic(head), ...Array.from({ length: 250 }, () => written), cyrillic(tail)],
      { most },
    )
    assert.deepEqual([counts, refusal], [{ summary: 250 }, ''], name)
    assert.ok(megabytes < most, `${name}: ${megabytes} MB`)
  }
})

test('a transaction of camt takes only as much memory as its texts', async () => {
  const entry = (times: number) =>
    `${ourStatement}<Ntry><Amt Ccy="KZT">${times}.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-14</Dt></BookgDt><NtryDtls>`
  const transaction = (rest: string) => `<TxDtls><Amt Ccy="KZT">1.00</Amt>${rest}</TxDtls>`
  const cases: [name: string, text: string, times: number][] = [
    [
      'far apart',
      `${transaction('<RmtInf><Ustrd>A text of some length</Ustrd></RmtInf>')}<!--${filler}-->`,
      450,
    ],
    ['far apart in the source', `${transaction('')}<Further-Name-Of-Some-Length/><!--${filler}-->`, 450],
    ['small elements', transaction('<a>Ж</a>'.repeat(450)), 1_000],
  ]
  const most = 40
  for (const [name, text, times] of cases) {
    const written = Buffer.from(text)
    const { counts, refusal, megabytes } = await readMeasured(
      'camt',
      [
        Buffer.from(camtHead + entry(times)),
        ...Array.from({ length: times }, () => written),
        Buffer.from(`</NtryDtls></Ntry></Stmt>${camtTail}`),
      ],
      { most, everyPieces: 250 },
    )
    assert.deepEqual([counts, refusal], [{ entry: times, summary: 1 }, ''], name)
    assert.ok(megabytes < most, `${name}: ${megabytes} MB`)
  }
})

const account = 'KZ90999TEST000000001'
const mapping = {
  ...({ encoding: 'utf-8', separator: ';', skipRows: 0, dateFormat: 'dd.mm.yyyy', account } as const),
  header: ['Date', 'Amount', 'Purpose'],
  columns: { date: 0, amount: 1, purpose: [2] },
}
const parts = partsOf([mapping.header.map(textCell), ['14.11.2026', '1', 'A'].map(textCell)])
const several = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join('')
const rels = 'xl/_rels/workbook.xml.rels'
const texts = 'xl/sharedStrings.xml'

test('half a million short texts of a workbook take little memory', async () => {
  const most = 16
  const { counts, megabytes } = await readMeasured(
    'xlsx',
    [
      zipOf({
        ...parts,
        [texts]: `<sst>${several(500_000, (at) => `<si><t>text ${at % 977}</t></si>`)}</sst>`,
      }),
    ],
    { most, mapping, everyPieces: 20 },
  )
  assert.equal(counts.entry, 1)
  assert.ok(megabytes < most, `${megabytes} MB`)
})

test('a workbook whose parts are made to fill the memory is refused', async () => {
  const long = several(10_000, (at) => `Ж${at % 9_973}`)
  const related = (relation: string) => parts[rels]!.replace('</', `${relation.repeat(60)}</`)
  const cases: [files: Record<string, string>, reason: RegExp][] = [
    [{ [texts]: `<sst>${`<si><t>${long}</t></si>`.repeat(870)}</sst>` }, /holds more than a statement can/],
    [
      { [texts]: `<sst><si>${several(1_000_000, (at) => `<t>${at % 977}</t>`)}</si></sst>` },
      /holds more than a statement can/,
    ],
    [{ [rels]: related(`<Relationship Id="a" Target="${long}"/>`) }, /holds more than a statement can/],
    [{ [rels]: related(`<Relationship Id="${long}" Target="a"/>`) }, /holds more than a statement can/],
    [{ [`xl/${long.slice(0, 30_000)}`]: 'x' }, /holds more than a statement can/],
  ]
  const most = 120
  for (const [files, reason] of cases) {
    // Stored, and not packed: text that packs well would be refused as a zip bomb, and text that does not takes long.
    const bytes = zipOf({ ...parts, ...files }, { isStored: true })
    const { refusal, megabytes } = await readMeasured('xlsx', [bytes], { most, mapping, everyPieces: 50 })
    assert.match(refusal, reason)
    assert.ok(megabytes < most, `${reason}: ${megabytes} MB`)
  }
})

/** Sheets with equal rows. Each row has the longest allowed text, which all of them share. */
function sheetsOf(count: number, header: readonly string[]): Uint8Array {
  const numbers = Array.from({ length: count }, (_, at) => at + 1)
  const [head, ...rest] = partsOf([header.map(textCell)])['xl/worksheets/sheet1.xml']!.split('</sheetData>')
  const sheet = `${head}${'<row><c t="s"><v>0</v></c></row>'.repeat(110)}</sheetData>${rest}`
  return zipOf({
    ...parts,
    'xl/workbook.xml': `<workbook><sheets>${numbers.map((at) => `<sheet name="${at}" r:id="r${at}"/>`).join('')}</sheets></workbook>`,
    [rels]: `<r>${numbers.map((at) => `<Relationship Id="r${at}" Target="worksheets/sheet${at}.xml"/>`).join('')}</r>`,
    [texts]: `<sst><si><t>${'Ж'.repeat(60_000)}</t></si></sst>`,
    ...Object.fromEntries(numbers.map((at) => [`xl/worksheets/sheet${at}.xml`, sheet])),
  })
}

test('while a header is looked for, the rows of only one sheet are in memory', async () => {
  const most = 24
  const { refusal, megabytes } = await readMeasured('xlsx', [sheetsOf(40, mapping.header)], {
    most,
    mapping,
    everyPieces: 10,
  })
  assert.match(refusal, /More than one sheet holds such a table/)
  assert.ok(megabytes < most, `${megabytes} MB`)
})
