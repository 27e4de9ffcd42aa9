/** Banks repeat themselves, correct themselves and contradict themselves: no coin is lost over it, and none is made. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  confirmDeposit,
  type DepositContext,
  expireDeposit,
} from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { expireDeposits } from '../../src/domain/deposits/expire-deposits.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import type { ImportReport } from '../../src/domain/statements/import-report.ts'
import { importStatement } from '../../src/domain/statements/import-statement.ts'
import { stageRows } from '../../src/domain/statements/store.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import {
  declareAnother,
  declareGenuine,
  matchByHand,
  refund,
  revokeByHand,
  setAside,
} from '../../src/domain/transfers/decide-transfer.ts'
import {
  rejectDeposit,
  releaseMoneyOfExpired,
  reverseDeposit,
} from '../../src/domain/transfers/end-deposit.ts'
import { listRepeats } from '../../src/domain/transfers/repeat-store.ts'
import type { Source } from '../../src/domain/transfers/source.ts'
import { findOverWithMoney, readTransfer, sourceOfKind } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, dotted, paymentOf as paymentFor, today } from '../support/bank.ts'
import {
  openShop,
  productionTimeouts,
  type Shop,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
let push: Source
let file: Source
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' }, timeouts: productionTimeouts })
  shop = await openShop(gateway)
  context = depositContextOf(gateway)
  // An amount alone may match here: the account's own setting is tested with the matcher.
  await gateway.database.owner.query(sql`update receiving_accounts set amount_matching = 'always'`)
  ;[push, file] = await gateway.db.transaction(async (tx) => [
    await sourceOfKind(tx, 'sandbox', 'test', newId()),
    await sourceOfKind(tx, 'statement', 'test', newId()),
  ])
})

let amount = 7_000_000
async function created(cents = ++amount, customer = 'customer'): Promise<Deposit> {
  const { status, body } = await shop.create({ payment_type: 'account_number', cents, customer })
  assert.equal(status, 201, JSON.stringify(body))
  return stored(body.id)
}
const stored = async (id: string): Promise<Deposit> =>
  (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit
const stateOf = async ({ id }: Deposit) => (await stored(id)).state

const paymentOf = (deposit: Deposit, changes?: Partial<IncomingEntry>) =>
  paymentFor(gateway, deposit, changes)
const take = (incoming: IncomingEntry[], source = push) => takeTransfers(context, incoming, { source })
const reversalOf = (payment: IncomingEntry, changes: Partial<IncomingEntry> = {}): IncomingEntry => ({
  ...payment,
  direction: 'debit',
  isRevoked: true,
  bankId: newId(),
  ...changes,
})
const transferBy = async (bankId: string, direction = 'credit') => {
  const [row] = await gateway.db.query<{ id: string }>(
    sql`
      select id
      from transfers
      where bank_id = ${bankId} and direction = ${direction}
      order by taken_at desc, version desc, occurrence desc
      limit 1`,
  )
  const { transfer, decisions } = (await readTransfer(gateway.db, row!.id))!
  return { ...transfer, rule: decisions.at(-1)!.rule }
}
const by = { actor: 'operator:test', reason: 'test' }

// ── Guesses ─────────────────────────────────────────────────────────────────────────────────────────────────────

test('if more deposits wait than are considered, none is matched, whatever the payer’s name', async () => {
  const cents = ++amount
  const deposits = await Promise.all(
    Array.from({ length: 53 }, (_, n) => created(cents, n < 2 ? 'Петров Пётр' : `customer ${n}`)),
  )
  const bankId = newId()
  const unnamed = { purpose: 'Перевод', payerName: 'Петров Пётр Иванович', bankId }
  await take([await paymentOf(deposits[5]!, unnamed)])
  assert.partialDeepStrictEqual(await transferBy(bankId), { state: 'ambiguous', rule: 'several_candidates' })
})

test('a payment with a reference gets its deposit, also if one without comes first in the file', async () => {
  const deposit = await created()
  const unnamed = await paymentOf(deposit, { purpose: 'Перевод' })
  const named = await paymentOf(deposit)
  assert.partialDeepStrictEqual(await take([unnamed, named]), { matched: 1, unmatched: 1 })
  assert.deepEqual((await stored(deposit.id)).labels, [])
  assert.equal((await transferBy(named.bankId!)).depositId, deposit.id)
})

// ── Reversals ───────────────────────────────────────────────────────────────────────────────────────────────────

test('a credit that is reversed in its own file confirms nothing', async () => {
  const deposit = await created()
  const payment = await paymentOf(deposit)
  await take([payment, reversalOf(payment, { bankId: payment.bankId })], file)
  assert.equal(await stateOf(deposit), 'created')
  assert.equal((await transferBy(payment.bankId!)).state, 'revoked')
})

test('a reversal takes the payment of its own payer back, not that of another with the same number', async () => {
  const cents = ++amount
  const [anna, boris] = [await created(cents), await created(cents)]
  await take([await paymentOf(anna)], file)
  const his = { payerName: 'Борисов Борис', payerAccount: '4081…0002' }
  const payment = await paymentOf(boris, his)
  await take([payment, reversalOf(payment)], file)
  assert.deepEqual([await stateOf(anna), await stateOf(boris)], ['confirmed', 'created'])
})

test('the bank’s own id names the payment alone; a number that fits two waits for a person', async () => {
  const cents = ++amount
  const [one, other] = [await created(cents), await created(cents)]
  const payments = [
    await paymentOf(one, { documentNumber: '15', payerAccount: '4081…0001' }),
    await paymentOf(other, { documentNumber: '15', payerAccount: '4081…0001' }),
  ]
  await take(payments, file)
  const unclear = reversalOf(payments[0]!)
  await take([unclear], file)
  assert.deepEqual([await stateOf(one), await stateOf(other)], ['confirmed', 'confirmed'])
  const waiting = await transferBy(unclear.bankId!, 'debit')
  assert.partialDeepStrictEqual(waiting, { state: 'reversal', rule: 'reversal_unclear', openCents: 0n })
  await take([reversalOf(payments[1]!, { bankId: payments[1]!.bankId })], file)
  assert.deepEqual([await stateOf(one), await stateOf(other)], ['confirmed', 'reversed'])
  // A person places the other one: the payment is taken back, the reversal is noted as what it is.
  await revokeByHand(context, { ...by, transferId: (await transferBy(payments[0]!.bankId!)).id })
  assert.equal((await setAside(context, { ...by, transferId: waiting.id })).state, 'debit')
  assert.equal(await stateOf(one), 'reversed')
})

test('one reversal that two sources report revokes one payment, and not the next one with the same number', async () => {
  const cents = ++amount
  const deposits = [await created(cents), await created(cents)] as const
  const facts = { documentNumber: `3${cents}`, payerAccount: '4081…0001' }
  const payments = [await paymentOf(deposits[0], facts), await paymentOf(deposits[1], facts)] as const
  await take([...payments])
  await take([reversalOf(payments[0], { bankId: payments[0].bankId })])
  const reversal = reversalOf(payments[0])
  await take([reversal], file)
  assert.deepEqual(await Promise.all(deposits.map(stateOf)), ['reversed', 'confirmed'])
  assert.partialDeepStrictEqual(await transferBy(reversal.bankId!, 'debit'), { state: 'reversal' })
  // The bank's own id is clear, whoever reported another one.
  await take([reversalOf(payments[1], { bankId: payments[1].bankId })], file)
  assert.equal(await stateOf(deposits[1]), 'reversed')
})

for (const [where, isTogether] of [
  ['known before', false],
  ['of its own file', true],
] as const)
  test(`a reversal of a payment that another source has revoked takes no payment back that is ${where}`, async () => {
    const cents = ++amount
    const deposits = [await created(cents), await created(cents)] as const
    const facts = { documentNumber: `4${cents}`, payerAccount: '4081…0001' }
    const later = { bookedOn: bankDay(30) }
    const gone = await paymentOf(deposits[0], facts)
    const next = await paymentOf(deposits[1], { ...facts, ...later })
    await take([gone])
    await take([{ ...gone, version: 2n, isRevoked: true }])
    const reversal = reversalOf(gone, later)
    if (isTogether) await take([next, reversal], file)
    else {
      await take([next])
      await take([reversal], file)
      assert.deepEqual(await Promise.all(deposits.map(stateOf)), ['reversed', 'confirmed'])
    }
    // A person is asked, and the money of the other payment is not gone.
    assert.partialDeepStrictEqual(await transferBy(reversal.bankId!, 'debit'), { state: 'reversal' })
    assert.notEqual((await transferBy(next.bankId!)).state, 'revoked')
  })

// ── Versions and ids ────────────────────────────────────────────────────────────────────────────────────────────

test('an entry that is reported and revoked in one push never counts, in either order', async () => {
  for (const turn of [0, 1]) {
    const deposit = await created()
    const payment = await paymentOf(deposit)
    const pair = [payment, { ...payment, version: 2n, isRevoked: true }]
    assert.partialDeepStrictEqual(await take(turn ? pair.reverse() : pair), { taken: 1, seen: 1, revoked: 1 })
    assert.equal(await stateOf(deposit), 'created')
  }
})

test('a new version with another amount undoes the old one and waits for a person', async () => {
  const deposit = await created()
  const payment = await paymentOf(deposit)
  await take([payment])
  await take([{ ...payment, version: 2n, cents: 100n }])
  assert.equal(await stateOf(deposit), 'reversed')
  assert.partialDeepStrictEqual(await transferBy(payment.bankId!), {
    state: 'ambiguous',
    rule: 'new_version',
    cents: 100n,
    openCents: 100n,
  })
  assert.partialDeepStrictEqual(await take([{ ...payment, version: 2n, cents: 100n }]), { taken: 0, seen: 1 })
  assert.partialDeepStrictEqual(await take([payment]), { taken: 0, seen: 1 })
})

test('two payments under one id are two payments, once', async () => {
  const [one, other] = [await created(), await created()]
  const first = await paymentOf(one)
  const second = await paymentOf(other, { bankId: first.bankId })
  for (const taken of [2, 0])
    assert.partialDeepStrictEqual(await take([first, second], file), { taken, seen: 2 - taken })
  assert.deepEqual([await stateOf(one), await stateOf(other)], ['confirmed', 'created'])
  assert.partialDeepStrictEqual(await transferBy(first.bankId!), {
    state: 'ambiguous',
    rule: 'same_id_other_facts',
    cents: other.amountCents,
  })
})

test('a payment under an id that the bank reuses waits for a person, beside a revocation and with a lower version', async () => {
  const bankId = '15'
  const [ended, other, later] = [await created(), await created(), await created()]
  const payment = await paymentOf(ended, { bankId })
  const others = await paymentOf(other, { bankId })
  // Both in one push, and then the known one.
  assert.partialDeepStrictEqual(await take([{ ...payment, isRevoked: true }, others]), {
    revoked: 1,
    ambiguous: 1,
  })
  const again = [{ ...payment, isRevoked: true }, await paymentOf(later, { bankId })]
  assert.partialDeepStrictEqual(await take(again), { seen: 1, ambiguous: 1 })
  await take([await paymentOf(await created(), { bankId, version: 7n })])
  const low = await paymentOf(await created(), { bankId, bookedOn: bankDay(1) })
  assert.partialDeepStrictEqual(await take([low]), { seen: 0, ambiguous: 1 })
  assert.partialDeepStrictEqual(await take([low]), { seen: 1, taken: 0 })
  // An id that is used once has versions: an earlier one says nothing new.
  const unique = await paymentOf(await created(), { version: 3n })
  await take([unique])
  assert.partialDeepStrictEqual(await take([{ ...unique, cents: 5n, version: 2n }]), { seen: 1, taken: 0 })
})

test('another payment under a long id waits for a person, also if its version is lower or missing', async () => {
  const others: Partial<IncomingEntry>[] = [
    { bookedOn: bankDay(1) },
    { bookedOn: bankDay(1), purpose: 'Перевод', purposeParts: ['Перевод'] },
    { payerAccount: '4081…9999' },
    { purpose: 'Перевод', purposeParts: ['Перевод'], payerAccount: '' },
  ]
  for (const difference of others)
    for (const version of [2n, 0n])
      for (const isTogether of [false, true]) {
        const [deposit, other] = [await created(), await created()]
        const first = await paymentOf(deposit, { version: 3n, payerAccount: '4081…1111' })
        const named = await paymentOf(other, { bankId: first.bankId, version, payerAccount: '4081…1111' })
        const second = { ...named, ...difference }
        if (!isTogether) await take([first])
        const isNew = isTogether ? 1 : 0
        assert.partialDeepStrictEqual(await take(isTogether ? [second, first] : [second]), {
          ...{ taken: 1 + isNew, matched: isNew, ambiguous: 1, seen: 0 },
        })
        assert.deepEqual([await stateOf(deposit), await stateOf(other)], ['confirmed', 'created'])
        assert.partialDeepStrictEqual(await take([second, first]), { taken: 0, seen: 2 })
      }
})

test('an earlier version of a payment that comes late adds nothing', async () => {
  const earlier: Partial<IncomingEntry>[] = [
    { cents: 5n },
    { cents: 5n, payerAccount: '' },
    { cents: 5n, purpose: 'Перевод', purposeParts: ['Перевод'] },
    { purpose: 'Перевод', purposeParts: ['Перевод'], bookedOn: bankDay(1) },
    { isRevoked: true, cents: 5n, bookedOn: bankDay(1) },
  ]
  for (const difference of earlier) {
    const deposit = await created()
    const payment = await paymentOf(deposit, { version: 3n })
    await take([payment])
    for (const version of [2n, 0n])
      assert.partialDeepStrictEqual(await take([{ ...payment, ...difference, version }]), {
        taken: 0,
        seen: 1,
      })
    assert.equal(await stateOf(deposit), 'confirmed')
  }
})

test('of two payments under one id the bank revokes or changes the one that it describes', async () => {
  for (const isRevoked of [true, false]) {
    for (const named of [0, 1]) {
      const deposits = [await created(), await created()] as const
      const first = await paymentOf(deposits[0])
      const payments = [first, await paymentOf(deposits[1], { bankId: first.bankId })] as const
      await take([...payments])
      await take([{ ...payments[named]!, version: 2n, isRevoked }])
      const states = await gateway.db.query<{ state: string }>(
        sql`select state from transfers where bank_id = ${first.bankId} order by occurrence`,
      )
      const expected = ['matched', 'ambiguous'].map((state, place) =>
        isRevoked && place === named ? 'revoked' : state,
      )
      assert.deepEqual(
        states.map(({ state }) => state),
        expected,
      )
      assert.equal(await stateOf(deposits[0]), isRevoked && named === 0 ? 'reversed' : 'confirmed')
    }
  }
})

test('a debit stays a debit, also when its entry is revoked and restored', async () => {
  const deposit = await created()
  const debit = await paymentOf(deposit, { direction: 'debit', purpose: 'Аренда' })
  await take([debit])
  await take([{ ...debit, version: 2n, isRevoked: true }])
  await take([{ ...debit, version: 3n }])
  const { id, state, openCents } = await transferBy(debit.bankId!, 'debit')
  assert.deepEqual([state, openCents], ['debit', 0n])
  await assert.rejects(matchByHand(context, { ...by, transferId: id, depositId: deposit.id }), {
    code: 'state_conflict',
  })
  await assert.rejects(
    gateway.database.owner.query(
      sql`update transfers set state = 'unmatched', open_cents = cents where id = ${id}`,
    ),
    /transfer_keeps_direction/,
  )
})

test('a refund stays recorded, however often the bank revokes and restores the entry', async () => {
  const deposit = await created()
  const entry = await paymentOf(deposit, { purpose: 'Аренда', cents: BigInt(++amount) })
  await take([entry])
  const { id: transferId } = await transferBy(entry.bankId!)
  await refund(context, { ...by, transferId, cents: null })
  for (const version of [2n, 3n]) await take([{ ...entry, version, isRevoked: true }])
  await take([{ ...entry, version: 4n }])
  assert.partialDeepStrictEqual(await transferBy(entry.bankId!), {
    state: 'refunded',
    refundCents: entry.cents,
    openCents: 0n,
  })
})

// ── Reports of one payment ────────────────────────────────────────────────────────────────────────────────────────────────────

test('a payment from a push and a file with a different purpose waits for a person', async () => {
  const deposit = await created()
  const payerAccount = '4081…0001'
  await take([await paymentOf(deposit, { documentNumber: '', payerAccount })])
  const bankId = newId()
  await take([await paymentOf(deposit, { bankId, documentNumber: '77', payerAccount })], file)
  assert.partialDeepStrictEqual(await transferBy(bankId), { state: 'ambiguous', rule: 'maybe_repeated' })
  assert.deepEqual((await stored(deposit.id)).labels, [])
  // Another document of the same payer is another payment.
  const more = newId()
  await take(
    [await paymentOf(deposit, { documentNumber: '78', payerAccount: '4081…0009', bankId: more })],
    file,
  )
  assert.equal((await transferBy(more)).state, 'matched')
})

test('a payment without a reference from two sources does not pay the next deposit of its amount', async () => {
  const cents = ++amount
  const paid = await created(cents)
  const payerAccount = '4081…0001'
  await take([await paymentOf(paid, { documentNumber: '', purpose: 'Перевод', payerAccount })])
  assert.equal(await stateOf(paid), 'confirmed')
  const next = await created(cents)
  const again = await paymentOf(next, { documentNumber: '77', purpose: 'Перевод', payerAccount })
  await take([again], file)
  assert.equal(await stateOf(next), 'created')
  assert.partialDeepStrictEqual(await transferBy(again.bankId!), {
    state: 'ambiguous',
    rule: 'maybe_repeated',
  })
  // Another document of another payer is another payment.
  const other = { documentNumber: '78', payerAccount: '4081…0009', purpose: 'Перевод' }
  await take([await paymentOf(next, other)], file)
  assert.equal(await stateOf(next), 'confirmed')
})

test('a tiny payment of a stranger with a guessed reference of a card deposit does not stop its real payment', async () => {
  const { body } = await shop.create({ payment_type: 'any_bank', cents: ++amount })
  const deposit = await stored(body.id)
  const purpose = `Перевод ${deposit.reference}`
  const coin = await paymentOf(deposit, { cents: 1n, purpose, purposeParts: [purpose] })
  await take([coin])
  assert.partialDeepStrictEqual(await transferBy(coin.bankId!), {
    state: 'ambiguous',
    rule: 'reference_not_asked',
  })
  assert.equal((await take([await paymentOf(deposit)])).matched, 1)
  assert.equal(await stateOf(deposit), 'confirmed')
})

test('a payment that another source reports with another form of its document number and payer does not pay the next deposit', async () => {
  const cents = ++amount
  const paid = await created(cents)
  await take([await paymentOf(paid, { documentNumber: '79', payerAccount: '4081…0001' })])
  assert.equal(await stateOf(paid), 'confirmed')
  const next = await created(cents)
  const again = { documentNumber: '000079', payerAccount: '****0001', purpose: 'Зачисление' }
  const { ambiguous } = await take([await paymentOf(next, again)], file)
  assert.deepEqual([ambiguous, await stateOf(next)], [1, 'created'])
})

test('a payment that another source reports with another document number or payer account does not pay the next deposit', async () => {
  for (const [one, other] of [
    [{}, { documentNumber: 'INV-5' }],
    [{ payerAccount: '' }, { documentNumber: 'INV-5' }],
    [{}, { payerAccount: '2200…1234' }],
    [{}, { documentNumber: 'INV-5', payerAccount: '2200…1234' }],
    [{}, { documentNumber: 'INV-5', payerAccount: '3023…5678' }],
    [{ payerAccount: '3010…0225' }, { documentNumber: 'INV-5', payerAccount: '4081…0001' }],
  ]) {
    const cents = ++amount
    const facts = { documentNumber: `8${cents}`, payerAccount: '4081…0001', ...one }
    assert.equal((await take([await paymentOf(await created(cents), facts)])).matched, 1)
    const next = await created(cents)
    const again = await paymentOf(next, { ...facts, ...other, purpose: 'Зачисление' })
    await take([again], file)
    const { state, rule } = await transferBy(again.bankId!)
    assert.deepEqual([state, rule], ['ambiguous', 'maybe_repeated'], JSON.stringify(other))
  }
})

test('a payment without a reference that a statement books days later does not pay the next deposit of its amount', async () => {
  const cents = ++amount
  const paid = await created(cents)
  const payerAccount = '4081…0001'
  await take([await paymentOf(paid, { documentNumber: '', purpose: 'Перевод', payerAccount })])
  assert.equal(await stateOf(paid), 'confirmed')
  const next = await created(cents)
  const booked = { channel: 'csv', purpose: 'Зачисление', documentNumber: '', bankId: null } as const
  const late = { ...booked, payerAccount, paidOn: today(), bookedOn: bankDay(5) }
  const { ambiguous } = await take([await paymentOf(next, late)], file)
  assert.deepEqual([ambiguous, await stateOf(next)], [1, 'created'])
  // After two weeks it is another payment.
  const another = { ...booked, payerAccount, bookedOn: bankDay(15) }
  const { matched } = await take([await paymentOf(next, another)], file)
  assert.deepEqual([matched, await stateOf(next)], [1, 'confirmed'])
})

test('a sum that is later reported payment by payment counts once', async () => {
  const [one, other] = [await created(), await created()]
  const bankId = newId()
  const cents = one.amountCents + other.amountCents
  const bankEntry = { reference: bankId, cents }
  const sent = { purpose: 'Реестр', documentNumber: 'R', payerAccount: '4081…0001' }
  const register = { bankId, bankEntry, cents, ...sent }
  await take([await paymentOf(one, register)], file)
  await take(
    [
      await paymentOf(one, { bankId: `${bankId}/1`, bankEntry }),
      await paymentOf(other, { bankId: `${bankId}/2`, bankEntry }),
    ],
    file,
  )
  assert.deepEqual([await stateOf(one), await stateOf(other)], ['confirmed', 'confirmed'])
  assert.equal((await transferBy(bankId)).state, 'revoked')
  const sum = await paymentOf(one, register)
  assert.partialDeepStrictEqual(await take([sum], file), { taken: 0, seen: 1 })
})

test('a duplicate can be declared a payment of its own', async () => {
  const deposit = await created()
  const payment = await paymentOf(deposit, { bankId: null })
  await take([{ ...payment, bankId: newId() }])
  await take([payment], file)
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from transfers where state = 'duplicate' order by taken_at desc limit 1`,
  )
  const genuine = await declareGenuine(context, { ...by, transferId: row!.id })
  assert.partialDeepStrictEqual(genuine, { state: 'ambiguous', openCents: deposit.amountCents })
  await matchByHand(context, { ...by, transferId: row!.id, depositId: deposit.id })
  assert.deepEqual((await stored(deposit.id)).labels, ['overpaid'])
})

test('a file that repeats a revoked payment waits for a person', async () => {
  const deposit = await created()
  const payment = await paymentOf(deposit)
  await take([payment])
  await take([{ ...payment, version: 2n, isRevoked: true }])
  await take([{ ...payment, bankId: null }], file)
  const [row] = await gateway.db.query<{ state: string }>(
    sql`select state from transfers where bank_id is null order by taken_at desc, id desc limit 1`,
  )
  assert.equal(row!.state, 'ambiguous')
})

// ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────────

const own = '40702810300000000042'
function oneC(rows: readonly { number: string; cents: bigint; purpose: string }[]): string {
  const date = dotted(today())
  const documents = rows.flatMap(({ number, cents, purpose }) => [
    'СекцияДокумент=Платежное поручение',
    `Номер=${number}`,
    `Дата=${date}`,
    `Сумма=${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`,
    'ПлательщикСчет=40817810000000000001',
    'Плательщик1=Иванова Анна',
    `ПолучательСчет=${own}`,
    `ДатаПоступило=${date}`,
    `НазначениеПлатежа=${purpose}`,
    'КонецДокумента',
  ])
  return [
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    'Кодировка=Windows',
    `РасчСчет=${own}`,
    ...documents,
    'КонецФайла',
  ].join('\r\n')
}

function read(text: string, more: { dryRun?: boolean; progress?: () => void } = {}): Promise<ImportReport> {
  const bytes = new TextEncoder().encode(text)
  const open = async function* () {
    yield bytes
  }
  return importStatement(context, {
    file: { name: 'day.txt', open },
    mode: 'test',
    by: 'test',
    dryRun: more.dryRun ?? false,
    anyway: true,
    ...(more.progress && { progress: more.progress }),
  })
}

/** Without dashes: at some times of day an id reads like the number of a card, whose middle is not kept. */
const many = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    number: String(n + 1),
    cents: BigInt(50_000 + n),
    purpose: `Оплата ${newId().replaceAll('-', 'x')}`,
  }))

