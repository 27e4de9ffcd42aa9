/** The life of a payment: told early, booked, paired, held, parked, matched, and told again. Nothing counts twice, nothing is lost. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { expireDeposits } from '../../src/domain/deposits/expire-deposits.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { giveTransfer } from '../../src/domain/transfers/give-transfer.ts'
import { noteMoney } from '../../src/domain/transfers/note-money.ts'
import { listParked, listReports } from '../../src/domain/transfers/report-store.ts'
import { samePayment } from '../../src/domain/transfers/same-payment.ts'
import { listUnbooked, readTransfer } from '../../src/domain/transfers/store.ts'
import { listOpenDays } from '../../src/domain/transfers/voice-store.ts'
import { sql } from '../../src/platform/db.ts'
import { atNoon, bankDay, today } from '../support/bank.ts'
import { by, type MoneyIn, naming, openMoneyIn, type PaidRow, type TestAccount } from '../support/money-in.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn()
})

for (const [type, rule] of [
  ['account_number', 'reference'],
  ['any_bank', 'amount'],
] as const)
  test(`exact money confirms a deposit of ${type} by its ${rule}, with the evidence`, async () => {
    const account = await money.account()
    const deposit = await account.deposit(150_000, { payment_type: type })
    const purpose = type === 'account_number' ? naming(deposit) : 'Перевод'
    assert.partialDeepStrictEqual(await account.tell({ cents: 150_000, purpose }), { taken: 1, matched: 1 })
    assert.deepEqual(await account.standing(deposit), ['confirmed', 150_000n])
    const [transfer] = await account.transfers()
    const { decisions } = (await readTransfer(money.gateway.db, transfer!.id))!
    assert.deepEqual(
      decisions.map(({ actor, rule, state, deposit_ids }) => [actor, rule, state, deposit_ids]),
      [['matcher', rule, 'matched', [deposit.id]]],
    )
  })

test('an underpaid deposit waits for the rest, and payments of one group add up in order', async () => {
  const account = await money.account()
  const [underpaid, together] = [await account.deposit(100_000), await account.deposit(200_000)]
  await account.tell({ cents: 99_900, purpose: naming(underpaid) })
  assert.deepEqual((await account.stored(underpaid)).labels, ['underpaid'])
  await account.tell({ cents: 150, purpose: naming(underpaid) })
  assert.partialDeepStrictEqual(await account.stored(underpaid), { state: 'confirmed', labels: ['overpaid'] })
  const parts = [1_000, 199_000, 7].map((cents) => ({ cents, purpose: naming(together) }))
  assert.equal((await account.tell(...parts)).matched, 3)
  assert.partialDeepStrictEqual(await account.stored(together), {
    ...{ state: 'confirmed', labels: ['overpaid'], receivedCents: 200_007n },
  })
})

test('the same entry again adds nothing, in one delivery or in two, whatever its version', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const entry = account.entry({ cents: 100_000, purpose: naming(deposit) })
  assert.partialDeepStrictEqual(await account.take(entry, entry), { taken: 1, seen: 1 })
  assert.partialDeepStrictEqual(await account.take(entry, { ...entry, version: 0n }), { taken: 0, seen: 2 })
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
})

test('20 deliveries of one entry at once leave one transfer', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const entry = account.entry({ cents: 100_000, purpose: naming(deposit) })
  const all = await Promise.all(Array.from({ length: 20 }, () => account.take(entry)))
  assert.equal(
    all.reduce((sum, { taken }) => sum + taken, 0),
    1,
  )
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
})

test('equal rows of one file are as many payments, and another file with one more adds the one', async () => {
  const account = await money.account()
  const row = { cents: 77_777 }
  assert.partialDeepStrictEqual((await account.file([row, row])).taken, { taken: 2 })
  assert.partialDeepStrictEqual((await account.file([row, row], { note: 'b' })).taken, { seen: 2, taken: 0 })
  // The third may be none of the two, as a row of its own: the file tells both of them.
  const three = await account.file([row, row, row], { note: 'c' })
  assert.partialDeepStrictEqual(three.taken, { seen: 2, taken: 1, held: 0 })
})

for (const first of ['push', 'file'] as const)
  test(`a payment that a push and a file tell, the ${first} first, is one, and the file's next export adds nothing`, async () => {
    const account = await money.account()
    const deposit = await account.deposit(100_000)
    const row = { cents: 100_000, purpose: naming(deposit), number: '77' }
    const tell = {
      push: () => account.tell(row),
      file: async () => (await account.file([row], { closes: false })).taken,
    }
    if (first === 'file') {
      // Nobody tells earlier yet: the file takes both places, and the push would be refused.
      await account.tell({ cents: 1 })
      assert.partialDeepStrictEqual(await tell.file(), { parked: 1 })
      assert.deepEqual(await account.standing(deposit), ['created', 0n])
    }
    assert.partialDeepStrictEqual(await tell.push(), { taken: 1, matched: 1 })
    assert.partialDeepStrictEqual((await account.file([row])).taken, { paired: 1, taken: 0 })
    assert.partialDeepStrictEqual((await account.file([row], { note: 'again' })).taken, { seen: 1 })
    const told = (await account.transfers()).find(({ cents }) => cents === 100_000n)!
    assert.ok(told.toldEarlyAt && told.toldBookedAt)
    assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
    const reports = await listReports(money.gateway.db, told.id)
    assert.deepEqual(
      reports.map(({ role, outcome }) => [role, outcome]),
      [
        ['booked', 'paired'],
        ['booked', 'known'],
      ],
    )
  })

/** Told early on day 0, then booked: what the row of the file is. The names are the deposits that the rows name. */
const other = { taxId: '500100732259' }
const one = { taxId: '7700000009' }
const seconds: readonly [what: string, early: Said, booked: Said & { from?: number }, becomes: string][] = [
  ['the same', { names: 'A' }, { names: 'A' }, 'paired'],
  ['nothing but its amount', {}, {}, 'paired'],
  ['a name that the push left out', {}, { names: 'A' }, 'paired'],
  ['no name', { names: 'A' }, {}, 'paired'],
  ['another deposit', { names: 'A' }, { names: 'B' }, 'held'],
  ['another payer', one, other, 'held'],
  ['a payer that the push left out', {}, other, 'paired'],
  ['less a fee', {}, { cents: 98_500 }, 'held'],
  ['a tenth less', {}, { cents: 90_000 }, 'held'],
  ['more than a tenth less', {}, { cents: 89_999 }, 'new'],
  ['another amount of its deposit', { names: 'A' }, { names: 'A', cents: 50_000 }, 'held'],
  [
    'its deposit a day later, in a file of both days',
    { names: 'A' },
    { names: 'A', day: 1, from: 0 },
    'paired',
  ],
  ['its deposit a day later, while its own day is open', { names: 'A' }, { names: 'A', day: 1 }, 'held'],
  ['its amount two weeks later', {}, { day: 14 }, 'held'],
  ['its amount later than that', {}, { day: 15 }, 'new'],
]
type Said = { names?: 'A' | 'B'; cents?: number; day?: number; taxId?: string }

