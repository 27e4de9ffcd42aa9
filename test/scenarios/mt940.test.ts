/** MT940 from the file to confirmed deposits. The format itself is tested beside its reader. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { decimal } from '../../src/domain/money.ts'
import { sql } from '../../src/platform/db.ts'
import { forgetMoneyIn, importBytes, today } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})
// Each test may import another format.
beforeEach(() => forgetMoneyIn(gateway))

const account = '40702810300000000042'

type Row = { cents: bigint; purpose: string; mark?: 'C' | 'D' | 'RC'; reference: string }

const amount = (cents: bigint): string => decimal(cents).replace('.', ',')
const shortToday = (): string => today().slice(2).replaceAll('-', '')

const entriesOf = (rows: readonly Row[]): string[] =>
  rows.flatMap(({ cents, purpose, mark = 'C', reference }) => [
    `:61:${shortToday()}${shortToday().slice(2)}${mark}${amount(cents)}NTRFNONREF//${reference}`,
    `:86:/ORDP//NAME/Иванов Иван/ACCW/40817810000000000001/REMI/${purpose}`,
  ])

const sumOf = (rows: readonly Row[], isCredit: boolean): bigint =>
  rows.filter(({ mark = 'C' }) => (mark === 'C') === isCredit).reduce((sum, { cents }) => sum + cents, 0n)

/** The statement of a day: it opens with 500 000,00. */
function mt940Of(rows: readonly Row[]): Buffer {
  const closing = 50_000_000n + sumOf(rows, true) - sumOf(rows, false)
  return fileOf([
    '{1:F01TESTRUMMAXXX0000000000}{2:I940TESTRUMMXXXXN}{4:',
    ':20:STATEMENT',
    `:25:${account}`,
    ':28C:318/1',
    `:60F:C${shortToday()}RUB500000,00`,
    ...entriesOf(rows),
    `:62F:C${shortToday()}RUB${amount(closing)}`,
    '-}',
  ])
}

const fileOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\r\n`).join(''))

const take = (bytes: Buffer, anyway = false) => importBytes(context, bytes, { name: 'statement.sta', anyway })

let cents = 7_000_000
let number = 0
const created = async () => (await shop.create({ cents: ++cents })).body
const rowOf = (body: { amount_cents: number; payment_data: { payment_reason: string } }): Row => ({
  cents: BigInt(body.amount_cents),
  purpose: body.payment_data.payment_reason,
  reference: `B${shortToday()}${String(++number).padStart(6, '0')}`,
})
const depositOf = async (id: string) =>
  (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit

test('an MT940 file confirms the deposits that its entries name', async () => {
  const deposits = [await created(), await created()]
  const report = await take(mt940Of(deposits.map(rowOf)))
  assert.partialDeepStrictEqual(report, {
    format: 'mt940',
    isTaken: true,
    rows: 2,
    entries: 2,
    warnings: [],
    taken: { taken: 2, matched: 2 },
  })
  for (const { id } of deposits) assert.equal((await depositOf(id)).state, 'confirmed')
  const [stored] = await gateway.database.owner.query<{ channel: string; bank_id: string }>(sql`
    select t.channel, t.bank_id
    from allocations a
    join transfers t on t.id = a.transfer_id
    where a.deposit_id = ${deposits[0]!.id}`)
  assert.deepEqual(stored, { channel: 'mt940', bank_id: `B${shortToday()}000001` })
})

test('RC takes money back: a person decides of which payment, whatever entry it names', async () => {
  const [named, unnamed] = [await created(), await created()]
  const rows = [rowOf(named), rowOf(unnamed)]
  assert.equal((await take(mt940Of(rows))).isTaken, true)
  const back = rows.map((row): Row => ({ ...row, mark: 'RC' }))
  const report = await take(mt940Of([back[0]!, { ...back[1]!, reference: 'NONREF' }]))
  assert.deepEqual([report.isTaken, report.warnings, report.taken.reversal], [true, [], 2])
  for (const { id } of [named, unnamed]) assert.equal((await depositOf(id)).state, 'confirmed')
})
