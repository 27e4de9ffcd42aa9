/** A payer's text that is written to look like the bank's: what it must never do to money. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import type { ImportReport } from '../../src/domain/statements/import-report.ts'
import type { ImportStatement } from '../../src/domain/statements/import-statement.ts'
import { dotted, importBytes, today } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})

const account = '40702810300000000042'
const day = dotted(today())

const section = (total: string): string[] => [
  'СекцияРасчСчет',
  `ДатаНачала=${day}`,
  `ДатаКонца=${day}`,
  `РасчСчет=${account}`,
  `ВсегоПоступило=${total}`,
  'ВсегоСписано=0.00',
  'КонецРасчСчет',
]

const document = (sum: string, purpose: string, more: string[] = []): string[] => [
  'СекцияДокумент=Платежное поручение',
  `Номер=${purpose.length}${sum}`,
  `Дата=${day}`,
  `Сумма=${sum}`,
  'ПлательщикСчет=40817810000000000001',
  'Плательщик1=Иванов Иван',
  `ПолучательСчет=${account}`,
  `ДатаПоступило=${day}`,
  `НазначениеПлатежа=${purpose}`,
  ...more,
  'КонецДокумента',
]

/** What a bank writes that passes a payer's line breaks on. */
const statement = (lines: readonly string[], sections: readonly string[] = section('10.00')): Buffer =>
  Buffer.from(
    [
      ...['1CClientBankExchange', 'ВерсияФормата=1.03', 'Кодировка=Windows', `РасчСчет=${account}`],
      ...sections,
      ...lines,
      'КонецФайла',
      '',
    ].join('\r\n'),
  )

const take = (bytes: Buffer, changes: Partial<ImportStatement> = {}) => importBytes(context, bytes, changes)

/** The code of the refusal, or what a person has to say yes to. */
const outcome = (bytes: Buffer): Promise<string | ImportReport> =>
  take(bytes).catch((error: { code: string }) => error.code)

