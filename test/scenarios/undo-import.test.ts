/** An import undone as one act: what it added is gone, what others report is not, and the books say why. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { readTimeline } from '../../src/domain/deposits/read-store.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { message } from '../../src/domain/messages/message.ts'
import { writeReport } from '../../src/domain/reports/write-report.ts'
import { type ImportStatement, ImportStopped } from '../../src/domain/statements/import-statement.ts'
import type { ImportProgress } from '../../src/domain/statements/progress.ts'
import { readUndo } from '../../src/domain/statements/undo/store.ts'
import { beginUndo, undoStatement } from '../../src/domain/statements/undo/undo-statement.ts'
import { writeCamt } from '../../src/domain/statements/writers/camt.ts'
import {
  declareAnother,
  markDuplicate,
  matchByHand,
  refund,
  setAside,
} from '../../src/domain/transfers/decide-transfer.ts'
import { readTransfer } from '../../src/domain/transfers/store.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { newId } from '../../src/platform/clock.ts'
import { type Db, sql } from '../../src/platform/db.ts'
import { accountOf, depositContextOf, importBytes, today, transferTo } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { demoAccount, oneCOf, type StatementRow, strangers } from '../support/one-c.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  context = depositContextOf(gateway)
})

const take = (bytes: Buffer, changes: Partial<ImportStatement> = {}) =>
  importBytes(context, bytes, { by: 'operator:Anna', ...changes })

const by = { actor: 'operator:Boris', personId: null, requestId: null }
async function undo(statementId: string, on: DepositContext = context) {
  await beginUndo(on.db, { statementId, reason: 'The wrong account', by })
  return undoStatement(on, { statementId, by })
}

let amount = 7_000_000
const created = async () => (await shop.create({ cents: ++amount })).body
const rowOf = (body: { amount_cents: number; payment_data: { payment_reason: string } }): StatementRow => ({
  cents: BigInt(body.amount_cents),
  purpose: body.payment_data.payment_reason,
})
const depositOf = async (id: string) => (await readTimeline(gateway.db, id))!.deposit

const transfersOf = (statementId: string) =>
  gateway.db.query<{ id: string; state: string; cents: bigint; line: number }>(
    sql`select id, state, cents, line from transfers where statement_id = ${statementId} order by line`,
  )
const statesOf = async (statementId: string) => (await transfersOf(statementId)).map(({ state }) => state)
const lastOf = async (id: string) => {
  const found = (await readTransfer(gateway.db, id))!
  return {
    ...found.transfer,
    rule: found.decisions.at(-1)!.rule,
    reason: `${found.decisions.at(-1)!.reason}`,
  }
}

async function assertHealthy() {
  const findings = await examine(gateway, { all: true })
  assert.deepEqual(
    findings.filter(({ verdict }) => verdict !== 'holds').map(({ name, offenders }) => [name, offenders]),
    [],
  )
  const period = { from: today(), to: today() }
  const ask = { period, merchantId: null, currency: null, mode: 'test' as const }
  const nothing = { begin: () => '', lines: () => '', end: () => '' }
  assert.equal((await writeReport(gateway.db, ask, nothing, async () => {})).holds, true)
}

test('an undone import reverses what it confirmed, and its file taken again is for people', async () => {
  const deposits = [await created(), await created()]
  const rows = [
    ...deposits.map(rowOf),
    { cents: 77_701n, purpose: 'Перевод', number: '9' },
    { cents: 5_000n, purpose: 'Комиссия', number: '10', out: true },
  ]
  const bytes = oneCOf(rows, 'first')
  const report = await take(bytes)
  assert.partialDeepStrictEqual(report.taken, { taken: 4, matched: 2, unmatched: 1, debit: 1 })
  const { id: loose } = (await transfersOf(report.statement))[2]!

  const counts = await undo(report.statement)
  assert.partialDeepStrictEqual(counts, {
    transfers: 4,
    matched: 2,
    unmatched: 1,
    debit: 1,
    reversed: 2,
    instead: 0,
    restored: 0,
  })
  assert.deepEqual(await statesOf(report.statement), ['revoked', 'revoked', 'revoked', 'revoked'])
  for (const { id } of deposits) {
    const { deposit, history } = (await readTimeline(gateway.db, id))!
    assert.equal(deposit.state, 'reversed')
    assert.deepEqual(
      [history.at(-1)!.actor, `${history.at(-1)!.reason}`],
      ['operator:Boris', 'The import of the statement with this money was undone.'],
    )
    const callbacks = await gateway.db.query<{ type: string }>(
      sql`select type from callbacks where deposit_id = ${id} order by sequence`,
    )
    assert.deepEqual(
      callbacks.map(({ type }) => type),
      ['deposit.confirmed', 'deposit.reversed'],
    )
  }
  assert.partialDeepStrictEqual(await lastOf(loose), {
    rule: 'import_undone',
    reason: 'The import of its file was undone: The wrong account',
  })
  assert.partialDeepStrictEqual(await readUndo(gateway.db, report.statement), {
    undoneBy: 'operator:Boris',
    undoReason: 'The wrong account',
    undoReport: counts,
  })
  const lines = await gateway.db.query<{ act: string; actor: string }>(
    sql`select act, actor from audit_entries where subject = ${`statement:${report.statement}`} order by place`,
  )
  assert.deepEqual(
    lines.map(({ act, actor }) => [act, actor]),
    [
      ['statement_undo', 'Boris'],
      ['statement_undone', 'Boris'],
    ],
  )
  await assert.rejects(undo(report.statement), { code: 'state_conflict' })
  await assertHealthy()

  // The same bytes are another import now: nothing of it is lost, and nothing counts before a person has looked.
  const trial = await take(bytes, { dryRun: true })
  assert.partialDeepStrictEqual(trial.taken, { taken: 4, seen: 0, ambiguous: 3, debit: 1, matched: 0 })
  assert.deepEqual(await statesOf(report.statement), ['revoked', 'revoked', 'revoked', 'revoked'])
  const again = await take(bytes)
  assert.notEqual(again.statement, report.statement)
  assert.partialDeepStrictEqual(again.taken, { taken: 4, seen: 0, ambiguous: 3, debit: 1, matched: 0 })
  assert.deepEqual(await statesOf(report.statement), ['ambiguous', 'ambiguous', 'ambiguous', 'debit'])
  assert.partialDeepStrictEqual(await lastOf(loose), { rule: 'restored', openCents: 77_701n })
  assert.partialDeepStrictEqual(await take(bytes), { isRepeated: true, statement: again.statement })
  await assertHealthy()

  // What stands on the second import goes with it.
  const twice = await undo(again.statement)
  assert.partialDeepStrictEqual(twice, { transfers: 4, ambiguous: 3, debit: 1, reversed: 0 })
  assert.deepEqual(await statesOf(report.statement), ['revoked', 'revoked', 'revoked', 'revoked'])
  await assertHealthy()
})

test('a deposit goes back to what others paid of it, and one that has enough without it stays paid', async () => {
  const [short, paid] = [await created(), await created()]
  const half = { ...rowOf(short), cents: BigInt(short.amount_cents) / 2n }
  const account = await accountOf(gateway, paid.id)
  await transferTo(gateway, account, { ...rowOf(paid), documentNumber: '901' })
  const more = { ...rowOf(paid), cents: 12_300n, number: '902' }
  const { statement } = await take(oneCOf([half, more], 'parts'))
  assert.deepEqual(
    [(await depositOf(short.id)).receivedCents, (await depositOf(paid.id)).receivedCents],
    [half.cents, BigInt(paid.amount_cents) + 12_300n],
  )
  assert.partialDeepStrictEqual(await undo(statement), { transfers: 2, reversed: 0 })
  assert.deepEqual(
    [(await depositOf(short.id)).receivedCents, (await depositOf(paid.id)).receivedCents],
    [0n, BigInt(paid.amount_cents)],
  )
  assert.equal((await depositOf(paid.id)).state, 'confirmed')
  await assertHealthy()
})

test('a refund that was paid keeps an import from being undone, and is listed', async () => {
  const rows = [
    { cents: 88_801n, purpose: 'Перевод', number: '21' },
    { cents: 88_802n, purpose: 'Перевод', number: '22' },
  ]
  const { statement } = await take(oneCOf(rows, 'refunds'))
  const [first, second] = await transfersOf(statement)
  await refund(context, { transferId: first!.id, cents: 801n, actor: 'operator:Anna', reason: 'Sent back' })
  await assert.rejects(undo(statement), {
    code: 'state_conflict',
    message: 'Refunds of its transfers have been paid. Settle them with the payers first:',
    details: {
      detail: message('refunds_of_import_were_paid'),
      errors: [{ pointer: `#/${first!.id}`, code: 'state_conflict', detail: '8.01\u00a0RUB' }],
    },
  })
  assert.deepEqual(await statesOf(statement), ['unmatched', 'unmatched'])
  assert.equal((await readUndo(gateway.db, statement))!.undoStartedAt, null)
  // What was not marked can be decided as ever.
  await refund(context, { transferId: second!.id, cents: null, actor: 'operator:Anna', reason: 'Sent back' })
})

test('once an undo has started, its transfers can be neither refunded nor matched, and the import stops', async () => {
  const cents = BigInt(++amount)
  const bytes = oneCOf([{ cents, purpose: 'Перевод', number: '31' }], 'locked')
  const first = await take(bytes)
  const deposit = (await shop.create({ cents: amount })).body
  const [transfer] = await transfersOf(first.statement)
  await beginUndo(gateway.db, { statementId: first.statement, reason: 'Twice', by })
  const act = { transferId: transfer!.id, actor: 'operator:Anna', reason: 'Mine' }
  const refused = {
    code: 'state_conflict',
    message: 'The import of its file is being undone or has been undone.',
  }
  await assert.rejects(refund(context, { ...act, cents: null }), refused)
  await assert.rejects(matchByHand(context, { ...act, depositId: deposit.id }), refused)
  await assert.rejects(take(bytes), {
    code: 'state_conflict',
    message: 'The import of this file is being undone.',
  })
  await undoStatement(context, { statementId: first.statement, by })
  await assert.rejects(matchByHand(context, { ...act, depositId: deposit.id }), refused)
  assert.equal((await take(bytes)).taken.ambiguous, 1)
  // Reported again, it is for a person to decide.
  await matchByHand(context, { ...act, depositId: deposit.id })
  assert.equal((await depositOf(deposit.id)).state, 'confirmed')
  await assertHealthy()
})

test('a payment that a push reported too is not lost: the pushed transfer replaces it, for a person', async () => {
  const deposit = await created()
  const row = { ...rowOf(deposit), number: '41' }
  const bytes = oneCOf([row], 'push')
  const { statement } = await take(bytes)
  const account = await accountOf(gateway, deposit.id)
  const facts = { ...row, documentNumber: '41', payerAccount: '4081…0001' }
  const other = await transferTo(gateway, account, facts)
  const third = await transferTo(gateway, account, { ...facts, documentNumber: '4100' })
  const [first] = await transfersOf(statement)
  assert.partialDeepStrictEqual(await lastOf(other), { state: 'duplicate', duplicateOf: first!.id })
  const act = { actor: 'operator:Anna', reason: 'The same' }
  await markDuplicate(context, { transferId: third, duplicateOf: first!.id, ...act })

  assert.partialDeepStrictEqual(await undo(statement), { transfers: 1, reversed: 1, instead: 1 })
  assert.partialDeepStrictEqual(await lastOf(other), {
    state: 'ambiguous',
    duplicateOf: null,
    openCents: row.cents,
    rule: 'original_undone',
  })
  assert.partialDeepStrictEqual(await lastOf(third), { state: 'duplicate', duplicateOf: other })
  await assertHealthy()
  // Imported again, the file reports what the push reported: one payment.
  assert.partialDeepStrictEqual((await take(bytes)).taken, { taken: 1, duplicate: 1 })
  assert.partialDeepStrictEqual(await lastOf(first!.id), { state: 'duplicate', duplicateOf: other })
  await assertHealthy()
})

test('undoing a row that only repeats a pushed payment leaves that payment', async () => {
  const deposit = await created()
  const row = { ...rowOf(deposit), number: '51' }
  const account = await accountOf(gateway, deposit.id)
  const pushed = await transferTo(gateway, account, {
    ...row,
    documentNumber: '51',
    payerAccount: '4081…0001',
  })
  const { statement, taken } = await take(oneCOf([row], 'duplicate'))
  assert.equal(taken.duplicate, 1)
  assert.partialDeepStrictEqual(await undo(statement), {
    transfers: 1,
    duplicate: 1,
    reversed: 0,
    instead: 0,
  })
  assert.equal((await lastOf(pushed)).state, 'matched')
  assert.equal((await depositOf(deposit.id)).state, 'confirmed')
  await assertHealthy()
})

test('a row that may repeat a payment is still suspected when its undone file is imported again', async () => {
  const deposit = await created()
  const row = { ...rowOf(deposit), number: '61' }
  const account = await accountOf(gateway, deposit.id)
  // Without a number: it may be another payment.
  const pushed = await transferTo(gateway, account, {
    ...{ ...row, documentNumber: '', payerAccount: '4081…0001' },
  })
  const act = { actor: 'operator:Anna', reason: 'Nobody knows it' }
  for (const isSetAside of [false, true]) {
    const bytes = oneCOf([row], `suspected ${isSetAside}`)
    const { statement, taken } = await take(bytes)
    assert.equal(taken.ambiguous, 1)
    const [{ id } = { id: '' }] = await gateway.db.query<{ id: string }>(sql`
      select id from transfers where cents = ${row.cents} and document_number = '61'`)
    if (isSetAside) await setAside(context, { transferId: id, ...act })
    await undo(statement)
    assert.equal((await take(bytes)).taken.ambiguous, 1)
    assert.partialDeepStrictEqual(await lastOf(id), { state: 'ambiguous', rule: 'restored' })
    await setAside(context, { transferId: id, ...act })
    assert.partialDeepStrictEqual(await lastOf(id), { state: 'set_aside', dueSince: null })
    await undo((await take(bytes)).statement)
  }
  assert.equal((await lastOf(pushed)).state, 'matched')
  await assertHealthy()
})

test('a row that another file has as well stays as it is, until that one is undone too', async () => {
  const deposit = await created()
  const row = { ...rowOf(deposit), number: '61' }
  const [day, month] = [await take(oneCOf([row], 'day')), await take(oneCOf([row], 'month'))]
  assert.equal(month.taken.seen, 1)
  const [transfer] = await transfersOf(day.statement)
  assert.partialDeepStrictEqual(await undo(day.statement), { transfers: 0, reversed: 0 })
  assert.equal((await lastOf(transfer!.id)).state, 'matched')
  assert.equal((await depositOf(deposit.id)).state, 'confirmed')
  await assertHealthy()
  assert.partialDeepStrictEqual(await undo(month.statement), { transfers: 1, reversed: 1 })
  assert.equal((await depositOf(deposit.id)).state, 'reversed')
  // What the undone month repeated can no longer become a payment of its own.
  const { line } = transfer!
  await assert.rejects(
    declareAnother(context, {
      ...{ transferId: transfer!.id, statementId: month.statement, line },
      ...{ actor: 'operator:Anna', reason: 'Another' },
    }),
    { code: 'state_conflict' },
  )
  await assertHealthy()
})

test('a stopped import keeps those payments of an undone file that it had already reported, and no others', async () => {
  for (const isTaken of [true, false]) {
    const deposit = await created()
    const row = { ...rowOf(deposit), number: '' }
    const day = await take(oneCOf([row], `day ${deposit.id}`))
    const [transfer] = await transfersOf(day.statement)
    // Another payment of the amount stands behind it: the rows that both files have are noted before.
    const another = { cents: row.cents, purpose: 'Перевод', number: '17' }
    const others = strangers(bounds.importGroup, 1_000_000 * (amount % 1_000))
    const rows = isTaken ? [row, ...others, another] : [...others, row, another]
    const longer = oneCOf(rows, `longer ${deposit.id}`)
    const stop = new AbortController()
    const progress = ({ phase }: ImportProgress) => {
      if (phase === 'matching') stop.abort()
    }
    await assert.rejects(take(longer, { signal: stop.signal, progress }), ImportStopped)
    const counts = isTaken ? { transfers: 0, reversed: 0 } : { transfers: 1, reversed: 1 }
    assert.partialDeepStrictEqual(await undo(day.statement), counts)
    assert.equal((await depositOf(deposit.id)).state, isTaken ? 'confirmed' : 'reversed')
    await assertHealthy()
    // The rest of the file has it: a person decides.
    await take(longer)
    assert.equal((await lastOf(transfer!.id)).state, isTaken ? 'matched' : 'ambiguous')
    await assertHealthy()
  }
})

/** A database that fails in the n-th transaction from now on, as one does whose process is killed. */
function failingAt(db: Db, place: number): Db {
  let transactions = 0
  return {
    ...db,
    get pool() {
      return db.pool
    },
    transaction: (work, timeouts) => {
      if (++transactions === place) throw new Error('killed')
      return db.transaction(work, timeouts)
    },
  }
}

