/** Very many payments, or deposits, of one amount on one account: what is read and locked for one more is bounded. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { prepare } from '../../src/domain/transfers/bank-entries.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import type { Source } from '../../src/domain/transfers/source.ts'
import type { TransferDraft } from '../../src/domain/transfers/store.ts'
import { takeAll, takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { openDatabase, sql } from '../../src/platform/db.ts'
import { accountOf, depositContextOf, entryTo } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { untilWaiting } from '../support/held-account.ts'
import { fillDeposits } from '../support/many-deposits.ts'

let gateway: TestGateway
let shop: Shop
let accountId: string
let ours: Source
let theirs: Source
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  accountId = await accountOf(gateway, (await shop.create({ payment_type: 'account_number' })).body.id)
  ours = await sourceNamed('ours')
  theirs = await sourceNamed('theirs')
  // With statistics the server reads a table of this size in one piece, where that is cheaper than to look its rows up.
  await gateway.database.owner.script('alter table transfers set (autovacuum_enabled = off)')
})

const sourceNamed = async (name: string): Promise<Source> => {
  const { id } = await addSource(gateway.db, { name, mode: 'test' })
  return { id, name, mode: 'test', kind: 'push' }
}

const entry = (facts: Partial<IncomingEntry> & { cents: bigint }) =>
  entryTo(accountId, { channel: 'push', ...facts })

const take = async (source: Source, entries: readonly IncomingEntry[]): Promise<TransferDraft[]> => {
  const drafts: TransferDraft[] = []
  await takeTransfers(depositContextOf(gateway), entries, {
    source,
    decided: (more) => void drafts.push(...more),
  })
  return drafts
}

/** So many payments of the amount, reported by this source, with documents, payers and purposes of their own. */
async function fill(source: Source, cents: bigint, many: number): Promise<void> {
  const { bookedOn } = entry({ cents })
  for (let from = 1; from <= many; from += 1_000)
    await gateway.database.owner.query(sql`
      insert into transfers
        (id, source_id, account_id, direction, cents, currency, booked_on, document_number, payer_name, payer_account,
         payer_tax_id, payer_bank, purpose, bank_id, channel, fingerprint, occurrence, raw, taken_at, state, open_cents)
      select gen_random_uuid(), ${source.id}, ${accountId}, 'credit', ${cents}, 'RUB', ${bookedOn}::date, 'D' || n, '',
        'P' || n, '', '', 'Purpose ' || n, ${`${newId()}-`} || n, 'push', sha256(n::text::bytea), 1, '', inlet_now(),
        'unmatched', ${cents}
      from generate_series(${from}::int, ${Math.min(from + 999, many)}::int) n`)
}

/** How many transfers, deposits and rows of their histories the server reads to take these entries. */
const readFor = async (
  source: Source,
  entries: readonly IncomingEntry[],
  db = gateway.db,
): Promise<number> => {
  const undo = new Error('measured')
  let read = 0
  const measuring = db.transaction(async (tx) => {
    await takeAll(tx, entries.map(prepare), source, gateway.url)
    const row = await tx.one<{ read: bigint }>(
      sql`select sum(idx_tup_fetch + coalesce(seq_tup_read, 0))::int8 as read from pg_stat_xact_user_tables where relname in ('transfers', 'deposits', 'deposit_history', 'deposit_slots', 'transfer_decisions')`,
    )
    read = Number(row.read)
    throw undo
  })
  await measuring.catch((error) => {
    if (error !== undo) throw error
  })
  return read
}

const ruleOf = ({ state, decision }: TransferDraft) => [state, decision.rule]

test('a push that confirms a deposit is planned once for a connection, by indexes that serve a full table too', async () => {
  const db = openDatabase({ url: gateway.database.url }, { connections: 1, role: 'inlet_runtime' })
  const context = { ...depositContextOf(gateway), db }
  const cents = 7_000_001n
  const paid = async () => {
    const { body } = await shop.create({ payment_type: 'account_number', cents: Number(cents) })
    const purpose = body.payment_data.payment_reason
    const bankId = newId()
    const bankEntry = { reference: bankId, cents }
    return entry({ cents, purpose, purposeParts: [purpose], bankId, bankEntry, version: 0n })
  }
  // One that names its deposit, and one whose amount is waited for.
  const namedAndGuessed = async () => [await paid(), entry({ cents, version: 0n })]
  for (let time = 0; time < 8; time++)
    assert.equal((await takeTransfers(context, await namedAndGuessed(), { source: ours })).matched, 1)
  const plans = await db.query<{ text: string }>(sql`
    select statement as text
    from pg_prepared_statements
    where custom_plans > 5 or (generic_plans = 0 and custom_plans > 1)`)
  assert.deepEqual(plans, [])
  await fill(ours, cents, 3_000)
  await fill(theirs, cents + 1n, 3_000)
  await fillDeposits(gateway, (await openShop(gateway)).merchant, { deposits: 3_000, callbacks: 0 })
  const read = await readFor(ours, await namedAndGuessed(), db)
  await db.close()
  assert.ok(read < 300, `${read} rows were read`)
})

test('a push is not compared with the payments of its own source, however many have its amount', async () => {
  const cents = 7_100_001n
  await fill(ours, cents, 5_000)
  const read = await readFor(ours, [entry({ cents })])
  assert.ok(read < 100, `${read} transfers were read`)
})

