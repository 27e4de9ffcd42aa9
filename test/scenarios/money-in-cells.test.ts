/**
 * One payment, reported twice to an account whose deposits are named by their references only: whatever became of the first
 * report, the second must not pay what the money is not there for.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { confirmDeposit } from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { matchByHand, refund, revokeByHand, setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { rejectDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { readTransfer } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, entryTo } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { newStatement } from '../support/reported-payments.ts'

let gateway: MoneyIn['gateway']
let sources: MoneyIn['sources']
let depositOf: MoneyIn['depositOf']
let stored: MoneyIn['stored']
let standing: MoneyIn['standing']
let accountId: string
before(async () => {
  const money = await openMoneyIn()
  ;({ gateway, sources, depositOf, stored, standing } = money)
  accountId = await money.keepOneAccount()
})

const by = { actor: 'operator:test', reason: 'test' }

type Facts = Partial<IncomingEntry> & { cents: bigint }
const named = ({ shown }: Deposit) => {
  const purpose = shown!.payment_reason!
  return { purpose, purposeParts: [purpose] }
}

const push = (facts: Facts) =>
  takeTransfers(depositContextOf(gateway), [entryTo(accountId, { channel: 'push', ...facts })], {
    source: sources.one,
  })

async function file(channel: '1c' | 'csv' | 'camt', ...rows: Facts[]) {
  const statementId = await newStatement(gateway)
  const entries = rows.map((facts, place) =>
    entryTo(accountId, { bankId: null, channel, statementId, line: place + 1, ...facts }),
  )
  return takeTransfers(depositContextOf(gateway), entries, { source: sources.file })
}

const rowsOf = (cents: bigint) =>
  gateway.db.query<{ id: string; state: string }>(
    sql`select id, state from transfers where account_id = ${accountId} and cents = ${cents} order by id`,
  )
const statesOf = async (cents: bigint) => (await rowsOf(cents)).map(({ state }) => state)

const payer = { payerAccount: '4081…0001', payerName: 'Иванова Анна' }

let amount = 7_000_000
const ended = {
  given_back: (transferId: string) => refund(depositContextOf(gateway), { transferId, cents: null, ...by }),
  set_aside: (transferId: string) => setAside(depositContextOf(gateway), { transferId, ...by }),
  taken_back: (transferId: string) => revokeByHand(depositContextOf(gateway), { transferId, ...by }),
}
for (const [how, act] of Object.entries(ended)) {
  test(`a payment that was ${how} while its deposit was unknown pays nothing when a statement names the deposit`, async () => {
    const deposit = await depositOf(++amount)
    const cents = BigInt(amount)
    await push({ cents, ...payer, purpose: '', purposeParts: [] })
    assert.deepEqual(await statesOf(cents), ['ambiguous'])
    await act((await rowsOf(cents))[0]!.id)
    await file('1c', { cents, ...payer, ...named(deposit), bookedOn: bankDay(2) })
    assert.deepEqual(await standing(deposit), ['created', 0n])
  })

  test(`a payment that was ${how} although it named its deposit pays nothing when a statement of another day reports it`, async () => {
    const deposit = await depositOf(++amount)
    const cents = BigInt(amount)
    // Under an id that the bank has used before: a person looks at it.
    const bankId = newId()
    await push({ cents: 1n, ...payer, bankId, purpose: '', purposeParts: [] })
    await push({ cents, ...payer, ...named(deposit), bankId })
    assert.deepEqual(await statesOf(cents), ['ambiguous'])
    await act((await rowsOf(cents))[0]!.id)
    await file('1c', { cents, ...payer, ...named(deposit), bookedOn: bankDay(2) })
    assert.deepEqual(await standing(deposit), ['created', 0n])
  })
}

test('a payment that was taken for the rest of one deposit does not pay the deposit that a statement says it names', async () => {
  const whole = await depositOf(5_000_000)
  const other = await depositOf(2_500_000)
  const half = { cents: 2_500_000n, ...payer }
  await push({ ...half, ...named(whole) })
  await push({ ...half, purpose: '', purposeParts: [], bookedOn: bankDay(1) })
  const paid = (await stored(whole.id)).state === 'confirmed'
  await file('1c', { ...half, ...named(other), bookedOn: bankDay(2) })
  const isOtherPaid = (await stored(other.id)).state === 'confirmed'
  assert.ok(!(paid && isOtherPaid), 'two payments have paid for three halves')
})

test('a payment taken for the rest of one deposit pays no other one, also if no deposit of its own amount waited', async () => {
  const whole = await depositOf(5_200_000)
  const other = await depositOf(5_200_000)
  const half = { cents: 2_600_000n, ...payer }
  await push({ ...half, ...named(whole) })
  await push({ ...half, purpose: '', purposeParts: [], bookedOn: bankDay(1) })
  assert.deepEqual(await standing(whole), ['confirmed', 5_200_000n])
  await file('1c', { ...half, ...named(other), bookedOn: bankDay(2) })
  assert.deepEqual(await standing(other), ['created', 0n])
})

test('a payment that a person matched with a deposit it does not name does not pay the one that it names', async () => {
  const first = await depositOf(3_100_000)
  const second = await depositOf(3_100_000)
  const payment = { cents: 3_100_000n, ...payer }
  await push({ ...payment, purpose: '', purposeParts: [] })
  const [row] = await rowsOf(3_100_000n)
  await matchByHand(depositContextOf(gateway), { transferId: row!.id, depositId: first.id, ...by })
  await file('1c', { ...payment, ...named(second), bookedOn: bankDay(1) })
  assert.deepEqual(await standing(second), ['created', 0n])
})

test('a payment that a person decided about does not pay a later deposit whose reference the payer could guess', async () => {
  for (const how of ['the rest of its payer', 'given back', 'left without its deposit', 'by hand'] as const) {
    const first = await depositOf(++amount * 2)
    const payment = { cents: BigInt(amount), ...payer }
    await push({
      ...payment,
      ...(how === 'the rest of its payer' ? named(first) : { purpose: '', purposeParts: [] }),
    })
    await push({ ...payment, purpose: '', purposeParts: [] })
    const [, row] = await rowsOf(payment.cents)
    const transferId = row!.id
    if (how !== 'the rest of its payer')
      await matchByHand(depositContextOf(gateway), { transferId, depositId: first.id, ...by })
    assert.equal((await rowsOf(payment.cents))[1]!.state, 'matched', how)
    if (how === 'given back') await refund(depositContextOf(gateway), { transferId, cents: null, ...by })
    if (how === 'left without its deposit')
      await rejectDeposit(depositContextOf(gateway), { depositId: first.id, ...by })
    const later = await depositOf(amount)
    await file('1c', { ...payment, ...named(later), bookedOn: bankDay(1) })
    assert.deepEqual(await standing(later), ['created', 0n], how)
  }
})

test('a payment that a person matched by hand and a statement repeats does not delay other payments', async () => {
  const first = await depositOf(3_200_000)
  const second = await depositOf(3_200_000)
  const payment = { cents: 3_200_000n, payerAccount: '' }
  await push({ ...payment, purpose: '', purposeParts: [] })
  const [row] = await rowsOf(3_200_000n)
  await matchByHand(depositContextOf(gateway), { transferId: row!.id, depositId: first.id, ...by })
  await file('1c', { ...payment, ...named(first), bookedOn: bankDay(1) }, { ...payment, ...named(second) })
  assert.deepEqual((await statesOf(3_200_000n)).sort(), ['ambiguous', 'matched', 'matched'])
  assert.deepEqual(await standing(second), ['confirmed', 3_200_000n])
})

test('money of a deposit that a person confirmed is not taken for the rest of another one of its payer', async () => {
  const whole = await depositOf(5_400_000)
  await push({ cents: 2_700_000n, ...payer, ...named(whole) })
  const confirmed = await depositOf(2_700_000)
  await confirmDeposit(depositContextOf(gateway), { depositId: confirmed.id, ...by })
  await push({ cents: 2_700_000n, ...payer, purpose: '', purposeParts: [] })
  assert.deepEqual(await standing(whole), ['created', 2_700_000n])
})

for (const [what, second] of [
  ['another deposit', { payerAccount: '' }],
  ['another day, weeks later', { payerAccount: '', purpose: 'Перевод', bookedOn: bankDay(20) }],
  ['another payer', { payerAccount: '4081…0002', purpose: 'Перевод' }],
] as const) {
  test(`a bank that uses a long id again for ${what} loses no payment of the same amount, by push or by file`, async () => {
    for (const way of ['push', 'file'] as const) {
      const [first, next] = [await depositOf(++amount), await depositOf(amount)]
      const cents = BigInt(amount)
      const bankId = `contract-${newId()}`
      const payments = [
        { cents, bankId, version: 0n, ...payer, ...named(first) },
        { cents, bankId, version: 0n, ...payer, ...named(next), ...second },
      ].map((facts) => ({ ...facts, purposeParts: [facts.purpose] }))
      for (const facts of payments) await (way === 'push' ? push(facts) : file('csv', facts))
      assert.deepEqual(await statesOf(cents), ['matched', 'ambiguous'], way)
      // Reported again, each is what it was.
      for (const facts of payments) await (way === 'push' ? push(facts) : file('csv', facts))
      assert.deepEqual(await statesOf(cents), ['matched', 'ambiguous'], way)
    }
  })
}

for (const bankId of ['17', '0000000000000018', '1234567'])
  test(`a short id, ${bankId}, that a push and a table give to two payments of an amount and day loses none of them`, async () => {
    const deposit = await depositOf(++amount)
    const cents = BigInt(amount)
    // Another customer's payment, of which the push says little.
    await push({ cents, bankId, documentNumber: '', payerAccount: '', payerName: '' })
    await file('csv', { cents, bankId, ...payer, ...named(deposit) })
    assert.deepEqual(await statesOf(cents), ['ambiguous', 'ambiguous'])
  })

test('under one long id a payment is the same where files mask its payer, or word its purpose, in other ways', async () => {
  const deposit = await depositOf(++amount)
  const facts = { cents: BigInt(amount), bankId: `bank-${newId()}`, version: 0n, ...payer }
  await file('csv', { ...facts, ...named(deposit) })
  await file('csv', { ...facts, purpose: 'Перевод', purposeParts: ['Перевод'], bookedOn: bankDay(1) })
  await file('csv', { ...facts, ...named(deposit), payerAccount: '****0001' })
  await file('csv', { ...facts, ...named(deposit), payerAccount: '2200…1234' })
  assert.deepEqual(await statesOf(facts.cents), ['matched'])
})

test('a payment that two files of one bank number by their rows pays for one deposit', async () => {
  await gateway.database.owner.query(
    sql`update receiving_accounts set amount_matching = 'always' where id = ${accountId}`,
  )
  await depositOf(1_700_000)
  // A payer who has begun no deposit: nothing is matched by amount for a payer who has.
  const other = { payerAccount: '4081…0003', payerName: 'Петрова Ольга' }
  const payment = { cents: 1_700_000n, ...other, documentNumber: '' }
  await file('csv', { ...payment, bankId: '1' })
  assert.deepEqual(await statesOf(1_700_000n), ['matched'])
  const next = await depositOf(1_700_000)
  await file('csv', { cents: 1_800_000n, bankId: '1' }, { ...payment, bankId: '2', purpose: 'СБП' })
  assert.deepEqual(await standing(next), ['created', 0n])
})

for (const [what, idOf, bookedOn] of [
  ['a short id, on the next day', () => String(amount), bankDay(1)],
  ['a long id', newId, bankDay(0)],
] as const) {
  test(`a later version under ${what}, that names another deposit hides no payment, alone or with the earlier one`, async () => {
    const versions = async () => {
      const deposits = [await depositOf(++amount), await depositOf(amount)] as const
      const facts = { cents: BigInt(amount), bankId: idOf(), documentNumber: String(amount), ...payer }
      const first = { ...facts, ...named(deposits[0]), version: 1n }
      return { deposits, first, second: { ...facts, ...named(deposits[1]), version: 2n, bookedOn } }
    }
    const apart = await versions()
    await push(apart.first)
    for (let times = 1; times <= 2; times++) {
      await push(apart.second)
      assert.deepEqual(await statesOf(apart.first.cents), ['matched', 'ambiguous'])
    }
    assert.deepEqual(await standing(apart.deposits[1]), ['created', 0n])
    const { first, second } = await versions()
    const both = [first, second].map((facts) => entryTo(accountId, { channel: 'push', ...facts }))
    for (const taken of [2, 0]) {
      const counts = await takeTransfers(depositContextOf(gateway), both, { source: sources.one })
      assert.partialDeepStrictEqual(counts, { taken, seen: 2 - taken })
    }
    assert.deepEqual((await statesOf(first.cents)).sort(), ['ambiguous', 'matched'])
  })
}

test('a reversal under a reused short id revokes its own payment, and not that of an earlier day', async () => {
  const [before, now] = [await depositOf(++amount), await depositOf(amount)]
  const cents = BigInt(amount)
  const other = { ...payer, documentNumber: '777', payerAccount: '4081…0002', bookedOn: bankDay(1) }
  await push({ cents, ...payer, ...named(before), bankId: '000017' })
  await push({ cents, ...other, ...named(now), bankId: '000018' })
  const reversal = { ...other, direction: 'debit', isRevoked: true, bankId: '000017' } as const
  await push({ cents, ...reversal })
  assert.deepEqual(await standing(before), ['confirmed', cents])
  assert.equal((await standing(now))[0], 'reversed')
})

for (const [what, reject] of [
  ['a closed deposit', true],
  ['no deposit', false],
] as const) {
  test(`a payment for ${what} that is pushed today and booked tomorrow is owed to its payer once`, async () => {
    const deposit = await depositOf(++amount)
    if (reject) await rejectDeposit(depositContextOf(gateway), { depositId: deposit.id, ...by })
    const cents = BigInt(reject ? amount : ++amount)
    const purpose = reject ? named(deposit) : { purpose: 'За услуги', purposeParts: ['За услуги'] }
    await push({ cents, ...purpose, payerAccount: '2200…1234', documentNumber: '' })
    await file('1c', { cents, ...purpose, payerAccount: '4081…0001', bookedOn: bankDay(1) })
    assert.deepEqual(await statesOf(cents), ['unmatched', 'ambiguous'])
    for (const { id } of await rowsOf(cents)) await ended.set_aside(id)
    const owed = await gateway.db.query<{ cents: bigint }>(
      sql`select open_cents as cents from transfers where cents = ${cents} and due_since is not null`,
    )
    assert.deepEqual(owed, [{ cents }])
  })
}

test('control: payments of two payers for no deposit are each owed to their own', async () => {
  const cents = BigInt(++amount)
  await push({ cents, payerAccount: '4081…0003', payerName: 'Сидорова Вера' })
  await file('1c', { cents, payerAccount: '4081…0004', payerName: 'Петров Олег' })
  assert.deepEqual(await statesOf(cents), ['unmatched', 'unmatched'])
})

test('money from an account of our own that names a deposit waits for a person, once; what names none is set aside', async () => {
  const deposit = await depositOf(++amount)
  const own = { cents: BigInt(amount), ...payer, documentNumber: '31', isInternal: true }
  await push({ ...own, ...named(deposit) })
  await file('1c', { ...own, ...named(deposit) })
  assert.deepEqual(await statesOf(own.cents), ['ambiguous', 'duplicate'])
  assert.deepEqual(await standing(deposit), ['created', 0n])
  await push({ ...own, cents: BigInt(++amount) })
  assert.deepEqual(await statesOf(BigInt(amount)), ['set_aside'])
})

for (const how of ['with its reversal', 'as revoked'] as const)
  test(`if another source reports yesterday’s counted payment ${how}, a person sees it`, async () => {
    const deposit = await depositOf(++amount)
    const cents = BigInt(amount)
    await file('1c', { cents, ...payer, ...named(deposit) })
    assert.deepEqual(await standing(deposit), ['confirmed', cents])
    const paid = {
      cents,
      ...named(deposit),
      payerAccount: '2200…1234',
      documentNumber: '',
      bookedOn: bankDay(1),
    }
    const credit = entryTo(accountId, { ...paid, channel: 'push' })
    const reported =
      how === 'as revoked'
        ? [{ ...credit, isRevoked: true }]
        : [credit, { ...credit, direction: 'debit' as const, isRevoked: true }]
    for (let times = 1; times <= 2; times++) {
      await takeTransfers(depositContextOf(gateway), reported, { source: sources.one })
      const waiting = (await rowsOf(cents)).filter(({ state }) => state === 'ambiguous')
      const read = await Promise.all(waiting.map(({ id }) => readTransfer(gateway.db, id)))
      assert.deepEqual(
        read.map((found) => found!.decisions.at(-1)!.rule),
        ['told_of_revoked'],
      )
    }
  })
