/** What a large or hostile file costs. Memory is asserted; speed is printed, because machines differ. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { credit } from '../../../../test/vectors/statements/one-c-cases.ts'
import { currencyOf, encoded } from '../../../../test/vectors/statements/statement-case.ts'
import { DamagedStatement, type Part, type ReadContext, type StatementFormat } from '../entry.ts'
import type { CsvMapping } from './csv-mapping.ts'
import { statementFormats } from './detect.ts'

const megabyte = 1024 * 1024

async function* repeated(head: string, chunk: Uint8Array, times: number, tail = '') {
  yield encoded(head, 'windows-1251')
  for (let time = 0; time < times; time++) yield chunk
  yield encoded(tail, 'windows-1251')
}

/** The kinds of parts, how long it took, and how much the process grew at most. */
async function measured(
  format: StatementFormat,
  bytes: AsyncIterable<Uint8Array>,
  context: ReadContext = { currencyOf },
) {
  const before = process.memoryUsage.rss()
  const start = performance.now()
  const counts = { entry: 0, bad: 0, summary: 0, pending: 0 }
  let cents = 0n
  let most = before
  let error: unknown
  try {
    for await (const part of format.read(bytes, context)) {
      counts[Object.keys(part)[0] as 'entry' | 'bad' | 'summary' | 'pending']++
      if ('entry' in part) cents += (part as Part & { entry: { cents: bigint } }).entry.cents
      if (counts.entry % 1_000 === 0) most = Math.max(most, process.memoryUsage.rss())
    }
  } catch (thrown) {
    error = thrown
  }
  most = Math.max(most, process.memoryUsage.rss())
  const seconds = (performance.now() - start) / 1_000
  return { counts, cents, error, seconds, grownMegabytes: (most - before) / megabyte }
}

const header = '1CClientBankExchange\r\nВерсияФормата=1.03\r\nРасчСчет=40702810300000000042\r\n'
const mt940Head = ':20:1\n:25:40702810300000000042\n:28C:1/1\n:60F:C261113RUB0,\n'
const mapping: CsvMapping = {
  encoding: 'windows-1251',
  separator: ';',
  skipRows: 0,
  header: ['Дата', 'Сумма', 'Назначение'],
  dateFormat: 'dd.mm.yyyy',
  account: '40702810300000000042',
  columns: { date: 0, amount: 1, purpose: [2] },
}

test('a line of 1 GB is refused after 64 KB, in every format, and costs no memory', async () => {
  const chunk = Buffer.alloc(megabyte, 0x41)
  const cases: [StatementFormat['name'], head: string, reason: RegExp][] = [
    ['1c', header, /Line 4: This line is longer than 64 KB/],
    ['1c', '', /Line 1: This line is longer than 64 KB/],
    ['csv', 'Дата;Сумма;Назначение\n14.11.2026;5;', /Line 2: This line is longer than 64 KB/],
    ['csv', 'Дата;Сумма;Назначение\n14.11.2026;5;"', /Line 2: This line is longer than 64 KB/],
    ['mt940', mt940Head, /Line 5: This line is longer than 64 KB/],
    ['mt940', `${mt940Head}:61:2611141114C1,NTRFNONREF\n:86:`, /Line 6: This line is longer than 64 KB/],
    ['camt', '<Document>', /Line 1, Document: The XML holds a text or a tag that is longer than 64 KB/],
    ['camt', '<Document a="', /Line 1: The XML holds a text or a tag that is longer than 64 KB/],
    ['camt', '<Document><!--', /Line 1, Document: The XML holds a text or a tag that is longer than 64 KB/],
  ]
  for (const [name, head, reason] of cases) {
    const { error, grownMegabytes } = await measured(statementFormats[name], repeated(head, chunk, 1_024), {
      currencyOf,
      mapping,
    })
    assert.match(String(error), reason)
    assert.ok(grownMegabytes < 100, `${name} grew by ${grownMegabytes} MB`)
  }
})

test('a file that is refused is closed, in every format, also one whose header nobody knows', async () => {
  const rows = encoded('14.11.2026;5;x\n'.repeat(10_000), 'windows-1251')
  const cases: [StatementFormat['name'], head: string, saved?: CsvMapping][] = [
    ['1c', 'no header\n'],
    ['camt', '<'],
    ['csv', 'Дата;Сумма;Назначение\n'],
    ['csv', 'Дата;Сумма\n', mapping],
    ['mt940', 'no field\n'],
    ['xlsx', 'no workbook\n'],
  ]
  for (const [name, head, saved] of cases) {
    let isClosed = false
    const source = async function* () {
      try {
        // A workbook is read as a whole before anything is known about it.
        yield* repeated(head, rows, name === 'xlsx' ? 1 : 100)
      } finally {
        isClosed = true
      }
    }
    const { error } = await measured(statementFormats[name], source(), {
      currencyOf,
      ...(saved && { mapping: saved }),
    })
    assert.ok(error instanceof DamagedStatement, `${name}: ${error}`)
    assert.ok(isClosed, name)
  }
})

