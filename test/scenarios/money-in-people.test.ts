/** What people do about payments: each act, when it is refused, and that undoing it leaves everything as it was. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { confirmDeposit } from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { refund, revokeByHand, setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { giveSeveral, giveTransfer } from '../../src/domain/transfers/give-transfer.ts'
import { noteMoney } from '../../src/domain/transfers/note-money.ts'
import { digestOf, pairDay, readPairs } from '../../src/domain/transfers/pair-day.ts'
import { declareGenuine, samePayment } from '../../src/domain/transfers/same-payment.ts'
import { takeParked } from '../../src/domain/transfers/take-parked.ts'
import type { Transfer } from '../../src/domain/transfers/transfer.ts'
import { undoDecision } from '../../src/domain/transfers/undo-decision.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import type { Refusal } from '../../src/platform/refusals.ts'
import { bankDay, today } from '../support/bank.ts'
import { openShop } from '../support/gateway.ts'
import { by, type MoneyIn, naming, openMoneyIn, type TestAccount } from '../support/money-in.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn()
})

/** The transfer of this amount. */
const ofCents = async (account: TestAccount, cents: number): Promise<Transfer> =>
  (await account.transfers()).find((transfer) => transfer.cents === BigInt(cents))!
const idOf = async (account: TestAccount, cents: number) => (await ofCents(account, cents)).id

/** A push, closed out by a file that tells one row which it may be. */
async function withHeld(account: TestAccount, early: Deposit, booked?: Deposit) {
  await account.tell({ cents: 100_000, purpose: naming(early) })
  await account.file([{ cents: 98_500, ...(booked && { purpose: naming(booked) }) }])
  return { pushed: await idOf(account, 100_000), held: await idOf(account, 98_500) }
}

test('a transfer is given to a deposit by hand, once', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  await account.tell({ cents: 100_005 })
  const act = { transferId: await idOf(account, 100_005), depositId: deposit.id, ...by }
  await giveTransfer(money.context, act)
  assert.partialDeepStrictEqual(await account.stored(deposit), { state: 'confirmed', labels: ['overpaid'] })
  await assert.rejects(giveTransfer(money.context, act), { code: 'state_conflict' })
  await assert.rejects(giveTransfer(money.context, { ...act, transferId: newId() }), { code: 'not_found' })
})

test('what names another deposit is given to this one only by somebody who knows that', async () => {
  const account = await money.account()
  const [named, meant] = [await account.deposit(100_000), await account.deposit(200_000)]
  await account.file([{ cents: 1 }])
  await account.tell({ cents: 200_000, purpose: naming(named) })
  const act = { transferId: await idOf(account, 200_000), depositId: meant.id, ...by }
  await assert.rejects(giveTransfer(money.context, act), (error: Refusal) => {
    assert.deepEqual([error.code, error.details.more?.named], ['state_conflict', named.id])
    return true
  })
  await giveTransfer(money.context, { ...act, despiteReference: true })
  assert.deepEqual(await account.standing(meant), ['confirmed', 200_000n])
})

test('a transfer of which a part was given back, or a deposit in another currency or of another account, is refused', async () => {
  const [account, other] = [await money.account(), await money.account()]
  const [deposit, elsewhere] = [await account.deposit(100_000), await other.deposit(100_000)]
  await account.tell({ cents: 5_000 }, { cents: 6_000 })
  const [five, six] = [await idOf(account, 5_000), await idOf(account, 6_000)]
  await refund(money.context, { transferId: five, cents: 1n, ...by })
  const given = { transferId: five, depositId: deposit.id, ...by }
  await assert.rejects(giveTransfer(money.context, given), { code: 'state_conflict' })
  const strange = { transferId: six, depositId: elsewhere.id, ...by }
  await assert.rejects(giveTransfer(money.context, strange), { code: 'not_found' })
})

