/**
 * The oracle of money in with people between the reports: what is given back, taken back, confirmed by hand or undone with its
 * file. At no time are more deposits of one amount paid than payments of it were neither given back nor taken back.
 */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import fc from 'fast-check'
import { confirmDeposit, receiveMoney } from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { beginUndo, undoStatement } from '../../src/domain/statements/undo/undo-statement.ts'
import { refund, revokeByHand, setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { reverseDeposit } from '../../src/domain/transfers/end-deposit.ts'
import type { LockedTransfer } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import type { TransferState } from '../../src/domain/transfers/transfer.ts'
import { sql } from '../../src/platform/db.ts'
import { Refusal } from '../../src/platform/refusals.ts'
import { accountOf, bankDay, depositContextOf, entryTo } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import {
  type Delivery,
  deliveriesOf,
  newNumbers,
  newStatement,
  type Payment,
  ways,
} from '../support/reported-payments.ts'

let gateway: MoneyIn['gateway']
let sources: MoneyIn['sources']
let depositOf: MoneyIn['depositOf']
let keepOneAccount: MoneyIn['keepOneAccount']
let stored: MoneyIn['stored']
let matchAmounts: MoneyIn['matchAmounts']
before(async () => {
  ;({ gateway, sources, depositOf, stored, matchAmounts, keepOneAccount } = await openMoneyIn())
})
beforeEach(() => matchAmounts('always'))

const by = { actor: 'operator:test', reason: 'test' }

const take = ({ source, entries }: Delivery) => takeTransfers(depositContextOf(gateway), entries, { source })

const isAwaited = (accountId: string, cents: number) =>
  gateway.db.has(sql`
    select id
    from deposits
    where account_id = ${accountId} and amount_cents = ${cents} and state = 'created' and received_cents = 0`)

const rowsOf = (accountId: string, cents: number) =>
  gateway.db.query<Row>(sql`
    select id, state, raw, statement_id as "statementId", channel, booked_on as "bookedOn", payer_account as "payerAccount",
      purpose, bank_id as "bankId",
      (select string_agg(rule, ' ' order by entry) from transfer_decisions d where d.transfer_id = t.id) as rules
    from transfers t
    where account_id = ${accountId} and cents = ${cents}
    order by id`)
type Row = Pick<LockedTransfer, 'id' | 'state' | 'raw' | 'statementId' | 'channel' | 'bankId'>

/** Of all that a person, or a bank, may act upon. */
type World = {
  rows: readonly Row[]
  /** With the payment that each is meant to get. */
  deposits: readonly (Deposit & { raw: string })[]
  /** Payments whose deposits a person has confirmed, and those that have been given back or taken back. */
  confirmed: Set<string>
  gone: ReadonlySet<string>
  sent: readonly Delivery[]
  /** How many there were. */
  payments: number
  pick: <Item>(items: readonly Item[]) => Item | undefined
}

const counting = ({ rows }: World) => rows.filter(({ state }) => state === 'matched')

const isWaiting = new Set<TransferState>(['ambiguous', 'unmatched'])

/** Each returns the transfer whose money has left the account by it. */
const acts = {
  async nothing() {},
  async refund(world: World) {
    const one = world.pick(counting(world))
    if (one)
      await refund(depositContextOf(gateway), { transferId: one.id, cents: null, mayReverse: true, ...by })
    return one
  },
  /** A payment that nobody knows the deposit of: no other report of it counts, and its money is still there. */
  async refundWaiting({ rows, confirmed, gone, payments, pick }: World) {
    if (rows.filter(({ state }) => state === 'matched').length + confirmed.size + gone.size >= payments)
      return
    const counted = new Set(rows.filter(({ state }) => state === 'matched').map(({ raw }) => raw))
    const isOver = (raw: string) => [counted, confirmed, gone].some((over) => over.has(raw))
    const one = pick(rows.filter(({ state, raw }) => isWaiting.has(state) && !isOver(raw)))
    if (one) await refund(depositContextOf(gateway), { transferId: one.id, cents: null, ...by })
    return one
  },
  async revoke(world: World) {
    const one = world.pick(counting(world))
    if (one) await revokeByHand(depositContextOf(gateway), { transferId: one.id, ...by })
    return one
  },
  async takeBack(world: World) {
    const one = world.pick(counting(world).filter(({ channel }) => channel === 'push'))
    const sent = one && world.sent.find(({ entries }) => entries[0]?.bankId === one.bankId)
    if (sent) await take({ ...sent, entries: [{ ...sent.entries[0]!, isRevoked: true, version: 1n }] })
    return one
  },
  async setAside({ rows, pick }: World) {
    const one = pick(rows.filter(({ state }) => isWaiting.has(state)))
    if (one) await setAside(depositContextOf(gateway), { transferId: one.id, ...by })
  },
  async undo({ rows, pick }: World) {
    const statementId = pick(rows.flatMap((row) => row.statementId ?? []))
    if (!statementId) return
    const person = { actor: by.actor, personId: null, requestId: null }
    await beginUndo(gateway.db, { statementId, reason: by.reason, by: person })
    await undoStatement(depositContextOf(gateway), { statementId, by: person })
  },
  async confirm({ deposits, confirmed, gone, pick }: World) {
    const one = pick(deposits.filter(({ raw }) => !gone.has(raw)))
    const now = one && (await stored(one.id))
    if (now?.state !== 'created' || now.receivedCents > 0n) return
    await confirmDeposit(depositContextOf(gateway), { depositId: now.id, ...by })
    confirmed.add(one!.raw)
  },
} satisfies Record<string, (world: World) => Promise<unknown>>
type Act = keyof typeof acts

/** What may not be done now is left. */
const perform = async (act: Act, world: World): Promise<Row | undefined> => {
  try {
    return (await acts[act](world)) ?? undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Deposits that a person confirmed, and that have none of their money. */
const countByHand = async (accountId: string, cents: number): Promise<number> => {
  const found = await gateway.db.query(sql`
    select id
    from deposits
    where account_id = ${accountId} and amount_cents = ${cents} and state = 'confirmed' and received_cents = 0`)
  return found.length
}

const { INLET_ORACLE_RUNS } = process.env
const numRuns = Number(INLET_ORACLE_RUNS ?? 40)
const seed = INLET_ORACLE_RUNS ? {} : { seed: 20_261_117 }
let amount = 10_000_000

const paid = fc.record({
  amountMatching: fc.constantFrom('always', 'by_kind'),
  payers: fc.array(fc.record({ payer: fc.nat({ max: 1 }), day: fc.nat({ max: 2 }), isNamed: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  isPart: fc.boolean(),
})

const done = fc.array(fc.constantFrom(...(Object.keys(acts) as Act[]), 'refundWaiting', 'refundWaiting'), {
  minLength: 8,
  maxLength: 8,
})

test('no more payments of one amount count than remain, whatever people do between the reports', async () => {
  const accountId = await keepOneAccount()
  const property = fc.asyncProperty(paid, ways, done, fc.infiniteStream(fc.nat()), async (...drawn) => {
    const [{ amountMatching, payers, isPart }, used, done, turns] = drawn
    await matchAmounts(amountMatching)
    amount += 200
    const cents = isPart ? amount / 2 : amount
    const payments: Payment[] = []
    const deposits: World['deposits'][number][] = []
    const confirmed = new Set<string>()
    for (const { payer, day, isNamed } of payers) {
      const deposit = isNamed ? await depositOf(amount) : null
      // A part confirms nothing.
      if (deposit && !isPart) deposits.push({ ...deposit, raw: `p${payments.length}` })
      const reference = deposit?.shown?.payment_reason ?? ''
      payments.push({ cents: BigInt(cents), payer, day, reference, ...newNumbers() })
    }
    const pick: World['pick'] = (items) => items[turns.next().value % items.length]
    const waiting = await deliveriesOf({ gateway, sources }, used, payments, accountId)
    const sent: Delivery[] = []
    const [gone, left] = [new Set<string>(), new Set<string>()]
    const log: string[] = []
    while (waiting.length > 0) {
      // Somebody who does not pay waits for the same amount.
      if (!(await isAwaited(accountId, cents))) await depositOf(cents)
      const next = waiting.splice(turns.next().value % waiting.length, 1)[0]!
      await take(next)
      sent.push(next)
      const act = done[sent.length % done.length]!
      const rows = await rowsOf(accountId, cents)
      const world = { rows, deposits, confirmed, gone, sent, payments: payments.length, pick }
      const ended = await perform(act, world)
      if (ended) {
        left.add(ended.id)
        gone.add(ended.raw)
      }
      log.push(`${next.source.name}: ${next.entries.map(({ raw }) => raw)}; ${act} ${ended?.raw ?? ''}`)
    }
    const rows = await rowsOf(accountId, cents)
    const byHand = isPart ? 0 : await countByHand(accountId, amount)
    const counted = rows.filter(({ state }) => state === 'matched').length
    const why = { payments: payments.length, counted, left: left.size, byHand, log, rows }
    assert.ok(counted + left.size + byHand <= payments.length, JSON.stringify(why, null, 1))
  })
  await fc.assert(property, { numRuns, ...seed })
})

test('a refunded part does not count again when another source reports it with another day', async () => {
  const deposit = await depositOf(8_200_000)
  const accountId = await accountOf(gateway, deposit.id)
  const purpose = deposit.shown!.payment_reason!
  const half = { cents: 4_100_000n, documentNumber: '77', purpose, purposeParts: [purpose] }
  await take({ source: sources.one, entries: [entryTo(accountId, { ...half, channel: 'push' })] })
  const [row] = await rowsOf(accountId, 4_100_000)
  assert.equal(row!.state, 'matched')
  await refund(depositContextOf(gateway), { transferId: row!.id, cents: null, ...by })
  const statementId = await newStatement(gateway)
  const booked = { ...half, bookedOn: bankDay(2), bankId: null, statementId, line: 1, channel: '1c' } as const
  await take({ source: sources.file, entries: [entryTo(accountId, booked)] })
  assert.equal((await stored(deposit.id)).receivedCents, 0n)
  const states = (await rowsOf(accountId, 4_100_000)).map(({ state }) => state)
  assert.deepEqual(states, ['refunded', 'ambiguous'])
})

test('a revoked payment does not count again when a later file of its format masks the payer differently', async () => {
  const accountId = await accountOf(gateway, (await depositOf(8_300_000)).id)
  const payment = { cents: 8_300_000n, documentNumber: '78', bankId: null, channel: '1c', line: 1 } as const
  for (const payerAccount of ['****0001', '4081…0001']) {
    const statementId = await newStatement(gateway)
    await take({
      source: sources.file,
      entries: [entryTo(accountId, { ...payment, payerAccount, statementId })],
    })
    const [row] = await rowsOf(accountId, 8_300_000)
    if (row!.state === 'matched')
      await revokeByHand(depositContextOf(gateway), { transferId: row!.id, ...by })
    await depositOf(8_300_000)
  }
  const states = (await rowsOf(accountId, 8_300_000)).map(({ state }) => state)
  assert.deepEqual(states, ['revoked', 'ambiguous'])
})

test('money of a deposit that a person confirmed is not taken for the money of the next one of its amount', async () => {
  const confirmed = await depositOf(8_000_000)
  await confirmDeposit(depositContextOf(gateway), { depositId: confirmed.id, ...by })
  const next = await depositOf(8_000_000)
  const accountId = await accountOf(gateway, confirmed.id)
  assert.equal(accountId, await accountOf(gateway, next.id))
  await take({ source: sources.one, entries: [entryTo(accountId, { cents: 8_000_000n, channel: 'push' })] })
  const [row] = await rowsOf(accountId, 8_000_000)
  assert.equal(row!.state, 'ambiguous')
})

test('money that a person recorded counts once when a bank reports it: for its own deposit, and for no other', async () => {
  const cents = 8_050_000n
  const noted = await depositOf(Number(cents))
  await receiveMoney(depositContextOf(gateway), { depositId: noted.id, cents, isNoted: true, ...by })
  const accountId = await accountOf(gateway, noted.id)
  const next = await depositOf(Number(cents))
  const [first, second, other] = [
    entryTo(accountId, { cents, channel: 'push' }),
    entryTo(accountId, { cents, channel: 'push', purpose: noted.shown!.payment_reason! }),
    entryTo(accountId, { cents, channel: 'push', purpose: next.shown!.payment_reason! }),
  ]
  for (const entry of [first, second, other]) await take({ source: sources.one, entries: [entry] })
  assert.deepEqual(
    (await rowsOf(accountId, Number(cents))).map(({ state }) => state),
    ['ambiguous', 'ambiguous', 'matched'],
  )
  const { state, receivedCents } = await stored(noted.id)
  assert.deepEqual([state, receivedCents], ['confirmed', cents])
  assert.equal((await stored(next.id)).state, 'confirmed')
})

for (const [what, more] of [
  ['more', 100n],
  ['less', -100n],
] as const)
  test(`recorded money, ${what} than its deposit’s amount, is not taken for the money of a deposit of exactly that amount`, async () => {
    const cents = 8_060_000n + more * 2n
    const noted = await depositOf(Number(cents))
    await receiveMoney(depositContextOf(gateway), {
      ...{ depositId: noted.id, cents: cents + more, isNoted: true },
      ...by,
    })
    const accountId = await accountOf(gateway, noted.id)
    const next = await depositOf(Number(cents + more))
    const paid = entryTo(accountId, { cents: cents + more, channel: 'push' })
    await take({ source: sources.one, entries: [paid] })
    assert.deepEqual(
      (await rowsOf(accountId, Number(cents + more))).map(({ state }) => state),
      ['ambiguous'],
    )
    assert.equal((await stored(next.id)).state, 'created')
    // What names its deposit pays it.
    const purpose = next.shown!.payment_reason!
    await take({
      source: sources.one,
      entries: [entryTo(accountId, { cents: cents + more, channel: 'push', purpose })],
    })
    assert.equal((await stored(next.id)).state, 'confirmed')
  })

for (const missing of [0n, 100n])
  test(`money recorded in two parts, with ${missing} missing, is not taken for the money of a deposit of one part’s amount`, async () => {
    const parts = [2_070_000n + missing, 6_010_000n + missing] as const
    const noted = await depositOf(Number(parts[0] + parts[1] + missing))
    for (const cents of parts)
      await receiveMoney(depositContextOf(gateway), { depositId: noted.id, cents, isNoted: true, ...by })
    const accountId = await accountOf(gateway, noted.id)
    for (const cents of parts) {
      const next = await depositOf(Number(cents))
      await take({ source: sources.one, entries: [entryTo(accountId, { cents, channel: 'push' })] })
      assert.equal((await stored(next.id)).state, 'created')
    }
  })

for (const how of ['noted', 'confirmed'] as const)
  for (const isNamed of how === 'noted' ? [true, false] : [false])
    test(`if the bank revokes what may be the money of a deposit that a person ${how}, ${isNamed ? 'by name' : 'by amount'}, a person is asked`, async () => {
      for (const isSetAside of [false, true]) {
        const cents = how === 'noted' ? (isNamed ? 8_110_000n : 8_120_000n) : 8_130_000n
        const deposit = await depositOf(Number(cents) + Number(isSetAside))
        const context = depositContextOf(gateway)
        const act = { depositId: deposit.id, ...by }
        if (how === 'confirmed') await confirmDeposit(context, act)
        else await receiveMoney(context, { ...act, cents: deposit.amountCents, isNoted: true })
        const accountId = await accountOf(gateway, deposit.id)
        const purpose = isNamed ? deposit.shown!.payment_reason! : 'Перевод'
        const entry = entryTo(accountId, { cents: deposit.amountCents, channel: 'push', purpose })
        await take({ source: sources.one, entries: [entry] })
        const rows = () => rowsOf(accountId, Number(deposit.amountCents))
        const { id } = (await rows())[0]!
        if (isSetAside) await setAside(context, { transferId: id, ...by })
        for (const version of [1n, 2n])
          await take({ source: sources.one, entries: [{ ...entry, isRevoked: true, version }] })
        assert.deepEqual(
          (await rows()).map(({ state }) => state),
          ['ambiguous'],
        )
        // The person reverses the deposit, and says that the payment is gone.
        await reverseDeposit(context, act)
        await revokeByHand(context, { transferId: id, ...by })
        assert.deepEqual((await rows())[0]!.state, 'revoked')
      }
    })

test('if one push reports a payment and its revocation, and a person confirmed the deposit, a person decides', async () => {
  const deposit = await depositOf(8_140_000)
  await confirmDeposit(depositContextOf(gateway), { depositId: deposit.id, ...by })
  const accountId = await accountOf(gateway, deposit.id)
  const entry = entryTo(accountId, { cents: deposit.amountCents, channel: 'push' })
  const end = { ...entry, isRevoked: true, version: 2n }
  await take({ source: sources.one, entries: [entry, end] })
  assert.deepEqual(
    (await rowsOf(accountId, 8_140_000)).map(({ state }) => state),
    ['ambiguous'],
  )
  assert.equal((await stored(deposit.id)).state, 'confirmed')
})

test('the rest of a deposit that nobody recorded is matched as usual', async () => {
  const part = 4_030_000n
  const deposit = await depositOf(Number(part) * 3)
  await receiveMoney(depositContextOf(gateway), { depositId: deposit.id, cents: part, isNoted: true, ...by })
  const accountId = await accountOf(gateway, deposit.id)
  const purpose = deposit.shown!.payment_reason!
  await take({
    source: sources.one,
    entries: [entryTo(accountId, { cents: part * 2n, channel: 'push', purpose })],
  })
  assert.deepEqual((await stored(deposit.id)).labels, ['manual'])
  assert.equal((await stored(deposit.id)).state, 'confirmed')
})

test('a payment without a reference, pushed before holidays and booked after them in a table, pays for one deposit', async () => {
  const accountId = await accountOf(gateway, (await depositOf(8_100_000)).id)
  const payment = { cents: 8_100_000n, payerAccount: '2200…1234' }
  const pushed = entryTo(accountId, { ...payment, channel: 'push' })
  await take({ source: sources.one, entries: [pushed] })
  await depositOf(8_100_000)
  const statementId = await newStatement(gateway)
  const booked = { ...payment, bookedOn: bankDay(9), documentNumber: '', bankId: null, statementId, line: 1 }
  await take({ source: sources.file, entries: [entryTo(accountId, { ...booked, channel: 'csv' })] })
  assert.deepEqual(
    (await rowsOf(accountId, 8_100_000)).map(({ state }) => state),
    ['matched', 'ambiguous'],
  )
})
