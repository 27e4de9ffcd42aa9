/** An import undone as one act: what it added is gone, what others report is not, and the books say why. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { readTimeline } from '../../src/domain/deposits/read-store.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { message } from '../../src/domain/messages/message.ts'
import { writeReport } from '../../src/domain/reports/write-report.ts'
import { ImportStopped } from '../../src/domain/statements/import-report.ts'
import type { ImportProgress } from '../../src/domain/statements/progress.ts'
import { readStatement } from '../../src/domain/statements/store.ts'
import { beginUndo, undoStatement } from '../../src/domain/statements/undo/undo-statement.ts'
import { refund, setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { giveTransfer } from '../../src/domain/transfers/give-transfer.ts'
import { samePayment } from '../../src/domain/transfers/same-payment.ts'
import { readTransfer } from '../../src/domain/transfers/store.ts'
import type { Transfer } from '../../src/domain/transfers/transfer.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { importBytes, today } from '../support/bank.ts'
import { type MoneyIn, naming, openMoneyIn, type PaidRow, type TestAccount } from '../support/money-in.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn()
})

const by = 'operator:Boris'
async function undo(statementId: string, on: DepositContext = money.context) {
  await on.db.transaction((tx) => beginUndo(tx, { statementId, reason: 'The wrong account', by }))
  return undoStatement(on, { statementId })
}

const act = { actor: 'operator:Anna', reason: 'Looked at it' }
const ofCents = async (account: TestAccount, cents: number): Promise<Transfer> =>
  (await account.transfers()).findLast((transfer) => transfer.cents === BigInt(cents))!
const lastOf = async (id: string) => {
  const { transfer, decisions } = (await readTransfer(money.gateway.db, id))!
  const { rule, reason } = decisions.at(-1)!
  return { ...transfer, rule, reason: `${reason}` }
}

async function assertHealthy() {
  const findings = await examine(money.gateway, { all: true })
  // The banks of these tests may push to every account.
  const broken = findings.filter(({ name, verdict }) => verdict !== 'holds' && name !== 'sources-are-bound')
  assert.deepEqual(
    broken.map(({ name, offenders }) => [name, offenders]),
    [],
  )
  const period = { from: today(), to: today() }
  const ask = { period, merchantId: null, currency: null, mode: 'test' as const }
  const nothing = { begin: () => '', lines: () => '', end: () => '' }
  assert.equal((await writeReport(money.gateway.db, ask, nothing, async () => {})).holds, true)
}

test('an undone import reverses what it confirmed, and its file taken again is new and confirms nothing that has ended', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(200_000)]
  const bytes = account.bytes([
    ...deposits.map((deposit) => ({ cents: deposit.amountCents, purpose: naming(deposit) })),
    { cents: 77_701 },
    { cents: 5_000, isOut: true },
  ])
  const take = (dryRun = false) => importBytes(money.context, bytes, { anyway: true, dryRun })
  const { statement, taken } = await take()
  assert.partialDeepStrictEqual(taken, { taken: 4, matched: 2, unmatched: 1, debit: 1 })

  const { db } = money.gateway
  const counts = await undo(statement)
  assert.partialDeepStrictEqual(counts, {
    ...{ rows: 4, transfers: 4, reversed: 2, early: 0 },
  })
  assert.deepEqual(await account.states(), Array(4).fill('revoked'))
  for (const { id } of deposits) {
    const { deposit, history } = (await readTimeline(db, id))!
    assert.equal(deposit.state, 'reversed')
    assert.deepEqual(
      [history.at(-1)!.actor, `${history.at(-1)!.reason}`],
      ['operator:Boris', 'The import of the statement with this money was undone.'],
    )
    const callbacks = await db.query<{ type: string }>(
      sql`select type from events where deposit_id = ${id} order by sequence`,
    )
    assert.deepEqual(
      callbacks.map(({ type }) => type),
      ['deposit.confirmed', 'deposit.reversed'],
    )
  }
  assert.partialDeepStrictEqual(await lastOf((await ofCents(account, 77_701)).id), {
    rule: 'import_undone',
    reason: 'The import of its file was undone: The wrong account',
  })
  assert.partialDeepStrictEqual(await readStatement(db, statement), {
    ...{ undoneBy: 'operator:Boris', undoReason: 'The wrong account', undoReport: counts },
  })
  await assert.rejects(undo(statement), { code: 'state_conflict' })
  await assertHealthy()

  // The same bytes are another import now: nothing of it is lost.
  const expected = { taken: 4, seen: 0, matched: 0, unmatched: 3, debit: 1 }
  assert.partialDeepStrictEqual((await take(true)).taken, expected)
  assert.equal((await account.transfers()).length, 4)
  const again = await take()
  assert.notEqual(again.statement, statement)
  assert.partialDeepStrictEqual(again.taken, expected)
  assert.partialDeepStrictEqual(await take(), { isRepeated: true, statement: again.statement })
  await assertHealthy()

  // What stands on the second import goes with it.
  assert.partialDeepStrictEqual(await undo(again.statement), { transfers: 4, reversed: 0 })
  assert.deepEqual(await account.states(), Array(8).fill('revoked'))
  await assertHealthy()
})

test('a deposit goes back to what others paid of it, and one that has enough without it stays paid', async () => {
  const account = await money.account()
  const [short, paid] = [await account.deposit(100_000), await account.deposit(200_000)]
  const pushed = { cents: 200_000, purpose: naming(paid) }
  await account.tell(pushed)
  const half = { cents: 50_000, purpose: naming(short) }
  const more = { cents: 12_300, purpose: naming(paid) }
  const { statement, taken } = await account.file([half, pushed, more])
  assert.partialDeepStrictEqual(taken, { paired: 1, matched: 2 })
  assert.deepEqual(await account.standing(short), ['created', 50_000n])
  assert.deepEqual(await account.standing(paid), ['confirmed', 212_300n])
  assert.partialDeepStrictEqual(await undo(statement), { rows: 3, transfers: 2, reversed: 0, early: 1 })
  assert.deepEqual(await account.standing(short), ['created', 0n])
  assert.deepEqual(await account.standing(paid), ['confirmed', 200_000n])
  await assertHealthy()
})

test('a refund that was paid keeps an import from being undone, and is listed', async () => {
  const account = await money.account()
  const { statement } = await account.file([{ cents: 88_801 }, { cents: 66_602 }])
  const [second, first] = await account.transfers()
  await refund(money.context, { transferId: first!.id, cents: 801n, ...act })
  await assert.rejects(undo(statement), {
    code: 'state_conflict',
    message: 'Refunds of its transfers have been paid. Settle them with the payers first:',
    details: {
      detail: message('refunds_of_import_were_paid'),
      errors: [{ pointer: `#/${first!.id}`, code: 'state_conflict', detail: '8.01\u00a0RUB' }],
    },
  })
  assert.deepEqual(await account.states(), ['unmatched', 'unmatched'])
  assert.equal((await readStatement(money.gateway.db, statement))!.undoStartedAt, null)
  // What was not marked can be decided as ever.
  await refund(money.context, { transferId: second!.id, cents: null, ...act })
})

test('a paid refund of a payment that a push told too keeps no import from being undone', async () => {
  const account = await money.account()
  await account.tell({ cents: 88_801 })
  const { statement } = await account.file([{ cents: 88_801 }])
  const [transfer] = await account.transfers()
  await refund(money.context, { transferId: transfer!.id, cents: null, ...act })
  assert.partialDeepStrictEqual(await undo(statement), { transfers: 0, early: 1 })
  assert.deepEqual(await account.states(), ['refunded'])
  await assertHealthy()
})

test('once an undo has started, its transfers can be neither refunded nor matched, and the import stops', async () => {
  const account = await money.account()
  const bytes = account.bytes([{ cents: 100_000 }])
  const take = () => importBytes(money.context, bytes, { anyway: true })
  const { statement } = await take()
  const deposit = await account.deposit(100_000)
  const [transfer] = await account.transfers()
  await money.gateway.db.transaction((tx) => beginUndo(tx, { statementId: statement, reason: 'Twice', by }))
  const given = { transferId: transfer!.id, depositId: deposit.id, ...act }
  const refused = {
    code: 'state_conflict',
    message: 'The import of its file is being undone or has been undone.',
  }
  await assert.rejects(refund(money.context, { transferId: transfer!.id, cents: null, ...act }), refused)
  await assert.rejects(giveTransfer(money.context, given), refused)
  await assert.rejects(take(), {
    code: 'state_conflict',
    message: 'The import of this file is being undone.',
  })
  await undoStatement(money.context, { statementId: statement })
  await assert.rejects(giveTransfer(money.context, given), { code: 'state_conflict' })
  // Told again, it is a payment like any other.
  await take()
  const { id } = await ofCents(account, 100_000)
  assert.notEqual(id, transfer!.id)
  await giveTransfer(money.context, { ...given, transferId: id })
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
  await assertHealthy()
})

for (const [what, isRowKept] of [
  ['a row of the file is the same as a pushed payment', false],
  ['a pushed payment is the same as a row of the file', true],
] as const)
  test(`after a person said that ${what}, the undo leaves one payment, told early`, async () => {
    const account = await money.account()
    const deposit = await account.deposit(100_000)
    const bytes = account.bytes([{ cents: 98_500 }])
    await account.tell({ cents: 100_000, ...(!isRowKept && { purpose: naming(deposit) }) })
    const { statement } = await importBytes(money.context, bytes, { anyway: true })
    const [held, pushed] = [await ofCents(account, 98_500), await ofCents(account, 100_000)]
    assert.equal(held.state, 'held')
    const [kept, gone] = isRowKept ? [held, pushed] : [pushed, held]
    await samePayment(money.context, { transferId: gone.id, sameAs: kept.id, ...act })
    if (isRowKept) await giveTransfer(money.context, { transferId: held.id, depositId: deposit.id, ...act })
    const before = await account.standing(deposit)
    assert.partialDeepStrictEqual(await undo(statement), { rows: 1, transfers: 0, reversed: 0, early: 1 })
    assert.deepEqual(await account.standing(deposit), before)
    const left = await lastOf(kept.id)
    assert.deepEqual([left.state, left.toldEarlyAt !== null, left.toldBookedAt], ['matched', true, null])
    await assertHealthy()
    // Imported again, it is still one payment, or a person is asked.
    const { taken } = await importBytes(money.context, bytes, { anyway: true })
    assert.partialDeepStrictEqual(taken, { matched: 0, unmatched: 0 })
    assert.deepEqual(await account.standing(deposit), before)
    await assertHealthy()
  })

test('a row that may be a pushed payment is held again when its undone file is imported again', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  await account.tell({ cents: 100_000, purpose: naming(deposit) })
  const bytes = account.bytes([{ cents: 98_500 }])
  for (const isSetAside of [false, true]) {
    const { statement, taken } = await importBytes(money.context, bytes, { anyway: true })
    assert.partialDeepStrictEqual(taken, { taken: 1, held: 1 })
    const { id } = await ofCents(account, 98_500)
    if (isSetAside) await setAside(money.context, { transferId: id, ...act })
    assert.partialDeepStrictEqual(await undo(statement), { transfers: 1 })
  }
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
  await assertHealthy()
})

test('what was held only for a row of the undone file is matched', async () => {
  const account = await money.account()
  const deposit = await account.deposit(90_000)
  await account.tell({ cents: 1 })
  const { statement } = await account.file([{ cents: 100_000 }])
  // A push for the day that the file has closed.
  await account.tell({ cents: 95_000, purpose: naming(deposit) })
  assert.equal((await ofCents(account, 95_000)).state, 'held')
  await undo(statement)
  assert.equal((await ofCents(account, 95_000)).state, 'matched')
  assert.deepEqual(await account.standing(deposit), ['confirmed', 95_000n])
  await assertHealthy()
})

for (const format of ['1c', 'camt'] as const)
  test(`a row that another ${format} file has as well stays as it is, until that one is undone too`, async () => {
    const account = await money.account()
    const [one, both] = [await account.deposit(100_000), await account.deposit(200_000)]
    const [first, second] = [one, both].map(
      (deposit): PaidRow => ({ cents: deposit.amountCents, purpose: naming(deposit), id: newId() }),
    ) as [PaidRow, PaidRow]
    const day = await account.file([first, second], { format })
    const month = await account.file([second], { format, note: 'month' })
    assert.partialDeepStrictEqual(month.taken, { seen: 1, taken: 0 })
    assert.partialDeepStrictEqual(await undo(day.statement), { rows: 2, transfers: 1, reversed: 1 })
    const states = async () => [(await account.stored(one)).state, (await account.stored(both)).state]
    assert.deepEqual(await states(), ['reversed', 'confirmed'])
    await assertHealthy()
    // The day again knows the one that the month tells.
    const again = await account.file([first, second], { format, note: 'again' })
    assert.partialDeepStrictEqual(again.taken, { taken: 1, seen: 1, unmatched: 1 })
    await undo(again.statement)
    assert.deepEqual(await states(), ['reversed', 'confirmed'])
    assert.partialDeepStrictEqual(await undo(month.statement), { transfers: 1, reversed: 1 })
    assert.deepEqual(await states(), ['reversed', 'reversed'])
    await assertHealthy()
  })

/** Rows that are for nobody, each of its own. */
const strangers = (count: number): PaidRow[] =>
  Array.from({ length: count }, (_, place) => ({ cents: 10_000_000n + BigInt(place) * 3_000_000n }))

