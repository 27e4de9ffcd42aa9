/**
 * A deposit without a reference has ended, and another deposit waits for the same amount on the same account. A payment that the bank
 * reports later may be for the first.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cancelDeposit, confirmDeposit } from '../../src/domain/deposits/change-deposit.ts'
import { sweepDeposits } from '../../src/domain/deposits/expire-deposits.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import {
  rejectDeposit,
  releaseMoneyOfExpired,
  reverseDeposit,
} from '../../src/domain/transfers/end-deposit.ts'
import type { Entry } from '../../src/domain/transfers/entry.ts'
import { sourceOf } from '../../src/domain/transfers/source-store.ts'
import { readTransfer } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { accountOf, depositContextOf, entryTo, transferTo } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let hasty: Shop
let patient: Shop
let other: Shop
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  ;[hasty, patient, other] = [await openShop(gateway), await openShop(gateway), await openShop(gateway)]
  const endAfter = (shop: Shop, lateGraceHours: number) =>
    changeMerchant(gateway.db, {
      merchantId: shop.merchant,
      settings: { lateGraceHours, lateGraceAccountHours: lateGraceHours, paymentMinutes: 5 },
    })
  await endAfter(hasty, 0)
  await endAfter(patient, 24)
})

/** Moves the clock to so many days from now, and so many minutes after noon in Moscow. */
async function at(days: number, minutes: number, { isSwept = true } = {}): Promise<Date> {
  const now = Date.now()
  const noon = new Date(now + days * 86_400_000).setUTCHours(9, minutes, 0, 0)
  await gateway.database.shiftClock(`${noon - now} milliseconds`)
  if (isSwept) await sweepDeposits(depositContextOf(gateway))
  return new Date(noon)
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

type Paid = { bookedOn: string; bookedAt?: Date; paidOn?: string }

/** What becomes of a payment, and between which deposits a person decides. */
async function transferOf(accountId: string, payment: Paid & Partial<Entry> & { cents: bigint }) {
  const id = await transferTo(gateway, accountId, payment)
  const { transfer, decisions } = (await readTransfer(gateway.db, id))!
  const { rule, evidence } = decisions.at(-1)!
  const looked = (evidence as { candidates: { deposit: string }[] }).candidates.map(({ deposit }) => deposit)
  return {
    state: transfer.state,
    rule,
    deposit: transfer.shares[0]?.depositId ?? null,
    looked: looked.sort(),
  }
}

/** A deposit that can be paid for five minutes, and the next one of its amount on the same account, of another shop. */
async function oneAfterAnother({
  days,
  cents,
  nextOn = days,
  shop = hasty,
}: {
  days: number
  cents: number
  nextOn?: number
  shop?: Shop
}) {
  await at(days, 0)
  const order = { payment_type: 'any_bank', currency: 'TJS', cents }
  const { id: ended } = (await shop.create(order)).body
  const issued = await at(nextOn, 6)
  const accountId = await accountOf(gateway, ended)
  // Each account takes the amount once.
  let next = ''
  while (next === '' || (await accountOf(gateway, next)) !== accountId) {
    const { status, body } = await other.create(order)
    assert.equal(status, 201)
    next = body.id
  }
  const pay = (facts: Paid) => transferOf(accountId, { cents: BigInt(cents), currency: 'TJS', ...facts })
  return { ended, next, issued, pay }
}

test('a payment of the day on which the ended deposit could be paid waits for a person, who is shown both', async () => {
  const { ended, next, issued, pay } = await oneAfterAnother({ days: 1, cents: 431_000 })
  const paid = await pay({ bookedOn: dayOf(issued) })
  assert.deepEqual(paid, {
    state: 'ambiguous',
    rule: 'amount_doubt',
    deposit: null,
    looked: [ended, next].sort(),
  })
})

test('a payment with a time after the end of the first deposit, or of a later day, is for the next', async () => {
  const timed = await oneAfterAnother({ days: 3, cents: 432_000 })
  const bookedAt = new Date(timed.issued.getTime() + 1)
  assert.equal((await timed.pay({ bookedOn: dayOf(bookedAt), bookedAt })).deposit, timed.next)
  const later = await oneAfterAnother({ days: 5, cents: 433_000, nextOn: 6 })
  assert.equal((await later.pay({ bookedOn: dayOf(later.issued) })).deposit, later.next)
})

test('a payment whose time is in the late grace of the first deposit waits for a person', async () => {
  const days = { days: 7, nextOn: 8 }
  const { ended, next, issued, pay } = await oneAfterAnother({ ...days, cents: 436_000, shop: patient })
  const bookedAt = new Date(issued.getTime() - 90_000)
  const { state, looked } = await pay({ bookedOn: dayOf(bookedAt), bookedAt })
  assert.deepEqual([state, looked], ['ambiguous', [ended, next].sort()])
})

/** An account that merchants share, where amounts match although deposits have references: several may wait for one. */
async function sharedAccount(cents: number, shop = hasty) {
  const { owner } = gateway.database
  const create = async (shop: Shop, asked = cents): Promise<string> => {
    const { status, body } = await shop.create({
      ...{ payment_type: 'account_number', currency: 'RUB' },
      cents: asked,
    })
    assert.equal(status, 201, JSON.stringify(body))
    return body.id
  }
  const first = await create(shop)
  const accountId = await accountOf(gateway, first)
  await owner.query(sql`update receiving_accounts set amount_matching = 'always'`)
  await owner.query(sql`
    update requisites set enabled = false
    where account_id <> ${accountId} and account_id in (select id from receiving_accounts where currency = 'RUB')`)
  const pay = (facts: Paid & Partial<Entry>) =>
    transferOf(accountId, { cents: BigInt(cents), currency: 'RUB', ...facts })
  return { first, create, pay }
}

/** What a payer writes who names this deposit. */
async function naming(depositId: string): Promise<Pick<Entry, 'purpose' | 'purposeParts'>> {
  const [row] = await gateway.database.owner.query<{ purpose: string }>(
    sql`select shown ->> 'payment_reason' as purpose from deposits where id = ${depositId}`,
  )
  return { purpose: row!.purpose, purposeParts: [row!.purpose] }
}

test('a payment without a time waits for a person, although a merchant let many deposits of its amount end after that day', async () => {
  const issued = await at(10, 0)
  const { first, create, pay } = await sharedAccount(437_000)
  const next = await create(other)
  await at(10, 13 * 60)
  for (let count = 0; count < 51; count++) await create(hasty)
  await at(10, 13 * 60 + 6)
  const { state, looked } = await pay({ bookedOn: dayOf(issued) })
  assert.deepEqual([state, looked], ['ambiguous', [first, next].sort()])
})

for (const [place, closed] of (['canceled', 'rejected'] as const).entries()) {
  test(`a payment waits for a person if the first deposit was ${closed} after it or minutes before its booking, and is for the next one if later`, async () => {
    const days = 11 + place
    await at(days, 0)
    const { first, create, pay } = await sharedAccount(439_000 + place, patient)
    const next = await create(other)
    const closedAt = await at(days, 3)
    const act = { depositId: first, actor: 'operator:test', merchantId: null }
    await (closed === 'canceled' ? cancelDeposit : rejectDeposit)(depositContextOf(gateway), act)
    const before = { bookedOn: dayOf(closedAt), bookedAt: closedAt }
    const minutesAfter = { bookedOn: dayOf(closedAt), bookedAt: new Date(closedAt.getTime() + 10 * 60_000) }
    for (const payment of [before, { bookedOn: dayOf(closedAt) }, minutesAfter]) {
      const { state, looked } = await pay(payment)
      assert.deepEqual([state, looked], ['ambiguous', [first, next].sort()])
    }
    const bookedAt = new Date(closedAt.getTime() + 11 * 60_000)
    await at(days, 20)
    assert.equal((await pay({ bookedOn: dayOf(bookedAt), bookedAt })).deposit, next)
  })
}

for (const [place, end] of (['expired', 'canceled', 'rejected'] as const).entries()) {
  test(`a payment sent on the day of a deposit that is ${end}, and booked in the following night, waits for a person`, async () => {
    const days = 2 + 2 * place
    const paidOn = dayOf(await at(days, 0))
    const { first, create, pay } = await sharedAccount(441_000 + place)
    const next = await create(other)
    await at(days, 3)
    const act = { depositId: first, actor: 'operator:test', merchantId: null }
    if (end === 'canceled') await cancelDeposit(depositContextOf(gateway), act)
    if (end === 'rejected') await rejectDeposit(depositContextOf(gateway), act)
    const bookedAt = await at(days, 14 * 60)
    const bookedOn = dayOf(new Date(bookedAt.getTime() + 3 * 3_600_000))
    const { state, looked } = await pay({ paidOn, bookedOn, bookedAt })
    assert.deepEqual([state, looked], ['ambiguous', [first, next].sort()])
    const later = await pay({ paidOn: bookedOn, bookedOn, bookedAt })
    assert.equal(later.deposit, next)
  })
}

test('a payment for a deposit that a person confirmed before its money was reported, and then reversed, waits for a person', async () => {
  const issued = await at(8, 0)
  const { first, create, pay } = await sharedAccount(445_000)
  const next = await create(other)
  const act = { depositId: first, actor: 'operator:test', reason: 'A receipt was shown.' }
  await confirmDeposit(depositContextOf(gateway), act)
  const reversedAt = await at(8, 3)
  await reverseDeposit(depositContextOf(gateway), act)
  const { state, looked } = await pay({ bookedOn: dayOf(issued) })
  assert.deepEqual([state, looked], ['ambiguous', [first, next].sort()])
  // Reversed or not, it could be paid for five minutes.
  const bookedAt = new Date(reversedAt.getTime() + 3 * 60_000)
  assert.equal((await pay({ bookedOn: dayOf(bookedAt), bookedAt })).deposit, next)
})

for (const [place, end] of (['expired', 'rejected', 'reversed'] as const).entries()) {
  test(`the amount of a deposit that had a part of its money when it was ${end} waits for a person`, async () => {
    const days = 3 + 2 * place
    const issued = await at(days, 0)
    const [whole, part] = [451_000 + place, 150_000]
    const { first, create, pay } = await sharedAccount(whole)
    const sent = { bookedOn: dayOf(issued) }
    await pay({ ...sent, ...(await naming(first)), cents: BigInt(part) })
    await at(days, 3)
    const act = { depositId: first, actor: 'operator:test', reason: 'test' }
    if (end === 'rejected') await rejectDeposit(depositContextOf(gateway), act)
    if (end === 'reversed') {
      await confirmDeposit(depositContextOf(gateway), act)
      await reverseDeposit(depositContextOf(gateway), act)
    }
    await at(days, 6)
    await releaseMoneyOfExpired(depositContextOf(gateway))
    const next = await create(other)
    const { state, looked } = await pay(sent)
    assert.deepEqual([state, looked], ['ambiguous', [first, next].sort()])
    const later = { bookedOn: dayOf(issued), bookedAt: new Date(issued.getTime() + 7 * 60_000) }
    assert.equal((await pay(later)).deposit, next)
  })
}

test('the rest of a deposit that its payer has begun waits for a person if it may be the money of an ended one', async () => {
  for (const isBegunBefore of [true, false]) {
    const issued = await at(12, 30)
    const cents = 461_000 + Number(isBegunBefore)
    const { first, create, pay } = await sharedAccount(cents)
    const begun = await create(other, 900_000)
    await at(12, 36)
    const payer = { payerAccount: '4081…0001', payerName: 'Иванова Анна', bookedOn: dayOf(issued) }
    const part = { ...payer, cents: BigInt(900_000 - cents), ...(await naming(begun)) }
    if (isBegunBefore) {
      await pay(part)
      const { state, looked } = await pay(payer)
      assert.deepEqual([state, looked], ['ambiguous', [first, begun].sort()])
    } else {
      // The bank reports both payments at once.
      const accountId = await accountOf(gateway, begun)
      const source = await gateway.db.transaction((tx) =>
        sourceOf(tx, { mode: 'test', kind: 'sandbox', channel: 'sandbox' }),
      )
      const entries = [part, { ...payer, cents: BigInt(cents) }].map((facts) => entryTo(accountId, facts))
      await takeTransfers(depositContextOf(gateway), entries, { source })
      const [{ state } = { state: '' }] = await gateway.db.query<{ state: string }>(
        sql`select state from transfers where bank_id = ${entries[1]!.bankId}`,
      )
      assert.equal(state, 'ambiguous')
    }
  }
})
