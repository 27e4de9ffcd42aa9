/** `inlet statement …` and what other commands print of texts that came from outside. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, beforeEach, test } from 'node:test'
import { saveMapping } from '../src/domain/statements/store.ts'
import { addSource } from '../src/domain/transfers/bank-source.ts'
import { dotted, forgetMoneyIn, today } from './support/bank.ts'
import { commandsOn, inlet, json } from './support/command.ts'
import { call, openShop, type Shop, startGateway, type TestGateway } from './support/gateway.ts'
import { joined } from './support/person.ts'

let gateway: TestGateway
let shop: Shop
let folder: string
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  folder = (await commandsOn(gateway)).INLET_DATA_DIR
})

beforeEach(() => forgetMoneyIn(gateway))

const account = '40702810300000000042'
const mapping = {
  encoding: 'utf-8',
  separator: ';',
  skipRows: 0,
  header: ['Дата', 'Сумма', 'Кто', 'За что', 'Валюта'],
  dateFormat: 'dd.mm.yyyy',
  account,
  columns: { date: 0, amount: 1, payerName: 2, purpose: [3], currency: 4 },
}
const { date, amount, ...optionalColumns } = mapping.columns
const columns = (changes: object) => ({ columns: { ...mapping.columns, ...changes } })
const day = today()
const written = dotted(day)

let files = 0
async function file(text: string | Uint8Array): Promise<string> {
  const path = join(folder, `file-${++files}`)
  await writeFile(path, text)
  return path
}

for (const [changes, sentence] of [
  [
    { dateFormat: 'yyyymmdd' },
    'dateFormat must be one of dd.mm.yyyy, dd/mm/yyyy, dd-mm-yyyy, yyyy-mm-dd, yyyy.mm.dd, dd.mm.yy.',
  ],
  [{ dateFormat: undefined }, /^dateFormat must be one of/],
  [{ encoding: 'koi8-r' }, 'encoding must be one of utf-8, windows-1251.'],
  [{ separator: '|' }, 'separator must be one of ";", "," and a tab.'],
  [{ skipRows: -1 }, 'skipRows must be a whole number from 0 to 1000.'],
  [{ skipRows: '2' }, 'skipRows must be a whole number from 0 to 1000.'],
  [{ account: '' }, 'account must be the number of one of your accounts, as statements write it.'],
  [{ account: 5 }, /^account must be/],
  [{ header: [] }, 'header must list the names of all columns, 1 to 500 of them, as the bank writes them.'],
  [{ header: ['Дата', 5] }, /^header must list/],
  [{ header: ['Да\u0000та', 'Сумма'] }, /^header must list/],
  [{ kolumns: {} }, 'kolumns is not known here.'],
  [{ columns: undefined }, 'columns must say which column means what.'],
  [columns({ date: 5 }), 'columns.date must be a column from 0 to 4: the header has 5.'],
  [columns({ date: undefined }), 'columns.date must be a column from 0 to 4: the header has 5.'],
  [columns({ payerName: '2' }), 'columns.payerName must be a column from 0 to 4: the header has 5.'],
  [columns({ payerName: 1.5 }), 'columns.payerName must be a column from 0 to 4: the header has 5.'],
  [columns({ purpose: 3 }), 'columns.purpose must be a list of columns from 0 to 4: the header has 5.'],
  [columns({ purpose: [-1] }), 'columns.purpose must be a list of columns from 0 to 4: the header has 5.'],
  [columns({ datum: 0 }), 'columns.datum is not known here.'],
  [{ columns: { ...optionalColumns, date } }, 'columns must have amount, or both credit and debit.'],
  [
    { columns: { ...optionalColumns, date, credit: 1 } },
    'columns must have amount, or both credit and debit.',
  ],
  [columns({ credit: 1, debit: 2 }), 'columns must have amount, or both credit and debit.'],
] as [object, string | RegExp][]) {
  test(`a mapping with ${JSON.stringify(changes)} is not saved`, async () => {
    const path = await file(JSON.stringify({ ...mapping, ...changes }))
    const { code, stdout, stderr } = await inlet('statement', 'mapping', 'wrong', path)
    assert.deepEqual([code, stdout], [1, ''])
    const [head, first, ...others] = stderr.trimEnd().split('\n')
    assert.equal(head, 'The file is not a mapping (see docs/banks.md):')
    assert.deepEqual(others, [])
    if (typeof sentence === 'string') assert.equal(first, `- ${sentence}`)
    else assert.match(first!.slice(2), sentence)
  })
}

test('all problems of a mapping are reported at once; invalid JSON is reported as such', async () => {
  const wrong = await file(JSON.stringify({ ...mapping, currency: 'EUR', dateFormat: 5, skipRows: 0.5 }))
  assert.equal((await inlet('statement', 'mapping', 'wrong', wrong)).stderr.split('\n- ').length, 4)
  for (const text of ['', '{', '[]', 'null', '"x"'])
    assert.match(
      (await inlet('statement', 'mapping', 'wrong', await file(text))).stderr,
      /^The file is not a mapping.*\n- It must be one JSON object\.\n$/,
    )
  assert.match((await inlet('statement', 'import', wrong, '--mapping', 'wrong')).stderr, /no mapping/)
  const twice = JSON.stringify(mapping).replace('"columns"', '"columns":{"date":0,"amount":1},"columns"')
  assert.equal(
    (await inlet('statement', 'mapping', 'wrong', await file(twice))).stderr,
    'The file is not a mapping: #/columns stands in it more than once.\n',
  )
})

test('a saved mapping that is invalid by now is reported at the import', async () => {
  await saveMapping(gateway.db, 'old', { ...mapping, dateFormat: 'yyyymmdd' } as never)
  const { code, stderr } = await inlet('statement', 'import', await file('a;b'), '--mapping', 'old')
  assert.equal(code, 1)
  assert.match(stderr, /^The mapping old .*\n- dateFormat must be one of /)
})

test('a dry run prints the first rows as they were understood, in words and as JSON', async () => {
  await json('statement', 'mapping', 'plain', await file(JSON.stringify(mapping)))
  const rows = Array.from({ length: 12 }, (_, n) => `${written};${n + 1} 500,50 ₽;Иван;Заказ ${n};RUB`)
  const path = await file([mapping.header.join(';'), `${written};-300;;Комиссия;`, ...rows, ''].join('\n'))
  const words = ['statement', 'import', path, '--mapping', 'plain', '--mode', 'test']
  const { code, stdout } = await inlet(...words, '--dry-run', '--anyway')
  assert.equal(code, 0)
  assert.match(stdout, /^The first 10 rows, as they were understood \(--limit shows more\):$/m)
  assert.match(stdout, /^line +day +amount +payer +purpose +becomes +because$/m)
  assert.match(stdout, new RegExp(`^2 +${day} +-300\\.00.RUB +– +Комиссия +debit +Outgoing payment\\.$`, 'm'))
  assert.match(stdout, new RegExp(`^3 +${day} +1500\\.50.RUB +Иван +Заказ 0 +unmatched +No deposit`, 'm'))
  assert.doesNotMatch(stdout, /Заказ 9/)
  const { preview } = await json(...words, '--dry-run', '--anyway')
  assert.equal(preview.length, 10)
  assert.partialDeepStrictEqual(preview[1], {
    ...{ line: 3, day, direction: 'credit', amount: '1500.50', currency: 'RUB' },
    ...{ payer: 'Иван', purpose: 'Заказ 0', becomes: 'unmatched', rule: 'amount_doubt' },
  })
  assert.doesNotMatch((await inlet(...words, '--anyway')).stdout, /as they were understood/)
})

/** A statement of 1C whose first documents pay these sums in roubles; the section tells their total, or another one. */
const oneC = (sums: readonly number[], { total, more = [] }: { total?: number; more?: string[] } = {}) =>
  [
    ...['1CClientBankExchange', 'ВерсияФормата=1.03', 'Кодировка=Windows', `РасчСчет=${account}`],
    ...['СекцияРасчСчет', `РасчСчет=${account}`],
    `ВсегоПоступило=${total ?? sums.reduce((all, sum) => all + sum, 0)}.00`,
    'КонецРасчСчет',
    ...sums.flatMap((sum) => document(sum, `cli-${sum}`, account)),
    ...more,
    'КонецФайла',
    '',
  ].join('\r\n')

