/** An uploaded file works in every process, on every machine: two gateways with one database, each with its own data folder. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { notBegun } from '../../src/domain/statements/progress.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { claimImportTurn, renewUpload } from '../../src/surfaces/desk/statements/upload-store.ts'
import { dotted, forgetMoneyIn, today } from '../support/bank.ts'
import { formOf } from '../support/form-of.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'
import { textCell, workbookOf } from '../support/writers/xlsx.ts'

let first: TestGateway
let second: TestGateway
let uploader: PersonsBrowser
let taker: PersonsBrowser
before(async () => {
  first = await startGateway({ environment: { INLET_ROLES: 'console' } })
  second = await beside()
  uploader = (await joined(first, { operatorRole: 'operator' })).browser
  taker = (await joined(second, { operatorRole: 'operator' })).browser
})

const beside = () => startGateway({ beside: first, environment: { INLET_ROLES: 'console' } })

const account = '40702810300000000042'
let amount = 100

/** A statement with one entry, a different one each time. */
function statement(): Blob {
  const money = (++amount / 100).toFixed(2)
  const day = dotted(today())
  const lines = [
    ...['1CClientBankExchange', 'ВерсияФормата=1.03', 'Кодировка=Windows', `РасчСчет=${account}`],
    ...['СекцияРасчСчет', `ДатаНачала=${day}`, `ДатаКонца=${day}`, `РасчСчет=${account}`],
    ...[`ВсегоПоступило=${money}`, 'КонецРасчСчет', 'СекцияДокумент=Платежное поручение'],
    ...[`Номер=${amount}`, `Дата=${day}`, `Сумма=${money}`, 'ПлательщикСчет=40817810000000000001'],
    ...['Плательщик1=Иванов Иван', `ПолучательСчет=${account}`, `ДатаПоступило=${day}`],
    ...['НазначениеПлатежа=Перевод', 'КонецДокумента', 'КонецФайла'],
  ]
  return new Blob([lines.join('\r\n')])
}

async function uploaded(browser = uploader): Promise<string> {
  const sent = await browser.upload(
    '/operator/statements/upload',
    { mode: 'test' },
    statement(),
    'statement.txt',
  )
  assert.equal(sent.status, 303, sent.text)
  return sent.location!
}

async function settled(browser: PersonsBrowser, page: string): Promise<string> {
  for (let tries = 0; tries < 1_500; tries++) {
    const { text } = await browser.get(page)
    if (!text.includes('data-under-way')) return text
    await sleep(50)
  }
  throw new Error('It is still under way.')
}

const idOf = (page: string) => page.split('/').at(-1)!
const readingOf = (text: string) => /name="reading" value="(\d+)"/.exec(text)?.[1] ?? ''
const partsOf = (page: string) =>
  first.db.query<{ number: number; bytes: number }>(sql`
    select number, octet_length(bytes) as bytes from upload_parts where upload_id = ${idOf(page)} order by number`)

/** Uploads a file, and blocks its reading until the work is done. */
async function whileReadingWaits(work: (page: string) => Promise<void>, browser = uploader): Promise<void> {
  await first.database.owner.transaction(async (tx) => {
    await tx.query(sql`lock table staged_entries in access exclusive mode`)
    await work(await uploaded(browser))
  })
}

test('a file that was uploaded at one process is previewed and imported at another', async () => {
  const page = await uploaded()
  const preview = await settled(taker, page)
  assert.match(preview, /the totals match/)
  assert.match((await taker.get('/operator/statements/upload')).text, new RegExp(idOf(page)))
  const taken = await taker.post(`${page}/take`, { reading: readingOf(preview) })
  assert.equal(taken.status, 303, taken.text)
  const twice = await uploader.post(`${page}/take`, { reading: readingOf(preview) })
  assert.equal(twice.status, 409)
  assert.match(await settled(uploader, page), /Import result/)
  assert.deepEqual(await partsOf(page), [])
})

test('if two people confirm at two processes simultaneously, only one imports', async () => {
  const page = await uploaded()
  const reading = readingOf(await settled(uploader, page))
  const statuses = (
    await Promise.all([uploader, taker].map((browser) => browser.post(`${page}/take`, { reading })))
  ).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [303, 409])
  await settled(taker, page)
  const [row] = await first.db.query<{ count: number }>(sql`
    select count(*)::int as count from audit_entries where act = 'statement_take' and subject = ${`upload:${idOf(page)}`}`)
  assert.equal(row!.count, 1)
})