test('a dry run, and a second run, beside an import leave it whole', { timeout: 120_000 }, async () => {
  const rows = many(bounds.sweepGroup * 3)
  const text = oneC(rows)
  let beside: Promise<unknown> | undefined
  const report = await read(text, {
    progress() {
      beside ??= Promise.all([read(text, { dryRun: true }), read(text)])
    },
  })
  await beside
  const found = await gateway.db.query<{ purpose: string }>(
    sql`select purpose from transfers where purpose = any(${rows.map((row) => row.purpose)}::text[])`,
  )
  const taken = new Set(found.map((row) => row.purpose))
  assert.deepEqual(
    rows.filter((row) => !taken.has(row.purpose)),
    [],
  )
  assert.equal(found.length, rows.length)
  assert.equal(report.entries, rows.length)
  assert.deepEqual(await gateway.database.owner.query(sql`select run_id from staged_entries limit 1`), [])
  assert.equal((await read(text)).isRepeated, true)
})

test('an import waits for locks longer than a request would', async () => {
  const held = gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`lock table transfers in exclusive mode`)
    await sleep(bounds.lockTimeoutMs + 500)
  })
  const report = await read(oneC([{ number: '11', cents: 654_321n, purpose: `Взнос ${newId()}` }]))
  await held
  assert.equal(report.taken.taken, 1)
})

