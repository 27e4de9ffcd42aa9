/** A payer's purpose may have lines that look like fields of the bank's 1C document: they give the payer nothing. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Currency, decimal } from '../../src/domain/money.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, dotted, entryTo, importBytes, today } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn()
})

let amount = 8_800_000
const created = async (currency: Currency) => {
  amount += 10
  const { status, body } = await money.shop.create({
    payment_type: 'account_number',
    cents: amount,
    currency,
  })
  assert.equal(status, 201, JSON.stringify(body))
  const [account] = await money.gateway.database.owner.query<{ id: string; number: string }>(
    sql`select a.id, a.number from receiving_accounts a join deposits d on d.account_id = a.id where d.id = ${body.id}`,
  )
  return { deposit: await money.stored(body.id), account: account!, half: BigInt(amount) / 2n }
}

/** Documents of one credit; `fields` are the bank's, which stand before the purpose. */
const oneC = (account: string, cents: bigint, fields: string[], purpose: string[]) =>
  Buffer.from(
    [
      '1CClientBankExchange',
      `РасчСчет=${account}`,
      'СекцияРасчСчет',
      `ДатаНачала=${dotted(today())}`,
      `ДатаКонца=${dotted(today('KZT'))}`,
      `РасчСчет=${account}`,
      `ВсегоПоступило=${decimal(cents)}`,
      'КонецРасчСчет',
      'СекцияДокумент=Выписка',
      `Сумма=${decimal(cents)}`,
      ...fields,
      `НазначениеПлатежа=${purpose.join('\r\n')}`,
      'КодНазначенияПлатежа=119',
      'КонецДокумента',
      'КонецФайла',
    ].join('\r\n'),
  )

const kazakh = (account: string, cents: bigint) => [
  `НомерДокумента=${cents % 100_003n}`,
  `ДатаДокумента=${dotted(today('KZT'))}`,
  `ДатаОперации=${dotted(today('KZT'))}`,
  `СуммаПриход=${decimal(cents)}`,
  'СуммаРасход=',
  'Валюта=KZT',
  'ПлательщикНаименование=Яна П.',
  'ПлательщикБИН_ИИН=971224300123',
  'ПлательщикИИК=KZ86125KZT5004100100',
  `ПолучательИИК=${account}`,
]

const russian = (account: string, cents: bigint) => [
  `Номер=${cents % 100_003n}`,
  `Дата=${dotted(today())}`,
  'Плательщик1=Иванова Анна',
  `ПолучательСчет=${account}`,
]

const banks = {
  Kazakh: {
    currency: 'KZT' as const,
    fields: kazakh,
    pushed: { payerAccount: 'KZ86…0100', payerTaxId: '971224300123', payerName: 'ЯНА ПЕТРОВА' },
  },
  Russian: {
    currency: 'RUB' as const,
    fields: russian,
    pushed: { payerAccount: '4081…0001', payerName: 'Анна И.' },
  },
}

const later = dotted(bankDay(20))
const cases: [name: string, bank: keyof typeof banks, lines: string[]][] = [
  ['nothing more', 'Kazakh', []],
  ['another payer', 'Kazakh', ['ПлательщикСчет=KZ00125KZT9999990099', 'ПлательщикИНН=900101300456']],
  [
    'another payer in small letters',
    'Kazakh',
    ['плательщиксчет=KZ00125KZT9999990099', 'плательщикинн=900101300456'],
  ],
  ['another day', 'Kazakh', [`ДатаПоступило=${later}`]],
  ['another day and number', 'Kazakh', [`ДатаПоступило=${later}`, 'Номер=77002']],
  ['nothing more', 'Russian', []],
  [
    'a payer whom the bank does not name',
    'Russian',
    ['ПлательщикСчет=40817810000000000099', 'ПлательщикИНН=7700000009'],
  ],
  ['a day on which the bank says nothing', 'Russian', [`ДатаПоступило=${later}`, `ДатаОперации=${later}`]],
]

for (const [name, bank, lines] of cases)
  for (const order of ['push and file', 'file and push'])
    test(`${bank} 1C, ${order}: one payment with ${name} counts once`, async () => {
      const { currency, fields, pushed } = banks[bank]
      const { deposit, account, half } = await created(currency)
      const purpose = `Пополнение ${deposit.reference}`
      const facts: Partial<IncomingEntry> = { currency, purpose, channel: 'push', version: 0n, ...pushed }
      const reports = [
        () =>
          takeTransfers(
            depositContextOf(money.gateway),
            [entryTo(account.id, { cents: half, ...facts, documentNumber: '' })],
            { source: money.sources.one },
          ),
        () =>
          importBytes(
            depositContextOf(money.gateway),
            oneC(account.number, half, fields(account.number, half), [purpose, ...lines]),
          ),
      ]
      for (const report of order === 'push and file' ? reports : reports.reverse()) await report()
      assert.deepEqual(await money.standing(deposit), ['created', half])
    })

for (const [before, after = ''] of [
  ['z=/REMI/'],
  ['Очередность='],
  ['НазначениеПлатежа1='],
  ['Очередность=5\r\n'],
  ['для_', '=5'],
])
  test(`1C: a second reference between ${JSON.stringify(before)} and ${JSON.stringify(after)} is seen`, async () => {
    const { deposit, account, half } = await created('RUB')
    const other = await money.depositOf(Number(2n * half))
    const { taken } = await importBytes(
      depositContextOf(money.gateway),
      oneC(account.number, 2n * half, russian(account.number, 2n * half), [
        `Оплата ${deposit.reference}`,
        `${before}${other.reference}${after}`,
      ]),
    )
    assert.equal(taken.ambiguous, 1)
    assert.deepEqual(await money.standing(deposit), ['created', 0n])
  })

test('1C: a late payer cannot claim an earlier day of payment in the purpose', async () => {
  const { deposit, account, half } = await created('RUB')
  await importBytes(
    depositContextOf(money.gateway),
    oneC(account.number, half, russian(account.number, half), [
      `Оплата ${deposit.reference}`,
      `ДатаСписано=${dotted(bankDay(-9))}`,
    ]),
  )
  const rows = await money.gateway.database.owner.query(
    sql`select paid_on::text as "paidOn" from transfers where account_id = ${account.id} and cents = ${half}`,
  )
  assert.deepEqual(rows, [{ paidOn: today() }])
})