test('an undo that stops between two groups continues there, and counts each row once', async () => {
  const deposits = [await created(), await created(), await created()]
  const others = strangers(130, 99_000)
  const { statement } = await take(oneCOf([...others, ...deposits.map(rowOf)], 'groups'))
  // The mark, the first group of fifty, and no more.
  const broken = { ...context, db: failingAt(context.db, 3) }
  await assert.rejects(undo(statement, broken), /killed/)
  const half = (await statesOf(statement)).filter((state) => state === 'revoked')
  assert.equal(half.length, 50)
  const { undoReport, undoneAt } = (await readUndo(gateway.db, statement))!
  assert.deepEqual([undoReport?.transfers, undoneAt], [50, null])
  // Asked for again, by whomever: who began it stays in the decisions.
  const later = { ...by, actor: 'operator:Clara' }
  await beginUndo(gateway.db, { statementId: statement, reason: 'Another reason', by: later })
  const steps: number[] = []
  const counts = await undoStatement(context, {
    statementId: statement,
    by: later,
    progress: (done) => steps.push(done.transfers),
  })
  assert.partialDeepStrictEqual(counts, { transfers: 133, unmatched: 130, matched: 3, reversed: 3 })
  assert.deepEqual(steps.slice(0, 3), [100, 133, 133])
  assert.partialDeepStrictEqual(await readUndo(gateway.db, statement), {
    undoneBy: 'operator:Boris',
    undoReason: 'The wrong account',
    undoReport: counts,
  })
  for (const { id } of deposits) assert.equal((await depositOf(id)).state, 'reversed')
  await assertHealthy()
})

