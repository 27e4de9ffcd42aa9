/** What is written is read back as it was, by the readers that read the banks' own files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { many } from '../../../../test/support/attempts.ts'
import { writeCamt } from '../../../../test/support/writers/camt.ts'
import { csvMappingOf, writeCsv } from '../../../../test/support/writers/csv.ts'
import { writeMt940 } from '../../../../test/support/writers/mt940.ts'
import { writeXlsx } from '../../../../test/support/writers/xlsx.ts'
import type { Entry, Part, StatementFormat, Summary } from '../entry.ts'
import { formatOf, statementFormats } from '../formats/detect.ts'
import { writeOneC } from './one-c.ts'
import type { WrittenEntry, WrittenStatement } from './statement.ts'

const own = ['40702810300000000042', 'KZ90999TEST000000001', '2200000000000017', '+79000000001']
const currencyIn = (account: string) => (account.startsWith('KZ') ? 'KZT' : 'RUB')
const madeAt = '2026-11-15T09:12:40+03:00'

type Written = readonly [WrittenStatement, ...WrittenStatement[]]
type FormatName = StatementFormat['name']

const writers: Record<FormatName, (statements: Written) => Uint8Array> = {
  '1c': (statements) => writeOneC(statements, madeAt),
  camt: (statements) => writeCamt(statements, madeAt, 'M1'),
  csv: ([statement]) => writeCsv(statement),
  xlsx: ([statement]) => writeXlsx(statement),
  mt940: (statements) => writeMt940(statements, 'M1'),
}
const formatNames = Object.keys(writers) as FormatName[]

async function read(format: FormatName, statements: WrittenStatement[]): Promise<Part[]> {
  const written = writers[format](statements as [WrittenStatement])
  assert.equal(formatOf(written), format)
  async function* bytes() {
    yield written
  }
  const parts: Part[] = []
  const context = {
    currencyOf: (account: string) => (own.includes(account) ? currencyIn(account) : undefined),
    ...(isTable(format) && { mapping: csvMappingOf(statements[0]!) }),
  }
  for await (const part of statementFormats[format].read(bytes(), context)) parts.push(part)
  return parts
}

/** Their rows carry the balance, and nothing else stands around them. */
const isTable = (format: FormatName) => format === 'csv' || format === 'xlsx'

type ReportedEntry = WrittenEntry & Pick<Entry, 'account' | 'currency'>

const reportedEntry = ({ entry }: { entry: Entry }): ReportedEntry => ({
  account: entry.account,
  currency: entry.currency,
  direction: entry.direction,
  cents: entry.cents,
  bookedOn: entry.bookedOn,
  bookedAt: entry.bookedAt,
  paidOn: entry.paidOn,
  documentNumber: entry.documentNumber,
  payerName: entry.payerName,
  payerAccount: entry.payerAccount,
  payerTaxId: entry.payerTaxId,
  payerBank: entry.payerBank,
  purpose: entry.purpose,
  bankId: entry.bankId,
})

/** What the format itself can hold of an entry. */
const holds: Record<FormatName, (entry: ReportedEntry) => ReportedEntry> = {
  // Days only, a day of the order always, and no id of the bank's.
  '1c': (entry) => ({
    ...entry,
    bookedAt: null,
    paidOn: entry.paidOn ?? entry.bookedOn,
    bankId: null,
    payerAccount: entry.direction === 'credit' ? entry.payerAccount : entry.account,
  }),
  camt: (entry) => entry,
  csv: (entry) => ({ ...entry, paidOn: null, payerBank: '' }),
  // Days only, a day of value always. A slash at an end is the format's.
  mt940: (entry) => ({
    ...entry,
    bookedAt: null,
    paidOn: entry.paidOn ?? entry.bookedOn,
    payerName: withoutSlashes(entry.payerName),
    payerBank: withoutSlashes(entry.payerBank),
    purpose: withoutSlashes(entry.purpose),
  }),
  xlsx: (entry) => ({ ...entry, paidOn: null, payerBank: '' }),
}