test('a document, a row and an entry that never end are refused as well', async () => {
  const lines = encoded('Строка без ключа\n'.repeat(10_000), 'windows-1251')
  const document = await measured(
    statementFormats['1c'],
    repeated(`${header}СекцияДокумент=1\nНазначениеПлатежа=\n`.replaceAll('\r', ''), lines, 10_000),
  )
  assert.match(String(document.error), /Line 4: The document that starts here is longer than 256 KB/)

  const row = await measured(
    statementFormats.csv,
    repeated('Дата;Сумма;Назначение\n14.11.2026;5;"', lines, 10_000),
    { currencyOf, mapping },
  )
  assert.match(String(row.error), /Line 2: The row that starts here is longer than 64 KB/)

  const details = Buffer.from('<TxDtls><RmtInf><Ustrd>a</Ustrd></RmtInf></TxDtls>'.repeat(1_000))
  const start =
    '<Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>KZ90999TEST000000001</IBAN></Id></Acct><Ntry><NtryDtls>'
  const entry = await measured(statementFormats.camt, repeated(start, details, 10_000))
  assert.match(String(entry.error), /Ntry\[1\]: What starts here is longer than 8 MB/)
  const texts = Buffer.from(
    `<TxDtls><RmtInf>${`<Ustrd>${'a'.repeat(60_000)}</Ustrd>`.repeat(10)}</RmtInf></TxDtls>`,
  )
  const large = await measured(statementFormats.camt, repeated(start, texts, 1_000))
  assert.match(String(large.error), /Ntry\[1\]: What starts here is longer than 8 MB/)
  const mt940 = (chunk: Uint8Array) =>
    measured(statementFormats.mt940, repeated(`${mt940Head}:61:2611141114C1,NTRFNONREF\n:86:`, chunk, 10_000))
  const text = await mt940(lines)
  assert.match(
    String(text.error),
    /Line 5, :61:: The entry that starts here is longer than 256 KB or 1,000 lines/,
  )
  const long = await mt940(Buffer.from(`${'a'.repeat(60_000)}\n`))
  assert.match(String(long.error), /Line 5, :61:: The entry that starts here is longer than 256 KB or/)
  for (const { grownMegabytes } of [document, row, entry, large, text, long])
    assert.ok(grownMegabytes < 100, `grew by ${grownMegabytes} MB`)
})

test('a text that is nothing but codes and slashes costs no time', async (t) => {
  const codes = ['?20', '?32', '/REMI/', '/', '/NAME/', "'", 'INN 77']
  for (const [start, code] of ['/REMI/', '166?00', ''].flatMap((start) =>
    codes.map((code) => [start, code]),
  )) {
    const text = code!.repeat(60_000 / code!.length)
    const made = await measured(
      statementFormats.mt940,
      repeated(
        `${mt940Head}:61:2611141114C1,NTRFNONREF\n:86:${start}${text}x\n`,
        Buffer.from(`${text.slice(0, 200)}\n`),
        500,
        ':62F:C261114RUB1,\n',
      ),
    )
    assert.equal(made.error, undefined)
    assert.equal(made.counts.entry + made.counts.bad, 1)
    t.diagnostic(`${start}${code}: ${made.seconds.toFixed(2)} s`)
    assert.ok(made.seconds < 10, `${start}${code}: ${made.seconds} s`)
  }
})

test('a payment with more text than a bank writes is a bad row, in every format, and costs no time', async () => {
  const long = '4111 1111 1111 1111 '.repeat(3_000)
  const camtHead =
    '<Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>KZ90999TEST000000001</IBAN></Id></Acct><Ntry><Amt Ccy="KZT">1</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-14</Dt></BookgDt><NtryDtls><TxDtls><RmtInf>'
  const camtTail = '</RmtInf></TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>'
  const cases: [StatementFormat['name'], head: string, chunk: string, times: number, tail: string][] = [
    [
      ...(['1c', `${header}СекцияДокумент=1\r\nНомер=1\r\nДата=14.11.2026\r\nСумма=1\r\n`] as const),
      ...([`НазначениеПлатежа=${long}\r\n`, 4] as const),
      'ПолучательСчет=40702810300000000042\r\nКонецДокумента\r\n',
    ],
    ['csv', 'Дата;Сумма;Назначение\n', `14.11.2026;1;${long}\n`, 1, ''],
    ['mt940', `${mt940Head}:61:2611141114C1,NTRFNONREF\n:86:`, `${long}\n`, 4, ':62F:C261114RUB1,\n'],
    ['camt', camtHead, `<Ustrd>${long}</Ustrd>`, 120, camtTail],
  ]
  for (const [name, head, chunk, times, tail] of cases) {
    const made = await measured(
      statementFormats[name],
      repeated(head, encoded(chunk, 'windows-1251'), times, tail),
      { currencyOf, mapping },
    )
    assert.equal(made.error, undefined)
    assert.deepEqual([made.counts.entry, made.counts.bad], [0, 1], name)
    assert.ok(made.seconds < 3, `${name}: ${made.seconds} s`)
  }
})

test('10,000 equal rows are 10,000 entries', async () => {
  const document = encoded(`${credit().join('\r\n')}\r\n`, 'windows-1251')
  const { counts, cents, error } = await measured(statementFormats['1c'], repeated(header, document, 10_000))
  assert.equal(error, undefined)
  assert.deepEqual(counts, { entry: 10_000, bad: 0, summary: 0, pending: 0 })
  assert.equal(cents, 10_000n * 150_000n)
})

test('300,000 lines are read, and the speed is printed', async (t) => {
  const document = credit()
  const times = Math.ceil(300_000 / document.length / 1_000)
  const chunk = encoded(`${document.join('\r\n')}\r\n`.repeat(1_000), 'windows-1251')
  const made = await measured(statementFormats['1c'], repeated(header, chunk, times))
  assert.equal(made.error, undefined)
  assert.equal(made.counts.entry, times * 1_000)
  const megabytes = (chunk.length * times) / megabyte
  t.diagnostic(
    `1C: ${times * 1_000 * document.length} lines, ${made.counts.entry} documents, ${megabytes.toFixed(1)} MB ` +
      `in ${made.seconds.toFixed(2)} s: ${(megabytes / made.seconds).toFixed(1)} MB/s, grown by ` +
      `${made.grownMegabytes.toFixed(0)} MB, rss ${(process.memoryUsage.rss() / megabyte).toFixed(0)} MB`,
  )
})