test('equal rows of two part-day files: the second is visible, and may be declared another payment', async () => {
  const row = { number: '9', cents: 123_456n, purpose: `Взнос ${newId()}` }
  await read(oneC([row]))
  const evening = await read(oneC([row, { ...row, number: '10', purpose: `Другой ${newId()}` }]))
  assert.partialDeepStrictEqual(evening.taken, { taken: 1, seen: 1 })
  const [repeat] = await listRepeats(gateway.db, { statementId: evening.statement })
  assert.ok(repeat)
  const id = await declareAnother(context, { ...by, ...repeat })
  const { transfer, decisions } = (await readTransfer(gateway.db, id))!
  assert.deepEqual(
    [transfer.state, transfer.openCents, decisions[0]!.rule],
    ['ambiguous', 123_456n, 'another_payment'],
  )
  await assert.rejects(declareAnother(context, { ...by, ...repeat }), { code: 'not_found' })
})

test('a payment without a reference that a later file books on the next day does not pay the next deposit of its amount', async () => {
  const cents = ++amount
  await created(cents)
  const row = { number: `6${cents}`, cents: BigInt(cents), purpose: `Взнос ${newId()}` }
  assert.equal((await read(oneC([row]))).taken.matched, 1)
  const next = await created(cents)
  const tomorrow = (text: string) => text.replaceAll(dotted(today()), dotted(bankDay(1)))
  assert.partialDeepStrictEqual((await read(tomorrow(oneC([row])))).taken, { matched: 0, ambiguous: 1 })
  assert.equal(await stateOf(next), 'created')
  // Another number is another payment.
  assert.equal((await read(tomorrow(oneC([{ ...row, number: `7${cents}` }])))).taken.matched, 1)
})

