/** Files of banks, from the bytes to confirmed deposits. What each format says is tested beside its reader. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import type { CsvMapping } from '../../src/domain/statements/formats/csv-mapping.ts'
import { type ImportStatement, importStatement } from '../../src/domain/statements/import-statement.ts'
import { sql } from '../../src/platform/db.ts'
import { dotted, forgetMoneyIn, today } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})

// An account has one source: the tests import every format into this one.
beforeEach(() => forgetMoneyIn(gateway))

const account = '40702810300000000042'

type Row = { cents: bigint; purpose: string; number?: string; from?: string }
const money = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`

/** A Russian statement of our demo account, with its own total. */
function statementOf(
  rows: readonly Row[],
  { total, more = [] }: { total?: bigint; more?: string[] } = {},
): Buffer {
  const sum = total ?? rows.reduce((all, row) => all + row.cents, 0n)
  const lines = [
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    'Кодировка=Windows',
    `РасчСчет=${account}`,
    'СекцияРасчСчет',
    `ДатаНачала=${dotted(today())}`,
    `ДатаКонца=${dotted(today())}`,
    `РасчСчет=${account}`,
    `ВсегоПоступило=${money(sum)}`,
    ...more,
    'КонецРасчСчет',
    ...rows.flatMap((row) => [
      'СекцияДокумент=Платежное поручение',
      `Номер=${row.number ?? row.cents}`,
      `Дата=${dotted(today())}`,
      `Сумма=${money(row.cents)}`,
      'ПлательщикСчет=40817810000000000001',
      `Плательщик1=${row.from ?? 'Иванов Иван'}`,
      `ПолучательСчет=${account}`,
      `ДатаПоступило=${dotted(today())}`,
      `НазначениеПлатежа=${row.purpose}`,
      'КонецДокумента',
    ]),
    'КонецФайла',
  ]
  return Buffer.from(lines.join('\r\n'))
}

const take = (bytes: Buffer, changes: Partial<ImportStatement> = {}) =>
  importStatement(context, {
    file: {
      name: 'statement.txt',
      async *open() {
        for (let from = 0; from < bytes.length; from += 1_000) yield bytes.subarray(from, from + 1_000)
      },
    },
    mode: 'test',
    by: 'test',
    dryRun: false,
    anyway: false,
    ...changes,
  })

/** A table has no totals, so that a person has to say yes to it. */
const yes = { anyway: true }

