/**
 * Imports and undos that are killed at any step and repeated end with the books of those that were not, and whatever a bank pushes
 * meanwhile counts once.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { beginUndo, undoStatement } from '../../src/domain/statements/undo/undo-statement.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { type Db, sql } from '../../src/platform/db.ts'
import { importBytes } from '../support/bank.ts'
import {
  type MoneyIn,
  naming,
  openMoneyIn,
  type PaidRow,
  type TestAccount,
  undoneBy,
} from '../support/money-in.ts'
import { dyingAt, withSteps } from '../support/stopping.ts'

let money: MoneyIn
const usual = { importGroup: bounds.importGroup, undoGroup: bounds.undoGroup }
let folder: string
before(async () => {
  money = await openMoneyIn()
  folder = await mkdtemp(join(tmpdir(), 'inlet-imports-'))
  Object.assign(bounds, { importGroup: 3, undoGroup: 3 })
})
after(async () => {
  Object.assign(bounds, usual)
  await rm(folder, { recursive: true, force: true })
})

type World = { account: TestAccount; bytes: Uint8Array; deposits: Deposit[]; rows: PaidRow[] }

/** An account that has been told something already, and a file in which a row of every kind comes. */
async function newWorld(): Promise<World> {
  const account = await money.account()
  const deposits: Deposit[] = []
  for (const cents of [100_000, 200_000, 300_000, 400_000, 500_000, 600_000])
    deposits.push(await account.deposit(cents))
  const rowOf = (place: number, changes: Partial<PaidRow> = {}): PaidRow => ({
    ...{ cents: deposits[place]!.amountCents, purpose: naming(deposits[place]!), ...changes },
  })
  await account.tell(rowOf(0), rowOf(1), { cents: 7_777 }, { cents: 9_000_000, day: 1 })
  await account.file([rowOf(2)], { from: 0, to: 0 })
  await account.file([rowOf(3, { day: 1 }), { cents: 6_666, day: 2 }], { from: 1, to: 2, closes: false })
  const rows = [
    ...[rowOf(0), rowOf(1, { day: 1 }), rowOf(2), rowOf(3, { day: 1 })],
    // Less a fee, twice the same, and money that went out.
    ...[{ cents: 7_700, day: 1 }, { cents: 12_345 }, { cents: 12_345 }, { cents: 5_000, isOut: true }],
    // Two deposits in one, the rest of a third, and what is parked.
    { cents: 1_100_000, day: 1, purpose: `${naming(deposits[4]!)} ${naming(deposits[5]!)}` },
    { cents: 1, day: 1, purpose: naming(deposits[3]!) },
    ...[
      { cents: 33_333, day: 1 },
      { cents: 6_666, day: 2 },
      { cents: 44_444, day: 2 },
    ],
  ]
  // Made on the last day, which it does not close.
  return { account, deposits, rows, bytes: account.bytes(rows, { from: 0, to: 2, closes: false }) }
}

/** Everything that the account's books say, without ids and times. */
async function booksOf({ account, deposits }: World) {
  const { db } = money.gateway
  const { id } = account
  const amountOf = new Map(deposits.map((deposit) => [deposit.id, deposit.amountCents]))
  const transfers = await db.query<
    Record<'id' | 'state', string> & Record<'early' | 'booked', boolean> & { cents: bigint; shares: string[] }
  >(sql`
    select t.id, t.cents, t.booked_on, t.direction, t.state, t.deposit_cents, t.refund_cents, t.open_cents,
      t.told_early_at is not null as early, t.told_booked_at is not null as booked,
      array(select h.cents from transfers h where h.id = any(t.held_with) order by h.cents) as held_with,
      array(select a.deposit_id || ' ' || a.cents from allocations a where a.transfer_id = t.id) as shares,
      array(select rule || ' ' || actor || ' ' || state from transfer_decisions d where d.transfer_id = t.id order by entry)
        as decisions,
      array(select role from transfer_keys k where k.transfer_id = t.id order by role) as keys
    from transfers t
    where account_id = ${id}
    order by t.cents, t.booked_on, t.state, t.taken_at, t.id`)
  const rows = await db.query(sql`
    select s.file_name, r.place, r.line, r.role, r.outcome, t.cents
    from report_rows r
    join transfers t on t.id = r.transfer_id
    join statements s on s.id = r.statement_id
    where t.account_id = ${id}
    order by s.taken_at, r.place`)
  const days = await db.query(
    sql`select day, count(*) from account_days where account_id = ${id} group by day order by day`,
  )
  const parked = await db.query(sql`
    select place, cents, closed_by is not null as closed, transfer_id is not null as taken
    from report_rows
    where account_id = ${id}
    order by parked_at, place`)
  const voices = await db.query(
    sql`select role, from_day from account_voices where account_id = ${id} order by role, from_day`,
  )
  const left = await db.one(sql`select count(import_run_id) from receiving_accounts where id = ${id}`)
  const reports = await db.query(sql`
    select s.report - 'statement' as report, s.undo_report, s.finished_at is not null as finished, s.undone_at is not null as undone
    from statements s
    where exists (select from report_rows r join transfers t on t.id = r.transfer_id where r.statement_id = s.id and t.account_id = ${id})
      or exists (select from report_rows p where p.statement_id = s.id and p.account_id = ${id})
    order by s.taken_at`)
  const paid = await Promise.all(
    deposits.map(async (deposit) => {
      const { state, receivedCents, labels, amountCents } = await account.stored(deposit)
      return { amountCents, state, receivedCents, labels }
    }),
  )
  const callbacks = await db.query(sql`
    select type, count(*)
    from events
    where deposit_id = any(${deposits.map((deposit) => deposit.id)}::uuid[])
    group by type
    order by type`)
  return {
    ...{ rows, days, parked, voices, left, paid, callbacks },
    reports: reports.map(withoutIds),
    transfers: transfers.map(({ id: _id, shares, ...transfer }) => ({
      ...transfer,
      shares: shares.map((share) => {
        const [deposit, cents] = share.split(' ')
        return `${amountOf.get(deposit!)} ${cents}`
      }),
    })),
  }
}

