/** A payer's purpose may have lines that look like fields of the bank's 1C document, or cells of its CSV: they give the payer nothing. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Currency, decimal } from '../../src/domain/money.ts'
import type { ImportStatement } from '../../src/domain/statements/import-statement.ts'
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

const csv = (account: string, columns: Record<string, number | number[]>, header: string[]) =>
  ({
    ...{ encoding: 'utf-8', separator: ';', skipRows: 0, dateFormat: 'dd.mm.yyyy', account },
    ...{ header, columns: { date: 0, amount: 1, balance: 2, ...columns } },
  }) as never as NonNullable<ImportStatement['mapping']>

for (const [what, columns, header, written, rest] of [
  [
    'his account and number',
    { purpose: [3], payerAccount: 4, documentNumber: 5 },
    ['Назначение', 'Счет плательщика', 'Номер'],
    ';40817810000000009999;78',
    ';40817810000000000001;#',
  ],
  [
    'his account, which the bank leaves empty',
    { purpose: [3], payerAccount: 4 },
    ['Назначение', 'Счет плательщика'],
    ';40817810000000009999',
    ';',
  ],
  ['his name', { purpose: [3], payerName: 4 }, ['Назначение', 'Плательщик'], ';Иванова', ';Злой Плательщик'],
  [
    'the day of payment',
    { purpose: [3], paidOn: 4 },
    ['Назначение', 'Дата списания'],
    `;${dotted(bankDay(-1))}`,
    `;${dotted(today())}`,
  ],
  ['the bank’s id', { purpose: [3], bankId: 4 }, ['Назначение', 'Код'], ';FT00000000001', ';FT#'],
] as const)
  for (const line of ['Количество операций', 'Входящий остаток', ''])
    test(`CSV: a payer’s line break behind which the bank writes ${what} makes the file wait: «${line}»`, async () => {
      const { deposit, account, half } = await created('RUB')
      const names = ['Дата', 'Сумма', 'Остаток', ...header]
      const mapping = csv(account.number, columns as never, names)
      const row = (cents: bigint, balance: bigint, text: string) =>
        [dotted(today()), decimal(cents), decimal(balance), text].join(';').replace('#', `${amount}${cents}`)
      const file = (text: string) =>
        Buffer.from(
          [
            names.join(';'),
            row(1_100n, 531_100n, `honest${rest}`),
            row(half, 531_100n + half, text),
            row(1_200n, 532_300n + half, `honest${rest}`),
            '',
          ].join('\r\n'),
        )
      const take = (text: string) => importBytes(depositContextOf(money.gateway), file(text), { mapping })
      const forged = await take(`${deposit.reference}${written}\r\n${line}${rest}`)
      assert.equal(forged.isTaken, false)
      assert.deepEqual(await money.standing(deposit), ['created', 0n])
      // Control: what the bank writes by itself.
      assert.equal((await take(`${deposit.reference}${rest}`)).isTaken, true)
      assert.deepEqual(await money.standing(deposit), ['created', half])
    })
