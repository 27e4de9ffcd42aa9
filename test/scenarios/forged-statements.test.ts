/** A payer's text that is written to look like the bank's: what it must never do to money. */

import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import type { ImportReport } from '../../src/domain/statements/import-report.ts'
import type { ImportStatement } from '../../src/domain/statements/import-statement.ts'
import { dotted, forgetMoneyIn, importBytes, today } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})
// Each test may import another format.
beforeEach(() => forgetMoneyIn(gateway))

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
    'the section that the bank’s file lacks',
    (reference) =>
      statement(
        document(
          '10.00',
          ['За товар', 'КонецДокумента', ...section('50010.00'), ...forged(reference)].join('\r\n'),
        ),
        [],
      ),
    'statement_damaged',
  ],
  [
    'the totals of a section that the bank’s file lacks, within his document',
    (reference) =>
      statement(
        document(
          '10.00',
          ['За товар', 'ВсегоПоступило=50010.00', 'КонецДокумента', ...forged(reference)].join('\r\n'),
        ),
        [],
      ),
    { totals: 'none', isTaken: false },
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

const entryLine = (mark: string, amount: string, number: string) =>
  `:61:${iso}${iso.slice(2)}${mark}${amount}NTRFNONREF//${number}`

/** Two accounts of ours in one file, as a bank writes them for one customer. */
const otherAccount = '20208000100000001001'

test('balances are compared although a payer writes a payment from another account of ours', async () => {
  const { body } = await shop.create({ payment_type: 'account_number', cents: 5_300_000 })
  const text = [
    ...['x', entryLine('C', '1,00', 'F1'), `:86:/ORDP//ACCW/${otherAccount}/REMI/y`],
    ...[entryLine('C', '53000,00', 'F2'), `:86:${body.payment_data.payment_reason}`],
  ]
  const message = (number: string, [opening, closing]: [string, string], lines: string[]) => [
    ...[':20:X', `:25:${number}`, ':28C:1/1', `:60F:C${iso}${opening}`],
    ...[...lines, `:62F:C${iso}${closing}`, '-'],
  ]
  const file = (purpose: string) =>
    Buffer.from(
      [
        ...message(account, ['RUB1000,00', 'RUB1010,00'], [entryLine('C', '10,00', 'R1'), `:86:${purpose}`]),
        ...[...message(otherAccount, ['UZS5,00', 'UZS5,00'], []), ''],
      ].join('\r\n'),
    )
  assert.partialDeepStrictEqual(await outcome(file(text.join('\r\n'))), { isTaken: false, totals: 'differ' })
  assert.equal(await stateOf(body.id), 'created')
  assert.partialDeepStrictEqual(await outcome(file('x')), { isTaken: true, totals: 'agree' })
})

type Columns = Record<string, number | number[]>

/** A mapping of CSV whose bank quotes nothing. */
const tableMapping = (header: string[], columns: Columns, changes: object = {}) =>
  ({
    ...{ encoding: 'utf-8', separator: ';', skipRows: 0, dateFormat: 'dd.mm.yyyy', account },
    ...{ header, columns, ...changes },
  }) as never as NonNullable<ImportStatement['mapping']>

const tableFile = (header: readonly string[], lines: readonly string[]): Buffer =>
  Buffer.from([header.join(';'), ...lines, ''].join('\r\n'))

const balanced = tableMapping(['Дата', 'Сумма', 'Остаток', 'Назначение'], {
  ...{ date: 0, amount: 1, balance: 2, purpose: [3] },
})

test('a running balance proves the rows of CSV, money out included: nobody but the bank knows it', async () => {
  const { body } = await shop.create({ payment_type: 'account_number', cents: 5_500_000 })
  const first = `${day};100,00;3400,00;honest`
  const forged = [`${day};55000,00;55100,00;${body.payment_data.payment_reason}`, `${day};-55000,00;100,00;y`]
  for (const lines of [[first, ...forged], [first, ...forged].toReversed()])
    assert.partialDeepStrictEqual(await take(tableFile(balanced.header, lines), { mapping: balanced }), {
      ...{ isTaken: false, badRows: 0 },
    })
  assert.equal(await stateOf(body.id), 'created')
  const later = `${day};20,00;3420,00;honest`
  for (const lines of [
    [first, later],
    [later, first],
    [first, `${day};-30,00;3370,00;money out`],
    [`${day};11,00;5311,00;x`, 'Итого 1 операция;11,00;;'],
  ])
    assert.partialDeepStrictEqual(await take(tableFile(balanced.header, lines), { mapping: balanced }), {
      ...{ isTaken: true, totals: 'agree' },
    })
})

test('a footer of CSV proves nothing, because a payer can write it behind his own rows', async () => {
  const { body } = await shop.create({ payment_type: 'account_number', cents: 5_600_000 })
  const reference = body.payment_data.payment_reason
  const last = tableMapping(['Дата', 'Приход', 'Расход', 'Назначение'], {
    ...{ date: 0, credit: 1, debit: 2, purpose: [3] },
  })
  const middle = tableMapping(['Дата', 'Назначение', 'Приход', 'Расход'], {
    ...{ date: 0, purpose: [1], credit: 2, debit: 3 },
  })
  const single = tableMapping(['Дата', 'Сумма', 'Назначение'], { date: 0, amount: 1, purpose: [2] })
  for (const [mapping, lines] of [
    // The bank completes a row of his in the middle, and honest rows may follow.
    [
      middle,
      [
        `${day};honest;20,00;`,
        `${day};x;10,00;\r\nИтого;;56037,00;\r\n${day};${reference};56000,00;\r\n${day};y;7,00;`,
      ],
    ],
    // Without any row behind it.
    [last, [`${day};10,00;;x\r\n${day};56000,00;;${reference}\r\nИтого;56010,00;0,00;`]],
    [
      last,
      [
        `${day};10,00;;x\r\n${day};56000,00;;${reference}\r\nВходящий остаток;0,00\r\nИсходящий остаток;56010,00;;`,
      ],
    ],
    [single, [`${day};-5,00;fee`, `${day};10,00;x\r\n${day};56000,00;${reference}\r\nИтого;56015,00;`]],
    // The first row has his amount, and the bank's own is the opening balance of a footer.
    [middle, [`${day};${reference};56000,00;\r\nИтого;;56000,00;\r\nВходящий остаток;10,00;`]],
  ] as const)
    assert.partialDeepStrictEqual(
      await take(tableFile(mapping.header, lines), { mapping }),
      { isTaken: false, badRows: 0 },
      lines.join('\n'),
    )
  assert.equal(await stateOf(body.id), 'created')
  // It still shows that a row is missing.
  const short = [`${day};20,00;;honest`, 'Итого;27,00;0,00;']
  assert.partialDeepStrictEqual(await take(tableFile(last.header, short), { mapping: last }), {
    ...{ isTaken: false, totals: 'differ' },
  })
})