test('a stopped import keeps those payments of an undone file that it had already reported, and no others', async () => {
  const usual = bounds.importGroup
  Object.assign(bounds, { importGroup: 3 })
  try {
    for (const isReported of [true, false]) {
      const account = await money.account()
      const deposit = await account.deposit(100_000)
      const row = { cents: 100_000, purpose: naming(deposit) }
      const day = await account.file([row])
      const rows = isReported ? [row, ...strangers(5)] : [...strangers(5), row]
      const longer = account.bytes(rows, { note: 'longer' })
      const stop = new AbortController()
      const progress = ({ phase }: ImportProgress) => {
        if (phase === 'matching') stop.abort()
      }
      const stopped = importBytes(money.context, longer, { anyway: true, signal: stop.signal, progress })
      await assert.rejects(stopped, ImportStopped)
      assert.partialDeepStrictEqual(await undo(day.statement), { transfers: isReported ? 0 : 1 })
      assert.equal((await account.stored(deposit)).state, isReported ? 'confirmed' : 'reversed')
      await assertHealthy()
      // The rest of the file tells it once more.
      await importBytes(money.context, longer, { anyway: true })
      assert.equal((await ofCents(account, 100_000)).state, isReported ? 'matched' : 'unmatched')
      assert.equal((await account.transfers()).length, isReported ? 6 : 7)
      await assertHealthy()
    }
  } finally {
    Object.assign(bounds, { importGroup: usual })
  }
})