test('10,000 equal payments on one day are 10,000 payments, and repeated they add none', {
  timeout: 240_000,
}, async () => {
  const row = { number: '1000001', cents: 77_777n, purpose: `Взнос ${newId()}` }
  const equal = Array.from({ length: 10_000 }, () => row)
  // The planner has counted the rows of another file, and takes those of this one for a single row.
  const stranger = { place: 1, facts: '{}', fingerprint: Buffer.alloc(32) }
  await stageRows(
    gateway.db,
    newId(),
    equal.map((_, index) => ({ ...stranger, place: index + 1 })),
  )
  await gateway.database.owner.query(sql`analyze staged_entries`)
  const first = await read(oneC(equal))
  assert.partialDeepStrictEqual(first.taken, { taken: 10_000, seen: 0, unmatched: 10_000, duplicate: 0 })
  const again = await read(oneC([...equal, row]))
  assert.partialDeepStrictEqual(again.taken, { taken: 1, seen: 10_000 })
  const [sum] = await gateway.db.query<{ cents: bigint }>(
    sql`select sum(open_cents)::bigint as cents from transfers where purpose = ${row.purpose}`,
  )
  assert.equal(sum!.cents, 10_001n * row.cents)
})

test('a counter that the bank fills with zeros is used again on the next day, and hides no payment', async () => {
  const cents = BigInt(++amount)
  const unnamed = { cents, purpose: '', payerName: '', payerAccount: '', documentNumber: '', version: 0n }
  const counted = { bankId: '0000000001', bankEntry: { reference: '0000000001', cents } }
  const [first, second] = [await created(Number(cents)), await created(++amount)]
  const payment = await paymentOf(first, { ...unnamed, ...counted, channel: 'mt940' })
  assert.partialDeepStrictEqual(await take([payment], file), { matched: 1 })
  const ofNextDay = { ...payment, bookedOn: bankDay(1) }
  assert.partialDeepStrictEqual(await take([ofNextDay], file), { taken: 1, ambiguous: 1 })
  const ofPush = await paymentOf(second, { ...unnamed, ...counted, bookedOn: bankDay(2) })
  assert.partialDeepStrictEqual(await take([ofPush]), { taken: 1, duplicate: 0 })
})

