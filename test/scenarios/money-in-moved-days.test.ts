/**
 * Tables of banks for people have neither ids nor numbers, and some of them book on another day what they had reported before. Such a
 * row must not pay the next deposit of its amount; equal rows of two days, both of which are there, must.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { CsvMapping } from '../../src/domain/statements/formats/csv-mapping.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, dotted, entryTo, importBytes } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { newStatement } from '../support/reported-payments.ts'

let gateway: MoneyIn['gateway']
let sources: MoneyIn['sources']
let depositOf: MoneyIn['depositOf']
let standing: MoneyIn['standing']
let accountId: string
before(async () => {
  const money = await openMoneyIn()
  ;({ gateway, sources, depositOf, standing } = money)
  accountId = await money.keepOneAccount()
  await money.matchAmounts('always')
})

let amount = 6_000_000

type Row = { cents?: number; day: number; sent?: number; number?: string; purpose?: string }
const table = (...rows: Row[]) => tableBy('usual', ...rows)

/** A table whose document numbers are from this column. */
async function tableBy(column: string, ...rows: Row[]) {
  const statementId = await newStatement(gateway)
  await gateway.database.owner.query(
    sql`update statements set numbered_by = ${column} where id = ${statementId}`,
  )
  const entries = rows.map(
    ({ cents = 77, day, sent, number = '', purpose = 'Перевод от Анна И.' }, place) => {
      const payer = { payerAccount: '', payerName: '', documentNumber: number }
      const days = { bookedOn: bankDay(day), paidOn: sent === undefined ? null : bankDay(sent) }
      const row = { purpose, purposeParts: [purpose], bankId: null, channel: 'csv', statementId } as const
      const facts: Partial<IncomingEntry> = { ...payer, ...days, ...row, line: place + 1 }
      return entryTo(accountId, { cents: BigInt(cents), ...facts })
    },
  )
  return takeTransfers(depositContextOf(gateway), entries, { source: sources.file })
}

/** A deposit that was paid by the first row, and one that waits for the same amount. */
async function paidAndNext(first: Omit<Row, 'cents'>, ...others: Row[]) {
  const cents = ++amount
  const paid = await depositOf(cents)
  await table({ cents, ...first }, ...others)
  assert.deepEqual(await standing(paid), ['confirmed', BigInt(cents)])
  return { cents, next: await depositOf(cents) }
}

test('a row without a number that a later table of the same days has on another day pays nothing', async () => {
  for (const purpose of ['Перевод от Анна И.', 'SBP ANNA I']) {
    const beside = { cents: 5_000 + amount, day: 0 }
    const { cents, next } = await paidAndNext({ day: 0 }, beside)
    await table(beside, { cents, day: 1, purpose })
    assert.deepEqual(await standing(next), ['created', 0n])
  }
})

test('a moved row whose table says that it was sent on the day of the first row pays nothing', async () => {
  const { cents, next } = await paidAndNext({ day: 0, sent: 0 })
  await table({ cents, day: 2, sent: 0 })
  assert.deepEqual(await standing(next), ['created', 0n])
})

test('a payment without a reference that was sent before the day of the deposit does not pay for it', async () => {
  const cents = ++amount
  const deposit = await depositOf(cents)
  await table({ cents, day: 1, sent: -1 })
  assert.deepEqual(await standing(deposit), ['created', 0n])
})

test('a moved row pays nothing although fifty other rows of the first table have its number and the later table repeats them', async () => {
  const cents = ++amount
  const rows = Array.from(
    { length: 51 },
    (_, place): Row => ({ cents, day: 0, number: '15', purpose: `Перевод ${place}` }),
  )
  await table(...rows)
  // Fifty are compared, in the order of their ids.
  const { purpose: last } = await gateway.db.one<{ purpose: string }>(
    sql`select purpose from transfers where cents = ${cents} order by id desc limit 1`,
  )
  const next = await depositOf(cents)
  await table(...rows.map((row) => (row.purpose === last ? { ...row, day: 1 } : row)))
  assert.deepEqual(await standing(next), ['created', 0n])
})

test('a row that gets its number on the day to which it is moved pays nothing', async () => {
  const beside = { cents: 5_000 + amount, day: 0 }
  const { cents, next } = await paidAndNext({ day: 0 }, beside)
  await table(beside, { cents, day: 1, number: '77' })
  assert.deepEqual(await standing(next), ['created', 0n])
  const both = await paidAndNext({ day: 0 })
  await table({ cents: both.cents, day: 0 }, { cents: both.cents, day: 1, number: '78' })
  assert.deepEqual(await standing(both.next), ['confirmed', BigInt(both.cents)])
})