test('files are read one at a time, and one process can stop a file that another one reads', async () => {
  const other = await uploaded()
  await settled(uploader, other)
  const hold = (until: string) =>
    first.db.run(sql`
      update statement_uploads
      set has_turn = ${until !== ''}, runner = ${newId()}, runs_until = now() + ${until || '-1 s'}::interval
      where id = ${idOf(other)}`)
  await hold('1 hour')
  const page = await uploaded()
  assert.match((await taker.get(page)).text, /Reading the file\./)
  assert.equal((await taker.post(`${page}/stop`)).status, 303)
  // The process that reads learns of it when it renews its lease.
  await settled(uploader, page)
  const [row] = await first.db.query<{ state: string }>(
    sql`select state from statement_uploads where id = ${idOf(page)}`,
  )
  assert.equal(row!.state, 'stopped')
  await hold('')
  assert.match(await settled(taker, await uploaded()), /the totals match/)
})

test('a lease that has run out is not renewed after another file got the turn: two imports would run at once', async () => {
  const upload = async () => {
    const page = await uploaded()
    await settled(uploader, page)
    const lease = { id: idOf(page), runner: newId(), progress: notBegun }
    await first.db.run(sql`
      update statement_uploads
      set state = 'taking', runner = ${lease.runner}, runs_until = now() + interval '1 minute'
      where id = ${lease.id}`)
    return lease
  }
  const [slow, other] = [await upload(), await upload()]
  const expire = () =>
    first.db.run(
      sql`update statement_uploads set runs_until = now() - interval '1 second' where id = ${slow.id}`,
    )
  assert.equal(await claimImportTurn(first.db, slow), true)
  assert.equal(await claimImportTurn(first.db, other), false)
  // It was late, but nobody wanted the turn meanwhile.
  await expire()
  assert.deepEqual(await renewUpload(first.db, slow), { isStopping: false })
  assert.equal(await claimImportTurn(first.db, other), false)
  await expire()
  assert.equal(await claimImportTurn(first.db, other), true)
  assert.equal(await renewUpload(first.db, slow), undefined)
  assert.deepEqual(await renewUpload(first.db, other), { isStopping: false })
  await first.db.run(sql`
    update statement_uploads
    set state = 'previewed', runner = null, runs_until = null, has_turn = false
    where id = any(${[slow.id, other.id]}::uuid[])`)
})

test('a file that was being read when its process stopped has stopped too', async () => {
  const third = await beside()
  const browser = (await joined(third, { operatorRole: 'operator' })).browser
  let page = ''
  await whileReadingWaits(async (location) => {
    page = location
    await third.stop()
  }, browser)
  assert.match(await settled(taker, page), /Stopped\. Nothing was imported/)
  await taker.post(`${page}/drop`)
})

test('after a process was killed and its lease has expired, a reading has stopped and an import can be started again', async () => {
  const page = await uploaded()
  await settled(uploader, page)
  const kill = (state: string) =>
    first.db.run(sql`
      update statement_uploads
      set state = ${state}, runner = ${newId()}, has_turn = true, runs_until = now() - interval '1 second'
      where id = ${idOf(page)}`)
  await kill('reading')
  assert.match(await settled(taker, page), /Stopped\. Nothing was imported/)
  await kill('taking')
  const preview = await settled(taker, page)
  assert.equal((await taker.post(`${page}/take`, { reading: readingOf(preview) })).status, 303)
  assert.match(await settled(uploader, page), /Import result/)
})

test('old uploads, and those whose process died while they arrived, are deleted with the next', async () => {
  const page = await uploaded()
  await settled(uploader, page)
  await first.db.run(
    sql`update statement_uploads set uploaded_at = now() - interval '61 minutes' where id = ${idOf(page)}`,
  )
  const [dead, alive] = [newId(), newId()]
  await first.db.run(sql`
    insert into statement_uploads (id, state, reading, progress, document, runs_until)
    values (${dead}, 'arriving', 0, '{}', '{}', now() - interval '1 second'),
      (${alive}, 'arriving', 0, '{}', '{}', now() + interval '1 minute')`)
  assert.equal((await taker.get(`/operator/statements/uploads/${alive}`)).status, 404)
  await settled(uploader, await uploaded())
  const left = await first.db.query<{ id: string }>(
    sql`select id from statement_uploads where id = any(${[idOf(page), dead, alive]}::uuid[])`,
  )
  assert.deepEqual(left, [{ id: alive }])
  assert.deepEqual(await partsOf(page), [])
})

