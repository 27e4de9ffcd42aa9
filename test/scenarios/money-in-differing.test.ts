/** One payment that two reports describe differently: with another amount, payer or number, or with another part of its purpose. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, entryTo } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { newStatement } from '../support/reported-payments.ts'

let gateway: MoneyIn['gateway']
let sources: MoneyIn['sources']
let depositOf: MoneyIn['depositOf']
let standing: MoneyIn['standing']
let matchAmounts: MoneyIn['matchAmounts']
let accountId: string
before(async () => {
  const money = await openMoneyIn()
  ;({ gateway, sources, depositOf, standing, matchAmounts } = money)
  accountId = await money.keepOneAccount()
})

type Facts = Partial<IncomingEntry> & { cents: bigint }
const text = (purpose: string) => ({ purpose, purposeParts: [purpose] })
const named = ({ shown }: Deposit) => text(shown!.payment_reason!)

const push = (facts: Facts) =>
  takeTransfers(depositContextOf(gateway), [entryTo(accountId, { channel: 'push', ...facts })], {
    source: sources.one,
  })

async function file(channel: '1c' | 'csv' | 'xlsx' | 'camt', ...rows: Facts[]) {
  const statementId = await newStatement(gateway)
  const entries = rows.map((facts, place) =>
    entryTo(accountId, { bankId: null, channel, statementId, line: place + 1, ...facts }),
  )
  return takeTransfers(depositContextOf(gateway), entries, { source: sources.file })
}

const statesOf = async (cents: bigint) => {
  const rows = await gateway.db.query<{ state: string }>(
    sql`select state from transfers where account_id = ${accountId} and cents = ${cents} order by id`,
  )
  return rows.map(({ state }) => state)
}

let amount = 6_000_000
let hundreds = 200_000
const roundAmount = () => ++hundreds * 100
const payer = { payerAccount: '4081…0001', payerName: 'Иванова Анна' }
/** A payer who has begun no deposit: nothing is matched by amount for a payer who has. */
const newPayer = { payerAccount: '4081…0003', payerName: 'Петрова Ольга' }

test('a Kazakh bank sends the money of many customers: its account and name do not prove that two payers are the same', async () => {
  for (const sender of [
    { payerAccount: 'KZ77…4321', payerName: 'АО «Народный банк»', payerTaxId: '940140000385' },
    { payerAccount: 'KZ77…4321', payerName: 'Транзитный счёт', payerTaxId: '' },
    { payerAccount: '', payerName: 'ПАО Сбербанк', payerTaxId: '7707083893' },
  ]) {
    const deposit = await depositOf(2 * ++amount)
    const half = { cents: BigInt(amount), ...sender }
    await push({ ...half, ...named(deposit) })
    await push({ ...half, documentNumber: '', ...text('Перевод') })
    assert.deepEqual(await standing(deposit), ['created', half.cents], sender.payerName)
  }
  // A person is known by the tax id.
  const deposit = await depositOf(2 * ++amount)
  const half = { cents: BigInt(amount), payerAccount: 'KZ77…4321', payerTaxId: '850101300123' }
  await push({ ...half, ...named(deposit) })
  await push({ ...half, documentNumber: '', ...text('Перевод') })
  assert.equal((await standing(deposit))[0], 'confirmed')
})

test('two Kazakh accounts may be those of a payer and of a bank in between: two such reports count as one payment', async () => {
  await matchAmounts('always')
  const facts = () => ({ cents: BigInt(++amount), ...text('Перевод') })
  const [own, transit] = ['KZ12…0001', 'KZ77…4321']
  for (const [first, second] of [
    [own, transit],
    [transit, own],
  ] as const) {
    const payment = facts()
    const deposit = await depositOf(amount)
    await push({ ...payment, payerAccount: first })
    const next = await depositOf(amount)
    await file('1c', { ...payment, payerAccount: second, bookedOn: bankDay(1) })
    assert.deepEqual(
      [await standing(deposit), await standing(next)],
      [
        ['confirmed', payment.cents],
        ['created', 0n],
      ],
    )
  }
  // Two persons have made two payments.
  const payment = facts()
  await depositOf(amount)
  await push({ ...payment, payerAccount: own, payerTaxId: '850101300123' })
  const next = await depositOf(amount)
  await file('1c', { ...payment, payerAccount: transit, payerTaxId: '910305400456' })
  assert.equal((await standing(next))[0], 'confirmed')
  await matchAmounts('by_kind')
})

