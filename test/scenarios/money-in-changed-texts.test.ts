/**
 * Banks change the characters of a purpose: a push shows the text as it was typed, a statement what its character set can say. One
 * payment must not be for one deposit in the one and for another in the other.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { luhnDigit } from '../../src/domain/requisites/luhn.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { matchByHand } from '../../src/domain/transfers/decide-transfer.ts'
import { findBeforeFee } from '../../src/domain/transfers/settled-store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, entryTo } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { newStatement } from '../support/reported-payments.ts'

let money: MoneyIn
let accountId: string
before(async () => {
  money = await openMoneyIn()
  accountId = await money.keepOneAccount()
})

let amount = 8_500_000

type Facts = Partial<IncomingEntry>
const take = (source: 'one' | 'file', cents: number, purpose: string, facts: Facts) => {
  const entry = entryTo(accountId, { cents: BigInt(cents), purpose, purposeParts: [purpose], ...facts })
  return takeTransfers(depositContextOf(money.gateway), [entry], { source: money.sources[source] })
}
const push = (cents: number, purpose: string, facts: Facts) =>
  take('one', cents, purpose, { channel: 'push', documentNumber: '', ...facts })
const file = async (cents: number, purpose: string) =>
  take('file', cents, purpose, {
    channel: 'mt940',
    statementId: await newStatement(money.gateway),
    line: 1,
    payerAccount: '4081…0001',
    payerName: 'Иванова Анна Петровна',
    documentNumber: String(cents),
  })

const received = async (deposits: readonly Deposit[]): Promise<bigint> => {
  const standings = await Promise.all(deposits.map(money.standing))
  return standings.reduce((sum, [, cents]) => sum + cents, 0n)
}

/** The payer as the push says: less than the statement does, or in another way. */
const payers: Record<string, Facts> = {
  'without an account': { payerAccount: '', payerName: 'Анна Петровна И.' },
  'by a card': { payerAccount: '2200…1234', payerName: 'Анна Петровна И.' },
  'by a shorter name': { payerAccount: '4081…0001', payerName: 'Анна Петровна И.' },
}

const halves = (reference: string) => [reference.slice(0, 6), reference.slice(6)] as const
const broken = (reference: string, by: string) => halves(reference).join(by)
const fullWidth = (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))

/** A text that names one deposit as it was typed, and another one as the bank writes it. */
const texts: Record<string, [typed: (one: string, other: string) => string, (typed: string) => string]> = {
  'a bank writes N for № and a space for _': [
    (one, other) => `${broken(one, '№')} ${broken(other, '_')}`,
    (typed) => typed.replace('№', 'N').replace('_', ' '),
  ],
  'a bank writes No for № and a dot for _': [
    (one, other) => `${broken(one, '№')} ${broken(other, '_')}`,
    (typed) => typed.replace('№', 'No').replace('_', '.'),
  ],
  'a bank has no long dashes and no full-width digits': [
    (one, other) => `${broken(one, '⸺')} KT${fullWidth(other.slice(2))}`,
    (typed) => typed.normalize('NFKC').replace('⸺', '?'),
  ],
  'a bank drops what cannot be seen': [
    (one, other) => `${broken(one, '–')} ${broken(other, '\u00ad')} К\u200bТ`,
    (typed) => typed.replace(/[\u00ad\u200b]/g, '').replace('–', '?'),
  ],
  'a bank drops combining marks': [
    (one, other) => `${broken(one, '–')} ${broken(other, '\u0301')}`,
    (typed) => typed.replace('\u0301', '').replace('–', '?'),
  ],
  'a bank leaves out spaces and dots': [
    (one, other) => `Оплата ${broken(one, '–')}, к.Т.${broken(other.replace('KT', ''), '.')}`,
    (typed) => typed.replace(/[\s.]/g, '').replace('–', '?'),
  ],
  'a bank has no Cyrillic letters, and a T for one with a stroke': [
    (one, other) => `КТ${one.slice(2)} KŦ${other.slice(2)}`,
    (typed) => typed.replace('КТ', '??').replace('Ŧ', 'T'),
  ],
  'a bank leaves out letters that it does not have': [
    (one, other) => `${broken(one, '–')} ${broken(other, 'ъ')}`,
    (typed) => typed.replace('ъ', '').replace('–', '?'),
  ],
}