/** The same in camt, where the bank names its entries; what goes out is a reversal. */
function camtOf(rows: readonly StatementRow[], note: string): Buffer {
  const entries = rows.map((row) => ({
    ...{ line: 1, direction: row.out ? ('debit' as const) : ('credit' as const), cents: row.cents },
    ...{ bookedOn: today(), bookedAt: null, paidOn: null, documentNumber: row.number ?? '1' },
    ...{ payer: { name: 'Иванов Иван', account: '40817810000000000001', taxId: '', bank: '' } },
    ...{ purpose: row.purpose, bankId: `B-${row.number}` },
  }))
  const [from, to] = [today(), today()]
  const file = writeCamt(
    [{ account: demoAccount, currency: 'RUB', from, to, entries }],
    `${from}T20:00:00`,
    note,
  )
  const reversed = '<CdtDbtInd>DBIT</CdtDbtInd><RvslInd>true</RvslInd>'
  return Buffer.from(Buffer.from(file).toString().replaceAll('<CdtDbtInd>DBIT</CdtDbtInd>', reversed))
}

test('a payment that the undone file had reversed waits for a person again', async () => {
  const deposit = await created()
  const row = { ...rowOf(deposit), number: '81' }
  const first = await take(camtOf([row], 'paid'))
  const [credit] = await transfersOf(first.statement)
  assert.equal((await depositOf(deposit.id)).state, 'confirmed')
  const reversal = camtOf([{ ...row, out: true }], 'reversal')
  const second = await take(reversal)
  assert.equal((await lastOf(credit!.id)).state, 'revoked')
  assert.equal(second.taken.undone, 1)
  assert.partialDeepStrictEqual(await undo(second.statement), { transfers: 1, debit: 1, restored: 1 })
  assert.partialDeepStrictEqual(await lastOf(credit!.id), {
    state: 'ambiguous',
    rule: 'restored',
    openCents: row.cents,
  })
  await assertHealthy()
  // Reported again, whose money it takes back is for a person to say.
  assert.partialDeepStrictEqual((await take(reversal)).taken, { taken: 1, reversal: 1, undone: 0 })
  assert.equal((await lastOf(credit!.id)).state, 'ambiguous')
  await assertHealthy()
})

test('entries with bank ids wait for people when repeated after an undo, and stay if two files have them', async () => {
  const [one, both] = [await created(), await created()]
  const rows = [
    { ...rowOf(one), number: '91' },
    { ...rowOf(both), number: '92' },
  ]
  const day = camtOf(rows, 'day')
  const first = await take(day)
  assert.equal(first.taken.matched, 2)
  const month = await take(camtOf([rows[1]!], 'month'))
  assert.equal(month.taken.seen, 1)
  assert.partialDeepStrictEqual(await undo(first.statement), { transfers: 1, reversed: 1 })
  assert.deepEqual(
    [(await depositOf(one.id)).state, (await depositOf(both.id)).state],
    ['reversed', 'confirmed'],
  )
  await assertHealthy()
  assert.partialDeepStrictEqual((await take(day)).taken, { taken: 1, seen: 1, ambiguous: 1 })
  await assertHealthy()
})

test('the undo of an unknown statement is refused', async () => {
  await assert.rejects(undo(newId()), { code: 'not_found' })
})