test('a transfer is split over several deposits of one merchant, to the last coin', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(200_000)] as const
  await account.tell({ cents: 300_000 })
  const transferId = await idOf(account, 300_000)
  const split = (...cents: readonly [number, number][]) =>
    giveTransfer(money.context, {
      ...{ transferId, ...by },
      shares: cents.map(([place, share]) => ({ depositId: deposits[place]!.id, cents: BigInt(share) })),
    })
  for (const shares of [
    [[0, 300_000]],
    [
      [0, 100_000],
      [1, 200_001],
    ],
    [
      [0, 300_000],
      [1, 0],
    ],
    [
      [0, 100_000],
      [0, 200_000],
    ],
  ] as [number, number][][])
    await assert.rejects(split(...shares), { code: 'invalid_value' })
  await split([0, 100_000], [1, 200_000])
  for (const deposit of deposits) assert.equal((await account.stored(deposit)).state, 'confirmed')
  // A deposit that names one of the two is not "the same deposits": the file's row pairs by its day, or is held.
  const { taken } = await account.file([{ cents: 300_000, purpose: deposits.map(naming).join(' ') }])
  assert.equal(taken.paired, 1)
})

test('a file that names one deposit of a split transfer is held', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(200_000)] as const
  await account.tell({ cents: 300_000 })
  await giveTransfer(money.context, {
    ...{ transferId: await idOf(account, 300_000), ...by },
    shares: deposits.map(({ id, amountCents }) => ({ depositId: id, cents: amountCents })),
  })
  const { taken } = await account.file([{ cents: 300_000, purpose: naming(deposits[0]) }])
  assert.partialDeepStrictEqual(taken, { paired: 0, held: 1 })
})

test('shares of two merchants are refused', async () => {
  const account = await money.account()
  const { owner } = money.gateway.database
  const stranger = await openShop(money.gateway)
  // Both merchants share the account for a moment.
  const share = (isShared: boolean) =>
    owner.query(
      sql`update receiving_accounts set merchant_id = ${isShared ? null : account.shop.merchant} where id = ${account.id}`,
    )
  await share(true)
  const theirs = (await stranger.create({ payment_type: 'account_number', cents: 200_000 })).body
  const own = await account.deposit(100_000)
  await account.tell({ cents: 300_000 })
  const shares = [
    { depositId: own.id, cents: 100_000n },
    { depositId: theirs.id, cents: 200_000n },
  ]
  const act = { transferId: await idOf(account, 300_000), shares, ...by }
  await assert.rejects(giveTransfer(money.context, act), { code: 'invalid_value' })
  // Together in one payment they are for a person too, although they add up exactly.
  const purpose = `${naming(own)} ${theirs.payment_data.payment_reason}`
  assert.partialDeepStrictEqual(await account.tell({ cents: 300_000, purpose }), { ambiguous: 1 })
  await share(false)
})

test('several transfers are given to one deposit, all or none', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  await account.tell({ cents: 40_000 }, { cents: 60_000 }, { cents: 7 })
  const ids = [await idOf(account, 40_000), await idOf(account, 60_000)]
  const left = await idOf(account, 7)
  await refund(money.context, { transferId: left, cents: null, ...by })
  const all = giveSeveral(money.context, { transferIds: [...ids, left], depositId: deposit.id, ...by })
  await assert.rejects(all, { code: 'state_conflict' })
  assert.deepEqual(await account.states(), ['refunded', 'unmatched', 'unmatched'])
  await giveSeveral(money.context, { transferIds: ids, depositId: deposit.id, ...by })
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
})

test('a held row is called the same payment as what it was held for: its report books the other', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const { pushed, held } = await withHeld(account, deposit)
  await samePayment(money.context, { transferId: held, sameAs: pushed, ...by })
  assert.deepEqual(await account.states(), ['matched', 'duplicate'])
  assert.notEqual((await ofCents(account, 100_000)).toldBookedAt, null)
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
  // The file again tells what it told.
  const again = await account.file([{ cents: 98_500 }], { note: 'again' })
  assert.partialDeepStrictEqual(again.taken, { seen: 1, taken: 0 })
})