test('a revocation revokes its payment, also if it states another amount', async () => {
  const deposit = await created()
  const payment = await paymentOf(deposit)
  await take([payment])
  assert.partialDeepStrictEqual(await take([{ ...payment, isRevoked: true, cents: payment.cents - 1n }]), {
    undone: 1,
  })
  assert.equal(await stateOf(deposit), 'reversed')
})

// ── Ends ────────────────────────────────────────────────────────────────────────────────────────────────────────

test('the money of a rejected or reversed deposit becomes unmatched', async () => {
  const rejected = await created()
  const half = await paymentOf(rejected, { cents: 500n })
  const reversed = await created()
  const whole = await paymentOf(reversed)
  await take([half, whole])
  await rejectDeposit(context, { ...by, depositId: rejected.id })
  await reverseDeposit(context, { ...by, depositId: reversed.id })
  for (const { bankId } of [half, whole])
    assert.partialDeepStrictEqual(await transferBy(bankId!), { state: 'unmatched', rule: 'deposit_ended' })
})

test('after the grace the money of an underpaid deposit becomes unmatched', async () => {
  const deposit = await created()
  const half = await paymentOf(deposit, { cents: 500n })
  await take([half])
  await gateway.database.owner.query(sql`
    update deposits
    set expires_at = created_at + interval '1 millisecond', late_until = created_at + interval '2 milliseconds'
    where id = ${deposit.id}`)
  await expireDeposits(context)
  await releaseMoneyOfExpired(context)
  assert.partialDeepStrictEqual(await transferBy(half.bankId!), { state: 'unmatched', rule: 'deposit_ended' })
  assert.equal(await releaseMoneyOfExpired(context), 0)
})