for (const [what, early, { from, ...booked }, becomes] of seconds)
  test(`after a push, a file that tells ${what} is ${becomes}`, async () => {
    const account = await money.account({ amounts: 'never' })
    const deposits = { A: await account.deposit(100_000), B: await account.deposit(100_000) }
    const rowOf = ({ names, cents = 100_000, ...row }: Said): PaidRow => ({
      ...{ cents, ...row },
      ...(names && { purpose: naming(deposits[names]) }),
    })
    await account.tell(rowOf(early))
    const { taken } = await account.file([rowOf(booked)], from === undefined ? {} : { from })
    const counts = { paired: taken.paired, held: taken.held, new: taken.taken - taken.held }
    assert.deepEqual(counts, { paired: 0, held: 0, new: 0, [becomes]: 1 })
    const received = (await account.standing(deposits.A))[1] + (await account.standing(deposits.B))[1]
    assert.ok(received <= 100_000n, 'counted twice')
    const [pushed] = await account.transfers()
    if (becomes === 'paired') assert.equal(pushed!.bookedOn, bankDay(booked.day ?? 0))
    else assert.equal((await account.transfers()).length, 2, 'lost')
  })

test('a pair that nothing named is matched when its second report names a deposit, unless a person has decided', async () => {
  const account = await money.account()
  const [named, left] = [await account.deposit(100_000), await account.deposit(200_000)]
  await account.tell({ cents: 100_000 }, { cents: 200_000 })
  assert.deepEqual(await account.states(), ['ambiguous', 'ambiguous'])
  const [, second] = await account.transfers()
  await setAside(money.context, { transferId: second!.id, ...by })
  const rows = [
    { cents: 100_000, purpose: naming(named) },
    { cents: 200_000, purpose: naming(left) },
  ]
  assert.partialDeepStrictEqual((await account.file(rows)).taken, { paired: 2, taken: 0 })
  assert.deepEqual(await account.standing(named), ['confirmed', 100_000n])
  assert.deepEqual(await account.states(), ['matched', 'set_aside'])
})