test('among many payments of another source a repetition is found, and what is new is matched', async () => {
  const cents = 7_100_002n
  await fill(theirs, cents, 3_000)
  const { body } = await shop.create({ payment_type: 'account_number', cents: Number(cents) })
  const purpose = body.payment_data.payment_reason
  const taken = await take(ours, [
    entry({ cents, documentNumber: 'D2999', payerAccount: 'P2999', payerName: '' }),
    entry({ cents, documentNumber: '', payerAccount: 'P2998', payerName: '' }),
    entry({ cents, purpose, purposeParts: [purpose] }),
  ])
  assert.deepEqual(taken.map(ruleOf), [
    ['duplicate', 'seen_before'],
    ['ambiguous', 'maybe_repeated'],
    ['matched', 'reference'],
  ])
})

test('among more payments than are compared, those with the same document number are found, and a person decides about the rest', async () => {
  const cents = 7_100_003n
  await fill(theirs, cents, 12_000)
  const { body } = await shop.create({ payment_type: 'account_number', cents: Number(cents) })
  const purpose = body.payment_data.payment_reason
  const entries = [
    entry({ cents, documentNumber: 'D11999', payerAccount: 'P11999', payerName: '' }),
    entry({ cents, documentNumber: 'D7', payerAccount: 'P7', payerName: '' }),
    entry({ cents, purpose, purposeParts: [purpose] }),
    entry({ cents }),
  ]
  const read = await readFor(ours, entries)
  assert.ok(read < 11_000, `${read} transfers were read`)
  assert.deepEqual((await take(ours, entries)).map(ruleOf), [
    ['duplicate', 'seen_before'],
    ['duplicate', 'seen_before'],
    ['ambiguous', 'maybe_repeated'],
    ['ambiguous', 'maybe_repeated'],
  ])
})

test('payments without any details may be any of those reported elsewhere, so only a few are compared', async () => {
  const cents = 7_100_004n
  await fill(theirs, cents, 5_000)
  await shop.create({ payment_type: 'account_number', cents: Number(cents) })
  const silent = () =>
    entry({ cents, documentNumber: '', payerAccount: '', payerName: '', purpose: 'нечто', purposeParts: [] })
  const [first, second] = (await take(ours, [silent(), silent()])).map(ruleOf)
  assert.deepEqual(
    [first, second],
    [
      ['ambiguous', 'maybe_repeated'],
      ['ambiguous', 'maybe_repeated'],
    ],
  )
})

/** Makes so many deposits of one amount on the account; returns the id of one. */
async function waitingFor(cents: bigint, many: number): Promise<string> {
  const order = { payment_type: 'account_number', cents: Number(cents) }
  const made = await Promise.all(Array.from({ length: many }, () => shop.create(order)))
  return made[0]!.body.id
}

const byAmount = (how: 'always' | 'by_kind') =>
  gateway.database.owner.query(
    sql`update receiving_accounts set amount_matching = ${how} where id = ${accountId}`,
  )

test('of many deposits that wait for the amounts of a group only those that it confirms are locked', async () => {
  await byAmount('always')
  const amounts = [7_200_001n, 7_200_002n, 7_200_003n]
  for (const cents of amounts) await waitingFor(cents, 40)
  const only = await waitingFor(7_200_004n, 1)
  const entries = [...amounts, 7_200_004n].map((cents) => entry({ cents }))
  const undo = new Error('looked')
  const taking = gateway.db.transaction(async (tx) => {
    await takeAll(tx, entries.map(prepare), ours, gateway.url)
    const free = await gateway.database.owner.query<{ id: string }>(sql`
      select id from deposits where amount_cents between 7200001 and 7200004 for update skip locked`)
    assert.deepEqual([free.length, free.some(({ id }) => id === only)], [120, false])
    throw undo
  })
  await assert.rejects(taking, undo)
  const drafts = await take(ours, entries)
  assert.deepEqual(drafts.map(ruleOf), [
    ...amounts.map(() => ['ambiguous', 'several_candidates']),
    ['matched', 'amount_unique'],
  ])
  assert.equal(drafts.at(-1)!.depositId, only)
  await byAmount('by_kind')
})

test('a deposit that ends between the look at it and its lock gets no money', async () => {
  await byAmount('always')
  const amounts = [7_300_001n, 7_300_002n]
  for (const cents of amounts) await waitingFor(cents, 40)
  const only = await waitingFor(7_300_003n, 1)
  const entries = [...amounts, 7_300_003n].map((cents) => entry({ cents }))
  let taking: Promise<TransferDraft[]> | undefined
  await gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`update deposits set state = 'rejected', final_at = inlet_now() where id = ${only}`)
    taking = take(ours, entries)
    await untilWaiting(gateway, 1)
  })
  const drafts = await taking!
  assert.deepEqual(ruleOf(drafts.at(-1)!), ['unmatched', 'no_candidate'])
  await byAmount('by_kind')
})

test('a plan that was kept while an account had few payments reads few of many', async () => {
  const firstCents = 8_000_000n
  const amounts = (from: number, many: number) =>
    Array.from({ length: many }, (_, place) => firstCents + BigInt(from + place))
  await Promise.all(amounts(0, 5).map((cents) => fill(ours, cents, 1)))
  await gateway.database.owner.script('analyze transfers')
  const db = openDatabase({ url: gateway.database.url }, { connections: 1, role: 'inlet_runtime' })
  const entries = amounts(10_000, 50).map((cents) => entry({ cents, bankId: newId(), version: 0n }))
  for (let time = 0; time < 8; time++) await readFor(ours, entries, db)
  // One after the other: where the machine is slow, the last of twenty would wait too long for a connection.
  for (const cents of amounts(100, 20)) await fill(ours, cents, 1_000)
  const read = await readFor(ours, entries, db)
  await db.close()
  assert.ok(read < 50 * 60, `${read} rows were read`)
})
