/** Banks repeat themselves, correct themselves and contradict themselves, and payers write what they like: no coin is lost over it, and none is made. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { payByFakeBank } from '../../src/domain/sandbox/fake-bank.ts'
import { refund, setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { giveTransfer } from '../../src/domain/transfers/give-transfer.ts'
import { declareGenuine } from '../../src/domain/transfers/same-payment.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { by, importFile, type MoneyIn, naming, openMoneyIn } from '../support/money-in.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn()
})
const camt = { format: 'camt' } as const

test('a payment with a reference gets its deposit, also if one without comes first in the file', async () => {
  const account = await money.account({ amounts: 'always' })
  const deposit = await account.deposit(100_000)
  await account.file([
    { cents: 100_000, number: '1' },
    { cents: 100_000, number: '2', purpose: naming(deposit) },
  ])
  assert.deepEqual((await account.states()).toSorted(), ['ambiguous', 'matched'])
  assert.deepEqual(await account.standing(deposit), ['confirmed', 100_000n])
})

test('an entry that is told and revoked in one delivery never counts, in either order, and comes back only for a person', async () => {
  for (const isEndFirst of [false, true]) {
    const account = await money.account()
    const deposit = await account.deposit(100_000)
    const entry = account.entry({ cents: 100_000, purpose: naming(deposit) }, { version: 1n })
    const end = { ...entry, isReversal: true, version: 2n }
    await account.take(...(isEndFirst ? [end, entry] : [entry, end]))
    assert.deepEqual(await account.states(), ['revoked'])
    assert.deepEqual(await account.standing(deposit), ['created', 0n])
    await account.take({ ...entry, version: 3n })
    assert.deepEqual((await account.states()).sort(), ['held', 'revoked'])
  }
})

test('under an id, another amount, another named deposit or a day weeks later is held, and the first payment stays', async () => {
  const account = await money.account()
  const [one, two] = [await account.deposit(100_000), await account.deposit(200_000)]
  const entry = account.entry({ cents: 100_000, purpose: naming(one) }, { version: 1n })
  await account.take(entry)
  const other = { purpose: naming(two), purposeParts: [naming(two)] }
  const told = [
    { ...entry, cents: 99_000n },
    { ...entry, ...other, version: 2n },
    { ...entry, bookedOn: account.entry({ cents: 1, day: 15 }).bookedOn, version: 0n },
  ]
  for (const one of told) assert.partialDeepStrictEqual(await account.take(one), { taken: 1, held: 1 })
  assert.partialDeepStrictEqual(await account.take(entry, ...told), { taken: 0, seen: 4 })
  assert.deepEqual(await account.standing(one), ['confirmed', 100_000n])
  assert.deepEqual(await account.standing(two), ['created', 0n])
  // The bank takes back what its id names, whatever it says of the money now.
  assert.equal((await account.take({ ...entry, cents: 1n, isReversal: true, version: 3n })).undone, 1)
  assert.equal((await account.stored(one)).state, 'reversed')
})

test('two payments under one id of a file are two payments, once', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(100_000)]
  const rows = deposits.map((deposit) => ({
    cents: 100_000,
    purpose: naming(deposit),
    id: `${account.number} A`,
  }))
  assert.partialDeepStrictEqual((await account.file(rows, camt)).taken, { taken: 2, matched: 2 })
  assert.partialDeepStrictEqual((await account.file(rows.toReversed(), camt)).taken, { taken: 0, seen: 2 })
})

test('a debit of a file is a debit, and a reversal waits for a person, who leaves it', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const rows = [
    { cents: 100_000, purpose: naming(deposit), id: `${account.number} 1` },
    { cents: 100_000, id: `${account.number} 2`, isOut: true },
    { cents: 5_000, id: `${account.number} 3`, isOut: true },
  ]
  const text = Buffer.from(account.bytes(rows, camt)).toString()
  const place = text.indexOf('<CdtDbtInd>DBIT</CdtDbtInd>', text.indexOf('<Ntry>'))
  const reversed = `${text.slice(0, place)}<CdtDbtInd>DBIT</CdtDbtInd><RvslInd>true</RvslInd>${text.slice(place + 27)}`
  const { taken } = await importFile(money.context, Buffer.from(reversed))
  assert.partialDeepStrictEqual(taken, { taken: 3, matched: 1, reversal: 1, debit: 1 })
  const found = (await account.transfers()).find(({ state }) => state === 'reversal')!
  await setAside(money.context, { transferId: found.id, ...by })
  assert.deepEqual((await account.states()).toSorted(), ['debit', 'debit', 'matched'])
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

test('a refund stays recorded, however often the bank revokes and restores the entry', async () => {
  const account = await money.account()
  const entry = account.entry({ cents: 100_000 }, { version: 1n })
  await account.take(entry)
  const transferId = (await account.transfers())[0]!.id
  await refund(money.context, { transferId, cents: 40_000n, ...by })
  for (const version of [2n, 4n, 6n]) {
    await account.take({ ...entry, isReversal: true, version })
    await account.take({ ...entry, version: version + 1n })
    const { refundCents, openCents, state } = (await account.transfers())[0]!
    const why = `${state}: ${refundCents} and ${openCents}`
    assert.ok(refundCents + openCents <= 100_000n, why)
  }
  assert.ok((await account.rules(transferId)).includes('refund'))
})

test('a tiny payment of a stranger who guesses the reference of a card deposit does not stop its real payment', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000, { payment_type: 'any_bank' })
  assert.partialDeepStrictEqual(await account.tell({ cents: 1, purpose: deposit.reference! }), {
    ambiguous: 1,
  })
  assert.partialDeepStrictEqual(await account.tell({ cents: 100_000 }), { matched: 1 })
})

test('a sum that another report tells payment by payment counts once, whichever comes first', async () => {
  for (const isSumFirst of [true, false]) {
    const account = await money.account({ amounts: 'always' })
    const deposits = [await account.deposit(100_000), await account.deposit(150_000)]
    const whole = account.entry({ cents: 250_000, purpose: 'Реестр' }, { hasSeveralPayments: true })
    const parts = deposits.map(({ amountCents: cents, ...deposit }) => ({
      cents,
      purpose: naming(deposit as Deposit),
    }))
    // Told early as a sum, and booked in parts; or the other way round.
    if (isSumFirst) {
      await account.take(whole)
      await account.file(parts)
    } else {
      await account.tell(...parts)
      await account.file([{ cents: 250_000, purpose: 'Возмещение по реестру' }])
    }
    for (const deposit of deposits) assert.ok((await account.standing(deposit))[1] <= deposit.amountCents)
    const counted = (await account.transfers()).filter(({ shares }) => shares.length > 0)
    assert.ok(counted.reduce((sum, { cents }) => sum + cents, 0n) <= 250_000n)
  }
})

test('what a person gave to a deposit that it does not name pays no other one when a file says whose it is', async () => {
  const account = await money.account()
  const [given, named] = [await account.deposit(100_000), await account.deposit(100_000)]
  await account.tell({ cents: 100_000 })
  const transferId = (await account.transfers())[0]!.id
  await giveTransfer(money.context, { transferId, depositId: given.id, ...by })
  assert.partialDeepStrictEqual((await account.file([{ cents: 100_000, purpose: naming(named) }])).taken, {
    held: 1,
  })
  assert.deepEqual(await account.standing(named), ['created', 0n])
})

test('a payment that an undone file told, told again in other words, counts once', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const row = { cents: 100_000, purpose: naming(deposit) }
  const { statement } = await account.file([row])
  await account.undo(statement)
  const next = await account.deposit(100_000)
  const again = await account.file([
    { ...row, payer: 'Анна И.' },
    { cents: 100_000, purpose: naming(next) },
  ])
  assert.partialDeepStrictEqual(again.taken, { taken: 2, unmatched: 1, matched: 1 })
  assert.equal((await account.stored(deposit)).state, 'reversed')
})

test('the test bank gives no merchant the rest of what another one is paid', async () => {
  const account = await money.account()
  const deposit = await account.deposit(100_000)
  const asked = { merchantId: account.shop.merchant, depositId: deposit.id }
  await payByFakeBank(money.context, { ...asked, cents: 40_000n } as never)
  assert.deepEqual(await account.standing(deposit), ['created', 40_000n])
})

test('what was held is matched by nobody but a person or its cause: payers who write other references change nothing', async () => {
  const account = await money.account()
  const deposits = [await account.deposit(100_000), await account.deposit(200_000)]
  await account.file([{ cents: 1 }])
  await account.tell({ cents: 100_000, purpose: naming(deposits[0]!) })
  await account.tell({ cents: 50_000, day: 1, purpose: naming(deposits[0]!) })
  assert.deepEqual(await account.states(), ['unmatched', 'held', 'matched'])
  const held = (await account.transfers())[1]!
  await declareGenuine(money.context, { transferId: held.id, ...by })
  assert.deepEqual((await account.standing(deposits[0]!))[1], 150_000n)
})

/** `to` is the deposit that the payment names; past the last one it names none. */
const payments = fc.array(
  fc.record({
    to: fc.nat(3),
    cents: fc.constantFrom(1, 50_000, 99_999, 100_000, 100_001, 200_000),
    purpose: fc.constantFrom('', 'Оплата ', 'СБП: '),
  }),
  { minLength: 1, maxLength: 12 },
)