const withoutIds = (report: unknown): unknown =>
  JSON.parse(
    JSON.stringify(report, (key, value) => (key === 'taken' || key === 'preview' ? undefined : value)),
  )

const take = ({ bytes }: World, db = money.gateway.db) =>
  importBytes({ ...money.context, db }, bytes, { anyway: true })

/** Begun and finished, unless it is finished. */
async function undo(statementId: string, db = money.gateway.db) {
  const begin = { statementId, reason: 'wrong', by: undoneBy }
  await db
    .transaction((tx) => beginUndo(tx, begin))
    .catch((error) => {
      if (error.message !== 'The import of this file has already been undone.') throw error
    })
  return undoStatement({ ...money.context, db }, { statementId })
}

test('every row of a file is accounted for', async () => {
  const world = await newWorld()
  const { taken, entries } = await take(world)
  assert.equal(taken.taken + taken.paired + taken.seen + taken.parked, entries)
  assert.equal(entries, world.rows.length)
  const of = ['matched', 'ambiguous', 'unmatched', 'held', 'debit'] as const
  assert.equal(
    of.reduce((sum, name) => sum + taken[name], 0),
    taken.taken,
  )
  for (const name of [...of, 'paired', 'seen', 'parked'] as const)
    assert.ok(taken[name] > 0 || name === 'ambiguous', `the file has no row that is ${name}`)
})

type Act = (db: Db) => Promise<unknown>

/** Kills the act at each of its steps, in a world of its own, and repeats it; returns how many steps it has. */
async function killAtEachStep(
  make: () => Promise<{ world: World; act: Act }>,
  expected: Awaited<ReturnType<typeof booksOf>>,
): Promise<number> {
  for (let step = 1; ; step++) {
    const { world, act } = await make()
    const { db, hasDied } = dyingAt(money.gateway.db, step)
    // What is only cleared away at the end may fail unnoticed.
    await act(db).catch((error) => assert.equal(error.message, 'killed'))
    await act(money.gateway.db)
    assert.deepEqual(await booksOf(world), expected, `killed at step ${step}`)
    if (!hasDied()) return step
  }
}

test('an import that is killed at any step, and repeated, has the books of one that was not', async () => {
  const whole = await newWorld()
  await take(whole)
  const steps = await killAtEachStep(
    async () => {
      const world = await newWorld()
      return { world, act: (db) => take(world, db) }
    },
    await booksOf(whole),
  )
  assert.ok(steps > 15, `only ${steps} steps`)
})

test('an undo that is killed at any step, and repeated, has the books of one that was not', async () => {
  const whole = await newWorld()
  await undo((await take(whole)).statement)
  const steps = await killAtEachStep(
    async () => {
      const world = await newWorld()
      const { statement } = await take(world)
      return { world, act: (db) => undo(statement, db) }
    },
    await booksOf(whole),
  )
  assert.ok(steps > 5, `only ${steps} steps`)
})

