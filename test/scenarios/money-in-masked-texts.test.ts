/**
 * Digits that look like a card number are masked before they are stored, and a reference with others behind it looks like one. One payment
 * must not be for one deposit in the report that shows it, and for another in the report that masks it.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { decimal } from '../../src/domain/money.ts'
import { luhnHolds } from '../../src/domain/requisites/luhn.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { newId } from '../../src/platform/clock.ts'
import { bankDay, depositContextOf, dotted, importBytes, today } from '../support/bank.ts'
import { call } from '../support/gateway.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { demoAccount } from '../support/one-c.ts'

let money: MoneyIn
let token: string
before(async () => {
  money = await openMoneyIn()
  await money.keepOneAccount()
  token = (await addSource(money.gateway.db, { name: 'Bank', mode: 'test' })).token
})

type Report = (cents: bigint, purpose: string) => Promise<unknown>

const payer = { name: 'Иванова Анна Петровна', account: '40817810000000000001', taxId: '770000000900' }

const push: Report = async (cents, purpose) => {
  const transfer = {
    ...{
      id: newId(),
      account: demoAccount,
      currency: 'RUB',
      cents: Number(cents),
      booked_on: today(),
      purpose,
    },
    ...{ payer_name: payer.name, payer_account: payer.account, payer_tax_id: payer.taxId },
    document_number: String(cents),
  }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const body = JSON.stringify(transfer)
  const { status } = await call(money.gateway.url, '/api/v1/bank/transfers', {
    method: 'POST',
    headers,
    body,
  })
  assert.equal(status, 200)
}

const take = (bytes: Uint8Array, name: string) =>
  importBytes(depositContextOf(money.gateway), bytes, { name, anyway: true })

/** Of the next day: an evening's payment. */
const booked = bankDay(1)

const oneC: Report = (cents, purpose) =>
  take(
    Buffer.from(
      [
        ...['1CClientBankExchange', 'Кодировка=Windows', `РасчСчет=${demoAccount}`, 'СекцияРасчСчет'],
        ...[`ДатаНачала=${dotted(booked)}`, `ДатаКонца=${dotted(booked)}`, `РасчСчет=${demoAccount}`],
        ...[`ВсегоПоступило=${decimal(cents)}`, 'КонецРасчСчет', 'СекцияДокумент=Платежное поручение'],
        ...[`Номер=${cents}`, `Дата=${dotted(today())}`, `Сумма=${decimal(cents)}`],
        ...[`ПлательщикСчет=${payer.account}`, `Плательщик1=${payer.name}`, `ПлательщикИНН=${payer.taxId}`],
        ...[`ПолучательСчет=${demoAccount}`, `ДатаПоступило=${dotted(booked)}`],
        ...[`НазначениеПлатежа=${purpose}`, 'КонецДокумента', 'КонецФайла'],
      ].join('\r\n'),
    ),
    'statement.txt',
  )

const mt940: Report = (cents, purpose) => {
  const day = booked.slice(2).replaceAll('-', '')
  const sum = (more: bigint) => decimal(cents + more).replace('.', ',')
  return take(
    Buffer.from(
      [
        ...[':20:X', `:25:${demoAccount}`, ':28C:1/1', `:60F:C${day}RUB1000,00`],
        ...[`:61:${day}${day.slice(2)}C${sum(0n)}NTRFNONREF`, `:86:${purpose}`],
        ...[`:62F:C${day}RUB${sum(100_000n)}`, '-'],
      ].join('\r\n'),
    ),
    'statement.sta',
  )
}

/** Its digits, and eight more, as on a card. */
function asCard({ reference }: Deposit): string {
  for (let more = 90_123_000; ; more++) {
    const digits = `${reference!.slice(2)}${more}`
    if (luhnHolds(digits)) return digits.replace(/\d{4}(?=\d)/g, '$& ')
  }
}

/** What a payer types, and what the second report shows of it. */
const texts: [
  name: string,
  report: Report,
  typed: (one: Deposit, other: Deposit) => string,
  shown: (typed: string, one: Deposit) => string,
][] = [
  [
    '1C lacks characters before them',
    oneC,
    (one, other) => `Оплата 中KT${asCard(one)} я🙂KT${asCard(other)}`,
    (typed) => typed.replace(/中|🙂/gu, ''),
  ],
  [
    'MT940 writes N for №, and lacks a letter',
    mt940,
    (one, other) => `za 中KT${asCard(one)} №KT${asCard(other)}`,
    (typed) => typed.replace('中', '').replace('№', 'N'),
  ],
  [
    '1C cuts the text behind the first',
    oneC,
    (one, other) => `Оплата KT${asCard(one).replaceAll(' ', '')}, заказ ${other.reference}`,
    (typed, one) => typed.slice(0, typed.indexOf('KT') + one.reference!.length),
  ],
]

let amount = 8_700_000
for (const [name, second, typed, shown] of texts)
  for (const isFileFirst of [false, true])
    test(`of two references beside card numbers one is paid: ${name}, ${isFileFirst ? 'file' : 'push'} first`, async () => {
      amount++
      const [one, other] = [await money.depositOf(amount), await money.depositOf(amount)]
      const text = typed(one, other)
      const reports = [() => push(BigInt(amount), text), () => second(BigInt(amount), shown(text, one))]
      for (const report of isFileFirst ? reports.reverse() : reports) await report()
      const received = await Promise.all(
        [one, other].map(async (deposit) => (await money.standing(deposit))[1]),
      )
      assert.ok(received[0]! + received[1]! <= BigInt(amount), `${received}`)
    })

test('a card number beside a reference does not prevent a match', async () => {
  amount++
  const deposit = await money.depositOf(amount)
  await push(BigInt(amount), `С карты 2200 0000 0000 0004, заказ ${deposit.reference}`)
  assert.deepEqual(await money.standing(deposit), ['confirmed', BigInt(amount)])
})