const stateOf = async (id: string) =>
  (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit.state

/** A document that the bank never wrote, without its last line, which the bank's own completes. */
const forged = (reference: string) => document('50000.00', reference).slice(0, -1)

type Attack = [what: string, file: (reference: string) => Buffer, expected: string | Partial<ImportReport>]

const attacks: Attack[] = [
  [
    'a section with totals and a document, behind line breaks of the file’s own kind',
    (reference) =>
      statement(
        document(
          '10.00',
          ['За товар', 'КонецДокумента', ...section('50000.00'), ...forged(reference)].join('\r\n'),
        ),
      ),
    'statement_damaged',
  ],
  [
    'a document alone',
    (reference) =>
      statement(document('10.00', ['За товар', 'КонецДокумента', ...forged(reference)].join('\r\n'))),
    { totals: 'differ', isTaken: false },
  ],
  [
    'a document and a debit of the same sum, where only balances are stated',
    (reference) => {
      const debit = document('50000.00', 'Возврат')
        .slice(0, -1)
        .map((line) =>
          line
            .replace(/^ПлательщикСчет=.*/, `ПлательщикСчет=${account}`)
            .replace(/^ПолучательСчет=.*/, 'ПолучательСчет=40817810000000000001')
            .replace(/^ДатаПоступило/, 'ДатаСписано'),
        )
      const purpose = ['За товар', 'КонецДокумента', ...forged(reference), 'КонецДокумента', ...debit].join(
        '\r\n',
      )
      const balances = section('').map((line) =>
        line
          .replace(/^ВсегоПоступило=.*/, 'НачальныйОстаток=0.00')
          .replace(/^ВсегоСписано=.*/, 'КонечныйОстаток=10.00'),
      )
      return statement(document('10.00', purpose), balances)
    },
    { totals: 'none', isTaken: false },
  ],
  [
    'a document in a file without a section',
    (reference) =>
      statement(document('10.00', ['За товар', 'КонецДокумента', ...forged(reference)].join('\r\n')), []),
    { totals: 'none', isTaken: false },
  ],
  ...(['\r', '\n'] as const).map(
    (ending): Attack => [
      `a document behind ${JSON.stringify(ending)} in a file of CRLF`,
      (reference) =>
        statement(
          document('10.00', ['За товар', 'КонецДокумента', ...forged(reference)].join(ending)),
          section('50010.00'),
        ),
      'statement_damaged',
    ],
  ),
  ...['\u2028', '\u0085', '\u000b', '\u000c'].map(
    (ending): Attack => [
      `a document behind U+${ending.charCodeAt(0).toString(16).padStart(4, '0')}, which ends no line`,
      (reference) =>
        statement(document('10.00', ['За товар', 'КонецДокумента', ...forged(reference)].join(ending))),
      { totals: 'agree', isTaken: true, entries: 1 },
    ],
  ),
  [
    'an amount of his own in the document that the bank wrote',
    (reference) => statement(document('10.00', `${reference}\r\nСумма=50000.00`)),
    { isTaken: false, badRows: 1, entries: 0 },
  ],
  ...['Плательщик1=Петров Пётр', 'ПлательщикИНН=7700000009'].map(
    (forged): Attack => [
      `another payer (${forged}) than the bank does, before or behind his text`,
      (reference) =>
        statement([
          ...document('10.00', `${reference}\r\n${forged}`).slice(0, -1),
          ...['Плательщик1=Иванов Иван', 'ПлательщикИНН=770000000900', 'КонецДокумента'],
        ]),
      { isTaken: false, badRows: 1, entries: 0 },
    ],
  ),
  [
    'the end of the document, with keys of the bank behind it',
    (reference) => statement(document('10.00', `${reference}\r\nКонецДокумента`, ['Очередность=5'])),
    'statement_damaged',
  ],
  [
    'the end of the document, and nothing behind it but the bank’s own',
    (reference) => statement(document('10.00', `${reference}\r\nКонецДокумента`)),
    'statement_damaged',
  ],
  [
    'an account behind the end of the document',
    (reference) =>
      statement(document('10.00', `${reference}\r\nКонецДокумента\r\nРасчСчет=40702810600000000043`)),
    'statement_damaged',
  ],
  [
    'a second file',
    (reference) =>
      statement(
        document(
          '10.00',
          [reference, 'КонецДокумента', '1CClientBankExchange', ...forged(reference)].join('\r\n'),
        ),
      ),
    'statement_damaged',
  ],
]

for (const [what, file, expected] of attacks)
  test(`a payer who writes ${what} confirms no deposit of 50,000.00`, async () => {
    const { body } = await shop.create({ cents: 5_000_000 })
    const found = await outcome(file(body.payment_data.payment_reason))
    assert.equal(await stateOf(body.id), 'created')
    if (typeof expected === 'string') assert.equal(found, expected)
    else assert.partialDeepStrictEqual(found, expected)
  })

test('the confirmed warning that a file had no totals is stored with the import', async () => {
  const { body } = await shop.create({ cents: 150_000 })
  const bytes = statement(document('1500.00', body.payment_data.payment_reason), [])
  const refused = await take(bytes)
  assert.partialDeepStrictEqual(refused, { isTaken: false, totals: 'none', badRows: 0 })
  assert.deepEqual(refused.warnings.map(String), [
    'Account …0042: the file has no total of incoming payments, so its rows cannot be verified.',
  ])
  assert.partialDeepStrictEqual(await take(bytes, { anyway: true }), { isTaken: true, totals: 'none' })
  assert.equal(await stateOf(body.id), 'confirmed')
  const again = await take(bytes)
  assert.partialDeepStrictEqual(again, { isRepeated: true, totals: 'none' })
  assert.deepEqual(again.warnings, refused.warnings)
})

const iso = today().replaceAll('-', '').slice(2)

test('turnover that a payer writes behind his own entries proves nothing', async () => {
  const { body } = await shop.create({ payment_type: 'account_number', cents: 5_000_000 })
  const reference = body.payment_data.payment_reason
  const line = (mark: string, amount: string) =>
    `:61:${iso}${iso.slice(2)}${mark}${amount}NTRFNONREF//F${amount}${mark}`
  const purpose = [
    ...['За товар', line('D', '50000,00'), ':86:x', line('C', '50000,00'), `:86:${reference}`],
    ...[':90D:1RUB50000,00', ':90C:2RUB50010,00'],
  ]
  const file = [
    ...[':20:X', `:25:${account}`, ':28C:1/1', `:60F:C${iso}RUB1000,00`],
    ...[line('C', '10,00'), `:86:${purpose.join('\r\n')}`, `:62F:C${iso}RUB1010,00`, ''],
  ]
  assert.partialDeepStrictEqual(await outcome(Buffer.from(file.join('\r\n'))), { isTaken: false })
  assert.equal(await stateOf(body.id), 'created')
})

test('a forged row and its opposite cannot be detected by a net total', async () => {
  const { body } = await shop.create({ payment_type: 'account_number', cents: 5_100_000 })
  const reference = body.payment_data.payment_reason
  const common = {
    encoding: 'utf-8',
    separator: ';',
    skipRows: 0,
    dateFormat: 'dd.mm.yyyy',
    account,
  } as const
  const payment = {
    ...common,
    header: ['Дата', 'Сумма', 'Назначение'],
    columns: { date: 0, amount: 1, purpose: [2] },
  }
  const two = {
    ...{ ...common, header: ['Дата', 'Приход', 'Расход', 'Назначение'] },
    columns: { date: 0, credit: 1, debit: 2, purpose: [3] },
  }
  for (const [mapping, ...lines] of [
    [payment, `${day};10,00;x\r\n${day};51000,00;${reference}\r\n${day};-51000,00;y`, 'Итого;10,00;'],
    [
      ...[two, `${day};10,00;;x\r\n${day};51000,00;;${reference}\r\n${day};;51000,00;y`],
      ...['Входящий остаток;0,00;;', 'Исходящий остаток;10,00;;'],
    ],
  ] as [typeof payment, ...string[]][]) {
    const bytes = Buffer.from([mapping.header.join(';'), ...lines, ''].join('\r\n'))
    assert.partialDeepStrictEqual(await take(bytes, { mapping }), { isTaken: false, totals: 'none' })
  }
  assert.equal(await stateOf(body.id), 'created')
})

test('nor by a running balance that the first payer knows, because the account opens with nothing', async () => {
  const { body } = await shop.create({ payment_type: 'account_number', cents: 5_200_000 })
  const reference = body.payment_data.payment_reason
  const mapping = {
    ...{ encoding: 'utf-8', separator: ';', skipRows: 0, dateFormat: 'dd.mm.yyyy', account },
    header: ['Дата', 'Сумма', 'Остаток', 'Назначение'],
    columns: { date: 0, amount: 1, balance: 2, purpose: [3] },
  } as const
  const forged = `${day};10,00;10,00;x\r\n${day};52000,00;52010,00;${reference}`
  for (const lines of [[forged], [`${forged}\r\n${day};-52000,00;10,00;y`, `${day};20,00;30,00;z`]]) {
    const bytes = Buffer.from([mapping.header.join(';'), ...lines, ''].join('\r\n'))
    assert.partialDeepStrictEqual(
      await take(bytes, { mapping: mapping as never }),
      { isTaken: false },
      lines.join('\n'),
    )
  }
  assert.equal(await stateOf(body.id), 'created')
  // Whoever pays to an account with money on it does not know its balance.
  const honest = [mapping.header.join(';'), `${day};10,00;3310,00;x`, `${day};20,00;3330,00;z`, '']
  assert.partialDeepStrictEqual(await take(Buffer.from(honest.join('\r\n')), { mapping: mapping as never }), {
    isTaken: true,
    totals: 'agree',
  })
})
