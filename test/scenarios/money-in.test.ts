/** Money arrives, and deposits follow: through the same verb from whatever source. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { matchByHand, refund, setAside } from '../../src/domain/transfers/decide-transfer.ts'
import type { Source } from '../../src/domain/transfers/source.ts'
import { listTransfers, readTransfer, sourceOfKind } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, paymentOf as paymentFor, today } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
let push: Source
let file: Source
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  context = depositContextOf(gateway)
  ;[push, file] = await gateway.db.transaction(async (tx) => [
    await sourceOfKind(tx, 'sandbox', 'test', newId()),
    await sourceOfKind(tx, 'statement', 'test', newId()),
  ])
})

let amount = 3_000_000
const created = async (payment_type = 'account_number', cents = ++amount) => {
  const { status, body } = await shop.create({ payment_type, cents })
  assert.equal(status, 201, JSON.stringify(body))
  return stored(body.id)
}
const stored = async (id: string): Promise<Deposit> =>
  (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit

const paymentOf = (deposit: Deposit, changes?: Partial<IncomingEntry>) =>
  paymentFor(gateway, deposit, changes)
const take = (incoming: IncomingEntry[], source = push, dryRun = false) =>
  takeTransfers(context, incoming, { source, dryRun })
const transferOf = async (deposit: Deposit) =>
  listTransfers(gateway.db, { state: null, accountId: null, depositId: deposit.id, before: null, limit: 10 })
for (const type of ['account_number', 'any_bank', 'sbp']) {
  test(`exact money confirms a deposit of ${type}, with its evidence`, async () => {
    const deposit = await created(type)
    const taken = await take([await paymentOf(deposit)])
    assert.partialDeepStrictEqual(taken, { taken: 1, matched: 1 })
    assert.deepEqual([(await stored(deposit.id)).state, (await stored(deposit.id)).labels], ['confirmed', []])
    const [transfer] = await transferOf(deposit)
    const { decisions } = (await readTransfer(gateway.db, transfer!.id))!
    assert.deepEqual(
      decisions.map(({ actor, rule }) => [actor, rule]),
      [['matcher', type === 'account_number' ? 'reference' : 'amount_unique']],
    )
  })
}

test('an underpaid deposit waits for the rest; an overpaid one is marked', async () => {
  const deposit = await created()
  await take([await paymentOf(deposit, { cents: deposit.amountCents - 100n })])
  assert.deepEqual(
    [(await stored(deposit.id)).state, (await stored(deposit.id)).labels],
    ['created', ['underpaid']],
  )
  await take([await paymentOf(deposit, { cents: 150n })])
  assert.deepEqual(
    [(await stored(deposit.id)).state, (await stored(deposit.id)).labels],
    ['confirmed', ['overpaid']],
  )
})

test('two payments of one deposit in one group add up, in order', async () => {
  const deposit = await created()
  const taken = await take([
    await paymentOf(deposit, { cents: 1_000n }),
    await paymentOf(deposit, { cents: deposit.amountCents - 1_000n }),
    await paymentOf(deposit, { cents: 7n }),
  ])
  assert.equal(taken.matched, 3)
  const { state, labels, receivedCents } = await stored(deposit.id)
  assert.deepEqual([state, labels, receivedCents], ['confirmed', ['overpaid'], deposit.amountCents + 7n])
})

test('the same entry again adds nothing, in one call or in two, whatever its version', async () => {
  const deposit = await created()
  const payment = await paymentOf(deposit)
  assert.partialDeepStrictEqual(await take([payment, payment]), { taken: 1, seen: 1 })
  assert.partialDeepStrictEqual(await take([payment, { ...payment, version: 0n }]), { taken: 0, seen: 2 })
  assert.equal((await stored(deposit.id)).receivedCents, deposit.amountCents)
})

test('equal rows of one file both count, and the file again adds none', async () => {
  const deposit = await created()
  const row = await paymentOf(deposit, { bankId: null, cents: deposit.amountCents / 2n })
  const rows = [row, { ...row, occurrence: 2 }]
  assert.partialDeepStrictEqual(await take(rows, file), { taken: 2, matched: 2 })
  assert.partialDeepStrictEqual(await take(rows, file), { taken: 0, seen: 2 })
  assert.equal((await stored(deposit.id)).receivedCents, (deposit.amountCents / 2n) * 2n)
})

test('a statement adds nothing that a push reported; a second equal payment still counts', async () => {
  const deposit = await created()
  const entry = await paymentOf(deposit, { documentNumber: '77' })
  await take([entry])
  const row = { ...entry, bankId: null, version: 0n }
  const second = { ...row, occurrence: 2 }
  assert.partialDeepStrictEqual(await take([row, second], file), { taken: 2, duplicate: 1, matched: 1 })
  assert.partialDeepStrictEqual(await take([row, second], file), { taken: 0, seen: 2 })
  assert.equal((await stored(deposit.id)).receivedCents, 2n * deposit.amountCents)
})

test('one payment from a push and files of two formats counts once, and is revoked once', async () => {
  const deposit = await created()
  const entry = await paymentOf(deposit, { documentNumber: '78' })
  await take([{ ...entry, bankId: null, version: 0n }], file)
  assert.partialDeepStrictEqual(await take([{ ...entry, bankId: 'camt-1' }], file), {
    duplicate: 1,
    matched: 0,
  })
  assert.partialDeepStrictEqual(await take([entry]), { duplicate: 1, matched: 0 })
  assert.equal((await stored(deposit.id)).receivedCents, deposit.amountCents)
  assert.equal((await take([{ ...entry, version: 5n, isRevoked: true }])).undone, 2)
  assert.equal((await stored(deposit.id)).state, 'reversed')
})

test('money for no deposit, or for two, waits for people and matches none', async () => {
  const deposit = await created()
  const twin = await created('account_number', Number(deposit.amountCents))
  const unnamed = { purpose: 'Перевод', purposeParts: ['Перевод'] }
  const taken = await take([
    await paymentOf(deposit, unnamed),
    await paymentOf(deposit, { ...unnamed, cents: 17n }),
  ])
  assert.partialDeepStrictEqual(taken, { ambiguous: 1, unmatched: 1 })
  assert.deepEqual([(await stored(deposit.id)).state, (await stored(twin.id)).state], ['created', 'created'])
})

test('the money of an acquirer for a day confirms no deposit of the same amount', async () => {
  const deposit = await created('sbp')
  const purpose = 'Возмещение по операциям эквайринга за 13.11.2026, за вычетом комиссии'
  const taken = await take([await paymentOf(deposit, { purpose, purposeParts: [purpose] })])
  assert.deepEqual([taken.ambiguous, (await stored(deposit.id)).state], [1, 'created'])
})

test('late money in the grace confirms as late; paid in time by the bank’s own date it is not late', async () => {
  for (const [paidOn, labels] of [
    [null, ['late']],
    [today(), []],
  ] as const) {
    const deposit = await created()
    await gateway.database.shiftClock('2 days')
    try {
      const { expireDeposits } = await import('../../src/domain/deposits/expire-deposits.ts')
      while ((await expireDeposits(context)) > 0);
      await take([await paymentOf(deposit, { bookedOn: bankDay(2), paidOn })])
    } finally {
      await gateway.database.shiftClock('0')
    }
    const after = await stored(deposit.id)
    assert.deepEqual([after.state, after.labels], ['confirmed', labels])
  }
})

test('a revoked entry reverses what it confirmed; brought back, it waits for a person', async () => {
  const deposit = await created()
  const payment = await paymentOf(deposit)
  await take([payment])
  assert.partialDeepStrictEqual(await take([{ ...payment, version: 2n, isRevoked: true }]), { undone: 1 })
  assert.equal((await stored(deposit.id)).state, 'reversed')
  await take([{ ...payment, version: 3n }])
  assert.equal((await newestOf(payment.bankId!)).state, 'ambiguous')
  assert.equal((await stored(deposit.id)).state, 'reversed')
})

test('when one of two parts is revoked, the other waits for people', async () => {
  const deposit = await created()
  const part = await paymentOf(deposit, { cents: 500n })
  const rest = await paymentOf(deposit, { cents: deposit.amountCents - 500n })
  await take([part, rest])
  await take([{ ...part, version: 9n, isRevoked: true }])
  assert.equal((await stored(deposit.id)).state, 'reversed')
  assert.equal((await newestOf(rest.bankId!)).state, 'unmatched')
})

test('money of an expired deposit can still be revoked, and manual matches never cross modes', async () => {
  const deposit = await created()
  const part = await paymentOf(deposit, { cents: 500n })
  await take([part])
  await gateway.database.shiftClock('10 days')
  try {
    const { expireDeposits } = await import('../../src/domain/deposits/expire-deposits.ts')
    while ((await expireDeposits(context)) > 0);
    assert.partialDeepStrictEqual(await take([{ ...part, version: 9n, isRevoked: true }]), { undone: 1 })
  } finally {
    await gateway.database.shiftClock('0')
  }
  const stranger = { ...(await paymentOf(deposit, { cents: 3n })), purpose: 'x', purposeParts: ['x'] }
  await take([stranger])
  const [row] = await gateway.database.owner.query<{ id: string }>(
    sql`select id from transfers where bank_id = ${stranger.bankId}`,
  )
  const live = await openShop(gateway, { mode: 'live' })
  await gateway.database.owner.script(
    `alter table deposits disable trigger user;
     update deposits set merchant_id = '${live.merchant}' where id = '${deposit.id}';
     alter table deposits enable trigger user`,
  )
  const act = { transferId: row!.id, depositId: deposit.id, actor: 'operator:test', reason: 'x' }
  await assert.rejects(matchByHand(context, act), { code: 'not_found' })
})

test('a revoked part takes its money back and leaves the rest', async () => {
  const deposit = await created()
  const part = await paymentOf(deposit, { cents: 500n })
  await take([part, await paymentOf(deposit, { cents: 700n })])
  await take([{ ...part, version: 9n, isRevoked: true }])
  const { state, receivedCents } = await stored(deposit.id)
  assert.deepEqual([state, receivedCents], ['created', 700n])
})

const newestOf = async (bankId: string) => {
  const [row] = await gateway.database.owner.query<{ state: string }>(
    sql`select state from transfers where bank_id = ${bankId}`,
  )
  return row!
}

test('a person matches, sets aside and gives back; the coins always add up', async () => {
  const deposit = await created()
  const by = { actor: 'operator:test', reason: 'seen' }
  await take([
    await paymentOf(deposit, {
      purpose: 'без ссылки',
      purposeParts: ['без ссылки'],
      cents: deposit.amountCents + 5n,
    }),
  ])
  const [transfer] = await listTransfers(gateway.db, {
    state: 'unmatched',
    accountId: null,
    depositId: null,
    before: null,
    limit: 1,
  })
  assert.ok(transfer)
  await setAside(context, { ...by, transferId: transfer.id })
  await matchByHand(context, { ...by, transferId: transfer.id, depositId: deposit.id })
  assert.deepEqual((await stored(deposit.id)).labels, ['overpaid'])
  await refund(context, { ...by, transferId: transfer.id, cents: 5n })
  const after = (await readTransfer(gateway.db, transfer.id))!
  assert.deepEqual(
    [after.transfer.state, after.transfer.depositCents, after.transfer.refundCents],
    ['matched', deposit.amountCents, 5n],
  )
  assert.equal((await stored(deposit.id)).receivedCents, deposit.amountCents)
  assert.equal(after.decisions.length, 4)
  await assert.rejects(refund(context, { ...by, transferId: transfer.id, cents: deposit.amountCents + 1n }), {
    code: 'invalid_value',
  })
  await assert.rejects(matchByHand(context, { ...by, transferId: transfer.id, depositId: deposit.id }), {
    code: 'state_conflict',
  })
})

test('a dry run shows what would happen and stores nothing', async () => {
  const deposit = await created()
  assert.partialDeepStrictEqual(await take([await paymentOf(deposit)], push, true), { taken: 1, matched: 1 })
  assert.equal((await stored(deposit.id)).state, 'created')
  assert.deepEqual(await transferOf(deposit), [])
})

test('20 takers of one entry leave one transfer and one confirmation', async () => {
  const deposit = await created()
  const payment = await paymentOf(deposit)
  const all = await Promise.all(Array.from({ length: 20 }, () => take([payment])))
  assert.equal(
    all.reduce((sum, result) => sum + result.taken, 0),
    1,
  )
  assert.equal((await stored(deposit.id)).receivedCents, deposit.amountCents)
})

test('the database refuses a transfer whose coins do not add up, and one that settles two', async () => {
  await assert.rejects(
    gateway.database.owner.script(
      `update transfers set open_cents = open_cents + 1 where state = 'unmatched'`,
    ),
    /transfer_balances/,
  )
  await assert.rejects(
    gateway.database.owner.script(`update transfers set cents = cents + 1`),
    /keeps what the bank wrote/,
  )
})

test('a merchant’s policy decides: money over goes to review where it asked for that', async () => {
  await changeMerchant(gateway.db, { merchantId: shop.merchant, settings: { overpaidPolicy: 'review' } })
  const deposit = await created()
  await take([await paymentOf(deposit, { cents: deposit.amountCents + 1n })])
  assert.deepEqual((await stored(deposit.id)).state, 'created')
  assert.ok((await stored(deposit.id)).labels.includes('review'))
})
