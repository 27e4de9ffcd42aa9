/** Later reports of a payment: its end among others, a name that it had not, a version that says nothing new. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { changeAccount } from '../../src/domain/requisites/add-requisite.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { matchByHand, setAside } from '../../src/domain/transfers/decide-transfer.ts'
import type { Source } from '../../src/domain/transfers/source.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, entryTo } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { newStatement } from '../support/reported-payments.ts'

let money: MoneyIn
let accountId: string
before(async () => {
  money = await openMoneyIn()
  accountId = await money.keepOneAccount()
  await money.matchAmounts('always')
})

type Facts = Partial<IncomingEntry> & { cents: bigint }
const naming = ({ shown }: Deposit) => ({
  purpose: shown!.payment_reason!,
  purposeParts: [shown!.payment_reason!],
})
const nameless = { purpose: '', purposeParts: [] }
const pushBy = (source: Source, ...facts: Facts[]) =>
  takeTransfers(
    depositContextOf(money.gateway),
    facts.map((one) => entryTo(accountId, { channel: 'push', version: 0n, ...one })),
    { source },
  )
const push = (...facts: Facts[]) => pushBy(money.sources.one, ...facts)
const file = async (one: Facts) => {
  const inFile = {
    channel: 'camt',
    version: 0n,
    statementId: await newStatement(money.gateway),
    line: 1,
  } as const
  await takeTransfers(depositContextOf(money.gateway), [entryTo(accountId, { ...inFile, ...one })], {
    source: money.sources.file,
  })
}
type Row = { id: string; raw: string; state: string; isDue: boolean }
const transfersOf = (...cents: bigint[]) =>
  money.gateway.db.query<Row>(sql`
    select id, raw, state, due_since is not null as "isDue"
    from transfers
    where account_id = ${accountId} and cents = any(${cents}::bigint[])
    order by id`)
const statesOf = async (...cents: bigint[]) =>
  Object.fromEntries((await transfersOf(...cents)).map(({ raw, state }) => [raw, state]))
const stateOf = async (deposit: Deposit) => (await money.standing(deposit))[0]

let amount = 3_000_000
const newAmount = (): number => (amount += 1_000)
const by = { actor: 'operator:test', reason: 'looked at' }

/** Two payments under one id of the bank, for two deposits. */
async function twoUnder(bankId: string, between: number) {
  const cents = newAmount()
  const deposits = [await money.depositOf(cents), await money.depositOf(cents + between)] as const
  const one = { bankId, bookedOn: bankDay(0), payerAccount: '4081…1111', documentNumber: '71', raw: 'one' }
  const other = {
    bankId,
    bookedOn: bankDay(1),
    payerAccount: '4081…2222',
    documentNumber: '72',
    raw: 'other',
  }
  return {
    deposits,
    one: { ...one, ...naming(deposits[0]), cents: BigInt(cents) },
    other: { ...other, ...naming(deposits[1]), cents: BigInt(cents + between) },
  }
}

const unsaid = { ...nameless, payerAccount: '', payerName: '', documentNumber: '' }

test('a payment that is reported together with the revocation of another one under its id waits for a person', async () => {
  for (const bankId of ['15', newId()])
    for (const version of [0n, 1n])
      for (const said of [{}, unsaid]) {
        const { one, other } = await twoUnder(`${bankId}${amount % 9}`, 0)
        await push(one, other, { ...one, ...said, isRevoked: true, version, raw: 'end' })
        assert.deepEqual(await statesOf(one.cents), { end: 'revoked', other: 'ambiguous' })
      }
})

test('a payment that is reported together with the revocation of a known one under its id waits for a person', async () => {
  for (const said of [{}, unsaid]) {
    const { one, other, deposits } = await twoUnder(newId(), 0)
    await push(one)
    await push(other, { ...one, ...said, isRevoked: true, version: 1n })
    assert.deepEqual(await statesOf(one.cents), { one: 'revoked', other: 'ambiguous' })
    assert.equal(await stateOf(deposits[0]), 'reversed')
  }
})

test('the revocations of two payments under one id revoke both', async () => {
  for (const bankId of ['25', newId()])
    for (const version of [0n, 1n])
      for (const between of [0, 7]) {
        const { one, other, deposits } = await twoUnder(`${bankId}${amount % 9}`, between)
        await push(one)
        await push(other)
        const waiting = (await transfersOf(other.cents)).find(({ raw }) => raw === 'other')!
        await matchByHand(depositContextOf(money.gateway), {
          ...by,
          transferId: waiting.id,
          depositId: deposits[1].id,
        })
        const ends = [one, other].map((payment) => ({ ...payment, isRevoked: true, version }))
        await push(...ends)
        assert.deepEqual(await Promise.all(deposits.map(stateOf)), ['reversed', 'reversed'])
        assert.partialDeepStrictEqual(await push(...ends), { taken: 0, undone: 0 })
      }
})

