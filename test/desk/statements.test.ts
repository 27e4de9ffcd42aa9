/** A bank's file at the desk: looked at first, taken on a person's word, and refused before it is read where it must be. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { connect } from 'node:net'
import { before, beforeEach, type TestContext, test } from 'node:test'
import { importRight } from '../../src/domain/approvals/import-right.ts'
import { saveApprovalSettings } from '../../src/domain/approvals/store.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { disablePerson } from '../../src/domain/people/change-person.ts'
import type { Person } from '../../src/domain/people/person.ts'
import { changeAccountNumber } from '../../src/domain/requisites/add-requisite.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { dotted, forgetMoneyIn, today } from '../support/bank.ts'
import { until } from '../support/delivery.ts'
import { formOf } from '../support/form-of.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'
import { partsOf, textCell, zipOf } from '../support/writers/xlsx.ts'

let gateway: TestGateway
let shop: Shop
let browser: PersonsBrowser
let email: string
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  const operator = await joined(gateway, { operatorRole: 'operator' })
  browser = operator.browser
  email = operator.email
})

beforeEach(() => forgetMoneyIn(gateway))

const account = '40702810300000000042'
const liveNumber = '40702810300000007777'
type Row = { cents: number; purpose: string; date?: string }

function statementOf(rows: readonly Row[]): Blob {
  const money = (cents: number) => (cents / 100).toFixed(2)
  const lines = [
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    'Кодировка=Windows',
    `РасчСчет=${account}`,
    'СекцияРасчСчет',
    `ДатаНачала=${dotted(today())}`,
    `ДатаКонца=${dotted(today())}`,
    `РасчСчет=${account}`,
    `ВсегоПоступило=${money(rows.reduce((sum, { cents }) => sum + cents, 0))}`,
    'КонецРасчСчет',
    ...rows.flatMap((row) => [
      'СекцияДокумент=Платежное поручение',
      `Номер=${row.cents}`,
      `Дата=${row.date ?? dotted(today())}`,
      `Сумма=${money(row.cents)}`,
      'ПлательщикСчет=40817810000000000001',
      'Плательщик1=Иванов Иван',
      `ПолучательСчет=${account}`,
      `ДатаПоступило=${row.date ?? dotted(today())}`,
      `НазначениеПлатежа=${row.purpose}`,
      'КонецДокумента',
    ]),
    'КонецФайла',
  ]
  return new Blob([lines.join('\r\n')])
}

let amount = 6_000_000
const created = async () => (await shop.create({ cents: ++amount })).body
const stateOf = async (id: string) =>
  (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit.state
const rowOf = (body: { amount_cents: number; payment_data: { payment_reason: string } }): Row => ({
  cents: body.amount_cents,
  purpose: body.payment_data.payment_reason,
})

const upload = (file: Blob, fields: Record<string, string> = {}) =>
  browser.upload('/operator/statements/upload', { mode: 'test', ...fields }, file, 'выписка <b>.txt')

/** The page of an upload, once it is no longer being read. */
async function settled(page: string, by = browser) {
  for (let tries = 0; tries < 1_000; tries++) {
    const answer = await by.get(page)
    if (!answer.text.includes('data-under-way')) return answer.text
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('It is still being read.')
}

/** The number under a tile's name. */
const tile = (text: string, name: string) =>
  Number(new RegExp(`<dt>${name}</dt><dd>(\\d+)</dd>`).exec(text)?.[1])

/** The uploads of which something is stored. */
const uploaded = () =>
  gateway.db.query(sql`
    select id from statement_uploads where state = 'arriving' or exists (select from upload_parts where upload_id = id)`)

/** Presses "Take" on the page as it stands now. */
async function takeIt(page: string, fields: Record<string, string> = {}) {
  const { text } = await browser.get(page)
  const reading = /name="reading" value="(\d+)"/.exec(text)?.[1] ?? ''
  return browser.post(`${page}/take`, { reading, ...fields })
}

test('a file is looked at, changes nothing, and is taken on a person’s word', async () => {
  const [paid, other] = [await created(), await created()]
  const file = statementOf([rowOf(paid), { cents: 1_234, purpose: 'Перевод' }])
  const sent = await upload(file)
  assert.equal(sent.status, 303, sent.text)
  const page = sent.location!
  const preview = await settled(page)
  assert.deepEqual(
    ['Rows', 'New', 'Matched', 'Unmatched'].map((name) => tile(preview, name)),
    [2, 2, 1, 1],
  )
  assert.match(preview, /выписка &lt;b&gt;\.txt/)
  assert.match(preview, /the totals match/)
  assert.equal(await stateOf(paid.id), 'created')
  assert.equal((await uploaded()).length, 1)

  const take = await takeIt(page)
  assert.deepEqual([take.status, take.location], [303, page])
  const twice = await takeIt(page)
  assert.equal(twice.status, 409)
  assert.match(await settled(page), /Import result/)
  assert.equal(await stateOf(paid.id), 'confirmed')
  assert.equal(await stateOf(other.id), 'created')
  assert.deepEqual(await uploaded(), [])
  const lines = await gateway.db.query<{ act: string; actor: string; after: string }>(
    sql`select act, actor, after from audit_entries where act like 'statement%' order by place`,
  )
  assert.deepEqual(
    lines.map((line) => [line.act, line.actor]),
    [
      ['statement_upload', email],
      ['statement_take', email],
      ['statement_taken', email],
    ],
  )
  assert.partialDeepStrictEqual(JSON.parse(lines[2]!.after), { matched: 1, rows: 2, totals: 'agree' })
  assert.match((await browser.get('/operator/statements')).text, /<span class="badge ok">Imported<\/span>/)

  // The same bytes again are known, and cannot be taken.
  const again = (await upload(file)).location!
  const repeated = await settled(again)
  assert.match(repeated, /already been imported, so nothing changes[\s\S]*Result of the first import/)
  assert.doesNotMatch(repeated, /nothing is new/i)
  assert.equal((await takeIt(again)).status, 409)
  await browser.post(`${again}/drop`)
  assert.deepEqual(await uploaded(), [])
})

test('bad rows are listed, can be downloaded, and need a confirmation', async () => {
  const paid = await created()
  const file = statementOf([rowOf(paid), { cents: 100, purpose: '=cmd()', date: '31.02.2026' }])
  const page = (await upload(file)).location!
  const preview = await settled(page)
  assert.equal(tile(preview, 'Unreadable'), 1)
  const csv = await browser.get(`${page}/bad.csv`)
  assert.match(csv.headers.get('content-disposition')!, /attachment/)
  assert.equal(csv.text.trim().split('\r\n').length, 2)
  assert.equal((await takeIt(page)).status, 422)
  assert.equal(await stateOf(paid.id), 'created')
  await takeIt(page, { anyway: 'on' })
  await settled(page)
  assert.equal(await stateOf(paid.id), 'confirmed')
  assert.equal((await browser.get(`${page}/bad.csv`)).text.trim().split('\r\n').length, 2)
  await browser.post(`${page}/drop`)
  assert.deepEqual(await uploaded(), [])
})

test('the mode of a file and of a new account has no default', async () => {
  const { browser: admin } = await joined(gateway, { operatorRole: 'admin' })
  for (const path of ['/operator/statements/upload', '/operator/accounts/add']) {
    const { text } = await admin.get(path)
    const [, options] = /<select[^>]* name="mode"[^>]* required>([\s\S]*?)<\/select>/.exec(text)!
    assert.match(options!.trim(), /^<option value=""\s*(?:selected)?>Choose…/)
    assert.doesNotMatch(options!, /value="\w+" selected/)
  }
  const before = (await browser.get('/operator/statements/upload')).text
  for (const mode of ['', 'both']) {
    const file = statementOf([{ cents: 100, purpose: 'x' }])
    const refused = await browser.upload(
      '/operator/statements/upload',
      { mode, mapping: '', account: '' },
      file,
      'a.txt',
    )
    assert.equal(refused.status, 422)
    assert.match(refused.text, /Choose live or test mode\./)
    const fields = { mode, currency: 'RUB', owner: 'x', taxId: '7707083893', agreement: 'x' }
    assert.match((await admin.post('/operator/accounts/add', fields)).text, /id="add-mode-error">/)
  }
  assert.equal((await browser.get('/operator/statements/upload')).text, before)
})

test('a file without totals says so before it is taken, and in the list afterwards', async () => {
  const text = (await statementOf([{ cents: 777_01, purpose: 'Перевод' }]).text()).replace(/Всего.*\r\n/, '')
  const page = (await upload(new Blob([text]))).location!
  const preview = await settled(page)
  assert.match(preview, /The file has no totals to check its rows against/)
  assert.doesNotMatch(preview, /totals match/)
  assert.equal((await takeIt(page)).status, 422)
  await takeIt(page, { anyway: 'on' })
  assert.match(await settled(page), /The file has no totals/)
  assert.match((await browser.get('/operator/statements')).text, /No totals/)
})

test('while a file is being read, the page says that and gives no verdict', async () => {
  await gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`lock table staged_entries in access exclusive mode`)
    const page = (await upload(statementOf([{ cents: 4_321, purpose: 'Перевод' }]))).location!
    const { text } = await browser.get(page)
    assert.match(text, /Reading the file\./)
    assert.match(
      text,
      /Nothing is imported while the file is being read; you confirm the import afterwards\./,
    )
    await browser.post(`${page}/stop`)
  })
})