for (const [how, [write, change]] of Object.entries(texts))
  for (const isOfOneAmount of [true, false])
    test(`where ${how}, one payment counts once; two deposits of ${isOfOneAmount ? 'one amount' : 'two amounts'}`, async () => {
      for (const [who, payer] of Object.entries(payers))
        for (const isTypedFirst of [true, false]) {
          const cents = ++amount
          const [one, other] = [
            await money.depositOf(cents),
            await money.depositOf(isOfOneAmount ? cents : cents - 1_000_000),
          ]
          const typed = write(one.reference!, other.reference!)
          const reports = [() => push(cents, typed, payer), () => file(cents, change(typed))]
          for (const report of isTypedFirst ? reports : reports.reverse()) await report()
          const counted = await received([one, other])
          assert.ok(
            counted <= BigInt(cents),
            `${who}, ${isTypedFirst}: ${typed} | ${change(typed)}: ${counted}`,
          )
        }
    })

const asCard = (reference: string): string => {
  const body = `${reference.slice(2)}1234567`
  return `KT${body}${luhnDigit(body)}`
}
const lacking = (typed: string) => typed.replace(/[^\x20-\x7e\u0400-\u045f]/gu, '')

/** A text with a good reference behind a damaged one, and what a push shows of it: repaired, and without its end. */
const damaged: Record<string, [write: (one: string) => string, show: (typed: string) => string]> = {
  'has no tags': [
    (one) => halves(one).join('<b>'),
    (typed) => typed.replace(/<[^>]*>/g, '').replace(/ KT.*/, ''),
  ],
  'has no tags with digits': [
    (one) => halves(one).join('<h1>'),
    (typed) => typed.replace(/<h1>/, '').slice(0, 10),
  ],
  'shows no tag between the letters': [
    (one) => one.replace('KT', 'K<i class="kt 1">T'),
    (typed) => typed.replace(/<[^>]*>/g, '').slice(0, 10),
  ],
  'shows what is written as an entity': [
    (one) => `KT&#${48 + Number(one[2])};${one.slice(3)}`,
    (typed) => typed.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))).slice(0, 10),
  ],
  'shows &nbsp; as a space': [
    (one) => halves(one).join('&nbsp;'),
    (typed) => typed.replaceAll('&nbsp;', ' ').slice(0, 11),
  ],
  'shows %20 as a space': [
    (one) => halves(one).join('%20'),
    (typed) => typed.replaceAll('%20', ' ').slice(0, 11),
  ],
  'has neither é nor full-width digits': [
    (one) => `${one.slice(0, 6)}é${fullWidth(one[6]!)}${one.slice(7)}`,
    (typed) => lacking(typed.normalize('NFKC')).slice(0, 10),
  ],
  'has no ё': [
    (one) => halves(one).join('ё').replace('KT', 'КТ'),
    (typed) => typed.replace('ё', '').slice(0, 10),
  ],
  'shows what the statement masks': [asCard, (typed) => typed.slice(0, 10)],
}
const masked = (text: string) =>
  text.replace(/\d{16}/g, (card) => `${card.slice(0, 6)}******${card.slice(-4)}`)

for (const [how, [write, show]] of Object.entries(damaged))
  for (const isPushFirst of [true, false])
    test(`where a cut push ${how}, a damaged reference before a good one pays for one; ${isPushFirst ? 'push' : 'statement'} first`, async () => {
      const cents = ++amount
      const [one, other] = [await money.depositOf(cents), await money.depositOf(cents)]
      const typed = `${write(one.reference!)} ${other.reference}`
      const reports = [
        () => push(cents, show(typed), payers['without an account']!),
        () => file(cents, masked(typed)),
      ]
      for (const report of isPushFirst ? reports : reports.reverse()) await report()
      const counted = await received([one, other])
      assert.equal(counted, BigInt(cents), `${masked(typed)} | ${show(typed)}`)
    })

