/** One payment that two reports describe differently: with another amount, payer or number, or with another part of its purpose. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { bankDay } from '../support/bank.ts'
import { type MoneyIn, named, openMoneyIn, type Reports, reportsOf, text } from '../support/money-in.ts'

let depositOf: MoneyIn['depositOf']
let standing: MoneyIn['standing']
let matchAmounts: MoneyIn['matchAmounts']
let push: Reports['push']
let file: Reports['file']
let statesOf: Reports['statesOf']
before(async () => {
  const money = await openMoneyIn()
  ;({ depositOf, standing, matchAmounts } = money)

  ;({ push, file, statesOf } = reportsOf(money, await money.keepOneAccount()))
})

let amount = 6_000_000
const payer = { payerAccount: '4081…0001', payerName: 'Иванова Анна' }

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
