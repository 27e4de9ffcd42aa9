/** Banks repeat, correct and revoke what they have told; and deposits end that have money: no coin is lost over it, and none is made. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { confirmDeposit, expireDeposit } from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { expireDeposits } from '../../src/domain/deposits/expire-deposits.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { refund, revokeByHand } from '../../src/domain/transfers/decide-transfer.ts'
import {
  rejectDeposit,
  releaseMoneyOfExpired,
  reverseDeposit,
} from '../../src/domain/transfers/end-deposit.ts'
import { giveTransfer } from '../../src/domain/transfers/give-transfer.ts'
import type { LockedTransfer } from '../../src/domain/transfers/store.ts'
import { sql } from '../../src/platform/db.ts'
import { productionTimeouts } from '../support/gateway.ts'
import { by, type MoneyIn, naming, openMoneyIn, type TestAccount } from '../support/money-in.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn({ timeouts: productionTimeouts })
})

const lastOf = async (account: TestAccount): Promise<LockedTransfer & { rule: string }> => {
  const transfer = (await account.transfers()).at(-1)!
  return { ...transfer, rule: (await account.rules(transfer.id)).at(-1)! }
}

// ── Versions and ids ────────────────────────────────────────────────────────────────────────────────────────────

test('a payment with a reference gets its deposit, also if one without comes first', async () => {
  const account = await money.account({ amounts: 'always' })
  const deposit = await account.deposit(100_000)
  const taken = await account.tell({ cents: 100_000 }, { cents: 100_000, purpose: naming(deposit) })
  assert.partialDeepStrictEqual(taken, { taken: 2, matched: 1 })
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
  const matched = (await account.transfers()).find(({ state }) => state === 'matched')
  assert.equal(matched!.purpose, naming(deposit))
})

test('an entry that is told and revoked in one push never counts, in either order', async () => {
  for (const isLast of [true, false]) {
    const account = await money.account()
    const deposit = await account.deposit(100_000)
    const entry = account.entry({ cents: 100_000, purpose: naming(deposit) })
    const end = { ...entry, version: 2n, isReversal: true }
    await account.take(...(isLast ? [entry, end] : [end, entry]))
    assert.deepEqual(await account.standing(deposit), ['created', 0n])
    assert.deepEqual(await account.states(), ['revoked'])
  }
})

test('a revocation revokes its payment, also if it states another amount', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const entry = account.entry({ cents: 100_000, purpose: naming(deposit) })
  await account.take(entry)
  const end = { ...entry, version: 2n, isReversal: true, cents: 99_999n }
  assert.partialDeepStrictEqual(await account.take(end), { undone: 1 })
  assert.equal((await account.stored(deposit)).state, 'reversed')
})

for (const version of [0n, 1n, 2n])
  test(`another payment under a known id waits for a person, at version ${version}, and is known after that`, async () => {
    const account = await money.account()
    const [deposit, other] = [await account.deposit(100_000), await account.deposit(100_000)]
    const entry = account.entry({ cents: 100_000, purpose: naming(deposit) })
    const [corrected, second] = [
      { ...entry, version, cents: 100n },
      { ...account.entry({ cents: 100_000, purpose: naming(other) }), bankId: entry.bankId, version },
    ]
    await account.take(entry)
    for (const one of [corrected, second])
      assert.partialDeepStrictEqual(await account.take(one), { taken: 1, held: 1 })
    assert.partialDeepStrictEqual(await account.take(entry, corrected, second), { taken: 0, seen: 3 })
    assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
    assert.deepEqual(await account.standing(other), ['created', 0n])
  })

test('a debit stays a debit, also when its entry is revoked and restored', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const debit = account.entry({ cents: 100_000, isOut: true })
  await account.take(debit)
  await account.take({ ...debit, version: 2n, isReversal: true })
  await account.take({ ...debit, version: 3n })
  const { id, state, openCents } = (await account.transfers())[0]!
  assert.deepEqual([state, openCents], ['debit', 0n])
  const given = giveTransfer(money.context, { ...by, transferId: id, depositId: deposit.id })
  await assert.rejects(given, { code: 'state_conflict' })
  await assert.rejects(
    money.gateway.database.owner.query(
      sql`update transfers set state = 'unmatched', open_cents = cents where id = ${id}`,
    ),
    /transfer_keeps_direction/,
  )
})

test('what the bank brings back after it took it back waits for a person, once, and can be taken back again', async () => {
  const account = await money.account()
  const deposit = await account.deposit(55_555)
  const entry = account.entry({ cents: 55_555, purpose: naming(deposit) })
  const states = async () => (await account.transfers()).map(({ state }) => state).sort()
  await account.take(entry)
  for (const version of [2n, 3n]) await account.take({ ...entry, version, isReversal: true })
  for (const version of [2n, 4n, 4n]) await account.take({ ...entry, version })
  assert.deepEqual(await states(), ['held', 'revoked'])
  await account.take({ ...entry, version: 5n, isReversal: true })
  assert.deepEqual(await states(), ['revoked', 'revoked'])
  assert.equal((await account.stored(deposit)).state, 'reversed')
})

test('a tiny payment of a stranger with a guessed reference of a card deposit does not stop its real payment', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000, { payment_type: 'any_bank' })
  await account.tell({ cents: 1, purpose: `Перевод ${deposit.reference}` })
  assert.deepEqual(await account.states(), ['ambiguous'])
  assert.partialDeepStrictEqual(await account.tell({ cents: 100_000 }), { matched: 1 })
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
})

test('300 equal rows of one file are 300 payments, and repeated they add none', async () => {
  const account = await money.account()
  const row = { cents: 77_777, number: '1000001' }
  const equal = Array.from({ length: 300 }, () => row)
  assert.partialDeepStrictEqual((await account.file(equal)).taken, { taken: 300, seen: 0 })
  const again = await account.file([...equal, row], { note: 'again' })
  assert.partialDeepStrictEqual(again.taken, { taken: 1, seen: 300 })
  const { count, cents } = await money.gateway.db.one<{ count: number; cents: bigint }>(
    sql`select count(*)::int as count, sum(open_cents)::bigint as cents from transfers where account_id = ${account.id}`,
  )
  assert.deepEqual([count, cents], [301, 301n * 77_777n])
})

// ── Ends ────────────────────────────────────────────────────────────────────────────────────────────────────────

const endGrace = ({ id }: Deposit) =>
  money.gateway.database.owner.query(sql`
    update deposits
    set expires_at = created_at + interval '1 millisecond', late_until = created_at + interval '2 milliseconds'
    where id = ${id}`)

test('the money of a rejected or reversed deposit becomes unmatched', async () => {
  const account = await money.account()
  const [rejected, reversed] = [await account.deposit(100_000), await account.deposit(200_000)]
  await account.tell({ cents: 500, purpose: naming(rejected) }, { cents: 200_000, purpose: naming(reversed) })
  await rejectDeposit(money.context, { ...by, depositId: rejected.id })
  await reverseDeposit(money.context, { ...by, depositId: reversed.id })
  for (const { id, state, openCents, cents, shares } of await account.transfers()) {
    assert.deepEqual([state, openCents, shares], ['unmatched', cents, []])
    assert.equal((await account.rules(id)).at(-1), 'deposit_ended')
  }
})

test('after the grace the money of underpaid deposits becomes unmatched; that of one that somebody works on waits', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(200_000)]
  await account.tell(...deposits.map((deposit) => ({ cents: 500, purpose: naming(deposit) })))
  for (const deposit of deposits) await endGrace(deposit)
  await expireDeposits(money.context)
  await money.gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`select from deposits where id = ${deposits[0]!.id} for update`)
    await releaseMoneyOfExpired(money.context)
  })
  assert.deepEqual((await account.states()).toSorted(), ['matched', 'unmatched'])
  assert.equal(await releaseMoneyOfExpired(money.context), 1)
  assert.equal(await releaseMoneyOfExpired(money.context), 0)
  assert.deepEqual(await account.states(), ['unmatched', 'unmatched'])
  assert.equal((await lastOf(account)).rule, 'deposit_ended')
})

/** A deposit that was paid late, is under review, and whose grace has ended. */
async function reviewedAfterGrace() {
  const account = await money.account()
  await changeMerchant(money.gateway.db, {
    ...{ merchantId: account.shop.merchant, settings: { latePolicy: 'review' } },
  })
  const deposit = await account.deposit(100_000)
  await expireDeposit(money.context, { ...by, depositId: deposit.id })
  // In the last half hour of a day a deposit may be paid until tomorrow: late is the day after that.
  const entry = account.entry({ cents: 100_000, purpose: naming(deposit), day: 2 })
  await account.take(entry)
  const { id: transferId, shares } = await lastOf(account)
  assert.equal(shares[0]?.depositId, deposit.id)
  await endGrace(deposit)
  return { account, deposit, entry, transferId }
}

