/** One payment that one report has before the fee of a bank, and another after it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { receiveMoney } from '../../src/domain/deposits/change-deposit.ts'
import { matchByHand, refund } from '../../src/domain/transfers/decide-transfer.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf } from '../support/bank.ts'
import {
  type MoneyIn,
  named,
  openMoneyIn,
  type ReportedFacts,
  type Reports,
  reportsOf,
  text,
} from '../support/money-in.ts'

let gateway: MoneyIn['gateway']
let depositOf: MoneyIn['depositOf']
let standing: MoneyIn['standing']
let matchAmounts: MoneyIn['matchAmounts']
let push: Reports['push']
let file: Reports['file']
let statesOf: Reports['statesOf']
let camt: Reports['camt']
let accountId: string
before(async () => {
  const money = await openMoneyIn()
  ;({ gateway, depositOf, standing, matchAmounts } = money)
  accountId = await money.keepOneAccount()
  ;({ push, file, statesOf, camt } = reportsOf(money, accountId))
})

let hundreds = 200_000
const roundAmount = () => ++hundreds * 100
const payer = { payerAccount: '4081…0001', payerName: 'Иванова Анна' }
/** A payer who has begun no deposit: nothing is matched by amount for a payer who has. */
const newPayer = { payerAccount: '4081…0003', payerName: 'Петрова Ольга' }
test('a payment that one source reports in full, and another after the fee of a bank, counts once', async () => {
  const reports = {
    push: (facts: ReportedFacts) => push(facts),
    file: (facts: ReportedFacts) => file('1c', { ...facts, bookedOn: bankDay(1) }),
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
  for (const fillers of [25, 210]) {
    const deposit = await depositOf(roundAmount())
    const part = deposit.amountCents / 500n + BigInt(fillers)
    const facts = { documentNumber: '', ...named(deposit) }
    for (const place of times(fillers, (place) => place))
      await push({ ...facts, ...whole('1111'), cents: (part * 96n) / 100n + BigInt(place) })
    await push({ ...facts, ...whole('2222'), cents: part })
    const before = await standing(deposit)
    const net = (part * 95n) / 100n
    await file('1c', { ...facts, ...whole('2222'), cents: net, documentNumber: '5511' })
    assert.deepEqual(await standing(deposit), before)
    assert.deepEqual(await statesOf(net), ['ambiguous'])
  }
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

/** A deposit of what was sent and what is left of it: one payment must not fill it. */
async function depositOfBoth() {
  const gross = BigInt(roundAmount())
  const net = (gross * 95n) / 100n
  const deposit = await depositOf(Number(gross + net))
  const sender = { ...whole(String(gross).slice(-4)), payerName: `Иванов ${gross}` }
  return { deposit, gross: { ...sender, cents: gross }, net: { ...sender, cents: net } }
}

test('a payment that one message of a format reports in full, and another after a fee, counts once', async () => {
  for (const ids of [
    [null, null],
    ['NTFN-0000000001', 'STMT-0000000001'],
  ] as const)
    for (const documentNumber of ['', '6001']) {
      const { deposit, gross, net } = await depositOfBoth()
      const facts = { ...named(deposit), documentNumber }
      const idOf = (id: string | null) => ({ bankId: id && `${id}-${gross.cents}` })
      await camt('camt.054', { ...gross, ...facts, ...idOf(ids[0]) })
      await camt('camt.053', { ...net, ...facts, ...idOf(ids[1]), bookedOn: bankDay(1) })
      assert.deepEqual(await standing(deposit), ['created', gross.cents], `${ids} ${documentNumber}`)
      assert.deepEqual(await statesOf(net.cents), ['ambiguous'])
    }
})

test('control: parts with numbers or ids of their own count, each in a message of its own', async () => {
  for (const idOf of [
    (place: number) => ({ documentNumber: `${6_050 + place}` }),
    (place: number) => ({ documentNumber: '', bankId: `NTFN-000000605${place}` }),
  ]) {
    const deposit = await depositOf(roundAmount())
    for (const [place, share] of [300n, 310n, 390n].entries()) {
      const cents = (deposit.amountCents * share) / 1_000n
      const facts = { ...payer, ...named(deposit), ...idOf(place), cents, bookedOn: bankDay(place) }
      await camt('camt.054', facts)
    }
    assert.deepEqual(await standing(deposit), ['confirmed', deposit.amountCents])
  }
})

test('a payment that two messages of a format report with one number and two days, before and after a fee, pays for one of two deposits', async () => {
  await matchAmounts('always')
  for (const bankId of [null, 'ACCTSVCRREF'] as const) {
    const deposit = await depositOf(roundAmount())
    const net = (deposit.amountCents * 95n) / 100n
    const facts = { ...newPayer, documentNumber: `E2E${net}`, ...text('Перевод') }
    const idOf = (kind: string) => ({ bankId: bankId && `${bankId}-${kind}-${net}` })
    await camt('camt.054', { ...facts, cents: deposit.amountCents, ...idOf('054') })
    assert.equal((await standing(deposit))[0], 'confirmed')
    const other = await depositOf(Number(net))
    await camt('camt.053', { ...facts, cents: net, bookedOn: bankDay(2), ...idOf('053') })
    assert.deepEqual(await standing(other), ['created', 0n], `${bankId}`)
  }
  await matchAmounts('by_kind')
})

test('what is left of a payment after a fee is not the rest of its own deposit, where its report leaves the reference out', async () => {
  for (const isPushFirst of [true, false]) {
    const { deposit, gross, net } = await depositOfBoth()
    const begun = { ...gross, cents: 1_00n, ...named(deposit) }
    await push(begun)
    const rest = { ...net, cents: net.cents - 1_00n, documentNumber: '7701', ...text('Оплата') }
    const reports = [
      () => push({ ...gross, documentNumber: '', ...named(deposit) }),
      () => file('1c', { ...rest, bookedOn: bankDay(1) }),
    ]
    for (const report of isPushFirst ? reports : reports.reverse()) await report()
    assert.equal((await standing(deposit))[0], 'created', `${isPushFirst}`)
  }
})

test('in one file, what is left of a payment after a fee is not the rest of a deposit that the file names too', async () => {
  const { deposit, gross, net } = await depositOfBoth()
  await push({ ...gross, documentNumber: '', ...named(deposit) })
  const small = { ...gross, cents: 1_00n, documentNumber: '7702', ...named(deposit) }
  const rest = { ...net, cents: net.cents - 1_00n, documentNumber: '7703', ...text('Оплата') }
  await file('1c', small, rest)
  assert.deepEqual(await standing(deposit), ['created', gross.cents + 1_00n])
  assert.deepEqual(await statesOf(rest.cents), ['ambiguous'])
})

test('control: the rest that its payer sends without a reference counts, where it is no part less a fee', async () => {
  const { deposit, gross, net } = await depositOfBoth()
  const part = gross.cents / 2n
  await push({ ...gross, cents: part, documentNumber: '', ...named(deposit) })
  await file('1c', { ...gross, cents: deposit.amountCents - part, documentNumber: '7704', ...text('Оплата') })
  assert.deepEqual(await standing(deposit), ['confirmed', gross.cents + net.cents])
})

const by = { actor: 'operator:anna', reason: 'the customer sent a receipt' }
const idOf = async (cents: bigint) => {
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from transfers where account_id = ${accountId} and cents = ${cents}`,
  )
  return row!.id
}

test('a payment without a reference that a person gives to a deposit counts once, where a statement has it after a fee', async () => {
  const { deposit, gross, net } = await depositOfBoth()
  const facts = text('Оплата заказа')
  await push({ ...gross, documentNumber: '', ...facts })
  const transferId = await idOf(gross.cents)
  await matchByHand(depositContextOf(gateway), { transferId, depositId: deposit.id, ...by })
  await file('1c', { ...net, documentNumber: '7705', ...facts, bookedOn: bankDay(1) })
  assert.deepEqual(await standing(deposit), ['created', gross.cents])
})

test('a payment that was given back does not count for its deposit again, where a statement has it after a fee', async () => {
  for (const report of [
    (facts: ReportedFacts) => file('1c', facts),
    (facts: ReportedFacts) => camt('camt.053', facts),
  ]) {
    const { deposit, gross, net } = await depositOfBoth()
    await camt('camt.054', { ...gross, documentNumber: '', ...named(deposit) })
    await refund(depositContextOf(gateway), { transferId: await idOf(gross.cents), cents: null, ...by })
    assert.deepEqual(await standing(deposit), ['created', 0n])
    await report({ ...net, documentNumber: '7706', ...named(deposit), bookedOn: bankDay(1) })
    assert.deepEqual(await standing(deposit), ['created', 0n])
    assert.deepEqual(await statesOf(net.cents), ['ambiguous'])
  }
})

test('a payment whose bank says what was sent counts once, also where a report of that amount comes later', async () => {
  for (const report of [
    (facts: ReportedFacts) => push(facts),
    (facts: ReportedFacts) => camt('camt.053', facts),
  ]) {
    const {
      deposit,
      gross,
      net: { cents: _, ...sender },
    } = await depositOfBoth()
    const net = gross.cents / 2n
    await camt('camt.054', {
      ...sender,
      cents: net,
      sentCents: gross.cents,
      documentNumber: '',
      ...named(deposit),
    })
    await report({ ...gross, documentNumber: '6101', ...named(deposit) })
    assert.deepEqual(await standing(deposit), ['created', net])
    assert.deepEqual(await statesOf(gross.cents), ['ambiguous'])
  }
})

test('a payment of which one bank says what was sent, and that another file reports with its number, pays for one of two deposits', async () => {
  await matchAmounts('always')
  const gross = BigInt(roundAmount())
  const deposit = await depositOf(Number(gross / 2n))
  const facts = { ...newPayer, documentNumber: `E2E${gross}`, ...text('Перевод') }
  await camt('camt.054', { ...facts, cents: gross / 2n, sentCents: gross })
  assert.equal((await standing(deposit))[0], 'confirmed')
  const other = await depositOf(Number(gross))
  await file('1c', { ...facts, cents: gross, bookedOn: bankDay(1) })
  assert.deepEqual(await standing(other), ['created', 0n])
  await matchAmounts('by_kind')
})

test('a payment that two files of one layout report before and after a fee counts once', async () => {
  for (const [what, before, after] of [
    [
      'with one number, booked a day later',
      { documentNumber: '6201' },
      { documentNumber: '6201', bookedOn: bankDay(1) },
    ],
    ['without numbers', { documentNumber: '' }, { documentNumber: '' }],
    ['without a number at first', { documentNumber: '' }, { documentNumber: '6202', bookedOn: bankDay(1) }],
  ] as const) {
    const { deposit, gross, net } = await depositOfBoth()
    await file('1c', { ...gross, ...named(deposit), ...before })
    await file('1c', { ...net, ...named(deposit), ...after })
    assert.deepEqual(await standing(deposit), ['created', gross.cents], what)
  }
})

test('control: two parts with numbers or ids of their own count, also in files of one layout, of which the second one repeats the first part', async () => {
  for (const [what, first, second] of [
    ['numbers', { documentNumber: '6301' }, { documentNumber: '6302' }],
    ['ids', { documentNumber: '', bankId: 'PAYMENT-6303' }, { documentNumber: '', bankId: 'PAYMENT-6304' }],
    ['neither, but the second file has both', { documentNumber: '' }, { documentNumber: '' }],
  ] as const) {
    const { deposit, gross, net } = await depositOfBoth()
    const parts = [
      { ...gross, ...named(deposit), ...first },
      { ...net, ...named(deposit), ...second },
    ]
    await file('csv', parts[0]!)
    await file('csv', ...parts)
    assert.deepEqual(await standing(deposit), ['confirmed', gross.cents + net.cents], what)
  }
})

test('money that a person recorded after its fee counts once, where a push has it before the fee', async () => {
  const { deposit, gross, net } = await depositOfBoth()
  await receiveMoney(depositContextOf(gateway), {
    depositId: deposit.id,
    cents: net.cents,
    isNoted: true,
    ...by,
  })
  await push({ ...gross, documentNumber: '', ...named(deposit) })
  assert.deepEqual(await standing(deposit), ['created', net.cents])
  assert.deepEqual(await statesOf(gross.cents), ['ambiguous'])
})