test('a push for a day that a file has closed is held, and of an open day pairs with what the file booked', async () => {
  const account = await money.account()
  await account.tell({ cents: 1, day: 0 })
  const deposit = await account.deposit(100_000)
  await account.file([{ cents: 1 }])
  const late = await account.tell({ cents: 100_000, purpose: naming(deposit) })
  assert.partialDeepStrictEqual(late, { taken: 1, held: 1 })
  assert.deepEqual(await account.standing(deposit), ['created', 0n])
  // Booked a day later than the push says.
  const next = await account.deposit(300_000)
  await account.file([{ cents: 300_000, day: 2, purpose: naming(next) }], { from: 2 })
  const push = await account.tell({ cents: 300_000, day: 1, purpose: naming(next) })
  assert.partialDeepStrictEqual(push, { taken: 0, paired: 1 })
  assert.deepEqual(await account.standing(next), ['confirmed', 300_000n])
})

test('what was told early and is not in the file that closes its day is listed, and stays', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const before = (await listUnbooked(money.gateway.db, 1_000)).length
  await account.tell({ cents: 100_000, purpose: naming(deposit) }, { cents: 555, day: 1 })
  assert.equal((await listUnbooked(money.gateway.db, 1_000)).length, before)
  await account.file([], { from: 0, to: 0 })
  const listed = (await listUnbooked(money.gateway.db, 100)).filter(
    ({ accountId }) => accountId === account.id,
  )
  assert.deepEqual(
    listed.map(({ cents }) => cents),
    [100_000n],
  )
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
})

test('rows of a day that a file does not close wait, until a file closes it, and again when that file is undone', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  await account.tell({ cents: 1 })
  const rows = [{ cents: 1 }, { cents: 100_000, purpose: naming(deposit) }]
  const parked = async () =>
    (await listParked(money.gateway.db, { accountId: null, day: null, limit: 1_000 })).length
  const before = await parked()
  assert.partialDeepStrictEqual((await account.file(rows, { closes: false })).taken, { parked: 2, taken: 0 })
  const listed = await listParked(money.gateway.db, { accountId: account.id, day: today(), limit: 10 })
  assert.deepEqual(
    listed.map(({ cents, names }) => [cents, names]),
    [
      [1n, []],
      [100_000n, [deposit.reference]],
    ],
  )
  assert.deepEqual(await account.standing(deposit), ['created', 0n])
  const closing = await account.file(rows)
  assert.partialDeepStrictEqual(closing.taken, { paired: 1, taken: 1, matched: 1, parked: 0 })
  assert.equal(await parked(), before)
  await account.undo(closing.statement)
  assert.equal(await parked(), before + 2)
  assert.deepEqual(await account.standing(deposit), ['reversed', 100_000n])
})

test('a person who says that a file is complete closes the days of a table or of a file of today', async () => {
  const account = await money.account()
  await account.tell({ cents: 500 })
  const report = await account.file([{ cents: 500 }, { cents: 700 }], { closes: false, isComplete: true })
  assert.partialDeepStrictEqual(report.taken, { paired: 1, taken: 1, parked: 0 })
  const refused = account.file([{ cents: 900, id: 'x' }], { format: 'intraday', isComplete: true })
  await assert.rejects(refused, { code: 'invalid_value' })
})