test('payments of different amounts that nothing holds together, of other accounts, or that do not count are not called the same', async () => {
  const [account, other] = [await money.account(), await money.account()]
  const entry = account.entry({ cents: 5_000 })
  await account.tell({ cents: 1_000 }, { cents: 2_000 }, { cents: 3_000, isOut: true })
  await account.take(entry)
  await account.take({ ...entry, isReversal: true, version: 2n })
  await other.tell({ cents: 1_000 })
  const [one, two] = [await idOf(account, 1_000), await idOf(account, 2_000)]
  for (const [transferId, sameAs, code] of [
    [one, two, 'state_conflict'],
    [one, one, 'not_found'],
    [one, newId(), 'not_found'],
    [one, await idOf(other, 1_000), 'not_found'],
    [one, await idOf(account, 3_000), 'not_found'],
    [one, await idOf(account, 5_000), 'state_conflict'],
    [await idOf(account, 5_000), one, 'state_conflict'],
  ] as const)
    await assert.rejects(samePayment(money.context, { transferId, sameAs, ...by }), { code })
})

test('what names another deposit is the same payment only to somebody who knows that, and reverses no deposit unasked', async () => {
  const account = await money.account()
  const [one, two] = [await account.deposit(100_000), await account.deposit(100_000)]
  await account.tell({ cents: 100_000, purpose: naming(one) }, { cents: 100_000, purpose: naming(two) })
  const [first, second] = await account.transfers()
  const act = { transferId: first!.id, sameAs: second!.id, ...by }
  await assert.rejects(samePayment(money.context, act), { code: 'state_conflict' })
  const despite = { ...act, despiteReference: true }
  await assert.rejects(samePayment(money.context, { ...despite, mayReverse: false }), {
    code: 'step_up_required',
  })
  assert.deepEqual(await account.states(), ['matched', 'matched'])
  await samePayment(money.context, despite)
  assert.deepEqual((await account.states()).toSorted(), ['duplicate', 'matched'])
  const states = [(await account.stored(one)).state, (await account.stored(two)).state]
  assert.deepEqual(states.toSorted(), ['confirmed', 'reversed'])
})

test('what repeats a payment that is called the same as another repeats that one', async () => {
  const account = await money.account()
  await account.tell({ cents: 5_000 }, { cents: 5_000 }, { cents: 5_000 })
  const [a, b, c] = (await account.transfers()).map(({ id }) => id) as [string, string, string]
  await samePayment(money.context, { transferId: a, sameAs: b, ...by })
  await samePayment(money.context, { transferId: b, sameAs: c, ...by })
  const found = new Map((await account.transfers()).map((one) => [one.id, one.duplicateOf]))
  assert.deepEqual([found.get(a), found.get(b), found.get(c)], [c, c, null])
  await declareGenuine(money.context, { transferId: a, ...by })
  assert.deepEqual((await account.states()).toSorted(), ['duplicate', 'unmatched', 'unmatched'])
})

test('a payment of its own is matched anew; what is not held and no repetition cannot be told from one', async () => {
  const account = await money.account()
  const [early, booked] = [await account.deposit(100_000), await account.deposit(98_500)]
  const { pushed, held } = await withHeld(account, early, booked)
  await declareGenuine(money.context, { transferId: held, ...by })
  assert.deepEqual(await account.rules(held), ['held', 'not_repeated', 'reference'])
  assert.deepEqual(await account.standing(booked), ['confirmed', 98_500n])
  for (const transferId of [held, pushed])
    await assert.rejects(declareGenuine(money.context, { transferId, ...by }), { code: 'state_conflict' })
})

test('a repetition that is a payment of its own takes its reports back', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const { pushed, held } = await withHeld(account, deposit)
  await samePayment(money.context, { transferId: held, sameAs: pushed, ...by })
  await declareGenuine(money.context, { transferId: held, ...by })
  assert.deepEqual(await account.states(), ['matched', 'unmatched'])
  assert.equal((await ofCents(account, 100_000)).toldBookedAt, null)
  assert.notEqual((await ofCents(account, 98_500)).toldBookedAt, null)
})

test('what is set aside is owed to its payer, but not if there may be no second payment', async () => {
  const account = await money.account()
  const { pushed, held } = await withHeld(account, await account.deposit(100_000))
  await account.tell({ cents: 777, day: 1 })
  const loose = await idOf(account, 777)
  for (const transferId of [held, loose]) await setAside(money.context, { transferId, ...by })
  assert.equal((await ofCents(account, 98_500)).dueSince, null)
  assert.notEqual((await ofCents(account, 777)).dueSince, null)
  for (const transferId of [held, pushed])
    await assert.rejects(setAside(money.context, { transferId, ...by }), { code: 'state_conflict' })
})