test('a table of several parts, whose columns are described at another process, is imported there', async () => {
  await forgetMoneyIn(first)
  const header = 'Дата;Тип операции;Сумма;Назначение платежа'
  const rows = Array.from(
    { length: 3_000 },
    (_, row) => `${dotted(today())};Зачисление;${row + 100}.55;Перевод ${'x'.repeat(700)}`,
  )
  const table = new Blob([[header, ...rows, ''].join('\r\n')])
  const { location } = await uploader.upload(
    '/operator/statements/upload',
    { mode: 'test' },
    table,
    'bank.csv',
  )
  const page = location!
  const guessed = formOf(await settled(taker, page), 'read')
  const parts = await partsOf(page)
  assert.deepEqual(
    parts.map(({ number }) => number),
    [0, 1, 2],
  )
  assert.equal(
    parts.reduce((all, { bytes }) => all + bytes, 0),
    table.size,
  )
  const { id } = await first.db.one<{ id: string }>(
    sql`select id from receiving_accounts where number = ${account} and mode = 'test'`,
  )
  const described = await taker.post(`${page}/read`, {
    ...guessed,
    account: id,
    directionsIn: 'Зачисление',
    directionsOut: 'Списание',
    name: '',
  })
  assert.equal(described.status, 303, described.text)
  const preview = await settled(taker, page)
  const read = await first.db.one(sql`
    select document -> 'report' -> 'rows' as rows, document -> 'report' -> 'badRows' as bad, document -> 'problem' as problem
    from statement_uploads
    where id = ${idOf(page)}`)
  assert.deepEqual(read, { rows: 3_000, bad: 0, problem: null })
  const taken = await taker.post(`${page}/take`, { reading: readingOf(preview), anyway: 'on' })
  assert.equal(taken.status, 303, taken.text)
  assert.match(await settled(uploader, page), /Import result/)
  assert.deepEqual(await partsOf(page), [])
})

test('the columns of a workbook are read only once, however often the page is opened', async () => {
  const rows = [
    ['Datum', 'Betrag', 'Zweck'],
    ['14.11.2026', '1.00', 'A'],
  ]
  const book = new Blob([Buffer.from(workbookOf(rows.map((row) => row.map(textCell))))])
  const { location } = await uploader.upload(
    '/operator/statements/upload',
    { mode: 'test' },
    book,
    'book.xlsx',
  )
  const page = location!
  assert.match(await settled(uploader, page), /Betrag/)
  assert.match((await uploader.get(page)).text, /Betrag/)
  await first.db.run(sql`delete from upload_parts where upload_id = ${idOf(page)}`)
  const looks = await Promise.all([uploader, taker, uploader, taker].map((browser) => browser.get(page)))
  for (const { status, text } of looks) {
    assert.equal(status, 200)
    assert.match(text, /Betrag/)
  }
  await uploader.post(`${page}/drop`)
})

test('who uploaded a file and who threw it away is in the audit log', async () => {
  const thrown = await uploaded()
  await settled(uploader, thrown)
  assert.equal((await taker.post(`${thrown}/drop`)).status, 303)
  assert.equal((await taker.post(`${thrown}/drop`)).status, 303)
  let stopped = ''
  await whileReadingWaits(async (page) => {
    assert.equal((await taker.post(`${page}/stop`)).status, 303)
    stopped = page
  })
  for (const page of [thrown, stopped]) {
    const acts = await first.database.owner.query<{ act: string; file: string; email: string }>(sql`
      select e.act, e.after::jsonb ->> 'file' as file, p.name as email
      from audit_entries e
      join people p on p.id = e.person_id
      where e.subject = ${`upload:${idOf(page)}`}
      order by e.place`)
    assert.deepEqual(
      acts.map(({ act, file }) => `${act} ${file}`),
      ['statement_upload statement.txt', 'statement_drop statement.txt'],
    )
    assert.notEqual(acts[0]!.email, acts[1]!.email)
  }
})