test('where only files come, an unclosed day is told early, and the file that closes it pairs', async () => {
  const account = await money.account()
  const [one, two] = [await account.deposit(100_000), await account.deposit(200_000)]
  const rows = [one, two].map((deposit) => ({ cents: deposit.amountCents, purpose: naming(deposit) }))
  assert.partialDeepStrictEqual((await account.file(rows.slice(0, 1), { closes: false })).taken, {
    matched: 1,
  })
  const again = await account.file(rows.slice(0, 1), { closes: false, note: 'later' })
  assert.partialDeepStrictEqual(again.taken, { seen: 1, taken: 0 })
  assert.partialDeepStrictEqual((await account.file(rows)).taken, { paired: 1, taken: 1, matched: 1 })
  assert.deepEqual(await account.standing(one), ['confirmed', 100_000n])
  assert.deepEqual(await account.standing(two), ['confirmed', 200_000n])
})

test('an account whose booked voice is silent for days is listed with its first open day', async () => {
  const account = await money.account()
  await account.file([{ cents: 1 }], { from: -1, to: 0 })
  await money.gateway.database.shiftClock(atNoon(4))
  try {
    const found = (await listOpenDays(money.gateway.db, 'test', 100)).find(
      ({ accountId }) => accountId === account.id,
    )
    assert.equal(found?.firstOpenDay, bankDay(1))
  } finally {
    await money.gateway.database.shiftClock('0')
  }
})

test('an unnumbered row in other words, of a day that the file covers, is held; with the bank’s lasting id it is known', async () => {
  const unnumbered = await money.account()
  const deposit = await unnumbered.deposit(100_000)
  await unnumbered.file([{ cents: 100_000, purpose: naming(deposit), payer: 'ИВАНОВА АННА' }])
  const reworded = await unnumbered.file([{ cents: 100_000, purpose: naming(deposit), payer: 'Анна И.' }])
  assert.partialDeepStrictEqual(reworded.taken, { taken: 1, held: 1 })
  assert.deepEqual(await unnumbered.standing(deposit), ['confirmed', 100_000n])

  const numbered = await money.account()
  const own = await numbered.deposit(100_000)
  const row = { cents: 100_000, purpose: naming(own), id: 'B1' }
  const camt = { format: 'camt' } as const
  await numbered.file([{ ...row, payer: 'ИВАНОВА АННА' }], camt)
  assert.partialDeepStrictEqual((await numbered.file([{ ...row, payer: 'Анна И.' }], camt)).taken, {
    seen: 1,
  })
  assert.partialDeepStrictEqual((await numbered.file([{ ...row, cents: 100_100 }], camt)).taken, { held: 1 })
  assert.deepEqual(await numbered.standing(own), ['confirmed', 100_000n])
})

test('several references of one merchant whose open amounts are exactly the sum share it, and no other sum', async () => {
  const account = await money.account()
  const exact = [await account.deposit(100_000), await account.deposit(200_000)]
  const unlike = [await account.deposit(300_000), await account.deposit(400_000)]
  const purposeOf = (deposits: Deposit[]) => deposits.map(naming).join(', ')
  const taken = await account.tell(
    { cents: 300_000, purpose: purposeOf(exact) },
    { cents: 700_001, purpose: purposeOf(unlike) },
  )
  assert.partialDeepStrictEqual(taken, { matched: 1, ambiguous: 1 })
  assert.deepEqual(await account.standing(exact[0]!), ['confirmed', 100_000n])
  assert.deepEqual(await account.standing(exact[1]!), ['confirmed', 200_000n])
  const [shared] = await account.transfers()
  assert.deepEqual(
    shared!.shares.map(({ depositId, cents }) => [depositId, cents]),
    exact.map(({ id, amountCents }) => [id, amountCents]),
  )
  for (const deposit of unlike) assert.deepEqual(await account.standing(deposit), ['created', 0n])
  // Told again by the file, it is the same payment; with one of the two names it is for a person.
  assert.partialDeepStrictEqual(
    (await account.file([{ cents: 300_000, purpose: purposeOf(exact.toReversed()) }])).taken,
    { paired: 1 },
  )
})

test('money for no deposit, or for two, waits for people', async () => {
  const account = await money.account({ amounts: 'always' })
  const [one, two] = [await account.deposit(100_000), await account.deposit(100_000)]
  assert.partialDeepStrictEqual(await account.tell({ cents: 100_000 }, { cents: 17 }), {
    ambiguous: 1,
    unmatched: 1,
  })
  for (const deposit of [one, two]) assert.deepEqual(await account.standing(deposit), ['created', 0n])
})