test('a refund takes the open money first, then that of the newest deposit, and never more than there is', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(200_000)] as const
  await account.tell({ cents: 300_000 })
  const transferId = await idOf(account, 300_000)
  await giveTransfer(money.context, {
    ...{ transferId, ...by },
    shares: [
      { depositId: deposits[0].id, cents: 99_000n },
      { depositId: deposits[1].id, cents: 201_000n },
    ],
  })
  const give = (cents: bigint | null, mayReverse = false) =>
    refund(money.context, { transferId, cents, mayReverse, ...by })
  await assert.rejects(give(300_001n), { code: 'invalid_value' })
  await assert.rejects(give(0n), { code: 'invalid_value' })
  await give(1_000n)
  assert.deepEqual(await account.standing(deposits[1]), ['confirmed', 200_000n])
  // The rest would no longer pay it.
  await assert.rejects(give(1n), { code: 'state_conflict' })
  await give(200_000n, true)
  const [after] = await account.transfers()
  assert.deepEqual(
    [after!.state, after!.shares.map(({ cents }) => cents), after!.refundCents, after!.openCents],
    ['matched', [99_000n], 201_000n, 0n],
  )
  assert.equal((await account.stored(deposits[1])).state, 'reversed')
  await give(null)
  assert.deepEqual(await account.states(), ['refunded'])
  assert.deepEqual(await account.standing(deposits[0]), ['created', 0n])
  await assert.rejects(give(null), { code: 'state_conflict' })
})

test('what a person says the bank took back is gone from all its deposits', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(200_000)] as const
  await account.tell({ cents: 300_000, purpose: deposits.map(naming).join(' ') })
  const transferId = await idOf(account, 300_000)
  await revokeByHand(money.context, { transferId, ...by })
  for (const deposit of deposits) assert.equal((await account.stored(deposit)).state, 'reversed')
  await assert.rejects(revokeByHand(money.context, { transferId, ...by }), { code: 'state_conflict' })
  await assert.rejects(undoDecision(money.context, { transferId, ...by }), { code: 'state_conflict' })
})

/** All that an act may change. */
async function booksOf(account: TestAccount, deposits: readonly Deposit[]) {
  const transfers = (await account.transfers()).map(
    ({ id, state, heldWith, duplicateOf, shares, openCents, refundCents, toldBookedAt, toldEarlyAt }) => ({
      ...{ id, state, heldWith, duplicateOf, shares, openCents, refundCents },
      told: [toldEarlyAt !== null, toldBookedAt !== null],
    }),
  )
  const keys = await money.gateway.db.query(sql`
    select encode(key, 'hex') as key, role, transfer_id
    from transfer_keys
    where account_id = ${account.id}
    order by key, role`)
  const rows = await money.gateway.db.query(sql`
    select r.statement_id, r.place, r.transfer_id
    from report_rows r
    join transfers t on t.id = r.transfer_id
    where t.account_id = ${account.id}
    order by r.statement_id, r.place`)
  const received = await Promise.all(deposits.map((deposit) => account.standing(deposit)))
  return { transfers, keys, rows, received: received.map(([, cents]) => cents) }
}

type Scene = {
  account: TestAccount
  loose: string
  held: string
  pushed: string
  deposits: readonly Deposit[]
}
const acts: Record<string, (scene: Scene) => { transferId: string; act: () => Promise<unknown> }> = {
  'a match by hand': ({ loose, deposits }) => ({
    transferId: loose,
    act: () => giveTransfer(money.context, { transferId: loose, depositId: deposits[1]!.id, ...by }),
  }),
  'a match of a held row': ({ held, deposits }) => ({
    transferId: held,
    act: () => giveTransfer(money.context, { transferId: held, depositId: deposits[1]!.id, ...by }),
  }),
  'a split': ({ loose, deposits }) => ({
    transferId: loose,
    act: () =>
      giveTransfer(money.context, {
        ...{ transferId: loose, ...by },
        shares: [
          { depositId: deposits[1]!.id, cents: 100n },
          { depositId: deposits[2]!.id, cents: 55_455n },
        ],
      }),
  }),
  'two made one': ({ held, pushed }) => ({
    transferId: held,
    act: () => samePayment(money.context, { transferId: held, sameAs: pushed, ...by }),
  }),
  'a held row set aside': ({ held }) => ({
    transferId: held,
    act: () => setAside(money.context, { transferId: held, ...by }),
  }),
  'a payment set aside': ({ loose }) => ({
    transferId: loose,
    act: () => setAside(money.context, { transferId: loose, ...by }),
  }),
}