const withoutSlashes = (text: string): string => text.replace(/^[/\s]+|[/\s]+$/g, '')

/** Letters of windows-1251, signs that mean something in one of the formats, and no runs of digits as long as cards. */
const letters = [...'Иванё Яю№«»"\';=&<>/|,.-:%KTabz…()', 'КонецДокумента', 'Сумма=1', '17', ']]>', '&amp;']
const words = (most: number) =>
  fc.array(fc.constantFrom(...letters), { maxLength: most }).map((parts) => parts.join('').trim())

const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-12-31'), noInvalidDate: true })
  .map((at) => at.toISOString().slice(0, 10))

const daysBefore = (from: string, days: number): string =>
  new Date(Date.parse(from) - days * 86_400_000).toISOString().slice(0, 10)

const offsets = { RUB: '+03:00', KZT: '+05:00' } as const

const entries = (currency: 'RUB' | 'KZT') =>
  fc
    .array(
      fc.record({
        direction: fc.constantFrom('credit' as const, 'debit' as const),
        cents: fc.bigInt({ min: 1n, max: 999_999_999_999_999n }),
        bookedOn: day,
        time: fc.option(fc.constantFrom('00:00:00', '09:30:05', '23:59:59')),
        paidBefore: fc.option(fc.nat(5)),
        // In a table under a mapping 1 would be the place of its row: see table.test.ts.
        documentNumber: fc.constantFrom('', '15', '1001', 'ПП-17'),
        payerName: words(20),
        payerAccount: fc.constantFrom('', '40817810000000000001', '4081…0001', 'KZ86125KZT5004100100'),
        payerTaxId: fc.constantFrom('', '500100732259'),
        payerBank: words(10),
        purpose: words(120),
        bankId: fc.option(fc.constantFrom('A1', '019a8d2c1f3a7c418b7755d0e9a3f602')),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((all) =>
      all.map(
        ({ time, paidBefore, ...entry }): WrittenEntry => ({
          ...entry,
          paidOn: paidBefore === null ? null : daysBefore(entry.bookedOn, paidBefore),
          bookedAt: time === null ? null : new Date(`${entry.bookedOn}T${time}${offsets[currency]}`),
        }),
      ),
    )

const statement = fc.constantFrom(...own).chain((account) => {
  const currency = currencyIn(account)
  return fc.record({
    account: fc.constant(account),
    currency: fc.constant(currency),
    from: fc.constant('2026-11-14'),
    to: fc.constant('2026-11-15'),
    entries: entries(currency),
  })
})

for (const format of formatNames) {
  test(`${format}: a written statement is read back unchanged`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(statement, {
          minLength: 1,
          maxLength: isTable(format) ? 1 : 3,
          selector: ({ account }) => account,
        }),
        async (statements) => {
          const parts = await read(format, statements)
          const expected = statements.flatMap(({ account, currency, entries: all }) =>
            all.map((entry) => holds[format]({ ...entry, account, currency })),
          )
          const wrong = parts.filter((part) => !('entry' in part || 'summary' in part))
          assert.deepEqual(wrong, [])
          assert.deepEqual(parts.filter((part) => 'entry' in part).map(reportedEntry), expected)
          if (!isTable(format))
            assert.deepEqual(
              parts.filter((part) => 'summary' in part).map((part) => part.summary),
              statements.map((statement) => summaryOf(statement, format)),
            )
        },
      ),
      // A workbook is packed and unpacked, which takes fifty times as long as to write a line.
      { numRuns: many(300, format === 'xlsx' ? 50 : 150) },
    )
  })
}