test('an undo of an import that was killed at any step leaves the books of before', async () => {
  const untouched = await newWorld()
  const expected = await booksOf(untouched)
  for (let step = 3; ; step += 3) {
    const world = await newWorld()
    const { db, hasDied } = dyingAt(money.gateway.db, step)
    await take(world, db).catch(() => {})
    if (!hasDied()) break
    const begun = await money.gateway.db.find<{ id: string }>(sql`
      select s.id
      from statements s
      where undone_at is null
        and exists (select from receiving_accounts a where a.import_statement_id = s.id and a.id = ${world.account.id})`)
    if (!begun) continue
    await undo(begun.id)
    const after = await booksOf(world)
    const counting = after.transfers.filter(({ state }) => state !== 'revoked')
    assert.deepEqual(
      counting.map(({ cents, state, early, booked }) => [cents, state, early, booked]),
      expected.transfers.map(({ cents, state, early, booked }) => [cents, state, early, booked]),
      `killed at step ${step}`,
    )
    assert.deepEqual([after.days, after.parked, after.left], [expected.days, expected.parked, expected.left])
    // The account is free for another file.
    await world.account.file([{ cents: 99, day: 5 }], { from: 5 })
  }
})

for (const [act, about] of [
  ['import', 8],
  ['import', 12],
  ['undo', 4],
] as const)
  test(`a process that is killed in step ${about} of an ${act} leaves what the next one finishes`, async () => {
    const [whole, world] = [await newWorld(), await newWorld()]
    const done = await take(whole)
    if (act === 'undo') await undo(done.statement)
    const file = join(folder, 'statement.txt')
    await writeFile(file, world.bytes)
    let statement = file
    if (act === 'undo') {
      ;({ statement } = await take(world))
      const begin = { statementId: statement, reason: 'wrong', by: undoneBy }
      await money.gateway.db.transaction((tx) => beginUndo(tx, begin))
    }
    const program = join(import.meta.dirname, '../support/import-and-die.ts')
    const words = [program, money.gateway.database.url, act, `${about}`, statement]
    const child = spawn(process.execPath, words, { stdio: 'ignore' })
    const [, signal] = await once(child, 'exit')
    assert.equal(signal, 'SIGKILL')
    if (act === 'import') await take(world)
    else await undo(statement)
    assert.deepEqual(await booksOf(world), await booksOf(whole))
  })

test('one file is imported into an account at a time, and the run that came last goes on', async () => {
  const world = await newWorld()
  const other = world.account.bytes([{ cents: 1, day: 3 }])
  // Another file comes when the first group is stored.
  const beside = withSteps(money.gateway.db, async (step) => {
    if (step !== 14) return
    const refused = importBytes(money.context, other, { anyway: true })
    await assert.rejects(refused, {
      code: 'state_conflict',
      message: /^Another file, statement\.txt, is being imported/,
    })
    // The same file once more, elsewhere: it takes over, and has all of it.
    assert.equal((await take(world)).isTaken, true)
  })
  await assert.rejects(take(world, beside), { code: 'state_conflict' })
  const whole = await newWorld()
  await take(whole)
  assert.deepEqual(await booksOf(world), await booksOf(whole))
  await importBytes(money.context, other, { anyway: true })
})

test('what a bank pushes at any step of an import counts once, and is not lost', async () => {
  for (let step = 1; ; step++) {
    const account = await money.account({ amounts: 'always' })
    const deposits: Deposit[] = []
    for (let place = 0; place < 8; place++) deposits.push(await account.deposit(100_000 + 20_000 * place))
    await account.tell({ cents: 5 })
    const rowOf = (deposit: Deposit, place: number) => ({
      ...{ cents: deposit.amountCents, number: `${place}` },
      ...(place % 2 === 0 && { purpose: naming(deposit) }),
    })
    // One of the first group, one of the last, and one that the file has not, all at once.
    const both = [deposits[0]!, deposits[1]!, deposits[5]!, deposits[6]!]
    const only = deposits[7]!
    const bytes = account.bytes(deposits.slice(0, 7).map(rowOf))
    let isPushed = false
    const beside = withSteps(money.gateway.db, async (now) => {
      if (now !== step) return
      isPushed = true
      await account.tell(...[...both, only].map((deposit) => rowOf(deposit, deposits.indexOf(deposit))))
    })
    await importBytes({ ...money.context, db: beside }, bytes, { anyway: true })
    if (!isPushed) break
    const transfers = await account.transfers()
    for (const deposit of deposits) {
      const [state, received] = await account.standing(deposit)
      const own = transfers.filter(({ cents }) => cents === deposit.amountCents)
      const why = JSON.stringify({
        step,
        place: deposits.indexOf(deposit),
        state,
        own: own.map((one) => one.state),
      })
      assert.ok(own.length > 0, `lost: ${why}`)
      assert.ok(received <= deposit.amountCents, `counted twice: ${why}`)
      assert.ok(own.filter((one) => one.state === 'matched').length <= 1, `counted twice: ${why}`)
      const isWaiting = own.some((one) => one.state === 'held')
      assert.ok(state === 'confirmed' || isWaiting, `neither counted nor for a person: ${why}`)
    }
  }
})