test('errors in single-line XML are located by element, on the page and in the download', async () => {
  const entry = `<Ntry><Amt Ccy="RUB">8.855</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts></Ntry>`
  const xml = `<Document><BkToCstmrStmt><Stmt><Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct>${entry}</Stmt></BkToCstmrStmt></Document>`
  const page = (await upload(new Blob([xml]))).location!
  assert.match(await settled(page), /1, Stmt\[1\]\/Ntry\[1\]\/Amt/)
  assert.match((await browser.get(`${page}/bad.csv`)).text, /;Stmt\[1\]\/Ntry\[1\]\/Amt\r/)
  await browser.post(`${page}/drop`)
  const damaged = (await upload(new Blob([xml.replace(account, '40702810300000000059')]))).location!
  assert.match(
    await settled(damaged),
    /Line 1, Stmt\[1\]\/Acct\/Id: The account «40702810300000000059» is not one of your receiving accounts/,
  )
  await browser.post(`${damaged}/drop`)
})

const csvHeader = ['Дата операции', 'Номер документа', 'Приход', 'Расход', 'Плательщик', 'Назначение платежа']
const csvOf = (rows: readonly Row[], header = csvHeader, top = ['Выписка', 'За ноябрь']): Blob => {
  const cells: Record<string, (row: Row, place: number) => string> = {
    'Дата операции': (row) => row.date ?? dotted(today()),
    'Номер документа': (_row, place) => `N-${place}`,
    Приход: (row) => (row.cents / 100).toFixed(2).replace('.', ','),
    Плательщик: () => '<i>Иванов</i>',
    'Назначение платежа': (row) => row.purpose,
  }
  const lines = rows.map((row, place) => header.map((name) => cells[name]?.(row, place) ?? '').join(';'))
  return new Blob([[...top, header.join(';'), ...lines, ''].join('\r\n')])
}