test('order, grouping and repetition of named payments change nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      payments,
      fc.infiniteStream(fc.nat(1_000)),
      fc.integer({ min: 1, max: 12 }),
      async (drawn, order, size) => {
        const outcomes: unknown[] = []
        const turns = drawn.map(() => order.next().value)
        for (const isMixed of [false, true]) {
          const account = await money.account({ amounts: 'never' })
          const deposits = [
            await account.deposit(100_000),
            await account.deposit(100_000),
            await account.deposit(100_000),
          ]
          const entries = drawn.map(({ to, cents, purpose }) =>
            account.entry({
              cents,
              id: newId(),
              purpose: purpose + (deposits[to] ? naming(deposits[to]) : 'без ссылки'),
            }),
          )
          const sorted = isMixed
            ? entries
                .map((entry, place) => ({ entry, turn: turns[place]! }))
                .sort((a, b) => a.turn - b.turn)
                .map(({ entry }) => entry)
            : entries
          for (let at = 0; at < sorted.length; at += isMixed ? size : sorted.length)
            await account.take(...sorted.slice(at, at + (isMixed ? size : sorted.length)))
          const again = await account.take(...sorted.toReversed())
          assert.deepEqual([again.taken, again.seen], [0, sorted.length])
          const stored = await Promise.all(deposits.map(account.stored))
          outcomes.push(
            stored.map(({ state, receivedCents, labels }) => [state, receivedCents, labels.toSorted()]),
          )
          const uneven = await money.gateway.db.query(sql`
          select d.id
          from deposits d
          left join allocations a on a.deposit_id = d.id
          where d.account_id = ${account.id}
          group by d.id
          having d.received_cents <> coalesce(sum(a.cents), 0)`)
          assert.deepEqual(uneven, [])
        }
        assert.deepEqual(outcomes[1], outcomes[0])
      },
    ),
    { numRuns: 10 },
  )
})