for (const [what, end] of [
  ['a second reference', ''],
  ['more that looks like references than is looked at', ` ${'<К%4BТ%541|О>'.repeat(11)}`],
] as const)
  test(`where a person decided about a text with ${what} between tags, the next day's statement without tags pays for no other`, async () => {
    const cents = ++amount
    const [one, other] = [await money.depositOf(cents), await money.depositOf(cents)]
    const typed = `<${one.reference}> ${other.reference!.replace('KT', 'K<b>T')}${end}`
    await push(cents, typed, { payerAccount: '40817810000000004321', bookedOn: bankDay(-1) })
    const [row] = await money.gateway.database.owner.query<{ id: string }>(
      sql`select id from transfers where cents = ${cents}`,
    )
    const by = { actor: 'operator:anna', reason: 'the customer sent a receipt' }
    await matchByHand(depositContextOf(money.gateway), { transferId: row!.id, depositId: one.id, ...by })
    await file(cents, typed.replace(/<[^<>]*>/g, '').trim())
    assert.equal(await received([one, other]), BigInt(cents), typed)
  })

test('of very many payments that name one deposit, each of its parts is compared once', async () => {
  const deposit = await money.depositOf(9_700_000)
  const parts = Array.from({ length: 15 }, (_, n) => n)
  for (const n of parts) await push(100 + n, deposit.reference!, { payerAccount: '' })
  const meant = Array.from({ length: 500 }, (_, n) => ({
    depositId: deposit.id,
    cents: BigInt(100 + (n % 15)),
    sentCents: null,
  }))
  const origin = {
    sourceId: money.sources.file.id,
    channel: 'mt940',
    statementId: null,
    repeatedIds: [],
  } as const
  const found = await money.gateway.db.transaction((tx) => findBeforeFee(tx, origin, meant, []))
  assert.equal(found.length, parts.length)
})

test('a reference with a vertical bar for a one names no deposit, because a bank may leave the bar out', async () => {
  const cents = ++amount
  let one = await money.depositOf(cents)
  while (!one.reference!.includes('1')) one = await money.depositOf(cents)
  const other = await money.depositOf(cents)
  const typed = one.reference!.replace('1', '|')
  await push(cents, typed, payers['without an account']!)
  await file(cents, `${typed.replace('|', '')} ${other.reference}`)
  // What is left of it looks like a reference, so a person decides about both.
  assert.equal(await received([one, other]), 0n)
})

test('a name in another spelling does not make another payer of the same account, or of the same tax id', async () => {
  const [name, spelt] = ['Иванова Анна Петровна', 'Анна Петровна И.']
  for (const [told, booked] of [
    [{ payerAccount: '4081…0001' }, { payerAccount: '4081…0001' }],
    [
      { payerAccount: '', payerTaxId: '7707083893' },
      { payerAccount: '4081…0001', payerTaxId: '7707083893' },
    ],
  ] satisfies [Facts, Facts][]) {
    const cents = ++amount
    const [one, other] = [await money.depositOf(cents), await money.depositOf(cents)]
    // Each report shows one end of the text.
    await push(cents, one.reference!, { ...told, payerName: spelt })
    const statementId = await newStatement(money.gateway)
    const facts = { channel: 'mt940', statementId, line: 1, payerName: name, ...booked } as const
    await take('file', cents, other.reference!, facts)
    assert.equal(await received([one, other]), BigInt(cents), JSON.stringify(told))
  }
})

test('control: other words of an ordinary purpose do not prevent a match', async () => {
  for (const write of [
    (reference: string) => `Оплата по договору N 12 от 14.11.2026 ${reference} НДС 20%`,
    (reference: string) => `Оплата по договору № 12-КТ/2026 от 14.11.2026 ${reference}, НДС не облагается`,
    (reference: string) => `Акт № 13842208 от 14.11.2026, проект 48219034, ${reference}`,
    (reference: string) =>
      `За Иванова К.Т. 13842208; ИНН 770708389312; ${reference}; р/с 40817810000000000001`,
    (reference: string) => `${reference} // Контракт_13842208 // KPP 770701001 // сумма 1 500,00 руб.`,
    (reference: string) => `Пополнение по реквизитам: ${broken(reference, '-')}|счёт|20261114`,
    (reference: string) => `КТ № ${reference.slice(2)} (Объект: 12/34-56/78, No 9)`,
  ]) {
    const deposit = await money.depositOf(++amount)
    await push(amount, write(deposit.reference!), { payerAccount: '', payerName: 'Анна Петровна И.' })
    assert.deepEqual(await money.standing(deposit), ['confirmed', BigInt(amount)], write('KT48219034'))
  }
})
