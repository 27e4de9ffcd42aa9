/** `inlet statement …` and what other commands print of texts that came from outside. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { saveMapping } from '../src/statements/store.ts'
import { addSource } from '../src/transfers/bank-source.ts'
import { dotted, today } from './support/bank.ts'
import { commandsOn, inlet, json } from './support/command.ts'
import { call, openShop, type Shop, startGateway, type TestGateway } from './support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let folder: string
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  folder = (await commandsOn(gateway)).INLET_DATA_DIR
})

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
async function file(text: string): Promise<string> {
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
  [{ currency: 'USD' }, 'currency must be one of RUB, UZS, KZT, TJS.'],
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
    assert.equal(head, 'The file is not a mapping (see docs/csv-mapping.md):')
    assert.deepEqual(others, [])
    if (typeof sentence === 'string') assert.equal(first, `- ${sentence}`)
    else assert.match(first!.slice(2), sentence)
  })
}

test('all problems of a mapping are told at once; what is no JSON is told so', async () => {
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

test('a mapping that was saved before it would be refused is told at the import, in a sentence', async () => {
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
  const { code, stdout } = await inlet(...words, '--dry-run')
  assert.equal(code, 0)
  assert.match(stdout, /^The first 10 rows, as they were understood:$/m)
  assert.match(stdout, /^line +day +direction +amount +payer +purpose$/m)
  assert.match(stdout, new RegExp(`^2 +${day} +debit +300\\.00.RUB +– +Комиссия$`, 'm'))
  assert.match(stdout, new RegExp(`^3 +${day} +credit +1500\\.50.RUB +Иван +Заказ 0$`, 'm'))
  assert.doesNotMatch(stdout, /Заказ 9/)
  const { preview } = await json(...words, '--dry-run')
  assert.equal(preview.length, 10)
  assert.deepEqual(preview[1], {
    ...{ line: 3, day, direction: 'credit', amount: '1500.50', currency: 'RUB' },
    ...{ payer: 'Иван', purpose: 'Заказ 0' },
  })
  assert.doesNotMatch((await inlet(...words)).stdout, /as they were understood/)
})

const evil = 'Иван\u001b[2J\u009b2J\u202eнавИ\nlies'
const evilInSql = `U&'Иван\\001b[2J\\009b2J\\202eнавИ\\000alies'`

/** Against the database's own promise that what was told never changes. */
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
  await json('deposit', 'reject', body.id, '--reason', 'x\u202ey')
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
