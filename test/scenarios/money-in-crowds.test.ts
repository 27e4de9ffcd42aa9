/** Very many payments, or deposits, of one amount on one account: what is read and locked for one more is bounded. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { type Entry, prepare } from '../../src/domain/transfers/entry.ts'
import { takeEarly } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { untilWaiting } from '../support/held-account.ts'
import { type MoneyIn, naming, openMoneyIn, type TestAccount } from '../support/money-in.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn()
})

/** So many payments of the amount, of which the push has told all, and a file every second one. */
async function fill(account: TestAccount, cents: number, count: number): Promise<void> {
  const { id: first } = (await account.transfers())[0]!
  await money.gateway.database.owner.script(`
    create temp table made as
      select gen_random_uuid() as id, n, t.source_id, t.account_id
      from transfers t, generate_series(1, ${count}) n
      where t.id = '${first}';
    insert into transfers
      select (jsonb_populate_record(t, jsonb_build_object('id', m.id, 'cents', ${cents}, 'open_cents', ${cents},
        'bank_id', m.id, 'told_booked_at', case when m.n % 2 = 0 then t.taken_at end))).*
      from made m
      join transfers t on t.id = '${first}';
    insert into transfer_keys (account_id, source_id, role, key, variant, transfer_id, origin_id)
      select account_id, source_id, 'early', decode(md5(id::text), 'hex'), decode(md5(id::text), 'hex'), id, id from made;
    drop table made;
    analyze transfers, transfer_keys`)
}

class Undone extends Error {}

/** Takes entries, looks, and takes them back. */
async function taking<Result>(
  account: TestAccount,
  entries: readonly Entry[],
  look: (tx: Parameters<typeof takeEarly>[0]) => Promise<Result>,
): Promise<Result> {
  let seen: Result
  const work = money.gateway.db.transaction(async (tx) => {
    const prepared = entries.map((entry) => prepare(entry))
    await takeEarly(tx, prepared, { source: account.push, publicUrl: money.gateway.url })
    seen = await look(tx)
    throw new Undone()
  })
  await assert.rejects(work, Undone)
  return seen!
}

test('a push reads few rows, however many payments of its amount and day its account has', async () => {
  const account = await money.account({ amounts: 'always' })
  await account.tell({ cents: 5 })
  await fill(account, 100_000, 6_000)
  const deposits = [await account.deposit(100_000), await account.deposit(300_000)]
  const entries = [
    account.entry({ cents: 100_000, purpose: naming(deposits[0]!) }),
    account.entry({ cents: 300_000 }),
    account.entry({ cents: 100_000 }),
  ]
  const read = await taking(account, entries, async (tx) => {
    const { read } = await tx.one<{ read: bigint }>(sql`
      select sum(idx_tup_fetch + coalesce(seq_tup_read, 0))::int8 as read
      from pg_stat_xact_user_tables
      where relname in ('transfers', 'transfer_keys', 'deposits', 'deposit_history', 'deposit_slots', 'transfer_decisions')`)
    return Number(read)
  })
  assert.ok(read < 300, `${read} rows were read`)
})

/** So many deposits that wait for each of these amounts, and one for the last. */
async function crowds(account: TestAccount, amounts: readonly number[]): Promise<Deposit> {
  for (const cents of amounts) for (let count = 0; count < 25; count++) await account.deposit(cents)
  return account.deposit(amounts.at(-1)! + 1)
}

test('of many deposits that wait for the amounts of a group only those that it may confirm are locked, and of several none gets money', async () => {
  const account = await money.account({ amounts: 'always' })
  const amounts = [200_001, 200_002]
  const only = await crowds(account, amounts)
  const entries = [...amounts, 200_003].map((cents) => account.entry({ cents }))
  await taking(account, entries, async () => {
    const free = await money.gateway.database.owner.query<{ id: string }>(sql`
      select id from deposits where amount_cents between 200001 and 200003 for update skip locked`)
    assert.equal(
      free.some(({ id }) => id === only.id),
      false,
    )
    // More than are looked at stand for many: the others are free for their merchants.
    assert.equal(free.length, 2 * (25 - 21))
  })
  assert.partialDeepStrictEqual(await account.take(...entries), { ambiguous: 2, matched: 1 })
  assert.deepEqual(await account.standing(only), ['confirmed', 200_003n])
})

test('a deposit that ends between the look at it and its lock gets no money', async () => {
  const account = await money.account({ amounts: 'always' })
  const only = await account.deposit(100_000)
  let taken: ReturnType<TestAccount['tell']> | undefined
  await money.gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`update deposits set state = 'rejected', final_at = inlet_now() where id = ${only.id}`)
    taken = account.tell({ cents: 100_000 })
    await untilWaiting(money.gateway, 1)
  })
  assert.partialDeepStrictEqual(await taken!, { matched: 0, ambiguous: 1 })
  assert.deepEqual((await account.standing(only))[1], 0n)
})

test('10,000 equal payments on one day are 10,000 payments, and repeated they add none', async () => {
  const account = await money.account()
  const row = { cents: 77_777 }
  const equal = Array.from({ length: 10_000 }, () => row)
  assert.partialDeepStrictEqual((await account.file(equal)).taken, { taken: 10_000, unmatched: 10_000 })
  const again = await account.file([...equal, row], { note: 'again' })
  assert.partialDeepStrictEqual(again.taken, { taken: 1, seen: 10_000 })
})

test('a file of thousands of payments that were pushed pairs each, although all have one amount', async () => {
  const account = await money.account()
  const rows = Array.from({ length: 2_000 }, (_, place) => ({
    cents: 77_777,
    id: `${account.number} ${place}`,
  }))
  await account.take(...rows.map((row) => account.entry(row)))
  assert.partialDeepStrictEqual((await account.file(rows)).taken, { paired: 2_000, taken: 0 })
})