let amount = 4_000_000
const created = async () => (await shop.create({ cents: ++amount })).body
const stateOf = async (id: string) =>
  (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit.state
const rowOf = (body: { amount_cents: number; payment_data: { payment_reason: string } }): Row => ({
  cents: BigInt(body.amount_cents),
  purpose: body.payment_data.payment_reason,
})

test('a statement confirms the deposits that its rows name, and once only', async () => {
  const deposits = [await created(), await created(), await created()]
  const bytes = statementOf(deposits.map(rowOf))
  const report = await take(bytes)
  assert.partialDeepStrictEqual(report, {
    format: '1c',
    isTaken: true,
    isRepeated: false,
    entries: 3,
    warnings: [],
    taken: { taken: 3, matched: 3 },
  })
  for (const { id } of deposits) assert.equal(await stateOf(id), 'confirmed')
  assert.partialDeepStrictEqual(await take(bytes), { isRepeated: true, statement: report.statement })
  // Another file with the same rows and one more adds the one.
  const more = await created()
  const longer = statementOf([...deposits.map(rowOf), rowOf(more)])
  assert.partialDeepStrictEqual((await take(longer)).taken, { taken: 1, seen: 3, matched: 1 })
})

test('a dry run shows what would happen, a file with bad rows waits for a confirmation, and neither stores anything', async () => {
  const deposit = await created()
  const bytes = statementOf([rowOf(deposit)])
  assert.partialDeepStrictEqual(await take(bytes, { dryRun: true }), {
    isTaken: false,
    taken: { matched: 1 },
  })
  assert.equal(await stateOf(deposit.id), 'created')
  const broken = Buffer.from(bytes.toString().replace(/Сумма=\d+\.\d\d/, 'Сумма=1,234.56'))
  const refused = await take(broken)
  assert.deepEqual([refused.isTaken, refused.badRows], [false, 1])
  assert.match(`${refused.bad[0]!.detail}`, /Сумма/)
  const [left] = await gateway.database.owner.query<{ staged: bigint; statements: bigint }>(sql`
    select
      (select count(*) from staged_entries) as staged,
      (select count(*) from statements where finished_at is null) as statements`)
  assert.deepEqual(left, { staged: 0n, statements: 0n })
  assert.equal((await take(bytes)).isTaken, true)
})

test('totals that differ wait for a yes: a purpose may be written to look like a row', async () => {
  const deposit = await created()
  const bytes = statementOf([rowOf(deposit)], { total: 1n })
  const report = await take(bytes)
  assert.deepEqual([report.isTaken, report.warnings.length], [false, 1])
  assert.equal(await stateOf(deposit.id), 'created')
  assert.equal((await take(bytes, { anyway: true })).isTaken, true)
  assert.equal(await stateOf(deposit.id), 'confirmed')
})

for (const [name, bytes, code, line] of [
  [
    'an account that is not ours',
    statementOf([]).toString().replaceAll(account, '40702810300000000059'),
    'statement_account_unknown',
    /^Line 4, РасчСчет: The account «40702810300000000059» is not one of your receiving accounts/,
  ],
  ['a file that is no statement', 'hello', 'statement_format_unsupported', /1C/],
  ['an archive', 'PK\u0003\u0004xxxxxxxxxxxxxxx', 'statement_format_unsupported', /archive/],
  ['a PDF', '%PDF-1.7', 'statement_format_unsupported', /supported format/],
  [
    'an XML of another kind',
    '<Document><CstmrCdtTrfInitn/></Document>',
    'statement_format_unsupported',
    /camt/,
  ],
  ['a CSV that nobody has explained', 'a;b\n1;2\n', 'statement_mapping_missing', /Describe the columns/],
  [
    'XML with a document type',
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><Document/>',
    'statement_damaged',
    /Line/,
  ],
  [
    'XML of one line that is cut off',
    '<Document><BkToCstmrStmt><Stmt><Ntry></Ntry><Ntry><Amt>5',
    'statement_damaged',
    /^Line 1, Stmt\[1\]: The statement does not name its account/,
  ],
  ['nothing', '', 'statement_damaged', /empty/],
] as const) {
  test(`${name} is refused whole, in a sentence, and nothing is left`, async () => {
    await assert.rejects(take(Buffer.from(bytes)), (error: { code: string; message: string }) => {
      assert.equal(error.code, code)
      assert.match(error.message, line)
      return true
    })
  })
}

const stored = (number: string) =>
  gateway.database.owner.query<{ purpose: string; payer_name: string; booked_at: Date | null }>(
    sql`select purpose, payer_name, booked_at from transfers where document_number = ${number}`,
  )

for (const [name, row, reason] of [
  ['an amount that no account holds', { cents: 9_999_999_999_999_900n, number: 'huge' }, /9999999999999\.99/],
  ['a number of 6,000 characters', { cents: 100n, number: '7'.repeat(6_000) }, /longer than 64 characters/],
] as const) {
  test(`${name} is a bad row: it once broke the file for good, half imported`, async () => {
    const deposit = await created()
    const bytes = statementOf([rowOf(deposit), { purpose: 'Перевод', ...row }])
    const report = await take(bytes)
    assert.deepEqual([report.isTaken, report.entries, report.badRows], [false, 1, 1])
    assert.match(`${report.bad[0]!.detail}`, reason)
    const anyway = await take(bytes, { anyway: true })
    assert.deepEqual([anyway.isTaken, anyway.taken.matched], [true, 1])
  })
}

test('a row is kept whose text is cut inside an emoji, and so is a bad row that says so', async () => {
  for (let shift = 0; shift < 2; shift++) {
    const number = `emoji-${shift}`
    const bytes = statementOf([{ cents: 123n, number, purpose: 'я'.repeat(shift) + '😀'.repeat(3_000) }])
    assert.equal((await take(bytes)).isTaken, true)
    const [row] = await stored(number)
    assert.equal(row!.purpose, 'я'.repeat(shift) + '😀'.repeat(3_000))
    const bad = statementOf([{ cents: 123n, number: 'я'.repeat(shift) + '😀'.repeat(100), purpose: '' }])
    assert.equal((await take(bad, { anyway: true })).badRows, 1)
  }
})

test('no control character reaches the database, whatever its reader', async () => {
  const evil = 'a\u0001b\tc\u001b[2Jd\u007fe\u009bf'
  const plain = 'a b c [2Jd e f'
  const oneC = statementOf([{ cents: 321n, number: 'control\u001b-1c', purpose: evil, from: evil }])
  const csv = csvOf(`${dotted(today())};"control\n-csv";3,21;${evil};${evil}`)
  const camt = camtOf(`<Ntry>
    <Amt Ccy="RUB">3.21</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>${today()}</Dt></BookgDt>
    <NtryDtls><TxDtls><Refs><TxId>control&#x9b;-camt</TxId></Refs><RltdPties><Dbtr><Nm>a&#x7f;b</Nm></Dbtr></RltdPties>
    <RmtInf><Ustrd>c&#10;d&#9;e&#x85;f</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`)
  for (const [number, bytes, options, purpose, payer] of [
    ['control -1c', oneC, {}, plain, plain],
    ['control -csv', csv, { mapping: csvMapping }, plain, plain],
    ['control -camt', camt, {}, 'c d e f', 'a b'],
  ] as const) {
    await forgetMoneyIn(gateway)
    await take(bytes, { ...options, ...yes })
    const rows = await stored(number)
    assert.deepEqual(
      rows.map((row) => [row.purpose, row.payer_name]),
      [[purpose, payer]],
    )
  }
})

const csvMapping: CsvMapping = {
  encoding: 'utf-8',
  separator: ';',
  skipRows: 0,
  header: ['Дата', 'Номер', 'Приход', 'Кто', 'За что'],
  dateFormat: 'dd.mm.yyyy',
  account,
  columns: { date: 0, documentNumber: 1, amount: 2, payerName: 3, purpose: [4] },
}
const csvOf = (...rows: string[]) => Buffer.from([csvMapping.header.join(';'), ...rows, ''].join('\n'))

test('the bank’s time counts where the file names no currency: it is that of the account', async () => {
  const oneC = statementOf([{ cents: 111n, number: 'time-1c', purpose: 'Перевод' }])
  const csv = csvOf(`${dotted(today())} 10:15:00;time-csv;1,11;Иван;Перевод`)
  for (const [number, bytes, options] of [
    ['time-1c', Buffer.from(oneC.toString().replace(/ДатаПоступило=\S+/, '$& 10:15:00')), {}],
    ['time-csv', csv, { mapping: csvMapping }],
  ] as const) {
    await forgetMoneyIn(gateway)
    await take(bytes, { ...options, ...yes })
    const times = (await stored(number)).map(({ booked_at }) => booked_at?.toISOString())
    assert.deepEqual(times, [`${today()}T07:15:00.000Z`])
  }
})

for (const isComplete of [false, true])
  test(`what was read with a wrong mapping counts once when the right one reads it, ${isComplete ? 'complete' : 'of an open day'}`, async () => {
    const deposit = await created()
    const { cents, purpose } = rowOf(deposit)
    const bytes = csvOf(`${dotted(today())};${cents};${money(cents / 2n)};${purpose};Перевод`)
    const wrong: CsvMapping = {
      ...csvMapping,
      columns: { date: 0, documentNumber: 1, amount: 2, purpose: [3] },
    }
    const first = await take(bytes, { mapping: wrong, isComplete, ...yes })
    assert.partialDeepStrictEqual(first.taken, { taken: 1, matched: 1 })
    const right = { mapping: csvMapping, isComplete, ...yes }
    const again = await take(bytes, right)
    assert.partialDeepStrictEqual(again, { isTaken: true, isRepeated: false, taken: { taken: 1, held: 1 } })
    assert.equal((await take(bytes, right)).isRepeated, true)
  })

test('a column that only counts the rows holds a payment that is told again: none counts twice', async () => {
  const deposit = await created()
  const { cents, purpose } = rowOf(deposit)
  const counting: CsvMapping = {
    ...csvMapping,
    header: ['№', 'Дата', 'Сумма', 'Назначение'],
    columns: { documentNumber: 0, date: 1, amount: 2, purpose: [3] },
  }
  const fileOf = (...rows: [cents: bigint, purpose: string][]) =>
    Buffer.from(
      [
        counting.header.join(';'),
        ...rows.map(([sum, text], at) => `${at + 1};${dotted(today())};${money(sum)};${text}`),
      ].join('\n'),
    )
  const half: [bigint, string] = [cents / 2n, purpose]
  const morning = await take(fileOf(half), { mapping: counting, ...yes })
  assert.equal(morning.taken.matched, 1)
  const stranger: [bigint, string] = [cents + 5_000_007n, 'Перевод']
  const day = await take(fileOf(stranger, half, [cents + 5_000_008n, 'Перевод']), {
    mapping: counting,
    ...yes,
  })
  assert.partialDeepStrictEqual(day.taken, { matched: 0, held: 1 })
  assert.equal(await stateOf(deposit.id), 'created')
})

test('a table whose header is another one than its mapping has is refused with a code of its own', async () => {
  const bytes = Buffer.from(
    csvOf(`${dotted(today())};x;5;Иван;Перевод`)
      .toString()
      .replace('Приход', 'Расход'),
  )
  await assert.rejects(take(bytes, { mapping: csvMapping, ...yes }), {
    code: 'statement_header_changed',
    message: /Line 1: The header has changed: column 3 was «Приход» and is now «Расход»/,
  })
})

test('a dry run shows the first ten rows as they were understood, and no report keeps them', async () => {
  const bytes = csvOf(
    `${dotted(today())};show-0;-1 500,50;Иван;Возврат`,
    ...Array.from({ length: 10 }, (_, n) => `${dotted(today())};show-${n + 1};${n + 1};Пётр;Заказ ${n}`),
  )
  const day = today()
  const { preview } = await take(bytes, { mapping: csvMapping, dryRun: true })
  assert.equal(preview.length, 10)
  assert.partialDeepStrictEqual(preview.slice(0, 2), [
    {
      ...{ line: 2, day, direction: 'debit', amount: '1500.50', currency: 'RUB' },
      ...{ payer: 'Иван', purpose: 'Возврат', becomes: 'debit' },
    },
    {
      ...{ line: 3, day, direction: 'credit', amount: '1.00', currency: 'RUB' },
      ...{ payer: 'Пётр', purpose: 'Заказ 0', becomes: 'unmatched' },
    },
  ])
  const { statement } = await take(bytes, { mapping: csvMapping, ...yes })
  const [row] = await gateway.database.owner.query<{ report: string }>(
    sql`select report::text from statements where id = ${statement}`,
  )
  assert.doesNotMatch(row!.report, /Пётр/)
  assert.deepEqual((await take(bytes, { mapping: csvMapping, ...yes })).preview, [])
})

/** A camt message of our demo account; `figures` are its balances and sums. */
const camtOf = (
  entries: string,
  {
    figures = '',
    container = 'BkToCstmrStmt',
    inner = 'Stmt',
  }: Partial<Record<'figures' | 'container' | 'inner', string>> = {},
) =>
  Buffer.from(
    `<Document><${container}><${inner}><Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>${figures}${entries}</${inner}></${container}></Document>`,
  )
const camtEntry = (
  amount: string,
  purpose: string,
  { status = '<Sts>BOOK</Sts>', reference = purpose } = {},
) =>
  `<Ntry><Amt Ccy="RUB">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>${status}<BookgDt><Dt>${today()}</Dt></BookgDt>
  <AcctSvcrRef>${reference}</AcctSvcrRef><NtryDtls><TxDtls><RmtInf><Ustrd>${purpose}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`
const camtSum = (sum: string) => `<TxsSummry><TtlCdtNtries><Sum>${sum}</Sum></TtlCdtNtries></TxsSummry>`
const camtBalance = (code: string, amount: string, day = '') =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="RUB">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>${day && `<Dt><Dt>${day}</Dt></Dt>`}</Bal>`

test('a camt file without sums and balances waits for a yes; either of them is enough', async () => {
  const deposit = await created()
  const { cents, purpose } = rowOf(deposit)
  const entry = camtEntry(money(cents), purpose, { reference: `camt-${cents}` })
  const bare = await take(camtOf(entry))
  assert.partialDeepStrictEqual(bare, { isTaken: false, totals: 'none' })
  assert.match(bare.warnings.join(), /no total of incoming payments/)
  const count = '<TxsSummry><TtlNtries><NbOfNtries>1</NbOfNtries></TtlNtries></TxsSummry>'
  assert.partialDeepStrictEqual(await take(camtOf(entry, { figures: count })), {
    isTaken: false,
    totals: 'none',
  })
  assert.equal(await stateOf(deposit.id), 'created')
  const balances = camtBalance('OPBD', '1.00') + camtBalance('CLBD', money(cents + 100n))
  for (const totals of [camtSum(money(cents)), balances])
    assert.partialDeepStrictEqual(await take(camtOf(entry, { figures: totals })), {
      isTaken: true,
      totals: 'agree',
    })
  assert.equal(await stateOf(deposit.id), 'confirmed')
})

test('the number of a camt entry within its file is not a document number: another file may number differently', async () => {
  const deposit = await created()
  const { cents, purpose } = rowOf(deposit)
  const half = cents / 2n
  const numbered = (number: number, text: string, sum: bigint) =>
    `<Ntry><NtryRef>${number}</NtryRef><Amt Ccy="RUB">${money(sum)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
    <BookgDt><Dt>${today()}</Dt></BookgDt><NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>
    <RltdPties><DbtrAcct><Id><Othr><Id>40817810000000000001</Id></Othr></Id></DbtrAcct></RltdPties>
    <RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`
  const report = (number: number) =>
    camtOf(numbered(number, purpose, half), {
      ...{ figures: camtSum(money(half)), container: 'BkToCstmrAcctRpt', inner: 'Rpt' },
    })
  assert.partialDeepStrictEqual((await take(report(1))).taken, { taken: 1, matched: 1 })
  assert.partialDeepStrictEqual((await take(report(3))).taken, { taken: 0, seen: 1 })
  const both = numbered(1, `earlier ${cents}`, 1n) + numbered(2, purpose, half)
  const day = await take(camtOf(both, { figures: camtSum(money(half + 1n)) }), { isComplete: true })
  // The one without a name may be the rest of what this payer owes.
  assert.partialDeepStrictEqual(day.taken, { paired: 1, taken: 1, ambiguous: 1 })
  assert.equal(await stateOf(deposit.id), 'created')
})

test('an entry without a bank id that two reports of one camt file repeat waits for a confirmation', async () => {
  const kinds = [
    ['BkToCstmrAcctRpt', 'Rpt'],
    ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
    ['BkToCstmrStmt', 'Stmt'],
  ] as const
  for (const [container, inner] of kinds) {
    await forgetMoneyIn(gateway)
    const [early, late] = [rowOf(await created()), rowOf(await created())]
    const entry = ({ cents, purpose }: Row, reference: string) =>
      camtEntry(money(cents), purpose, { reference }).replace('<AcctSvcrRef></AcctSvcrRef>', '')
    // Each report of the day has all of its entries so far.
    const file = (rows: readonly (readonly Row[])[], referenceOf = (_row: Row) => '') => {
      const reports = rows.map((own) => {
        const sum = camtSum(money(own.reduce((all, { cents }) => all + cents, 0n)))
        const entries = own.map((row) => entry(row, referenceOf(row))).join('\n')
        return `<${inner}><Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>${sum}\n${entries}</${inner}>`
      })
      return Buffer.from(`<Document><${container}>${reports.join('\n')}</${container}></Document>`)
    }
    const asked = await take(file([[early], [early, late]]))
    assert.partialDeepStrictEqual(asked, { isTaken: false, entries: 3, totals: 'agree' })
    assert.deepEqual(asked.warnings.map(String), [
      'The file repeats an entry of one of its statements in another one (1 in all, the first in line 5), and the bank gives it no number: imported, it counts as a further payment.',
    ])
    const numbered = file([[early], [early, late]], ({ cents }) => `${inner}-${cents}`)
    assert.partialDeepStrictEqual(await take(numbered), {
      isTaken: true,
      warnings: [],
      taken: { matched: 2, seen: 1 },
    })
    // Equal rows of one report are two payments, also where another report follows.
    const twice = { cents: BigInt(++amount), purpose: `twice in ${inner}` }
    const other = { cents: BigInt(++amount), purpose: `once in ${inner}` }
    const plain = await take(file([[twice, twice], [other]]))
    assert.partialDeepStrictEqual(plain, { isTaken: true, warnings: [], entries: 3 })
  }
})

test('entries without a status are booked in a camt.053, after a yes, and unknown in a camt.052', async () => {
  const deposit = await created()
  const { cents, purpose } = rowOf(deposit)
  const entry = camtEntry(money(cents), purpose, { status: '', reference: `status-${cents}` })
  const report = { container: 'BkToCstmrAcctRpt', inner: 'Rpt', figures: camtSum(money(cents)) }
  const { bad } = await take(camtOf(entry, report))
  assert.deepEqual(
    bad.map(({ line, at, detail }) => [line, at, `${detail}`]),
    [[1, 'Rpt[1]/Ntry[1]/Sts', 'Ntry/Sts is missing, or not BOOK, PDNG, INFO or FUTR.']],
  )
  const statement = camtOf(entry, { figures: camtSum(money(cents)) })
  const asked = await take(statement)
  assert.partialDeepStrictEqual(asked, { isTaken: false, badRows: 0, totals: 'agree' })
  assert.match(asked.warnings.join(), /Ntry\/Sts is missing/)
  assert.equal((await take(statement, yes)).isTaken, true)
  assert.equal(await stateOf(deposit.id), 'confirmed')
})