const errorOf = (text: string, name: string) =>
  new RegExp(`<p class="error" id="${name}-error">([^<]*)</p>`).exec(text)?.[1]
const mappingLines = () =>
  gateway.db.query<{ act: string; actor: string; before: string; after: string }>(
    sql`select act, actor, before, after from audit_entries where subject = 'mapping:test-bank' order by place`,
  )
const accountId = async () => {
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from receiving_accounts where number = ${account} and mode = 'test'`,
  )
  return row!.id
}

test('a new bank’s CSV is read by what a person says of its columns, and the next one by its name', async () => {
  const paid = await created()
  const page = (await upload(csvOf([rowOf(paid), { cents: 4_200, purpose: 'Перевод' }]))).location!
  const shown = await settled(page)
  assert.match(shown, /Columns needed/)
  assert.match(shown, /&lt;i&gt;Иванов/)
  const guessed = formOf(shown, 'read')
  assert.deepEqual(
    [
      'separator',
      'skipRows',
      'date',
      'documentNumber',
      'credit',
      'debit',
      'amount',
      'payerName',
      'purpose1',
    ].map((name) => guessed[name]),
    ['semicolon', '2', '0', '1', '2', '3', '', '4', '5'],
  )

  // What is wrong stands beside its field, and what was written stays.
  const wrong = await browser.post(`${page}/read`, {
    ...guessed,
    ...{ keep: 'on', name: 'Not a name', date: '', debit: '' },
  })
  assert.equal(wrong.status, 422)
  assert.deepEqual(
    ['account', 'date', 'amount', 'name', 'credit'].map((name) => errorOf(wrong.text, name)),
    [
      'Choose one of your accounts.',
      'Choose the date column.',
      'Choose either the amount column or both money in and money out.',
      'Enter a name: lowercase Latin letters, digits, - and _.',
      undefined,
    ],
  )
  assert.equal(formOf(wrong.text, 'read').name, 'Not a name')
  const [kept] = await gateway.db.query(sql`select name from csv_mappings`)
  assert.equal(kept, undefined)

  const fields = { ...guessed, account: await accountId(), keep: 'on', name: 'test-bank' }
  const looked = await browser.post(`${page}/read`, fields)
  assert.deepEqual([looked.status, looked.location], [303, page], looked.text)
  const preview = await settled(page)
  assert.deepEqual(
    ['Rows', 'New', 'Matched', 'Unmatched'].map((name) => tile(preview, name)),
    [2, 2, 1, 1],
  )
  assert.match(preview, />42\.00 RUB</)
  assert.equal(await stateOf(paid.id), 'created')
  const [line, ...others] = await mappingLines()
  assert.deepEqual([line!.act, line!.actor, others.length], ['mapping_keep', email, 0])
  assert.equal(line!.after.includes(account), false)
  // A table has no totals: that needs a word of its own.
  assert.match(preview, /The file has no totals/)
  assert.equal((await takeIt(page)).status, 422)
  await takeIt(page, { anyway: 'on' })
  await settled(page)
  assert.equal(await stateOf(paid.id), 'confirmed')

  const second = (await upload(csvOf([{ cents: 4_300, purpose: 'Ещё' }]), { mapping: 'test-bank' })).location!
  assert.equal(tile(await settled(second), 'New'), 1)
  await browser.post(`${second}/drop`)
})

test('direction and status are read by the words that a person gives, in an Excel file likewise', async () => {
  const header = ['Дата', 'Тип операции', 'Статус', 'Сумма', 'Назначение платежа']
  const rows = [
    [dotted(today()), 'Зачисление', 'Исполнен', '77,01', 'Перевод'],
    [dotted(today()), 'Списание', 'Исполнен', '5,00', 'Комиссия'],
    [dotted(today()), 'Зачисление', 'Отклонен', '9000,00', 'Перевод'],
  ]
  const csv = new Blob([[header, ...rows, []].map((row) => row.join(';')).join('\r\n')])
  const sheet = partsOf([
    [textCell('Выписка')],
    header.map(textCell),
    ...rows.map((row) => row.map(textCell)),
  ])
  for (const file of [csv, new Blob([Buffer.from(zipOf(sheet))])]) {
    const page = (await upload(file)).location!
    const guessed = formOf(await settled(page), 'read')
    assert.deepEqual(
      ['direction', 'status', 'amount'].map((name) => guessed[name]),
      ['1', '2', '3'],
    )
    const meanings = { directionsIn: 'Зачисление', directionsOut: 'Списание', booked: 'Исполнен' }
    const fields = { ...guessed, ...meanings, account: await accountId(), name: '', bookedEmpty: '' }
    const wrong = await browser.post(`${page}/read`, { ...fields, directionsIn: ' , ', booked: '' })
    assert.equal(wrong.status, 422)
    assert.match(errorOf(wrong.text, 'directionsIn')!, /^Enter different values for money in/)
    assert.match(errorOf(wrong.text, 'booked')!, /^Enter at least one status/)
    const looked = await browser.post(`${page}/read`, fields)
    assert.equal(looked.status, 303, looked.text)
    const preview = await settled(page)
    assert.deepEqual(
      ['Rows', 'New', 'Outgoing', 'Declined by the bank'].map((name) => tile(preview, name)),
      [3, 2, 1, 1],
    )
    assert.match(preview, />77\.01 RUB</)
    assert.match(preview, />−5\.00 RUB</)
    await browser.post(`${page}/drop`)
  }
})

test('columns that moved are found by their names, and a mapping is never another bank’s by the way', async () => {
  const moved = ['Плательщик', ...csvHeader.filter((name) => name !== 'Плательщик')]
  const file = csvOf([{ cents: 5_100, purpose: 'Перевод' }], moved, ['Выписка'])
  const page = (await upload(file, { mapping: 'test-bank' })).location!
  const shown = await settled(page)
  assert.match(shown, /The header has changed/)
  const found = formOf(shown, 'read')
  assert.deepEqual(
    ['skipRows', 'payerName', 'date', 'credit', 'debit', 'purpose1', 'account', 'name'].map(
      (name) => found[name],
    ),
    ['1', '0', '1', '3', '4', '5', await accountId(), 'test-bank'],
  )

  // Places that were chosen among other columns are not believed.
  const cut = await browser.post(`${page}/read`, { ...found, skipRows: '0', keep: 'on' })
  assert.equal(cut.status, 422)
  assert.match(cut.text, /split into columns again/)
  assert.equal(formOf(cut.text, 'read').date, '')
  const none = await browser.post(`${page}/read`, formOf(cut.text, 'read'))
  assert.equal(errorOf(none.text, 'date'), 'Choose the date column.')

  await gateway.db.query(sql`
    insert into csv_mappings (name, mapping) select 'other-bank', mapping from csv_mappings where name = 'test-bank'`)
  const taken = await browser.post(`${page}/read`, { ...found, name: 'other-bank', keep: 'on' })
  assert.equal(errorOf(taken.text, 'name'), 'This name is already used by another format.')

  // Without a word nothing is kept; with one the bank's mapping is corrected.
  const count = async () => (await mappingLines()).length
  await browser.post(`${page}/read`, found)
  assert.equal(tile(await settled(page), 'New'), 1)
  assert.equal(await count(), 1)
  await browser.post(`${page}/read`, { ...found, keep: 'on' })
  await settled(page)
  const [, corrected] = await mappingLines()
  assert.deepEqual(
    [JSON.parse(corrected!.before).columns.payerName, JSON.parse(corrected!.after).columns.payerName],
    [4, 0],
  )
  // A person who saw an earlier reading cannot import a later one.
  assert.equal((await browser.post(`${page}/take`, { reading: '1', anyway: 'on' })).status, 409)
  await browser.post(`${page}/drop`)
  assert.equal((await browser.post(`${page}/read`, found)).status, 404)
  assert.deepEqual(await uploaded(), [])
})

test('a saved mapping is visible to all, and removed by operators', async () => {
  const { browser: auditor } = await joined(gateway, { operatorRole: 'auditor' })
  const page = '/operator/statements/mappings/test-bank'
  assert.match((await auditor.get('/operator/statements/mappings')).text, /test-bank/)
  const seen = await auditor.get(page)
  assert.match(seen.text, /Назначение платежа/)
  assert.doesNotMatch(seen.text, /Delete format/)
  assert.equal((await auditor.post(`${page}/remove`)).status, 403)
  const removed = await browser.post(`${page}/remove`)
  assert.equal(removed.location, '/operator/statements/mappings?done=remove')
  assert.equal((await browser.get(page)).status, 404)
  const { act, before } = (await mappingLines()).at(-1)!
  assert.equal(act, 'mapping_remove')
  assert.doesNotMatch(before, new RegExp(account))
})

test('a thousand rows that cannot be read are downloaded, also where few of them are shown', async () => {
  const rows = Array.from({ length: 1_150 }, () => ({ cents: 100, purpose: 'x', date: '31.02.2026' }))
  const page = (await upload(statementOf(rows))).location!
  const preview = await settled(page)
  assert.equal(tile(preview, 'Unreadable'), 1_150)
  assert.match(preview, /the first 100 of 1150/)
  assert.equal((await browser.get(`${page}/bad.csv`)).text.trim().split('\r\n').length, 1_001)
  await browser.post(`${page}/drop`)
  assert.deepEqual(await uploaded(), [])
})

test('a damaged file, a wrong mapping and a form without a file leave nothing behind', async () => {
  const damaged = (await upload(new Blob(['\x1f\x8b\b packed']))).location!
  const text = await settled(damaged)
  assert.match(text, /class="badge bad">Failed</)
  assert.match(text, /Nothing was imported/)
  assert.match(text, /<a class="button primary" href="\/operator\/statements\/upload">Upload another file</)
  assert.match((await browser.get('/operator/statements/upload')).text, /<h2>Unfinished uploads<\/h2>/)
  for (const mapping of ['unknown', 'a\0b'])
    assert.equal((await upload(statementOf([]), { mapping })).status, 422)
  assert.equal((await upload(statementOf([]), { mode: 'other' })).status, 422)
  const unknown = await browser.get('/operator/statements/uploads/00000000-0000-4000-8000-000000000000')
  assert.equal(unknown.status, 404)
  assert.deepEqual(await uploaded(), [])
})

type Sent = { status: number; body: string; sentBytes: number }

/** A form written byte by byte, to see when it is refused. */
function send({
  headers,
  parts,
  length,
  to = gateway,
}: {
  headers: Record<string, string>
  parts: Iterable<Buffer>
  length?: number
  to?: TestGateway
}): Promise<Sent> {
  return new Promise((resolve, reject) => {
    let sentBytes = 0
    const call = request(`${to.url}/operator/statements/upload`, {
      method: 'POST',
      headers: {
        'content-type': 'multipart/form-data; boundary=xxx',
        'accept-language': 'en',
        ...(length !== undefined && { 'content-length': length }),
        ...headers,
      },
    })
    let isAnswered = false
    call.on('response', (response) => {
      isAnswered = true
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () => {
        resolve({ status: response.statusCode!, body: Buffer.concat(pieces).toString(), sentBytes })
        call.destroy()
      })
    })
    call.on('error', (error) => !isAnswered && reject(error))
    void (async () => {
      for (const part of parts) {
        if (isAnswered || call.destroyed) return
        sentBytes += part.length
        if (!call.write(part)) await drained(call)
      }
      if (length === undefined) call.end()
    })()
  })
}

const drained = (call: ClientRequest): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      call.off('drain', go).off('close', go)
      resolve()
    }
    call.on('drain', go).on('close', go)
  })

const field = (name: string, value: string) =>
  Buffer.from(`--xxx\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
const fileHead = Buffer.from(
  '--xxx\r\ncontent-disposition: form-data; name="file"; filename="x.txt"\r\ncontent-type: text/plain\r\n\r\n',
)
function* endless(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, 'x')
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece
}
const mega = 1024 * 1024

