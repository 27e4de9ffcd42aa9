/**
 * A person confirmed a deposit, or noted its money, and a bank has not reported all of it. What may still be reported must not
 * confirm another deposit that waits for just that sum.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { keepCallbackPartitions } from '../../src/domain/callbacks/keep-partitions.ts'
import {
  changeDepositWithin,
  confirmDeposit,
  receiveMoney,
} from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { rejectDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { readTransfer } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { atNoon, bankDay, depositContextOf, entryTo } from '../support/bank.ts'
import { untilWaiting } from '../support/held-account.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { newStatement } from '../support/reported-payments.ts'

let gateway: MoneyIn['gateway']
let sources: MoneyIn['sources']
let depositOf: MoneyIn['depositOf']
let standing: MoneyIn['standing']
let accountId: string
before(async () => {
  const money = await openMoneyIn()
  ;({ gateway, sources, depositOf, standing } = money)
  accountId = await money.keepOneAccount()
  await money.matchAmounts('always')
  await changeMerchant(gateway.db, {
    merchantId: money.shop.merchant,
    settings: { lateGraceHours: 168, lateGraceAccountHours: 168 },
  })
})

const by = { actor: 'operator:test', reason: 'test' }
const payer = { payerAccount: '4081…0001', payerName: 'Иванова Анна' }

type Facts = Partial<IncomingEntry> & { cents: bigint }
const named = ({ shown }: Deposit) => {
  const purpose = shown!.payment_reason!
  return { purpose, purposeParts: [purpose] }
}

async function push(facts: Facts) {
  const entry = entryTo(accountId, { channel: 'push', ...payer, ...facts })
  await takeTransfers(depositContextOf(gateway), [entry], { source: sources.one })
  return outcomeOf(entry.bankId!)
}

/** What became of a payment, and between which deposits a person decides. */
async function outcomeOf(bankId: string) {
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from transfers where bank_id = ${bankId}`,
  )
  const { transfer, decisions } = (await readTransfer(gateway.db, row!.id))!
  const { candidates } = decisions.at(-1)!.evidence as { candidates: { deposit: string }[] }
  return { state: transfer.state, looked: candidates.map(({ deposit }) => deposit).sort() }
}

const waitsFor = (...deposits: Deposit[]) => ({
  state: 'ambiguous',
  looked: deposits.map(({ id }) => id).sort(),
})

const confirm = ({ id }: Deposit) => confirmDeposit(depositContextOf(gateway), { depositId: id, ...by })
const note = ({ id }: Deposit, cents: bigint) =>
  receiveMoney(depositContextOf(gateway), { depositId: id, cents, isNoted: true, ...by })

for (const [from, other] of [
  ['the same payer', payer],
  ['another payer', { payerAccount: '4081…0002', payerName: 'Петров Иван' }],
] as const)
  test(`the rest of a deposit that a person confirmed is not taken for the money of another one, from ${from}`, async () => {
    const rest = 1_000_100n + BigInt(from.length)
    const confirmed = await depositOf(2_000_100 + from.length)
    await push({ cents: 1_000_000n, ...named(confirmed) })
    await confirm(confirmed)
    const next = await depositOf(Number(rest))
    assert.deepEqual(await push({ cents: rest, ...other }), waitsFor(confirmed, next))
    assert.deepEqual(await standing(next), ['created', 0n])
    // Once it has come, such a payment is for the next deposit.
    await push({ cents: rest, ...named(confirmed) })
    assert.deepEqual(await standing(confirmed), ['confirmed', confirmed.amountCents])
    await push({ cents: rest, ...other })
    assert.deepEqual(await standing(next), ['confirmed', rest])
  })

test('no sum of a deposit that a person confirmed with bank money, recorded money and a missing rest is taken for another one', async () => {
  const confirmed = await depositOf(2_000_200)
  await push({ cents: 1_000_000n, ...named(confirmed) })
  await note(confirmed, 300_100n)
  await confirm(confirmed)
  for (const cents of [300_100n, 700_100n, 1_000_200n, 2_000_200n]) {
    const next = await depositOf(Number(cents))
    assert.deepEqual(await push({ cents }), waitsFor(confirmed, next), `${cents}`)
  }
})

test('the money of a deposit that a person confirms while a bank reports it is not taken for another one', async () => {
  const cents = 1_700_300
  const [confirmed, waiting] = [await depositOf(cents), await depositOf(cents)]
  const context = depositContextOf(gateway)
  let pushed: ReturnType<typeof push> | undefined
  await gateway.db.transaction(async (tx) => {
    const change = { depositId: confirmed.id, do: 'confirm', ...by } as const
    await changeDepositWithin(tx, context, change)
    pushed = push({ cents: BigInt(cents) })
    await untilWaiting(gateway, 1)
  })
  assert.deepEqual(await pushed, waitsFor(confirmed, waiting))
  assert.deepEqual(await standing(waiting), ['created', 0n])
})

test('the rest of an open deposit with recorded money is not taken for the money of another one', async () => {
  const noted = await depositOf(2_000_300)
  await note(noted, 800_000n)
  const next = await depositOf(1_200_300)
  assert.deepEqual(await push({ cents: 1_200_300n }), waitsFor(noted, next))
})

test('a recorded part of a deposit that was rejected since is not taken for the money of another one', async () => {
  const noted = await depositOf(2_000_400)
  await note(noted, 800_400n)
  const next = await depositOf(800_400)
  await rejectDeposit(depositContextOf(gateway), { depositId: noted.id, ...by })
  assert.deepEqual(await push({ cents: 800_400n }), waitsFor(noted, next))
})

test('of two deposits of one amount that a person confirmed, the money of one does not free the other', async () => {
  for (const place of [0, 1]) {
    const cents = 3_000_000n + BigInt(place)
    const confirmed = [await depositOf(Number(cents)), await depositOf(Number(cents))] as const
    for (const deposit of confirmed) await confirm(deposit)
    const next = await depositOf(Number(cents))
    const statementId = await newStatement(gateway)
    const rows = [{ ...named(confirmed[place]!) }, { payerName: 'Петров Иван' }].map((facts, line) =>
      entryTo(accountId, { cents, channel: '1c', statementId, line, ...facts }),
    )
    await takeTransfers(depositContextOf(gateway), rows, { source: sources.file })
    assert.deepEqual(await standing(confirmed[place]!), ['confirmed', cents])
    assert.deepEqual(await standing(next), ['created', 0n])
    assert.deepEqual(await outcomeOf(rows[1]!.bankId!), waitsFor(confirmed[1 - place]!, next))
  }
})

test('a payer who has begun a deposit pays its rest, unless the rest may be money that a person already recorded', async () => {
  for (const [noted, expected] of [
    [200_000n, 'matched'],
    [400_000n, 'ambiguous'],
  ] as const) {
    const deposit = await depositOf(Number(5_000_000n + noted))
    await push({ cents: 4_600_000n, ...named(deposit) })
    await note(deposit, noted)
    const { id } = deposit
    assert.deepEqual(await push({ cents: 400_000n }), { state: expected, looked: [id] })
  }
})

test('a payment that was sent in the two weeks after a deposit was confirmed may be its money, whenever it is reported', async () => {
  const { database } = gateway
  const moveTo = async (days: number) => {
    await database.shiftClock(atNoon(days))
    await keepCallbackPartitions(database.owner)
  }
  const whole = await depositOf(4_000_000)
  const begun = await depositOf(4_200_000)
  await push({ cents: 100_000n, ...named(begun) })
  for (const deposit of [whole, begun]) await confirm(deposit)
  await moveTo(11)
  const nextOf = [await depositOf(4_000_000), await depositOf(4_100_000)]
  await moveTo(16)
  for (const [place, claimed] of [whole, begun].entries()) {
    const next = nextOf[place]!
    const sent = { cents: next.amountCents, bookedOn: bankDay(12) }
    assert.deepEqual(await push(sent), waitsFor(claimed, next))
    await push({ ...sent, bookedOn: bankDay(15) })
    assert.deepEqual(await standing(next), ['confirmed', next.amountCents])
  }
})