test('a payment that one source reports in full, and another after the fee of a bank, counts once', async () => {
  const reports = {
    push: (facts: Facts) => push(facts),
    file: (facts: Facts) => file('1c', { ...facts, bookedOn: bankDay(1) }),
  }
  for (const [first, second] of [
    ['push', 'file'],
    ['file', 'push'],
  ] as const) {
    const deposit = await depositOf(roundAmount())
    const [gross, net] = [deposit.amountCents, (deposit.amountCents * 98n) / 100n]
    const sums = { push: gross, file: net }
    for (const way of [first, second])
      await reports[way]({ ...payer, cents: sums[way], documentNumber: '', ...named(deposit) })
    assert.equal((await standing(deposit))[1], sums[first], first)
    assert.deepEqual(await statesOf(sums[second]), ['ambiguous'], first)
  }
})

test('a part of a deposit that a file reports after a fee, and beside repetitions of many parts, counts once', async () => {
  const deposit = await depositOf(roundAmount())
  const part = deposit.amountCents / 50n
  const parts = Array.from({ length: 40 }, (_, place) => ({
    ...payer,
    ...named(deposit),
    cents: part,
    documentNumber: `${9_000 + place}`,
  }))
  for (const facts of parts) await push(facts)
  const net = { ...parts.at(-1)!, cents: (part * 98n) / 100n, documentNumber: '' }
  await file('1c', ...parts.slice(0, -1), net)
  assert.deepEqual(await standing(deposit), ['created', 40n * part])
  assert.deepEqual(await statesOf(net.cents), ['ambiguous'])
})

test('a payment reported days later after a fee, with the same document number, does not pay the next deposit of that net amount', async () => {
  await matchAmounts('always')
  const deposit = await depositOf(roundAmount())
  const [gross, net] = [deposit.amountCents, (deposit.amountCents * 98n) / 100n]
  await push({ ...newPayer, cents: gross, documentNumber: '771', ...text('Перевод') })
  assert.equal((await standing(deposit))[0], 'confirmed')
  const other = await depositOf(Number(net))
  const facts = { ...newPayer, cents: net, documentNumber: '771', ...text('Перевод') }
  await file('1c', { ...facts, bookedOn: bankDay(2) })
  assert.deepEqual(await standing(other), ['created', 0n])
  await matchAmounts('by_kind')
})

test('a payment whose camt entry states the amount sent does not pay the next deposit of the net amount, however high the fee', async () => {
  await matchAmounts('always')
  const deposit = await depositOf(roundAmount())
  const [gross, net] = [deposit.amountCents, deposit.amountCents / 2n]
  await push({ ...newPayer, cents: gross, documentNumber: '', ...text('Перевод') })
  assert.equal((await standing(deposit))[0], 'confirmed')
  const other = await depositOf(Number(net))
  const facts = { ...newPayer, cents: net, sentCents: gross, documentNumber: '881', ...text('Перевод') }
  await file('camt', { ...facts, bookedOn: bankDay(0) })
  assert.deepEqual(await standing(other), ['created', 0n])
  await matchAmounts('by_kind')
})

const whole = (end: string) => ({
  payerAccount: `4081…${end}`,
  isPayerAccountWhole: true,
  payerName: `Иванов ${end}`,
})
const times = <Made>(count: number, make: (place: number) => Made): Made[] =>
  Array.from({ length: count }, (_, place) => make(place))

test('however many payments of another account have the same document number, one that a bank reports after a fee counts once', async () => {
  await matchAmounts('always')
  for (const [fillers, end] of [
    [60, '1111'],
    [260, ''],
  ] as const) {
    const documentNumber = `7${fillers}`
    const filler = { ...(end === '' ? { payerAccount: '' } : whole(end)), cents: 1n, documentNumber }
    await file('csv', ...times(fillers, (place) => ({ ...filler, ...text(`Перевод ${place}`) })))
    const deposit = await depositOf(roundAmount())
    const [gross, net] = [deposit.amountCents, (deposit.amountCents * 95n) / 100n]
    await push({ ...whole('2222'), cents: gross, documentNumber, ...text('Перевод') })
    const other = await depositOf(Number(net))
    await file('1c', { ...whole('2222'), cents: net, documentNumber, ...text('Перевод') })
    const [[, first], [, second]] = [await standing(deposit), await standing(other)]
    assert.ok(first + second <= gross, `${fillers}: ${first} and ${second} of ${gross}`)
  }
  await matchAmounts('by_kind')
})