test('without its token, from another site, or too large, a file is refused before it is read', async () => {
  const ours = { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' }
  const cases: [string, Parameters<typeof send>[0], number][] = [
    ['no token', { headers: ours, parts: [field('mode', 'test'), fileHead, ...endless(mega)] }, 403],
    ['a wrong token', { headers: ours, parts: [field('csrf', 'no'), fileHead, ...endless(mega)] }, 403],
    [
      'the token after the file',
      { headers: ours, parts: [fileHead, ...endless(mega), field('csrf', browser.csrf)] },
      403,
    ],
    [
      'another site',
      {
        headers: { ...ours, 'sec-fetch-site': 'cross-site' },
        parts: [field('csrf', browser.csrf), fileHead],
      },
      403,
    ],
    [
      'nobody',
      { headers: { 'sec-fetch-site': 'same-origin' }, parts: [field('csrf', browser.csrf), fileHead] },
      303,
    ],
    [
      '201 MB, as it says',
      { headers: ours, parts: [field('csrf', browser.csrf), fileHead], length: 201 * mega },
      413,
    ],
  ]
  for (const [name, asked, status] of cases) {
    const answer = await send(asked)
    assert.equal(answer.status, status, name)
  }
  assert.deepEqual(await uploaded(), [])
})

/** Another process of the same installation, with bounds that are reached sooner, until the test ends. */
async function strictGateway(t: TestContext, strict: Partial<Record<keyof typeof bounds, number>>) {
  const usual = Object.fromEntries(
    Object.keys(strict).map((name) => [name, bounds[name as keyof typeof bounds]]),
  )
  Object.assign(bounds, strict)
  t.after(() => Object.assign(bounds, usual))
  return startGateway({ beside: gateway, environment: { INLET_ROLES: 'api,console' } })
}

test('a file that does not say how long it is is refused when it is too long', async (t) => {
  const to = await strictGateway(t, { uploadBytes: 2 * mega })
  const headers = { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' }
  function* parts() {
    yield field('csrf', browser.csrf)
    yield field('mode', 'test')
    yield fileHead
    yield* endless(3 * mega)
  }
  const { status, body } = await send({ headers, parts: parts(), to })
  assert.equal(status, 413)
  assert.match(body, /\b2 MB/)
  assert.deepEqual(await uploaded(), [])
})

/** How many files are arriving. */
const arriving = async (): Promise<number> =>
  (await gateway.db.query(sql`select id from statement_uploads where state = 'arriving'`)).length

/** A file of which a megabyte was sent, and no more comes. */
function beginUpload({ cookie, csrf }: PersonsBrowser): ClientRequest {
  const call = request(`${gateway.url}/operator/statements/upload`, {
    method: 'POST',
    headers: {
      ...{ cookie, 'sec-fetch-site': 'same-origin' },
      'content-type': 'multipart/form-data; boundary=xxx',
    },
  })
  call.on('error', () => {})
  call.write(Buffer.concat([field('csrf', csrf), field('mode', 'test'), fileHead, ...endless(mega)]))
  return call
}

test('a file whose sender leaves is deleted, so that it takes no room on the disk', async () => {
  for (let place = 0; place < 5; place++) {
    const call = beginUpload(browser)
    await until('the file is being written', async () => (await arriving()) > 0)
    call.destroy()
  }
  await until('no file stays', async () => (await uploaded()).length === 0)
})

test('a person who sends many files at once is refused before they fill the disk', async () => {
  const { ofOwner } = bounds.uploadsAtOnce
  const { browser: other } = await joined(gateway, { operatorRole: 'operator' })
  const statuses: number[] = []
  const calls = Array.from({ length: ofOwner + 4 }, () =>
    beginUpload(other).on('response', (response) => statuses.push(response.resume().statusCode!)),
  )
  await until('the others are refused', () => statuses.length >= 4)
  assert.deepEqual(statuses, [503, 503, 503, 503])
  await until('some are written', async () => (await arriving()) === ofOwner)
  for (const call of calls) call.destroy()
  await until('no file stays', async () => (await uploaded()).length === 0)
})

test('senders that leave while their session is looked up do not occupy a place for uploads', async () => {
  const { browser: other } = await joined(gateway, { operatorRole: 'operator' })
  const port = Number(new URL(gateway.url).port)
  await gateway.database.owner.transaction(async (tx) => {
    await tx.run(sql`lock table sessions in access exclusive mode`)
    const head =
      `POST /operator/statements/upload HTTP/1.1\nHost: x\nCookie: ${other.cookie}\nSec-Fetch-Site: same-origin
Content-Type: multipart/form-data; boundary=xxx\nTransfer-Encoding: chunked\n\n`.replaceAll('\n', '\r\n')
    const left = Array.from({ length: bounds.uploadsAtOnce.ofOwner }, () =>
      connect({ port }).end(head).resume(),
    )
    await Promise.all(left.map((socket) => once(socket, 'close')))
  })
  const file = await statementOf([{ cents: 778, purpose: 'Перевод' }])
  const sent = () => other.upload('/operator/statements/upload', { mode: 'test' }, file, 'a.txt')
  await until('a place is free', async () => (await sent()).status === 303)
})

test('a file whose sender is disabled while it arrives is refused and removed', async () => {
  const { browser: other, person } = await joined(gateway, { operatorRole: 'operator' })
  const before = await uploaded()
  const call = beginUpload(other)
  const answered = once(call, 'response')
  await until('the file is being written', async () => (await arriving()) > 0)
  await gateway.database.owner.query(sql`update people set disabled_at = inlet_now() where id = ${person.id}`)
  call.end('\r\n--xxx--\r\n')
  const [{ statusCode }] = await answered
  assert.equal(statusCode, 303)
  assert.equal(await arriving(), 0)
  assert.deepEqual(await uploaded(), before)
})

test('a slow file is not cut off at the time that every other request has', async (t) => {
  const { url } = await strictGateway(t, { headersTimeoutMs: 1_000, requestTimeoutMs: 1_500 })
  const headers = { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' }
  const bytes = Buffer.from(await statementOf([{ cents: 777, purpose: 'Перевод' }]).arrayBuffer())
  const call = request(`${url}/operator/statements/upload`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'multipart/form-data; boundary=xxx' },
  })
  const answered = new Promise<number>((resolve, reject) => {
    call.on('response', (response) => resolve(response.resume().statusCode!))
    call.on('error', reject)
  })
  call.write(Buffer.concat([field('csrf', browser.csrf), field('mode', 'test'), fileHead]))
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  call.end(Buffer.concat([bytes, Buffer.from('\r\n--xxx--\r\n')]))
  assert.equal(await answered, 303)
})

test('a live file above the limit of one person has to be imported by a second person', async () => {
  const number = liveNumber
  await gateway.database.owner.query(sql`
    insert into receiving_accounts (id, mode, currency, label, owner_legal_name, owner_public_name, owner_tax_id, owner_agreement, added_by, number)
    select gen_random_uuid(), 'live', currency, label, owner_legal_name, owner_public_name, owner_tax_id, owner_agreement, added_by, ${number}
    from receiving_accounts where number = ${account}`)
  const [admin, approver] = [
    await joined(gateway, { operatorRole: 'admin' }),
    await joined(gateway, { operatorRole: 'approver' }),
  ]
  const file = async (cents: number) =>
    new Blob([(await statementOf([{ cents, purpose: 'Перевод' }]).text()).replaceAll(account, number)])
  const bring = async (by: PersonsBrowser, cents: number) =>
    (await by.upload('/operator/statements/upload', { mode: 'live' }, await file(cents), 'live.txt'))
      .location!
  const take = async (by: PersonsBrowser, page: string) =>
    (await by.post(`${page}/take`, { reading: '1' })).status

  const page = await bring(admin.browser, 900_001)
  assert.match(await settled(page), /Another approver or admin must import it/)
  assert.doesNotMatch((await admin.browser.get(page)).text, /name="reading"/)
  assert.deepEqual([await take(admin.browser, page), await take(browser, page)], [409, 409])
  assert.equal(await take(approver.browser, page), 303)
  assert.match(await settled(page), /Import result/)
  const [line] = await gateway.db.query<{ after: string }>(
    sql`select after from audit_entries where act = 'statement_take' and actor = ${approver.email}`,
  )
  assert.deepEqual(JSON.parse(line!.after).brought_by, [admin.person.id])

  // Up to the sum that one may confirm, one brings and takes it.
  const above = { isSingleOperator: false, secondPersonAbove: { RUB: '900000' } }
  await gateway.db.transaction((tx) => saveApprovalSettings(tx, above))
  const small = await bring(browser, 900_000)
  await settled(small)
  assert.equal(await take(browser, small), 303)
  await settled(small)
  // Several files of one day are not more than one.
  const more = await bring(browser, 1)
  await settled(more)
  assert.equal(await take(browser, more), 409)
  const large = await bring(browser, 900_002)
  await settled(large)
  assert.equal(await take(browser, large), 409)
  // A person who just got access from the uploader is not independent of them.
  await gateway.database.owner.query(sql`
    insert into sign_in_links (digest, id, person_id, purpose, made_by, made_by_person, used_at, expires_at)
    values ('\\x01', gen_random_uuid(), ${approver.person.id}, 'reset', 'the admin', ${admin.person.id}, inlet_now(),
      inlet_now() + interval '1 hour')`)
  const friends = await bring(admin.browser, 900_003)
  await settled(friends)
  assert.equal(await take(approver.browser, friends), 409)
  // Alone, an admin takes what they brought.
  await gateway.db.transaction((tx) => saveApprovalSettings(tx, { ...above, isSingleOperator: true }))
  assert.equal(await take(admin.browser, friends), 303)
  await settled(friends)
})

test('the person who maps the columns of a live table counts as its uploader', async () => {
  const [admin, approver] = [
    await joined(gateway, { operatorRole: 'admin' }),
    await joined(gateway, { operatorRole: 'approver' }),
  ]
  await gateway.db.transaction((tx) =>
    saveApprovalSettings(tx, { isSingleOperator: false, secondPersonAbove: {} }),
  )
  const table = csvOf([{ cents: 900_004, purpose: 'Перевод' }])
  const sent = await admin.browser.upload('/operator/statements/upload', { mode: 'live' }, table, 'live.csv')
  const page = sent.location!
  // The fields, without the session's token.
  const { csrf: _csrf, keep: _keep, ...guessed } = formOf(await settled(page), 'read')
  const [live] = await gateway.db.query<{ id: string }>(
    sql`select id from receiving_accounts where mode = 'live' and number is not null`,
  )
  const read = await approver.browser.post(`${page}/read`, {
    ...guessed,
    account: live!.id,
    keep: '',
    name: '',
  })
  assert.equal(read.status, 303, read.text)
  await settled(page)
  assert.equal((await approver.browser.post(`${page}/take`, { reading: '2', anyway: 'on' })).status, 409)
})

test('the person who saved the mapping of a live table counts as its uploader', async () => {
  const [author, approver] = [
    await joined(gateway, { operatorRole: 'approver' }),
    await joined(gateway, { operatorRole: 'approver' }),
  ]
  await gateway.db.transaction((tx) =>
    saveApprovalSettings(tx, { isSingleOperator: false, secondPersonAbove: {} }),
  )
  const bring = async (by: PersonsBrowser, cents: number, mapping: string) => {
    const table = csvOf([{ cents, purpose: 'Перевод' }])
    const fields = { mode: 'live', mapping }
    return (await by.upload('/operator/statements/upload', fields, table, 'live.csv')).location!
  }
  const first = await bring(author.browser, 900_007, '')
  const { csrf: _csrf, ...guessed } = formOf(await settled(first), 'read')
  const [live] = await gateway.db.query<{ id: string }>(
    sql`select id from receiving_accounts where mode = 'live' and number = ${liveNumber}`,
  )
  const kept = { ...guessed, account: live!.id, keep: 'on', name: 'live-bank' }
  assert.equal((await author.browser.post(`${first}/read`, kept)).status, 303)
  await settled(first)

  const page = await bring(browser, 900_008, 'live-bank')
  await settled(page)
  const take = async (by: PersonsBrowser) =>
    (await by.post(`${page}/take`, { reading: '1', anyway: 'on' })).status
  assert.equal(await take(author.browser), 409)
  assert.equal(await take(approver.browser), 303)
  await settled(page)
})

test('of several people who brought a live file, and of its currencies, each one counts', async () => {
  const people = [
    await joined(gateway, { operatorRole: 'approver' }),
    await joined(gateway, { operatorRole: 'approver' }),
    await joined(gateway, { operatorRole: 'approver' }),
  ].map(({ person }) => person)
  const [uploader, mapper, other] = people as [Person, Person, Person]
  const secondPersonAbove = { RUB: '900000' }
  await gateway.db.transaction((tx) =>
    saveApprovalSettings(tx, { isSingleOperator: false, secondPersonAbove }),
  )
  const right = async (person: Person, cents: Record<string, string>) => {
    const incoming = Object.entries(cents).map(([currency, cents]) => ({ currency, cents }) as never)
    const file = { mode: 'live', broughtBy: [uploader.id, mapper.id], incoming } as const
    return (await importRight(gateway.db, file, person)).is
  }
  for (const above of [{ KZT: '1', RUB: '1' }, { RUB: '1', KZT: '1' }, { RUB: '900001' }])
    assert.deepEqual(
      [await right(uploader, above), await right(mapper, above), await right(other, above)],
      ['never', 'never', 'second_person'],
      JSON.stringify(above),
    )
  assert.equal(await right(uploader, { RUB: '1' }), 'alone')
})

test('a live file cannot be imported alone by confirming before it has been read', async () => {
  const admin = await joined(gateway, { operatorRole: 'admin' })
  await gateway.db.transaction((tx) =>
    saveApprovalSettings(tx, { isSingleOperator: false, secondPersonAbove: {} }),
  )
  const file = new Blob([
    (await statementOf([{ cents: 900_005, purpose: 'Перевод' }]).text()).replaceAll(account, liveNumber),
  ])
  const taken: number[] = []
  await holding('staged_entries', async (readOn) => {
    const { location } = await admin.browser.upload(
      '/operator/statements/upload',
      { mode: 'live' },
      file,
      'live.txt',
    )
    await holding('installation', async (decideOn) => {
      const take = admin.browser.post(`${location}/take`, { reading: '1' })
      await waiting('installation')
      readOn()
      await new Promise((resolve) => setTimeout(resolve, 500))
      decideOn()
      taken.push((await take).status)
    })
  })
  assert.deepEqual(taken, [409])
})

test('a live file that reads as more than it did when it was looked at is not taken', async () => {
  const admin = await joined(gateway, { operatorRole: 'admin' })
  await gateway.db.transaction((tx) =>
    saveApprovalSettings(tx, { isSingleOperator: false, secondPersonAbove: { RUB: '1000' } }),
  )
  const other = '40702810300000008888'
  const text = (
    await statementOf([
      { cents: 1_000, purpose: 'Перевод' },
      { cents: 900_006, purpose: 'Перевод' },
    ]).text()
  )
    .replaceAll(account, liveNumber)
    .replace('ВсегоПоступило=9010.06', 'ВсегоПоступило=10.00')
  const place = text.lastIndexOf(`ПолучательСчет=${liveNumber}`)
  const file = new Blob([text.slice(0, place), text.slice(place).replace(liveNumber, other)])
  const page = (await admin.browser.upload('/operator/statements/upload', { mode: 'live' }, file, 'live.txt'))
    .location!
  assert.equal(tile(await settled(page), 'New'), 1)
  const [added] = await gateway.database.owner.query<{ id: string }>(sql`
    insert into receiving_accounts (id, mode, currency, label, owner_legal_name, owner_public_name, owner_tax_id, owner_agreement, added_by)
    select gen_random_uuid(), 'live', currency, label, owner_legal_name, owner_public_name, owner_tax_id, owner_agreement, added_by
    from receiving_accounts where number = ${account}
    returning id`)
  await changeAccountNumber(gateway.db, added!.id, other)
  assert.equal((await admin.browser.post(`${page}/take`, { reading: '1', anyway: 'on' })).status, 303)
  assert.match(await settled(page), /The file reads differently than when it was checked/)
  const rows = await gateway.db.query(sql`select id from transfers where account_id = ${added!.id}`)
  assert.deepEqual(rows, [])
})

/** Small live files of somebody who has taken none today, where one person may confirm 10.00. */
async function smallFiles() {
  const { browser: by } = await joined(gateway, { operatorRole: 'operator' })
  await gateway.db.transaction((tx) =>
    saveApprovalSettings(tx, { isSingleOperator: false, secondPersonAbove: { RUB: '1000' } }),
  )
  const bring = async (cents: number) => {
    const text = await statementOf([{ cents, purpose: 'Перевод' }]).text()
    const file = new Blob([text.replaceAll(account, liveNumber)])
    const sent = await by.upload('/operator/statements/upload', { mode: 'live' }, file, 'live.txt')
    await settled(sent.location!)
    return sent.location!
  }
  const take = async (page: string) => (await by.post(`${page}/take`, { reading: '1' })).status
  return { bring, take, see: (page: string) => settled(page, by) }
}

test('live files that one person takes at once are not more than one after the other', async () => {
  const { bring, take, see } = await smallFiles()
  const pages = [await bring(601), await bring(602), await bring(603)]
  await holding('staged_entries', async () => {
    for (const page of pages) await take(page)
  })
  const [first, ...others] = await Promise.all(pages.map(see))
  assert.match(first!, /Import result/)
  for (const other of others) assert.match(other, /Another approver or admin must import it/)
  const rows = await gateway.db.query<{ cents: bigint }>(
    sql`select cents from transfers where cents between 601 and 603`,
  )
  assert.deepEqual(rows, [{ cents: 601n }])
})

test('a live file whose import continues today counts for today', async () => {
  const { bring, take } = await smallFiles()
  const [first, second] = [await bring(604), await bring(605)]
  assert.equal(await take(first), 303)
  assert.match(await settled(first), /Import result/)
  await gateway.database.owner.query(sql`
    update statements set taken_at = taken_at - interval '25 hours'
    where id = (select r.statement_id from report_rows r join transfers t on t.id = r.transfer_id where t.cents = 604)`)
  assert.equal(await take(second), 409)
})

test('an import that waits for its turn ends when its requester loses access', async () => {
  const leaver = await joined(gateway, { operatorRole: 'operator' })
  const file = statementOf([{ cents: 70_707, purpose: 'Перевод' }])
  const { location: page } = await leaver.browser.upload(
    '/operator/statements/upload',
    { mode: 'test' },
    file,
    'last.txt',
  )
  const [, reading] = /name="reading" value="(\d+)"/.exec(await settled(page!))!
  await holding('staged_entries', async () => {
    await upload(statementOf([{ cents: 70_708, purpose: 'Перевод' }]))
    await waiting('staged_entries')
    assert.equal((await leaver.browser.post(`${page}/take`, { reading: reading! })).status, 303)
    await disablePerson(gateway.db, leaver.email, true, { personId: null, name: 'test', requestId: null })
  })
  assert.doesNotMatch(await settled(page!), /Import result/)
  assert.deepEqual(await gateway.db.query(sql`select id from transfers where cents = 70707`), [])
})

/** While nobody else comes at a table, until it is let go. */
async function holding(
  table: 'staged_entries' | 'installation',
  during: (release: () => void) => Promise<void>,
) {
  const [locked, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = gateway.database.owner.transaction(async (tx) => {
    await tx.query(table === 'installation' ? sql`lock table installation` : sql`lock table staged_entries`)
    locked.resolve()
    await done.promise
  })
  await locked.promise
  await during(done.resolve).finally(done.resolve)
  await held
}

const waiting = (table: string) =>
  until(`somebody waits for ${table}`, () =>
    gateway.db.has(sql`select 1 from pg_locks where not granted and relation = ${table}::regclass`),
  )