test('a payment that was matched by its amount, and later names another deposit, waits for a person', async () => {
  const ways: Record<string, (payment: Facts) => Promise<unknown>> = {
    'a later version': (payment) => push({ ...payment, version: 1n }),
    'the same version': (payment) => push(payment),
    'a file with its id': (payment) => file(payment),
    'a file with its document': (payment) => file({ ...payment, bankId: newId() }),
  }
  for (const [way, report] of Object.entries(ways)) {
    const cents = newAmount()
    const guessed = await money.depositOf(cents)
    const facts = {
      cents: BigInt(cents),
      bankId: newId(),
      payerAccount: '4081…3333',
      documentNumber: `${cents}`,
    }
    await push({ ...facts, ...nameless, raw: 'first' })
    assert.equal(await stateOf(guessed), 'confirmed')
    // The name of the deposit that has the money is no news.
    await report({ ...facts, ...naming(guessed), raw: 'same' })
    assert.ok(!Object.values(await statesOf(facts.cents)).includes('ambiguous'), way)
    const next = { ...facts, cents: BigInt(newAmount()), bankId: newId(), documentNumber: `${amount}` }
    await money.depositOf(amount)
    await push({ ...next, ...nameless, raw: 'first' })
    const other = await money.depositOf(amount)
    await report({ ...next, ...naming(other), raw: 'later' })
    assert.deepEqual(await statesOf(next.cents), { first: 'matched', later: 'ambiguous' }, way)
    assert.equal(await stateOf(other), 'created')
  }
})

test('a payment that was matched by its amount does not pay twice if the account stopped matching amounts between two reports', async (t) => {
  t.after(() => money.matchAmounts('always'))
  for (const when of ['never', 'by_kind'] as const) {
    for (const report of [file, (one: Facts) => pushBy(money.sources.other, one)]) {
      for (const isSame of [false, true]) {
        await money.matchAmounts('always')
        const cents = newAmount()
        const guessed = await money.depositOf(cents)
        await push({ ...unsaid, cents: BigInt(cents), bankId: newId(), raw: 'first' })
        assert.equal(await stateOf(guessed), 'confirmed')
        await changeAccount(money.gateway.db, accountId, { amountMatching: when })
        const other = await money.depositOf(cents)
        const named = naming(isSame ? guessed : other)
        await report({ ...named, cents: BigInt(cents), bankId: newId(), raw: 'later' })
        assert.deepEqual(await statesOf(BigInt(cents)), { first: 'matched', later: 'ambiguous' })
        assert.equal(await stateOf(other), 'created')
      }
    }
  }
})

test('a version without changes leaves a payment owed to its payer when it is set aside', async () => {
  const facts = {
    cents: BigInt(newAmount()),
    bankId: newId(),
    documentNumber: '75',
    payerAccount: '4081…4444',
  }
  await push(facts)
  assert.partialDeepStrictEqual(await push({ ...facts, version: 1n }), { taken: 0 })
  const [transfer] = await transfersOf(facts.cents)
  await setAside(depositContextOf(money.gateway), { ...by, transferId: transfer!.id })
  assert.partialDeepStrictEqual(await transfersOf(facts.cents), [{ state: 'set_aside', isDue: true }])
})

test('a reversal that has another payment’s number by chance revokes the payment that it describes', async () => {
  for (const idOf of [(row: number) => `${bankDay(0)}/${row}`, (row: number) => `${row}`]) {
    const { one, other, deposits } = await twoUnder('', 0)
    const [first, second] = [
      { ...one, bankId: idOf(3), documentNumber: `3${amount}` },
      { ...other, bankId: idOf(5), documentNumber: `5${amount}`, bookedOn: one.bookedOn },
    ]
    await file(first)
    await file(second)
    // Each file of a day counts its rows from one.
    await file({ ...second, bankId: idOf(3), direction: 'debit', isRevoked: true, raw: 'reversal' })
    assert.deepEqual(await Promise.all(deposits.map(stateOf)), ['confirmed', 'reversed'])
    const { payerAccount, documentNumber, payerName } = unsaid
    const unknown = { ...first, payerAccount, payerName, documentNumber, direction: 'debit' } as const
    await file({ ...unknown, bankId: idOf(9), isRevoked: true, raw: 'of nobody' })
    assert.partialDeepStrictEqual(await statesOf(one.cents), { one: 'matched', 'of nobody': 'reversal' })
  }
})