test('money under review stays with its deposit after the grace, and can still be confirmed', async () => {
  const { account, deposit } = await reviewedAfterGrace()
  assert.equal(await releaseMoneyOfExpired(money.context), 0)
  await confirmDeposit(money.context, { ...by, depositId: deposit.id })
  assert.partialDeepStrictEqual(await lastOf(account), { state: 'matched', dueSince: null })
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
})

type Reviewed = Awaited<ReturnType<typeof reviewedAfterGrace>>
const leaves: Record<string, (scene: Reviewed) => Promise<unknown>> = {
  'the bank revokes': ({ account, entry }) => account.take({ ...entry, version: 2n, isReversal: true }),
  'a person knows to be revoked': ({ transferId }) => revokeByHand(money.context, { ...by, transferId }),
  'a person gives back': ({ transferId }) => refund(money.context, { ...by, transferId, cents: null }),
}
for (const [how, leave] of Object.entries(leaves))
  test(`a deposit under review whose money ${how} after the grace has nothing left to confirm`, async () => {
    const scene = await reviewedAfterGrace()
    const { account, deposit } = scene
    await leave(scene)
    assert.deepEqual((await lastOf(account)).shares, [])
    assert.partialDeepStrictEqual(await account.stored(deposit), {
      ...{ state: 'expired', receivedCents: 0n, labels: [] },
    })
    await assert.rejects(confirmDeposit(money.context, { ...by, depositId: deposit.id }), {
      code: 'state_conflict',
    })
  })

test('a deposit under review that loses a part of its money after the grace shows the rest', async () => {
  const { account, deposit, transferId } = await reviewedAfterGrace()
  await refund(money.context, { ...by, transferId, cents: 1n })
  const { labels, receivedCents } = await account.stored(deposit)
  assert.deepEqual([labels.toSorted(), receivedCents], [['late', 'review', 'underpaid'], 99_999n])
  await rejectDeposit(money.context, { ...by, depositId: deposit.id })
  assert.partialDeepStrictEqual(await lastOf(account), { state: 'unmatched', openCents: 99_999n })
})
