/** One row that cannot be written, added up or named must not keep the others from their turn. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { mostCents } from '../../src/domain/money.ts'
import { sumRefunds } from '../../src/domain/refunds/store.ts'
import type { ReportAsk } from '../../src/domain/reports/read-report.ts'
import { jsonFormat } from '../../src/domain/reports/report-formats.ts'
import { writeReport } from '../../src/domain/reports/write-report.ts'
import type { ImportStatement } from '../../src/domain/statements/import-statement.ts'
import { releaseMoneyOfExpired } from '../../src/domain/transfers/end-deposit.ts'
import { findOverWithMoney } from '../../src/domain/transfers/store.ts'
import { sql } from '../../src/platform/db.ts'
import {
  accountOf,
  depositContextOf,
  dotted,
  forgetMoneyIn,
  importBytes,
  today,
  transferTo,
} from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { partsOf, textCell, zipOf } from '../support/writers/xlsx.ts'
import { mappingFor } from '../vectors/statements/workbook-cases.ts'

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
})
// Each test may import another format.
beforeEach(() => forgetMoneyIn(gateway))

let amount = 3_000_000
const created = async () => {
  const { status, body } = await shop.create({ payment_type: 'account_number', cents: ++amount })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
const stateOf = async (id: string) =>
  (await gateway.db.one<{ state: string }>(sql`select state from deposits where id = ${id}`)).state

/** Nothing can be written to this table about whatever the condition names. */
async function refuse(table: string, condition: string): Promise<() => Promise<void>> {
  await gateway.database.owner.script(`
    create function refuse_one() returns trigger language plpgsql as $$ begin
      if ${condition} then raise exception 'this one cannot be written'; end if;
      return new;
    end $$;
    create trigger refuse_one before insert or update on ${table} for each row execute function refuse_one()`)
  return () => gateway.database.owner.script(`drop trigger refuse_one on ${table}; drop function refuse_one`)
}

const account = '40702810300000000042'
const mapping = mappingFor(account)

const workbookOf = (rows: readonly string[][]): Uint8Array =>
  zipOf(partsOf([mapping.header, ...rows].map((row) => row.map(textCell))))

const take = (bytes: Uint8Array, more: Partial<ImportStatement> = {}) =>
  importBytes(depositContextOf(gateway), bytes, { name: 'statement.xlsx', anyway: true, mapping, ...more })

const rowOf = (cents: number, purpose: string, day = dotted(today())) => [
  ...[day, `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`, purpose, String(cents)],
]

test('an import that a row stops is finished by the same bytes again, and nothing is taken twice', async () => {
  const [first, broken, last] = [await created(), await created(), await created()]
  const bytes = workbookOf(
    [first, broken, last].map((body) => rowOf(body.amount_cents, body.payment_data.payment_reason)),
  )
  const allow = await refuse('deposit_history', `new.deposit_id = '${broken.id}'`)
  await assert.rejects(take(bytes), /this one cannot be written/)
  const states = async () => Promise.all([first, broken, last].map(({ id }) => stateOf(id)))
  assert.deepEqual(await states(), ['created', 'created', 'created'])
  await allow()
  assert.partialDeepStrictEqual((await take(bytes)).taken, { taken: 3, seen: 0, matched: 3 })
  assert.deepEqual(await states(), ['confirmed', 'confirmed', 'confirmed'])
})

test('an import whose staged rows cannot be cleared says what it took, and a refused one why', async () => {
  const deposit = await created()
  const { owner } = gateway.database
  await owner.script(`
    create function refuse_clearing() returns trigger language plpgsql as $$ begin
      raise exception 'nothing is cleared here';
    end $$;
    create trigger refuse_clearing before delete on staged_entries for each row execute function refuse_clearing()`)
  const bytes = workbookOf([rowOf(deposit.amount_cents, deposit.payment_data.payment_reason)])
  assert.partialDeepStrictEqual(await take(bytes), { taken: { taken: 1, matched: 1 } })
  const other = workbookOf([rowOf(100, 'A'), rowOf(200, 'B')])
  await assert.rejects(take(other, { seen: [] }), { code: 'state_conflict' })
  await owner.script('drop trigger refuse_clearing on staged_entries; drop function refuse_clearing')
})

test('a deposit whose money cannot be released does not keep the money of others', async () => {
  const ids: string[] = []
  for (const { id, amount_cents, payment_data } of [await created(), await created()]) {
    const facts = { cents: BigInt(amount_cents - 1), purpose: payment_data.payment_reason }
    await transferTo(gateway, await accountOf(gateway, id), facts)
    ids.push(id)
  }
  await gateway.database.shiftClock('30 days')
  await gateway.db.transaction((tx) =>
    tx.query(sql`update deposits set state = 'expired' where id = any(${ids}::uuid[])`),
  )
  const found = () => findOverWithMoney(gateway.db, 1_000)
  const [broken] = await found()
  assert.ok(ids.includes(broken!))
  const { transfer_id: paid } = await gateway.database.owner.one<{ transfer_id: string }>(
    sql`select transfer_id from allocations where deposit_id = ${broken}`,
  )
  const allow = await refuse('transfers', `old.id = '${paid}'`)
  const context = depositContextOf(gateway)
  await assert.rejects(releaseMoneyOfExpired(context), /this one cannot be written/)
  assert.deepEqual(await found(), [broken])
  await allow()
  await releaseMoneyOfExpired(context)
  assert.deepEqual(await found(), [])
  await gateway.database.shiftClock('0')
})

test('sums of money that pass the largest amount of one row are still shown', async () => {
  const deposit = await created()
  const id = await transferTo(gateway, await accountOf(gateway, deposit.id), { cents: mostCents })
  // As many payments as the test bank makes of ten deposits in a few minutes.
  await gateway.database.owner.query(sql`
    insert into transfers
    select c.*
    from transfers t
    cross join generate_series(1, 9300) as n
    cross join lateral jsonb_populate_record(
      t, jsonb_build_object('id', gen_random_uuid(), 'bank_id', 'copy ' || n, 'due_since', t.taken_at)) c
    where t.id = ${id}`)
  const [owed] = await sumRefunds(gateway.db, null)
  assert.ok(owed!.cents >= mostCents * 9300n, `${owed!.cents}`)
  const day = today()
  const ask = { period: { from: day, to: day }, merchantId: null, currency: null, mode: 'test' }
  const { holds, proofs } = await writeReport(gateway.db, ask as ReportAsk, jsonFormat(), async () => {})
  assert.equal(
    holds,
    true,
    JSON.stringify(proofs, (_name, value) => `${value}`),
  )
})
