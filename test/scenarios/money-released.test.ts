/** Money of deposits that have ended is for people to decide; under review it stays with its deposit, for as long as that is looked at. */
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
import type { Entry } from '../../src/domain/transfers/entry.ts'
import { findOverWithMoney } from '../../src/domain/transfers/store.ts'
import { sql } from '../../src/platform/db.ts'
import { productionTimeouts } from '../support/gateway.ts'
import { by, type MoneyIn, naming, openMoneyIn, type TestAccount } from '../support/money-in.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn({ timeouts: productionTimeouts })
})

test('the money of a rejected or reversed deposit becomes unmatched, and is owed', async () => {
  const account = await money.account()
  const [rejected, reversed] = [await account.deposit(100_000), await account.deposit(200_000)]
  await account.tell({ cents: 500, purpose: naming(rejected) }, { cents: 200_000, purpose: naming(reversed) })
  await rejectDeposit(money.context, { ...by, depositId: rejected.id })
  await reverseDeposit(money.context, { ...by, depositId: reversed.id })
  for (const { id, state, dueSince } of await account.transfers()) {
    assert.deepEqual([state, dueSince !== null], ['unmatched', true])
    assert.equal((await account.rules(id)).at(-1), 'deposit_ended')
  }
})

test('of a transfer for two deposits only the part of the one that ended is released', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(200_000)]
  await account.tell({ cents: 300_000, purpose: deposits.map(naming).join(' ') })
  await reverseDeposit(money.context, { ...by, depositId: deposits[1]!.id })
  const [transfer] = await account.transfers()
  assert.deepEqual(
    [transfer!.state, transfer!.depositCents, transfer!.openCents],
    ['matched', 100_000n, 200_000n],
  )
  assert.deepEqual(await account.standing(deposits[0]!), ['confirmed', 100_000n])
})

/** As if its time and its grace were over. */
const endGrace = ({ id }: Deposit) =>
  money.gateway.database.owner.query(sql`
    update deposits
    set expires_at = created_at + interval '1 millisecond', late_until = created_at + interval '2 milliseconds'
    where id = ${id}`)

test('after the grace the money of an underpaid deposit becomes unmatched; that of one that somebody works on waits', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(200_000)]
  for (const deposit of deposits) {
    await account.tell({ cents: 500, purpose: naming(deposit) })
    await endGrace(deposit)
  }
  while ((await expireDeposits(money.context)) > 0);
  const [first] = await findOverWithMoney(money.gateway.db, 1_000)
  await money.gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`select from deposits where id = ${first} for update`)
    assert.equal(await releaseMoneyOfExpired(money.context), 1)
  })
  assert.deepEqual((await account.states()).toSorted(), ['matched', 'unmatched'])
  assert.equal(await releaseMoneyOfExpired(money.context), 1)
  assert.deepEqual(await account.states(), ['unmatched', 'unmatched'])
  assert.equal(await releaseMoneyOfExpired(money.context), 0)
})

/** A deposit that was paid late, is under review, and whose grace has ended. */
async function reviewedAfterGrace(): Promise<{ account: TestAccount; deposit: Deposit; payment: Entry }> {
  const account = await money.account()
  const { merchant: merchantId } = account.shop
  await changeMerchant(money.gateway.db, { merchantId, settings: { latePolicy: 'review' } })
  const deposit = await account.deposit(100_000)
  await expireDeposit(money.context, { ...by, depositId: deposit.id })
  // In the last half hour of a day a deposit may be paid until tomorrow: late is the day after that.
  const payment = account.entry({ cents: 100_000, day: 2, purpose: naming(deposit) })
  await account.take(payment)
  await endGrace(deposit)
  return { account, deposit, payment }
}

test('money under review stays with its deposit after the grace, and can still be confirmed', async () => {
  const { account, deposit } = await reviewedAfterGrace()
  assert.equal(await releaseMoneyOfExpired(money.context), 0)
  await confirmDeposit(money.context, { ...by, depositId: deposit.id })
  const [transfer] = await account.transfers()
  assert.deepEqual(
    [transfer!.state, transfer!.shares[0]!.depositId, transfer!.dueSince],
    ['matched', deposit.id, null],
  )
})

for (const how of ['the bank revokes', 'a person knows to be revoked', 'a person gives back'] as const)
  test(`a deposit under review whose money ${how} after the grace has nothing left to confirm`, async () => {
    const { account, deposit, payment } = await reviewedAfterGrace()
    const transferId = (await account.transfers())[0]!.id
    if (how === 'the bank revokes') await account.take({ ...payment, version: 9n, isReversal: true })
    else if (how === 'a person gives back') await refund(money.context, { ...by, transferId, cents: null })
    else await revokeByHand(money.context, { ...by, transferId })
    assert.deepEqual((await account.transfers())[0]!.shares, [])
    assert.partialDeepStrictEqual(await account.stored(deposit), {
      state: 'expired',
      receivedCents: 0n,
      labels: [],
    })
    const confirmed = confirmDeposit(money.context, { ...by, depositId: deposit.id })
    await assert.rejects(confirmed, { code: 'state_conflict' })
  })

test('a deposit under review that loses a part of its money after the grace shows the rest', async () => {
  const { account, deposit } = await reviewedAfterGrace()
  await refund(money.context, { ...by, transferId: (await account.transfers())[0]!.id, cents: 1n })
  const { labels, receivedCents } = await account.stored(deposit)
  assert.deepEqual([labels.toSorted(), receivedCents], [['late', 'review', 'underpaid'], 99_999n])
  await rejectDeposit(money.context, { ...by, depositId: deposit.id })
  assert.partialDeepStrictEqual((await account.transfers())[0], { state: 'unmatched', openCents: 99_999n })
})
