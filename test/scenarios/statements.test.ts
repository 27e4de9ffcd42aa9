/** Files of banks, from the bytes to confirmed deposits. What each format says is tested beside its reader. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Ledger } from '../../src/deposits/change-deposit.ts'
import { findDeposit } from '../../src/deposits/store.ts'
import { sql } from '../../src/platform/db.ts'
import { type ImportStatement, importStatement } from '../../src/statements/import-statement.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let ledger: Ledger
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  ledger = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})

const account = '40702810300000000042'
const today = () => {
  const [year, month, day] = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10).split('-')
  return `${day}.${month}.${year}`
}

type Row = { cents: bigint; purpose: string; number?: string; from?: string }
const money = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`

/** A Russian statement of our demo account, with its own total. */
function statementOf(rows: readonly Row[], { total }: { total?: bigint } = {}): Buffer {
  const sum = total ?? rows.reduce((all, row) => all + row.cents, 0n)
  const lines = [
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    'Кодировка=Windows',
    `РасчСчет=${account}`,
    'СекцияРасчСчет',
    `ДатаНачала=${today()}`,
    `ДатаКонца=${today()}`,
    `РасчСчет=${account}`,
    `ВсегоПоступило=${money(sum)}`,
    'КонецРасчСчет',
    ...rows.flatMap((row) => [
      'СекцияДокумент=Платежное поручение',
      `Номер=${row.number ?? '1'}`,
      `Дата=${today()}`,
      `Сумма=${money(row.cents)}`,
      'ПлательщикСчет=40817810000000000001',
      `Плательщик1=${row.from ?? 'Иванов Иван'}`,
      `ПолучательСчет=${account}`,
      `ДатаПоступило=${today()}`,
      `НазначениеПлатежа=${row.purpose}`,
      'КонецДокумента',
    ]),
    'КонецФайла',
  ]
  return Buffer.from(lines.join('\r\n'))
}

const take = (bytes: Buffer, changes: Partial<ImportStatement> = {}) =>
  importStatement(ledger, {
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

test('equal rows of one file both count; a later file with three of them adds the third', async () => {
  const stranger = { cents: 77_777n, purpose: 'Перевод без ссылки' }
  assert.partialDeepStrictEqual((await take(statementOf([stranger, stranger]))).taken, { taken: 2 })
  const three = (await take(statementOf([stranger, stranger, stranger]))).taken
  assert.partialDeepStrictEqual(three, { taken: 1, seen: 2 })
})

test('a dry run tells what would happen, a file with bad rows waits for a yes, and neither leaves a trace', async () => {
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
  assert.match(refused.bad[0]!.detail, /Сумма/)
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

for (const [name, bytes, line] of [
  [
    'an account that is not ours',
    statementOf([]).toString().replaceAll(account, '40702810300000000059'),
    /not one of ours/,
  ],
  ['a file that is no statement', 'hello', /1C/],
  ['an archive', 'PK\u0003\u0004xxxxxxxxxxxxxxx', /archive/],
  ['XML with a document type', '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><Document/>', /Line/],
  ['nothing', '', /empty/],
] as const) {
  test(`${name} is refused whole, in a sentence, and nothing is left`, async () => {
    await assert.rejects(take(Buffer.from(bytes)), (error: { code: string; details: { detail: string } }) => {
      assert.equal(error.code, 'statement_damaged')
      assert.match(error.details.detail, line)
      return true
    })
  })
}

test('an import that was interrupted is begun again and finishes', async () => {
  const deposits = [await created(), await created()]
  const bytes = statementOf(deposits.map(rowOf))
  await assert.rejects(
    take(bytes, {
      progress: ({ of }) => {
        if (of !== null) throw new Error('pulled the plug')
      },
    }),
    /pulled the plug/,
  )
  const again = await take(bytes)
  assert.partialDeepStrictEqual(again, { isTaken: true, isRepeated: false, taken: { taken: 0, seen: 2 } })
  for (const { id } of deposits) assert.equal(await stateOf(id), 'confirmed')
})