test('the money of a deposit that somebody works on waits; that of the others is released', async () => {
  const halves = []
  for (const _ of [1, 2]) {
    const deposit = await created()
    const half = await paymentOf(deposit, { cents: 500n })
    await take([half])
    halves.push({ deposit, bankId: half.bankId! })
    await gateway.database.owner.query(sql`
      update deposits
      set expires_at = created_at + interval '1 millisecond', late_until = created_at + interval '2 milliseconds'
      where id = ${deposit.id}`)
  }
  await expireDeposits(context)
  const [first] = (await findOverWithMoney(gateway.db, { after: null, look: 1_000 })).ids
  await gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`select from deposits where id = ${first} for update`)
    assert.equal(await releaseMoneyOfExpired(context), 1)
  })
  for (const { deposit, bankId } of halves)
    assert.equal((await transferBy(bankId)).state, deposit.id === first ? 'matched' : 'unmatched')
  assert.equal(await releaseMoneyOfExpired(context), 1)
})

/** A deposit that was paid late, is under review, and whose grace has ended. */
async function reviewedAfterGrace() {
  const own = await openShop(gateway)
  await changeMerchant(gateway.db, { merchantId: own.merchant, settings: { latePolicy: 'review' } })
  const { body } = await own.create({ cents: ++amount })
  const stored = async () =>
    (await findDeposit(gateway.db, { merchantId: own.merchant, id: body.id }))!.deposit
  const deposit = await stored()
  await expireDeposit(context, { ...by, depositId: deposit.id })
  // In the last half hour of a day a deposit may be paid until tomorrow: late is the day after that.
  const payment = await paymentOf(deposit, { bookedOn: bankDay(2) })
  await take([payment])
  assert.equal((await transferBy(payment.bankId!)).depositId, deposit.id)
  await gateway.database.owner.query(sql`
    update deposits
    set expires_at = created_at + interval '1 millisecond', late_until = created_at + interval '2 milliseconds'
    where id = ${deposit.id}`)
  return { deposit, payment, stored }
}

