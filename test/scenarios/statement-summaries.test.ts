/** What an import says of a file adds up: every row is in it once, whatever becomes of it. */

import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import fc from 'fast-check'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import type { Currency } from '../../src/domain/money.ts'
import { addAccount, changeAccountNumber } from '../../src/domain/requisites/add-requisite.ts'
import type { ImportReport } from '../../src/domain/statements/import-report.ts'
import type { ImportStatement } from '../../src/domain/statements/import-statement.ts'
import { many } from '../support/attempts.ts'
import { dotted, forgetMoneyIn, importBytes, today } from '../support/bank.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { expectationOf } from '../vectors/statements/expectation.ts'
import { cases } from '../vectors/statements/make.ts'

const own = '40702810300000000042'
const other = '40702810600000000043'

let gateway: TestGateway
let context: DepositContext
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  for (const [currency, number] of [
    ['RUB', own],
    ['RUB', other],
    ['KZT', 'KZ90999TEST000000001'],
    ['UZS', '20208000100000000001'],
  ] as [Currency, string][]) {
    const owner = { ownerLegalName: 'ООО "Пример"', ownerPublicName: 'Пример', ownerTaxId: '7700000009' }
    const facts = { mode: 'live' as const, currency, merchantId: null, label: number, ...owner }
    const { id } = await addAccount(gateway.db, { ...facts, ownerAgreement: 'test', addedBy: 'test' })
    await changeAccountNumber(gateway.db, id, number)
  }
})
// Each test may import another format.
beforeEach(() => forgetMoneyIn(gateway))

const take = (bytes: Uint8Array, changes: Partial<ImportStatement> = {}) =>
  importBytes(context, bytes, { mode: 'live', anyway: true, ...changes })

function assertAddsUp({ rows, entries, skipped, badRows, taken }: ImportReport, expectedRows: number): void {
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, count) => all + count, 0)
  const { taken: fresh, seen, undone, ...states } = taken
  assert.equal(rows, expectedRows)
  assert.equal(rows, entries + badRows + sum(skipped))
  assert.equal(entries, fresh + seen)
  assert.equal(fresh, sum(states))
  assert.ok(undone >= 0)
}

for (const made of cases)
  test(`${made.file}: the stated totals add up to its rows`, async () => {
    const { parts, refused, format } = await expectationOf(made)
    const mapping = { mapping: made.mapping }
    if (refused || format === null) {
      await assert.rejects(take(made.bytes, { ...mapping }), /./)
      return
    }
    const rows = parts.filter((part) => !('summary' in (part as object)) && !('warning' in (part as object)))
    for (const how of [{ dryRun: true }, {}, {}])
      assertAddsUp(await take(made.bytes, { ...mapping, ...how }), rows.length)
  })

type Kind = 'credit' | 'debit' | 'own' | 'stranger' | 'bad'

function document(kind: Kind, cents: number, number: number): string[] {
  const stranger = '40817810000000000001'
  const day = dotted(today())
  const [from, to] = {
    credit: [stranger, own],
    debit: [own, stranger],
    own: [other, own],
    stranger: [stranger, '40702810900000002851'],
    bad: [stranger, own],
  }[kind] as [string, string]
  return [
    ...['СекцияДокумент=Платежное поручение', `Номер=${number}`, `Дата=${kind === 'bad' ? 'x' : day}`],
    ...[`Сумма=${cents}`, `ПлательщикСчет=${from}`, `ПолучательСчет=${to}`, 'КонецДокумента'],
  ]
}

test('any file of documents of every kind, taken twice in parts, adds up each time', async () => {
  const row = fc.record({
    kind: fc.constantFrom<Kind>('credit', 'debit', 'own', 'stranger', 'bad'),
    // Few, so that equal rows and rows seen before are common.
    cents: fc.constantFrom(100, 200),
    number: fc.integer({ min: 1, max: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 8 }),
      fc.array(row, { maxLength: 4 }),
      async (first, more) => {
        for (const all of [first, [...first, ...more]]) {
          const lines = [
            ...['1CClientBankExchange', 'ВерсияФормата=1.03', `РасчСчет=${own}`, 'СекцияРасчСчет'],
            ...[`РасчСчет=${own}`, 'КонецРасчСчет'],
            ...all.flatMap(({ kind, cents, number }) => document(kind, cents, number)),
            ...['КонецФайла', ''],
          ]
          const report = await take(Buffer.from(lines.join('\r\n')))
          assertAddsUp(report, all.length)
          const count = (kind: Kind) => all.filter((entry) => entry.kind === kind).length
          assert.deepEqual([report.badRows, report.skipped.other_account], [count('bad'), count('stranger')])
        }
      },
    ),
    { numRuns: many(40, 15) },
  )
})