test('a decision that reversed a deposit is not undone, and what it took can be declared a payment of its own', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(100_000)]
  await account.tell(...deposits.map((deposit) => ({ cents: 100_000, purpose: naming(deposit) })))
  const [first, second] = await account.transfers()
  const act = { transferId: first!.id, sameAs: second!.id, despiteReference: true, ...by }
  await samePayment(money.context, act)
  // What has ended is paid no more: its money can be declared a payment of its own.
  const undone = undoDecision(money.context, { transferId: first!.id, ...by })
  await assert.rejects(undone, { code: 'state_conflict' })
  await declareGenuine(money.context, { transferId: first!.id, ...by })
  assert.deepEqual((await account.states()).toSorted(), ['matched', 'unmatched'])
})

for (const [name, make] of Object.entries(acts))
  test(`undone: ${name}`, async () => {
    const account = await money.account()
    const deposits = [
      await account.deposit(100_000),
      await account.deposit(200_000),
      await account.deposit(300_000),
    ]
    const { held, pushed } = await withHeld(account, deposits[0]!)
    await account.tell({ cents: 55_555, day: 3 })
    const scene = { account, held, pushed, loose: await idOf(account, 55_555), deposits }
    const books = await booksOf(account, deposits)
    const { transferId, act } = make(scene)
    await act()
    assert.notDeepEqual(await booksOf(account, deposits), books)
    await undoDecision(money.context, { transferId, ...by })
    assert.deepEqual(await booksOf(account, deposits), books)
    // Only the last decision of a person, and once.
    await assert.rejects(undoDecision(money.context, { transferId, ...by }), { code: 'state_conflict' })
    await act()
  })

test('what a bank or the matcher decided, and a refund, is not undone', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const { pushed } = await withHeld(account, deposit)
  await account.tell({ cents: 900, day: 1 })
  const loose = await idOf(account, 900)
  await refund(money.context, { transferId: loose, cents: 1n, ...by })
  for (const transferId of [pushed, loose])
    await assert.rejects(undoDecision(money.context, { transferId, ...by }), { code: 'state_conflict' })
})

test('a day is paired in one act, as its person has seen it', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(100_000)]
  // Without names: each is booked a day later, which only a person can tell.
  await account.tell(
    { cents: 100_000, purpose: naming(deposits[0]!) },
    { cents: 100_000, purpose: naming(deposits[1]!) },
  )
  await account.file([
    { cents: 100_000, day: 1 },
    { cents: 100_000, day: 1, payer: 'b' },
    { cents: 90_500, day: 1 },
  ])
  const day = bankDay(1)
  const found = await readPairs(money.gateway.db, { accountId: account.id, day })
  const { pairs, heldLeft, earlyLeft } = found
  assert.deepEqual([pairs.length, heldLeft.length, earlyLeft.length], [2, 1, 0])
  const act = { accountId: account.id, day, ...by, seen: digestOf(found) }
  const fewer = digestOf({ ...found, pairs: pairs.slice(1) })
  await assert.rejects(pairDay(money.context, { ...act, seen: fewer }), { code: 'state_conflict' })
  assert.equal(await pairDay(money.context, act), 2)
  // The third was held for them only, and is matched now.
  assert.deepEqual(await account.states(), ['matched', 'matched', 'unmatched', 'duplicate', 'duplicate'])
  for (const deposit of deposits) assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
  await assert.rejects(pairDay(money.context, act), { code: 'state_conflict' })
})