test('money under review stays with its deposit after the grace, and can still be confirmed', async () => {
  const { deposit, payment } = await reviewedAfterGrace()
  assert.equal(await releaseMoneyOfExpired(context), 0)
  await confirmDeposit(context, { ...by, depositId: deposit.id })
  assert.partialDeepStrictEqual(await transferBy(payment.bankId!), {
    state: 'matched',
    depositId: deposit.id,
    dueSince: null,
  })
})

const leaves: Record<string, (payment: IncomingEntry) => Promise<unknown>> = {
  'the bank revokes': (payment) => take([{ ...payment, version: payment.version + 1n, isRevoked: true }]),
  'the bank reverses': (payment) => take([reversalOf(payment)]),
  'a person gives back': async ({ bankId }) =>
    refund(context, { ...by, transferId: (await transferBy(bankId!)).id, cents: null }),
}
for (const [how, leave] of Object.entries(leaves))
  test(`a deposit under review whose money ${how} after the grace has nothing left to confirm`, async () => {
    const { deposit, payment, stored } = await reviewedAfterGrace()
    await leave(payment)
    assert.equal((await transferBy(payment.bankId!)).depositId, null)
    assert.partialDeepStrictEqual(await stored(), { state: 'expired', receivedCents: 0n, labels: [] })
    await assert.rejects(confirmDeposit(context, { ...by, depositId: deposit.id }), {
      code: 'state_conflict',
    })
  })

test('a deposit under review that loses a part of its money after the grace shows the rest', async () => {
  const { deposit, payment, stored } = await reviewedAfterGrace()
  const { id: transferId } = await transferBy(payment.bankId!)
  await refund(context, { ...by, transferId, cents: 1n })
  const { labels, receivedCents } = await stored()
  assert.deepEqual(
    [labels.toSorted(), receivedCents],
    [['late', 'review', 'underpaid'], deposit.amountCents - 1n],
  )
  await rejectDeposit(context, { ...by, depositId: deposit.id })
  assert.partialDeepStrictEqual(await transferBy(payment.bankId!), {
    state: 'unmatched',
    openCents: deposit.amountCents - 1n,
  })
})

test('a partial refund does not reverse a paid deposit, unless that is requested', async () => {
  const deposit = await created()
  const payment = await paymentOf(deposit)
  await take([payment])
  const { id: transferId } = await transferBy(payment.bankId!)
  await assert.rejects(refund(context, { ...by, transferId, cents: 1n }), { code: 'state_conflict' })
  assert.equal(await stateOf(deposit), 'confirmed')
  await refund(context, { ...by, transferId, cents: 1n, mayReverse: true })
  assert.equal(await stateOf(deposit), 'reversed')
})