test('late money in the grace confirms as late; paid in time by the bank’s own date it is not late', async () => {
  for (const [paidOn, labels] of [
    [null, ['late']],
    [today(), []],
  ] as const) {
    const account = await money.account()
    const deposit = await account.deposit(100_000)
    await money.gateway.database.shiftClock('2 days')
    try {
      while ((await expireDeposits(money.context)) > 0);
      await account.take(account.entry({ cents: 100_000, day: 2, purpose: naming(deposit) }, { paidOn }))
    } finally {
      await money.gateway.database.shiftClock('0')
    }
    assert.partialDeepStrictEqual(await account.stored(deposit), { state: 'confirmed', labels })
  }
})

const waits: readonly [what: string, make: (account: TestAccount, deposit: Deposit) => Promise<unknown>][] = [
  [
    'a held payment names it',
    async (account, deposit) => {
      await account.file([{ cents: 1 }])
      await account.tell({ cents: 5_000, purpose: naming(deposit) })
    },
  ],
  [
    'a held payment has its amount',
    async (account) => {
      await account.file([{ cents: 1 }])
      await account.tell({ cents: 100_000 })
    },
  ],
  [
    'a parked row names it',
    (account, deposit) => account.file([{ cents: 5_000, purpose: naming(deposit) }], { closes: false }),
  ],
  ['a parked row has its amount', (account) => account.file([{ cents: 100_000 }], { closes: false })],
]
for (const [what, make] of waits)
  test(`a deposit does not expire while ${what}, and expires once that is decided`, async () => {
    const account = await money.account()
    await account.tell({ cents: 1 })
    const [awaited, free] = [await account.deposit(100_000), await account.deposit(700_000)]
    await make(account, awaited)
    await money.gateway.database.shiftClock('3 days')
    try {
      while ((await expireDeposits(money.context)) > 0);
      assert.deepEqual(
        [(await account.stored(awaited)).state, (await account.stored(free)).state],
        ['created', 'expired'],
      )
      for (const { id, state } of await account.transfers())
        if (state === 'held') await setAside(money.context, { transferId: id, ...by })
      await account.file([], { from: 0, to: 1, note: 'closes' })
      while ((await expireDeposits(money.context)) > 0);
      assert.equal((await account.stored(awaited)).state, 'expired')
    } finally {
      await money.gateway.database.shiftClock('0')
    }
  })

test('what one held row turns out to be frees those that it alone held, and no others', async () => {
  const account = await money.account()
  const [early, next] = [await account.deposit(100_000), await account.deposit(101_000)]
  const both = await account.deposit(103_000)
  // Told early, and booked less a fee.
  await account.tell({ cents: 100_000, purpose: naming(early) }, { cents: 104_000 })
  await account.file([
    { cents: 98_500 },
    { cents: 91_000, purpose: naming(next) },
    { cents: 103_000, purpose: naming(both) },
  ])
  const [pushed, unnamed, freed, fee, stays] = await account.transfers()
  assert.deepEqual(
    [fee!.heldWith, freed!.heldWith, stays!.heldWith].map((ids) => ids.toSorted()),
    [[pushed!.id, unnamed!.id].toSorted(), [pushed!.id], [pushed!.id, unnamed!.id].toSorted()],
  )
  await samePayment(money.context, { transferId: fee!.id, sameAs: pushed!.id, ...by })
  assert.deepEqual(await account.states(), ['matched', 'unmatched', 'matched', 'duplicate', 'held'])
  assert.deepEqual(await account.rules(freed!.id), ['held', 'reference'])
  assert.deepEqual(await account.rules(stays!.id), ['held', 'held'])
  assert.equal((await account.standing(next))[1], 91_000n)
})

test('a revoked entry reverses what it confirmed; brought back under a newer version, it waits for a person', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const entry = account.entry({ cents: 100_000, purpose: naming(deposit) }, { version: 1n })
  await account.take(entry)
  const end = { ...entry, version: 2n, isReversal: true }
  assert.partialDeepStrictEqual(await account.take(end), { undone: 1 })
  assert.equal((await account.stored(deposit)).state, 'reversed')
  assert.partialDeepStrictEqual(await account.take(entry, end), { seen: 2, undone: 0 })
  await account.take({ ...entry, version: 3n })
  assert.deepEqual((await account.states()).sort(), ['held', 'revoked'])
  assert.equal((await account.stored(deposit)).state, 'reversed')
})