test('parked rows that a person takes count at once, and the file that closes their day pairs them', async () => {
  const account = await money.account()
  const [pushed, ...parked] = [
    await account.deposit(100_000),
    await account.deposit(200_000),
    await account.deposit(400_000),
  ]
  await account.tell({ cents: 100_000, purpose: naming(pushed!) })
  const rows = [pushed!, ...parked].map((deposit) => ({
    cents: deposit.amountCents,
    purpose: naming(deposit),
  }))
  const { statement } = await account.file(rows, { closes: false })
  const act = { accountId: account.id, ...by }
  assert.partialDeepStrictEqual(
    await takeParked(money.context, { ...act, row: { statementId: statement, place: 2 } }),
    {
      ...{ taken: 1, matched: 1 },
    },
  )
  // What was pushed is no second payment.
  assert.partialDeepStrictEqual(await takeParked(money.context, { ...act, day: today() }), {
    ...{ taken: 1, matched: 1, paired: 1 },
  })
  await assert.rejects(takeParked(money.context, { ...act, day: today() }), { code: 'not_found' })
  assert.partialDeepStrictEqual((await account.file(rows)).taken, { paired: 3, taken: 0 })
  for (const deposit of [pushed!, ...parked])
    assert.deepEqual(await account.standing(deposit), ['confirmed', deposit.amountCents])
})

test('a parked row that may be a pushed payment is held when a person takes it', async () => {
  const account = await money.account()
  await account.tell({ cents: 100_000 })
  await account.file([{ cents: 98_500 }], { closes: false })
  const taken = await takeParked(money.context, { accountId: account.id, day: today() })
  assert.partialDeepStrictEqual(taken, { taken: 1, held: 1 })
})

test('money that a person notes counts once, whatever tells it later', async () => {
  for (const tell of ['push', 'file'] as const) {
    const account = await money.account()
    const deposit = await account.deposit(100_000)
    await noteMoney(money.context, { depositId: deposit.id, cents: 100_000n, ...by })
    assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
    const next = await account.deposit(100_000)
    const row = { cents: 100_000, purpose: naming(deposit) }
    const taken = tell === 'push' ? await account.tell(row) : (await account.file([row])).taken
    assert.partialDeepStrictEqual(taken, { taken: 0, paired: 1 })
    // A second one is another payment, of its own deposit.
    const more = { cents: 100_000, purpose: naming(next) }
    const again =
      tell === 'push' ? await account.tell(more) : (await account.file([row, more], { note: 'b' })).taken
    assert.partialDeepStrictEqual(again, { matched: 1 })
    assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
    assert.deepEqual(await account.standing(next), ['confirmed', 100_000n])
  }
})

test('money that is pushed is not noted once more; what it may be is held; two notes are two payments', async () => {
  const account = await money.account()
  const [pushed, twice] = [await account.deposit(100_000), await account.deposit(700_000)]
  await account.tell({ cents: 50_000, purpose: naming(pushed) })
  const note = (deposit: Deposit, cents: bigint) =>
    noteMoney(money.context, { depositId: deposit.id, cents, ...by })
  await assert.rejects(note(pushed, 50_000n), { code: 'state_conflict' })
  assert.equal((await note(pushed, 49_000n)).transfer.state, 'held')
  assert.deepEqual(await account.standing(pushed), ['created', 50_000n])
  for (const cents of [300_000n, 400_000n]) assert.equal((await note(twice, cents)).transfer.state, 'matched')
  assert.deepEqual(await account.standing(twice), ['confirmed', 700_000n])
})

test('money of a deposit that a person confirmed is not taken for the money of the next one of its amount', async () => {
  const account = await money.account({ amounts: 'always' })
  const confirmed = await account.deposit(100_000)
  await confirmDeposit(money.context, { depositId: confirmed.id, ...by })
  const next = await account.deposit(100_000)
  assert.partialDeepStrictEqual(await account.tell({ cents: 100_000 }), { ambiguous: 1 })
  assert.deepEqual(await account.standing(next), ['created', 0n])
})

test('a refunded part does not count again when the file has it on a later day', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  await account.tell({ cents: 50_000, purpose: naming(deposit) })
  await refund(money.context, { transferId: await idOf(account, 50_000), cents: null, ...by })
  const booked = { cents: 50_000, day: 2, purpose: naming(deposit) }
  assert.partialDeepStrictEqual((await account.file([booked])).taken, { taken: 1, held: 1 })
  assert.deepEqual(await account.standing(deposit), ['created', 0n])
  assert.deepEqual(await account.states(), ['refunded', 'held'])
})
