/** Workbooks: numbers from text, sizes counted while unpacking, and what is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { many } from '../../../../test/support/attempts.ts'
import { heapMegabytes } from '../../../../test/support/heap.ts'
import { numberCell, partsOf, textCell, workbookOf, zipOf } from '../../../../test/support/writers/xlsx.ts'
import { currencyOf } from '../../../../test/vectors/statements/statement-case.ts'
import type { CsvMapping } from './csv-mapping.ts'
import { formatOf } from './detect.ts'
import { xlsx } from './xlsx.ts'
import { dateText, isDateFormat, numberText } from './xlsx-number.ts'

const mapping: CsvMapping = {
  encoding: 'utf-8',
  separator: ';',
  skipRows: 0,
  header: ['Date', 'Amount', 'Purpose'],
  dateFormat: 'dd.mm.yyyy',
  account: 'KZ90999TEST000000001',
  columns: { date: 0, amount: 1, purpose: [2] },
}
const rows = [mapping.header.map(textCell), [textCell('14.11.2026'), numberCell('-1'), textCell('A')]]
const parts = partsOf(rows)

async function read(bytes: Uint8Array, most = Number.POSITIVE_INFINITY) {
  async function* given() {
    yield bytes
  }
  const found = []
  for await (const part of xlsx.read(given(), { currencyOf, mapping })) if (found.push(part) >= most) break
  return found
}

test('an amount is what 15 digits of a double say, and nothing finer than hundredths', () => {
  const cases: [written: string, text: string][] = [
    ['1234.56', '1234.56'],
    ['1234.5600000000001', '1234.56'],
    ['1234.5599999999999', '1234.56'],
    ['0.30000000000000004', '0.30'.replace(/0$/, '')],
    ['-0.1', '-0.1'],
    ['1E5', '100000'],
    ['1.5e-1', '0.15'],
    ['0', '0'],
    ['-0.0', '0'],
    ['.5', '0.5'],
    ['1234.561', '1234.561'],
    ['1234.5600001', '1234.5600001'],
    ['0.001', '0.001'],
    ['123456789012.345', '123456789012.345'],
    ['1e400', '1e400'],
    ['NaN', 'NaN'],
    ['', ''],
    ['0x10', '0x10'],
  ]
  for (const [written, text] of cases) assert.equal(numberText(written), text, written)
})

test('every amount of whole hundredths survives being a double, and the sums that programs make of them', () => {
  const cents = fc.bigInt({ min: 1n, max: 999_999_999_999_99n })
  const amountText = (value: bigint) => `${value / 100n}.${String(value % 100n).padStart(2, '0')}`
  fc.assert(
    fc.property(cents, (value) => {
      const text = numberText(String(Number(amountText(value))))
      assert.equal(Number(text), Number(amountText(value)))
      assert.match(text, /^\d+(\.\d{1,2})?$/)
    }),
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 1, max: 99_999_999 }), (a, b) => {
      const text = numberText(String(a / 100 + b / 100))
      assert.equal(Math.round(Number(text) * 100), a + b)
    }),
  )
})

test('a day is counted from 1900 or 1904, with its time to the second', () => {
  assert.equal(dateText('46340', false), '2026-11-14')
  assert.equal(dateText('44878', true), '2026-11-14')
  assert.equal(dateText('46340.5216435185', false), '2026-11-14 12:31:10')
  assert.equal(dateText('46340.999999', false), '2026-11-15')
  assert.equal(dateText('61', false), '1900-03-01')
  for (const wrong of ['-1', '2958466', '1e9', '', 'x'])
    assert.equal(dateText(wrong, false), undefined, wrong)
  assert.deepEqual([dateText('2957003', true), dateText('2957004', true)], ['9999-12-31', undefined])
  const formats: [number, string | undefined, boolean][] = [
    [14, undefined, true],
    [22, undefined, true],
    [2, undefined, false],
    [164, 'dd.mm.yyyy', true],
    [164, '[$-419]d mmmm yyyy', true],
    [164, 'yyyy\\-mm\\-dd\\ hh:mm:ss.000', true],
    [164, '#,##0.00"р."', false],
    [164, '[Red]-#,##0.00', false],
    [164, '0.00E+00', false],
    [164, 'General', false],
    [164, '@', false],
  ]
  for (const [id, code, isDate] of formats) assert.equal(isDateFormat(id, code), isDate, code ?? String(id))
})

test('a row holds no more text than a row of CSV, and a sheet’s name no more than a few words', async () => {
  const cell = textCell('x'.repeat(40_000))
  await assert.rejects(
    read(Buffer.from(workbookOf([rows[0]!, [cell, cell]]))),
    /The row of the cell B2 holds more than 64 KB/,
  )
  const bad = [rows[0]!, [textCell('14.11.2026'), textCell('no amount'), textCell('A')]]
  const [part] = await read(Buffer.from(zipOf(partsOf(bad, 'N'.repeat(60_000)))))
  assert.equal(part && 'bad' in part && part.bad.at, `${'N'.repeat(100)}!B2`)
})

test('other requests are served between two short rows that use one long shared text', async () => {
  const shared = '<row><c t="s"><v>0</v></c></row>'.repeat(50)
  const files = {
    ...parts,
    'xl/sharedStrings.xml': `<sst><si><t>${' '.repeat(60_000)}</t></si></sst>`,
    'xl/worksheets/sheet1.xml': parts['xl/worksheets/sheet1.xml']!.replace('</sheetData>', `${shared}$&`),
  }
  let pauses = 0
  const pause = () => void pauses++
  async function* given() {
    yield zipOf(files)
  }
  const found = []
  for await (const part of xlsx.read(given(), { currencyOf, mapping, pause })) found.push(part)
  assert.equal(found.length, 1)
  assert.ok(pauses > 50, `${pauses} pauses`)
})

test('a zip bomb is refused while it is unpacked, whatever it says of its size', async () => {
  const rows = Buffer.from('<worksheet><sheetData>'.padEnd(32) + '<row/>'.padEnd(1024).repeat(20 * 1024))
  const bytes = Buffer.from(zipOf({ ...parts, 'xl/worksheets/sheet1.xml': rows }))
  assert.ok(bytes.length < 200_000)
  await assert.rejects(read(bytes), /a zip bomb/)
  // The directory may lie: the sizes in it are those of one byte.
  const name = Buffer.from('xl/worksheets/sheet1.xml')
  const at = bytes.lastIndexOf(name) - 46
  assert.equal(bytes.toString('latin1', at, at + 2), 'PK')
  bytes.writeUInt32LE(1, at + 24)
  await assert.rejects(read(bytes), /a zip bomb/)
})

test('a workbook that is cut, changed or made to harm is refused', async () => {
  const whole = Buffer.from(workbookOf(rows))
  assert.equal(formatOf(whole), 'xlsx')
  assert.equal((await read(whole)).length, 1)
  await assert.rejects(read(whole.subarray(0, whole.length - 30)), /cut off, damaged/)
  const flipped = Buffer.from(zipOf(parts, { isStored: true }))
  flipped[flipped.indexOf('<v>-1')! + 4] = 0x39
  await assert.rejects(read(flipped), /cut off, damaged/)

  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`a${at}`, 'x']))
  await assert.rejects(read(Buffer.from(zipOf({ ...parts, ...many }))), /more than a statement can: files/)
  const locked = Buffer.from(whole)
  locked[locked.indexOf('PK\u0001\u0002', 0, 'latin1') + 8] = 1
  await assert.rejects(read(locked), /encrypted/)
  const strange = Buffer.from(whole)
  strange[strange.indexOf('PK\u0001\u0002', 0, 'latin1') + 10] = 12
  await assert.rejects(read(strange), /cut off, damaged/)
  const twice = Buffer.from(
    zipOf({ ...parts, 'XL/worksheets/sheet1.xml': parts['xl/worksheets/sheet1.xml']! }),
  )
  await assert.rejects(read(twice), /cut off, damaged/)

  const { 'xl/workbook.xml': _, ...others } = parts
  const binary = { ...others, 'xl/workbook.bin': 'x' }
  await assert.rejects(read(Buffer.from(zipOf(binary))), /not an Excel workbook/)

  async function* endless() {
    for (;;) yield new Uint8Array(1024 * 1024)
  }
  await assert.rejects(xlsx.read(endless(), { currencyOf, mapping }).next(), /larger than 50 MB/)
})

test('bytes changed anywhere are read or refused, and never break the reader', async () => {
  const whole = Buffer.from(zipOf(parts, { isStored: true }))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }), async (changes) => {
      const bytes = Buffer.from(whole)
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte
      const found = await read(bytes).catch((error: Error) => error.name)
      if (typeof found === 'string') assert.equal(found, 'DamagedStatement')
    }),
    { numRuns: many(300, 60) },
  )
})

test('30,000 rows are read in bounded memory, and the speed is printed', async (t) => {
  const many = [
    rows[0]!,
    ...Array.from({ length: 30_000 }, (_, at) => [
      textCell('14.11.2026'),
      numberCell(at % 3 === 0 ? `-${at + 1}.25` : `${at + 1}.5`),
      textCell(`Пополнение KT${10_000_000 + at} от плательщика ${at}`),
    ]),
  ]
  const bytes = workbookOf(many)
  many.length = 0
  global.gc?.()
  const before = process.memoryUsage.rss()
  const start = performance.now()
  let [entries, most] = [0, before]
  async function* given() {
    yield bytes
  }
  for await (const part of xlsx.read(given(), { currencyOf, mapping })) {
    if ('entry' in part) entries++
    if (entries % 5_000 === 0) most = Math.max(most, process.memoryUsage.rss())
  }
  assert.equal(entries, 30_000)
  const megabytes = (size: number) => (size / 1024 / 1024).toFixed(0)
  const seconds = (performance.now() - start) / 1_000
  t.diagnostic(
    `XLSX: 30,000 rows, ${megabytes(bytes.length)} MB packed, in ${seconds.toFixed(1)} s, grown by ${megabytes(most - before)} MB`,
  )
  assert.ok(most - before < 300 * 1024 * 1024)
})

test('what is kept of a workbook is as large as its texts, however far apart they stand', async () => {
  /** With a letter that V8 stores in two bytes, like all others of its text. */
  const filler = `<!--Ж${'x'.repeat(60_000)}-->`
  const apart = (open: string, text: (at: number) => string, close: string) =>
    `${open}${Array.from({ length: 250 }, (_, at) => `${text(at)}${filler}`).join('')}${close}`
  const cases: Record<string, Record<string, string>> = {
    texts: {
      'xl/sharedStrings.xml': apart('<sst>', (at) => `<si><t>A text of some length ${at}</t></si>`, '</sst>'),
    },
    styles: {
      'xl/styles.xml': apart(
        '<s>',
        (at) => `<numFmt numFmtId="${at}" formatCode="a format of some length"/>`,
        '</s>',
      ),
    },
  }
  for (const [name, files] of Object.entries(cases)) {
    const bytes = zipOf({ ...parts, ...files }, { isStored: true })
    let calls = 0
    let most = 0
    const before = heapMegabytes()
    const pause = () => {
      if (++calls % 100 === 0) most = Math.max(most, heapMegabytes() - before)
      return undefined
    }
    async function* given() {
      yield bytes
    }
    const found = []
    for await (const part of xlsx.read(given(), { currencyOf, mapping, pause })) found.push(part)
    assert.ok(found.length > 0 && calls >= 200, name)
    assert.ok(most < 16, `${name}: ${most} MB`)
  }
})