const document = (sum: number, number: string, to: string, from = '40817810000000000001') => [
  'СекцияДокумент=Платежное поручение',
  ...[`Номер=${number}`, `Дата=${written}`, `Сумма=${sum}.00`, `ДатаПоступило=${written}`],
  ...[`ПлательщикСчет=${from}`, `ПолучательСчет=${to}`, 'НазначениеПлатежа=Перевод', 'КонецДокумента'],
]

test('a dry run exits like the import: 1 if a confirmation is missing, 0 with it', async () => {
  for (const [text, code] of [
    [oneC([11, 12]), 0],
    [oneC([11, 12], { total: 24 }), 1],
    [oneC([11, 12]).replace(/ВсегоПоступило.*\r\n/, ''), 1],
    [oneC([11, 12]).replace('Сумма=12.00', 'Сумма=x'), 1],
  ] as const) {
    const words = ['statement', 'import', await file(text), '--mode', 'test']
    const trial = await inlet(...words, '--dry-run')
    assert.equal(trial.code, code, trial.stdout)
    assert.equal(/would be refused/.test(trial.stdout), code === 1)
    assert.equal((await inlet(...words, '--dry-run', '--anyway')).code, 0)
    assert.equal((await inlet(...words)).code, code)
  }
})

test('an account that is ours in another mode is none of this mode', async () => {
  const { code, stdout, stderr } = await inlet('statement', 'import', await file(oneC([13])))
  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(
    stderr,
    `statement_account_unknown: Line 4, РасчСчет: The account «${account}» is not one of your receiving accounts in this mode: choose the other mode, set this number on one of them, or export the statement without it. Nothing was imported.\n`,
  )
  const nobodys = await file(oneC([13]).replaceAll(account, '40702810300000000059'))
  assert.match(
    (await inlet('statement', 'import', nobodys)).stderr,
    /is not one of your receiving accounts in this mode/,
  )
})