test('an undo that stops between two groups goes on there, in the name of who began it, and counts each row once', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(200_000)]
  const named = deposits.map((deposit) => ({ cents: deposit.amountCents, purpose: naming(deposit) }))
  const { statement } = await account.file([...strangers(11), ...named])
  const usual = bounds.undoGroup
  Object.assign(bounds, { undoGroup: 5 })
  try {
    const { db } = money.gateway
    const begin = (reason: string, by: string) =>
      db.transaction((tx) => beginUndo(tx, { statementId: statement, reason, by }))
    await begin('The wrong account', by)
    const dies = () => {
      throw new Error('The process has ended.')
    }
    const half = undoStatement({ ...money.context, changed: dies }, { statementId: statement })
    await assert.rejects(half, /The process has ended/)
    assert.equal((await account.states()).filter((state) => state === 'revoked').length, 5)
    const { undoReport, undoneAt } = (await readStatement(db, statement))!
    assert.deepEqual([undoReport?.transfers, undoneAt], [5, null])
    // Asked for again, by whomever: who began it stays in the decisions.
    await begin('Another reason', 'operator:Clara')
    const counts = await undoStatement(money.context, { statementId: statement })
    assert.partialDeepStrictEqual(counts, { rows: 13, transfers: 13, early: 0, reversed: 2 })
    assert.partialDeepStrictEqual(await readStatement(db, statement), {
      ...{ undoneBy: 'operator:Boris', undoReason: 'The wrong account', undoReport: counts },
    })
    for (const deposit of deposits) assert.equal((await account.stored(deposit)).state, 'reversed')
    await assertHealthy()
  } finally {
    Object.assign(bounds, { undoGroup: usual })
  }
})

test('the undo of an unknown statement is refused', async () => {
  await assert.rejects(undo(newId()), { code: 'not_found' })
})