const summaryOf = ({ account, from, to, entries: all }: WrittenStatement, format: string): Summary => {
  const entriesOf = (direction: string) => all.filter((entry) => entry.direction === direction)
  const sum = (direction: string) => entriesOf(direction).reduce((total, { cents }) => total + cents, 0n)
  // Where balances alone prove the rows, they are none that a payer could guess.
  const before = format === 'mt940' ? 100_000_000n : 0n
  return {
    account,
    // The first day of a message is that of its entries, if they begin before it.
    from: format === 'mt940' ? [from, ...all.map(({ bookedOn }) => bookedOn)].sort()[0]! : from,
    to,
    // Made on its last day, whose end MT940 states by its closing balance.
    completeTo: format === 'mt940' ? to : from,
    role: 'booked',
    ...(format === 'mt940'
      ? { creditCents: null, debitCents: null }
      : { creditCents: sum('credit'), debitCents: sum('debit') }),
    ...{ openingCents: sum('debit') + before, closingCents: sum('credit') + before },
  }
}

const statementWith = (changes: Partial<WrittenEntry> = {}): WrittenStatement => ({
  account: own[0]!,
  currency: 'RUB',
  from: '2026-11-14',
  to: '2026-11-15',
  entries: [
    {
      direction: 'credit',
      cents: 150_050n,
      bookedOn: '2026-11-15',
      bookedAt: new Date('2026-11-15T09:12:40+03:00'),
      paidOn: '2026-11-14',
      documentNumber: '17',
      payerName: 'Иванов "И"',
      payerAccount: '40817810000000000001',
      payerTaxId: '500100732259',
      payerBank: 'Банк',
      purpose: 'Пополнение KT48219034; НДС нет',
      bankId: 'A1',
      ...changes,
    },
  ],
})

test('a 1C file is what Russian banks export: header, section with totals, windows-1251, CRLF', () => {
  const bytes = writeOneC([statementWith()], madeAt)
  assert.equal(
    new TextDecoder('windows-1251').decode(bytes),
    [
      '1CClientBankExchange',
      'ВерсияФормата=1.03',
      'Кодировка=Windows',
      'Отправитель=Тестовый банк Inlet',
      'Получатель=',
      'ДатаСоздания=15.11.2026',
      'ВремяСоздания=09:12:40',
      'ДатаНачала=14.11.2026',
      'ДатаКонца=15.11.2026',
      'РасчСчет=40702810300000000042',
      'СекцияРасчСчет',
      'ДатаНачала=14.11.2026',
      'ДатаКонца=15.11.2026',
      'РасчСчет=40702810300000000042',
      'НачальныйОстаток=0.00',
      'ВсегоПоступило=1500.50',
      'ВсегоСписано=0.00',
      'КонечныйОстаток=1500.50',
      'КонецРасчСчет',
      'СекцияДокумент=Платежное поручение',
      'Номер=17',
      'Дата=14.11.2026',
      'Сумма=1500.50',
      'Валюта=RUB',
      'ПлательщикСчет=40817810000000000001',
      'Плательщик1=Иванов "И"',
      'ПлательщикИНН=500100732259',
      'ПлательщикБанк1=Банк',
      'ПолучательСчет=40702810300000000042',
      'ДатаПоступило=15.11.2026',
      'ВидОплаты=01',
      'НазначениеПлатежа=Пополнение KT48219034; НДС нет',
      'КонецДокумента',
      'КонецФайла',
      '',
    ].join('\r\n'),
  )
})

test('what windows-1251 cannot write becomes a question mark, and a decomposed letter is composed first', async () => {
  const [, part] = await read('1c', [statementWith({ purpose: 'Ғайрат 😀 и\u0306' })])
  assert.equal((part as { entry: Entry }).entry.purpose, '?айрат ? й')
})

test('a break inside a value makes no line, no field and no element of its own', async () => {
  const purpose = 'a\r\nСумма=9999.00\u2028КонецДокумента\t\0b'
  for (const format of formatNames) {
    const parts = await read(format, [statementWith({ purpose })])
    const all = parts.filter((part) => 'entry' in part)
    assert.deepEqual(
      all.map(({ entry }) => [entry.cents, entry.purpose]),
      [[150_050n, 'a Сумма=9999.00 КонецДокумента b']],
      format,
    )
  }
})