/** The number under a heading of the tables that an import prints. */
const figures = (stdout: string): Record<string, number> =>
  Object.fromEntries(
    [...stdout.matchAll(/^([A-Z][\w ]+): (\d+)$/gm)].map(([, name, count]) => [name!, Number(count)]),
  )

test('what an import prints adds up to the rows of the file, also those between our accounts and of others', async () => {
  const own = '40702810600000000043'
  const text = oneC([21, 22], {
    total: 66,
    more: [
      ...document(23, 'own', account, own),
      ...document(24, 'stranger', '40702810900000002851'),
      ...document(25, 'bad', account).map((line) => line.replace('=25.00', '=x')),
    ],
  })
  await gateway.database.owner.script(
    `update receiving_accounts set number = '${own}' where id = (select id from receiving_accounts
      where mode = 'test' and currency = 'RUB' and number is null limit 1)`,
  )
  const words = ['statement', 'import', await file(text), '--mode', 'test', '--anyway']
  const { stdout } = await inlet(...words)
  const printed = figures(stdout)
  assert.partialDeepStrictEqual(printed, {
    ...{ Rows: 5, 'Other accounts': 1, Unreadable: 1 },
    ...{ New: 3, Matched: 0, Unmatched: 2, 'Between own accounts': 1 },
  })
  // Imported again it changes nothing, and says whose figures these are.
  const again = await inlet(...words)
  assert.equal(again.code, 0)
  assert.doesNotMatch(again.stdout, /nothing is new/i)
  assert.match(
    again.stdout,
    /^This file has already been imported, so nothing changes\.\nResult of the first import:\n/,
  )
  assert.deepEqual(figures(again.stdout), printed)
})

test('the verdict about the totals is printed, and stored in the list', async () => {
  const list = async () => (await inlet('statement', 'list', '--limit', '1')).stdout
  for (const [text, words, state] of [
    [oneC([31]), /^The totals in the file match its rows\.$/m, 'agree'],
    [oneC([32], { total: 33 }), /^The totals in the file do not match its rows\.$/m, 'differ'],
    [oneC([34]).replace(/ВсегоПоступило.*\r\n/, ''), /^The file has no totals /m, 'none'],
  ] as const) {
    const { stdout } = await inlet('statement', 'import', await file(text), '--mode', 'test', '--anyway')
    assert.match(stdout, words)
    assert.match(await list(), new RegExp(` ${state} `))
  }
})