test('however many parts another account has paid, one that a bank reports after a fee counts once', async () => {
  const deposit = await depositOf(roundAmount())
  const part = deposit.amountCents / 60n
  const facts = { documentNumber: '', ...named(deposit) }
  for (const place of times(25, (place) => place))
    await push({ ...facts, ...whole('1111'), cents: (part * 96n) / 100n + BigInt(place) })
  await push({ ...facts, ...whole('2222'), cents: part })
  const before = await standing(deposit)
  const net = (part * 95n) / 100n
  await file('1c', { ...facts, ...whole('2222'), cents: net, documentNumber: '5511' })
  assert.deepEqual(await standing(deposit), before)
  assert.deepEqual(await statesOf(net), ['ambiguous'])
})

test('parts of which each is after the fee as large as the one before it count once', async () => {
  const deposit = await depositOf(roundAmount())
  const facts = { ...whole('2222'), documentNumber: '', ...named(deposit) }
  const nets = [400n, 380n, 361n].map((share) => (deposit.amountCents * share) / 2_000n)
  const gross = nets.map((net) => (net * 100n) / 95n)
  // What is pushed of the second one is what the file shows of the first one.
  gross[1] = nets[0]!
  gross[2] = nets[1]!
  for (const cents of gross) await push({ ...facts, cents })
  const before = await standing(deposit)
  await file('1c', ...nets.map((cents) => ({ ...facts, cents })))
  assert.deepEqual(await standing(deposit), before)
})

test('at a bank that gives all payments one number, each of many payers pays for a deposit', async () => {
  const deposits = await Promise.all(times(3, () => depositOf(roundAmount())))
  const others = times(1_100, (place) => ({
    ...whole(String(1_000 + place)),
    cents: BigInt(1_000 + place),
    documentNumber: '1',
    ...text(`Перевод ${place}`),
  }))
  await file('1c', ...others)
  const honest = deposits.map((deposit, place) => ({
    ...whole(String(8_000 + place)),
    cents: deposit.amountCents,
    documentNumber: '1',
    ...named(deposit),
  }))
  await file('1c', ...others, ...honest)
  for (const deposit of deposits) assert.equal((await standing(deposit))[0], 'confirmed')
})

test('control: two parts of a deposit count, also where two sources report them', async () => {
  for (const share of [50n, 85n]) {
    const deposit = await depositOf(roundAmount())
    const part = (deposit.amountCents * share) / 100n
    await push({ ...payer, cents: part, documentNumber: '', ...named(deposit) })
    const rest = { ...payer, cents: deposit.amountCents - part, ...named(deposit) }
    const parts = [{ ...payer, cents: part, documentNumber: '', ...named(deposit) }, rest]
    await file('1c', ...parts)
    assert.deepEqual(await standing(deposit), ['confirmed', deposit.amountCents], `${share}`)
  }
})

test('a purpose that one report cuts on its left, and another on its right, pays for one of the deposits that it names', async () => {
  for (const isPushFirst of [true, false]) {
    const [left, right] = [await depositOf(++amount), await depositOf(amount)]
    const facts = { ...payer, cents: BigInt(amount) }
    const reports = [
      () => push({ ...facts, ...text(`${left.reference} за услуги по договору`) }),
      () => file('1c', { ...facts, ...text(`за услуги по договору ${right.reference}`) }),
    ]
    for (const tell of isPushFirst ? reports : reports.reverse()) await tell()
    const states = [(await standing(left))[0], (await standing(right))[0]]
    assert.deepEqual(states.sort(), ['confirmed', 'created'], `${isPushFirst}`)
  }
})

test('control: two payments of one payer for two deposits count if each source reports both', async () => {
  const deposits = [await depositOf(++amount), await depositOf(amount)]
  const rows = deposits.map((deposit) => ({
    ...payer,
    cents: BigInt(amount),
    documentNumber: '',
    ...named(deposit),
  }))
  for (const row of rows) await push(row)
  await file('1c', ...rows)
  for (const deposit of deposits) assert.deepEqual(await standing(deposit), ['confirmed', BigInt(amount)])
  assert.deepEqual(await statesOf(BigInt(amount)), ['matched', 'matched', 'duplicate', 'duplicate'])
  // The other way round, and by another payer.
  const others = [await depositOf(++amount), await depositOf(amount)]
  await file('1c', ...others.map((deposit) => ({ ...payer, cents: BigInt(amount), ...named(deposit) })))
  const next = await depositOf(amount)
  await push({ cents: BigInt(amount), payerAccount: '4081…0002', ...named(next) })
  for (const deposit of [...others, next])
    assert.deepEqual(await standing(deposit), ['confirmed', BigInt(amount)])
})