test('a moved row that no longer has its number pays nothing', async () => {
  const beside = { cents: 5_000 + amount, day: 0 }
  const { cents, next } = await paidAndNext({ day: 0, number: '81' }, beside)
  await table(beside, { cents, day: 1 })
  assert.deepEqual(await standing(next), ['created', 0n])
  const both = await paidAndNext({ day: 0, number: '82' })
  await table({ cents: both.cents, day: 0, number: '82' }, { cents: both.cents, day: 1 })
  assert.deepEqual(await standing(both.next), ['confirmed', BigInt(both.cents)])
  const apart = await paidAndNext({ day: 0, number: '83' })
  await table({ cents: apart.cents, day: 1 })
  assert.deepEqual(await standing(apart.next), ['confirmed', BigInt(apart.cents)])
})

test('a moved row in a table that is numbered by another column pays nothing', async () => {
  const beside = { cents: 5_000 + amount, day: 0 }
  const { cents, next } = await paidAndNext({ day: 0, number: '84' }, beside)
  await tableBy('other', beside, { cents, day: 1, number: '4711' })
  assert.deepEqual(await standing(next), ['created', 0n])
})

test('equal payments of two days pay for two deposits: in tables of one day each, and where a later one has both', async () => {
  const apart = await paidAndNext({ day: 0 })
  await table({ cents: apart.cents, day: 1 })
  assert.deepEqual(await standing(apart.next), ['confirmed', BigInt(apart.cents)])
  const both = await paidAndNext({ day: 0, sent: 0 })
  await table({ cents: both.cents, day: 0, sent: 0 }, { cents: both.cents, day: 1, sent: 1 })
  assert.deepEqual(await standing(both.next), ['confirmed', BigInt(both.cents)])
})

/** More rows than one group takes, or so long ones that they are cut into several. */
const fillings = [
  { name: 'many rows', rows: 1_100, purpose: 'Перевод' },
  { name: 'long rows', rows: 250, purpose: 'Оплата по договору '.repeat(500) },
]

let files = 0

/** A file of the bank with these rows in their order, where `filling` stands for as many others of that day. */
async function importFile(...rows: (Row | { filling: (typeof fillings)[number]; day: number })[]) {
  const { number } = await gateway.db.one<{ number: string }>(
    sql`select number from receiving_accounts where id = ${accountId}`,
  )
  const mapping: CsvMapping = {
    ...({
      encoding: 'utf-8',
      separator: ';',
      skipRows: 0,
      dateFormat: 'dd.mm.yyyy',
      account: number,
    } as const),
    ...{ header: ['Дата', 'Сумма', 'Назначение'], columns: { date: 0, amount: 1, purpose: [2] } },
  }
  const line = (day: number, cents: number, purpose: string) =>
    `${dotted(bankDay(day))};${(cents / 100).toFixed(2)};${purpose}`
  const lines = rows.flatMap((row) =>
    'filling' in row
      ? Array.from({ length: row.filling.rows }, (_, at) => line(row.day, at + 1, row.filling.purpose))
      : [line(row.day, row.cents!, row.purpose ?? 'Перевод от Анна И.')],
  )
  const bytes = Buffer.from([mapping.header.join(';'), ...lines, ''].join('\n'))
  const report = await importBytes(depositContextOf(gateway), bytes, {
    name: `table-${++files}.csv`,
    mapping,
    anyway: true,
  })
  assert.equal(report.badRows, 0)
}

for (const filling of fillings) {
  test(`a moved row pays nothing where its file is taken in groups, and another one has its old day: ${filling.name}`, async () => {
    const cents = ++amount
    const beside = { cents: 5_000 + cents, day: 0 }
    const paid = await depositOf(cents)
    await importFile(beside, { cents, day: 0 }, { filling, day: 1 })
    assert.deepEqual(await standing(paid), ['confirmed', BigInt(cents)])
    const next = await depositOf(cents)
    await importFile(beside, { filling, day: 1 }, { cents, day: 1 })
    assert.deepEqual(await standing(next), ['created', 0n])
  })

  test(`equal payments of two days pay for two deposits where another group of the file has the first: ${filling.name}`, async () => {
    const cents = ++amount
    const paid = await depositOf(cents)
    await importFile({ cents, day: 0 })
    assert.deepEqual(await standing(paid), ['confirmed', BigInt(cents)])
    const next = await depositOf(cents)
    const beside = { cents: 5_000 + cents, day: 0 }
    await importFile(beside, { cents, day: 1 }, { filling, day: 0 }, { cents, day: 0 })
    assert.deepEqual(await standing(next), ['confirmed', BigInt(cents)])
  })
}