test('a table without a mapping is refused, and so is one whose header is not that of its mapping', async () => {
  const codeIn = ({ stderr }: { stderr: string }) => stderr.slice(0, stderr.indexOf(':'))
  const path = await file('a;b\r\n1;2\r\n')
  const unmapped = await inlet('statement', 'import', path, '--mode', 'test')
  assert.match(unmapped.stderr, /Describe the columns/)
  assert.equal(codeIn(unmapped), 'statement_mapping_missing')
  await json('statement', 'mapping', 'before', await file(JSON.stringify(mapping)))
  const changed = await inlet('statement', 'import', path, '--mapping', 'before', '--mode', 'test')
  assert.match(changed.stderr, /The header has changed/)
  assert.equal(codeIn(changed), 'statement_header_changed')
})

const evil = 'Иван\u001b[2J\u009b2J\u202eнавИ\nlies'
const evilInSql = `U&'Иван\\001b[2J\\009b2J\\202eнавИ\\000alies'`

/** Against the database's own promise that what was reported never changes. */
const changeFor = (table: string, change: string) =>
  gateway.database.owner.script(`
    alter table ${table} disable trigger user;
    update ${table} set ${change};
    alter table ${table} enable trigger user`)

/** What a terminal would obey, or read from right to left, or take for a row of its own. */
const commanding = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u

test('a payer’s text commands no terminal: not in lists, not in one transfer, not as JSON', async () => {
  const { token } = await addSource(gateway.db, { name: 'Bank', mode: 'test' })
  const pushed = await call(gateway.url, '/api/v1/bank/transfers', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      ...{ id: 'evil', account, cents: 5, currency: 'RUB', booked_on: day },
      ...{ payer_name: evil, purpose: evil },
    }),
  })
  assert.equal(pushed.status, 200)
  // A row of the time before texts were cleaned on their way in.
  await changeFor('transfers', `payer_name = ${evilInSql}, purpose = ${evilInSql}`)
  const [{ id }] = (await json('transfer', 'list')).transfers
  for (const words of [
    ['transfer', 'list'],
    ['transfer', 'show', id],
  ]) {
    const { stdout } = await inlet(...words)
    assert.match(stdout, /Иван/)
    assert.doesNotMatch(stdout, commanding)
    assert.doesNotMatch(stdout, /^lies/m)
    const { stdout: machine } = await inlet(...words, '--json')
    assert.doesNotMatch(machine, /[^\P{Cc}\n]/u)
    assert.ok(machine.includes('\\u009b'))
  }
})

test('a merchant’s order and an operator’s reason command no terminal either', async () => {
  const { body } = await shop.create({ order_id: 'a\u202eb' })
  const { email } = await joined(gateway, { operatorRole: 'operator' })
  await json('deposit', 'reject', body.id, '--reason', 'x\u202ey', '--by', email)
  await changeFor('deposits', `order_id = ${evilInSql}`)
  for (const words of [
    ['deposit', 'list'],
    ['deposit', 'show', body.id],
  ]) {
    const { code, stdout } = await inlet(...words)
    assert.equal(code, 0)
    assert.doesNotMatch(stdout, commanding)
    assert.doesNotMatch(stdout, /^lies/m)
  }
})

test('a dry run shows for each row what it is, what it would match and why, and stores nothing', async () => {
  const { body } = await shop.create({ payment_type: 'account_number', cents: 470_000 })
  const reason: string = body.payment_data.payment_reason
  const text = oneC([4700, 48]).replace('НазначениеПлатежа=Перевод', `НазначениеПлатежа=${reason}`)
  const path = await file(text)
  const { stdout, code } = await inlet('statement', 'import', path, '--dry-run', '--mode', 'test')
  assert.equal(code, 0)
  assert.match(
    stdout,
    new RegExp(`4700\\.00 RUB .* matched +The purpose contains the reference of this deposit\\. ${body.id}`),
  )
  assert.match(
    stdout,
    /48\.00 RUB .* unmatched +No deposit of this amount on this account could be paid when it was sent\./,
  )
  assert.match(stdout, /This was a dry run\. Nothing was imported\./)
  assert.equal((await shop.get(`/api/v1/requests/deposit/${body.id}`)).body.state, 'created')

  await json('statement', 'import', path, '--mode', 'test')
  const words = ['statement', 'import', path, '--dry-run', '--mode', 'test']
  const { preview } = await json(...words, '--limit', '1')
  assert.partialDeepStrictEqual(preview, [{ amount: '4700.00', becomes: 'seen', deposits: [] }])
  assert.equal(preview.length, 1)
})