test('a revoked part takes its own money back: an open deposit keeps the rest, a reversed one lets it go', async () => {
  const account = await money.account()
  const [open, paid] = [await account.deposit(100_000), await account.deposit(200_000)]
  const partOf = (deposit: Deposit, cents: number) => account.entry({ cents, purpose: naming(deposit) })
  const [first, second] = [partOf(open, 500), partOf(paid, 800)]
  await account.take(first, partOf(open, 700), second, partOf(paid, 199_200))
  for (const part of [first, second]) await account.take({ ...part, version: 9n, isReversal: true })
  assert.deepEqual(await account.standing(open), ['created', 700n])
  assert.equal((await account.stored(paid)).state, 'reversed')
  assert.deepEqual(await account.states(), ['revoked', 'matched', 'revoked', 'unmatched'])
})

test('money of an expired deposit can still be revoked', async () => {
  const account = await money.account()
  const part = account.entry({ cents: 500, purpose: naming(await account.deposit(100_000)) })
  await account.take(part)
  await money.gateway.database.shiftClock('10 days')
  try {
    while ((await expireDeposits(money.context)) > 0);
    assert.partialDeepStrictEqual(await account.take({ ...part, version: 9n, isReversal: true }), {
      undone: 1,
    })
  } finally {
    await money.gateway.database.shiftClock('0')
  }
})

test('a merchant’s policy decides: money over goes to review where it asked for that', async () => {
  const account = await money.account()
  await changeMerchant(money.gateway.db, {
    ...{ merchantId: account.shop.merchant, settings: { overpaidPolicy: 'review' } },
  })
  const deposit = await account.deposit(100_000)
  await account.tell({ cents: 100_001, purpose: naming(deposit) })
  assert.partialDeepStrictEqual(await account.stored(deposit), { state: 'created' })
  assert.ok((await account.stored(deposit)).labels.includes('review'))
})

test('the database refuses a transfer whose amounts do not add up, and a change of what the bank wrote', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  await account.tell({ cents: 100_000, purpose: naming(deposit) }, { cents: 17 })
  const [open, matched] = await account.transfers()
  const { owner } = money.gateway.database
  for (const [statement, constraint] of [
    [sql`update transfers set open_cents = open_cents + 1 where id = ${open!.id}`, /transfer_balances/],
    [sql`update transfers set cents = cents + 1 where id = ${open!.id}`, /keeps what the bank wrote/],
    [sql`delete from allocations where transfer_id = ${matched!.id}`, /sum of its allocations/],
    [sql`update allocations set cents = 1 where transfer_id = ${matched!.id}`, /sum of its allocations/],
    [
      sql`update transfers set deposit_cents = 17, open_cents = 0, state = 'matched' where id = ${open!.id}`,
      /sum of its allocations/,
    ],
  ] as const)
    await assert.rejects(owner.query(statement), constraint)
})

test('a person’s match never crosses merchants of other accounts', async () => {
  const [account, stranger] = [await money.account(), await money.account()]
  const deposit = await stranger.deposit(100_000)
  await account.tell({ cents: 100_000, purpose: naming(deposit) })
  assert.deepEqual(await account.states(), ['ambiguous'])
  const [transfer] = await account.transfers()
  const act = { transferId: transfer!.id, depositId: deposit.id, ...by }
  await assert.rejects(giveTransfer(money.context, act), { code: 'not_found' })
})

for (const how of ['pushed', 'noted'] as const)
  test(`an unnumbered row in other words is held also if its payment was ${how} before it was booked`, async () => {
    const account = await money.account()
    const deposit = await account.deposit(100_000)
    if (how === 'pushed') await account.tell({ cents: 100_000, purpose: naming(deposit) })
    else await noteMoney(money.context, { depositId: deposit.id, cents: 100_000n, ...by })
    assert.equal((await account.file([{ cents: 100_000, purpose: naming(deposit) }])).taken.paired, 1)
    const reworded = await account.file([{ cents: 100_000, payer: 'Анна И.' }])
    assert.partialDeepStrictEqual(reworded.taken, { taken: 1, held: 1 })
    assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
  })
