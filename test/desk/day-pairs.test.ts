/** A whole day of an account at once: its held rows and what was told early, and the rows that wait until a file closes it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '../../src/platform/db.ts'
import { accountOf, bankDay, transferTo } from '../support/bank.ts'
import { fileOfDay, heldDay, importDay, stateOfTransfer, yesterday } from '../support/booked-day.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'
import { misprintsOf } from '../support/staff-pages.ts'

let gateway: TestGateway
let shop: Shop
let worker: Awaited<ReturnType<typeof joined>>
let accounts: string[]
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  worker = await joined(gateway, { operatorRole: 'operator' })
  const { body } = await shop.create({ cents: 9_999_900, payment_type: 'account_number' })
  const first = await accountOf(gateway, body.id)
  // Each test has an account of its own, with deposits that are paid to it.
  const rows = await gateway.database.owner.query<{ id: string }>(sql`
    insert into receiving_accounts (id, mode, currency, label, owner_legal_name, owner_public_name, owner_tax_id, owner_agreement, added_by, number)
    select gen_random_uuid(), mode, currency, 'Account ' || n, owner_legal_name, owner_public_name, owner_tax_id, owner_agreement, added_by,
      '4070281030000000010' || n
    from receiving_accounts, generate_series(1, 5) n
    where id = ${first}
    returning id`)
  accounts = rows.map(({ id }) => id)
})

const dayPage = (account: string, day = yesterday) =>
  `/operator/held-days/${encodeURIComponent(`${account}:${day}`)}`
const seenIn = (page: string): string => /name="seen" value="([^"]+)"/.exec(page)![1]!
const pair = (account: string, fields: Record<string, string>) =>
  worker.browser.post(`${dayPage(account)}/pair`, { reason: 'Compared', ...fields })

test('held rows of a day are paired with what was told early, as the page shows them', async () => {
  const account = accounts[0]!
  const { early, held } = await heldDay(gateway, account, [101_000n, 202_000n, 303_000n])
  assert.ok((await worker.browser.get('/operator?kind=held')).text.includes('href="/operator/held-days"'))
  const days = (await worker.browser.get('/operator/held-days')).text
  assert.ok(days.includes(`href="${dayPage(account)}"`), 'the list leads to the day')
  const { text } = await worker.browser.get(dayPage(account))
  for (const id of [...early, ...held]) assert.match(text, new RegExp(id))
  assert.deepEqual(misprintsOf(text), [])
  const done = await pair(account, { seen: seenIn(text) })
  assert.match(done.location!, /done=pair/)
  for (const [at, id] of held.entries()) {
    const row = await gateway.db.one<{ state: string; duplicate_of: string }>(
      sql`select state, duplicate_of from transfers where id = ${id}`,
    )
    assert.deepEqual(row, { state: 'duplicate', duplicate_of: early[at] })
    const { told_booked_at } = await gateway.db.one<{ told_booked_at: Date | null }>(
      sql`select told_booked_at from transfers where id = ${early[at]!}`,
    )
    assert.notEqual(told_booked_at, null)
  }
  const line = await gateway.db.one<{ act: string; after: string }>(
    sql`select act, after from audit_entries order by place desc limit 1`,
  )
  assert.equal(line.act, 'day_pair')
  assert.deepEqual(JSON.parse(line.after).pairs.length, 3)
  assert.match((await worker.browser.get(dayPage(account))).text, /Nothing to pair/)
})

test('pairs that have changed since somebody looked are not paired, and the reason is kept', async () => {
  const account = accounts[1]!
  const { early, held } = await heldDay(gateway, account, [111_000n, 222_000n])
  const seen = seenIn((await worker.browser.get(dayPage(account))).text)
  await worker.browser.post(`/operator/transfers/${held[1]}/take`)
  await worker.browser.post(`/operator/transfers/${held[1]}/same`, {
    of: early[1]!,
    reason: 'The same',
  })
  const refused = await pair(account, { seen, reason: 'What was typed' })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /has changed since you looked[\s\S]*value="What was typed"/)
  assert.equal(await stateOfTransfer(gateway, held[0]!), 'held')
  assert.notEqual(seenIn(refused.text), seen, 'the page has the pairs of now')
  assert.match((await pair(account, { seen: seenIn(refused.text) })).location!, /done=pair/)
})

test('parked rows are listed, and one of them or all of a day are taken', async () => {
  const account = accounts[2]!
  const today = bankDay(0)
  // A push is the early source: the file's rows of a day that it does not close wait.
  await transferTo(gateway, account, { cents: 1_000n, bookedOn: today })
  const rows = [{ cents: 41_000n }, { cents: 42_000n }, { cents: 43_000n }]
  const report = await importDay(gateway, account, rows, { day: today, madeOn: today })
  assert.equal(report.taken.parked, 3)
  const list = async (query = '') => (await worker.browser.get(`/operator/parked${query}`)).text
  const text = await list(`?account=${account}`)
  assert.deepEqual(misprintsOf(text), [])
  const found = [...text.matchAll(/<th scope="row"[^>]*><a href="(\/operator\/parked\/[^"]+)"/g)].map(
    ([, href]) => href!,
  )
  assert.equal(found.length, 3)
  for (const queue of ['/operator', `/operator?kind=parked&account=${account}`])
    assert.match((await worker.browser.get(queue)).text, /href="\/operator\/parked/)
  const take = (href: string, act: string, reason: string) =>
    worker.browser.post(`${href}/${act}`, { reason })
  assert.equal((await take(found[0]!, 'take', '')).status, 422)
  const one = await take(found[0]!, 'take', 'The customer waits')
  assert.equal(one.location, '/operator/parked?done=take')
  assert.equal((await take(found[0]!, 'take', 'Again')).status, 404)
  await take(found[1]!, 'take-day', 'The customers wait')
  const { count } = await gateway.db.one<{ count: bigint }>(
    sql`select count(*) as count from transfers where account_id = ${account} and cents > 40000`,
  )
  assert.equal(count, 3n)
  assert.match(await list(`?account=${account}`), /Nothing found/)
  const line = await gateway.db.one<{ act: string; reason: string }>(
    sql`select act, reason from audit_entries order by place desc limit 1`,
  )
  assert.deepEqual(line, { act: 'parked_take', reason: 'The customers wait' })
})

/** A page of an upload once its file is read. */
async function read(at: string): Promise<string> {
  for (;;) {
    const { text } = await worker.browser.get(at)
    if (!text.includes('data-under-way')) return text
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('an uploaded file that does not close its days is read again as complete, and closes them', async () => {
  const account = accounts[3]!
  const today = bankDay(0)
  await transferTo(gateway, account, { cents: 1_000n, bookedOn: today })
  const bytes = await fileOfDay(gateway, account, [{ cents: 51_000n }], { day: today, madeOn: today })
  const file = new Blob([Buffer.from(bytes)])
  const sent = await worker.browser.upload('/operator/statements/upload', { mode: 'test' }, file, 'today.xml')
  const at = sent.location!
  assert.match(await read(at), /<details class="panel" open/)
  const again = await worker.browser.post(`${at}/again`, { complete: 'on' })
  assert.equal(again.location, at)
  assert.match(await read(at), /name="complete" value="on" checked/)
  assert.equal((await worker.browser.post(`${at}/take`, { reading: '1' })).status, 409, 'it was read anew')
  await worker.browser.post(`${at}/take`, { reading: '2', anyway: 'on' })
  await read(at)
  const days = await gateway.db.query<{ day: string }>(
    sql`select day from account_days where account_id = ${account}`,
  )
  assert.deepEqual(days, [{ day: today }])
})

test('a file of an account that is counted from elsewhere is kept, to be read for the other accounts', async () => {
  const [counted, free] = [accounts[0]!, accounts[4]!]
  const head = (name: string) =>
    `1CClientBankExchange\r\nВерсияФормата=1.03\r\nКодировка=Windows\r\nОтправитель=${name}\r\n`
  const number = async (id: string) =>
    (await gateway.db.one<{ number: string }>(sql`select number from receiving_accounts where id = ${id}`))
      .number
  const dotted = yesterday.split('-').reverse().join('.')
  const sections = []
  for (const id of [counted, free]) {
    const own = await number(id)
    sections.push(
      `СекцияРасчСчет\r\nДатаНачала=${dotted}\r\nДатаКонца=${dotted}\r\nРасчСчет=${own}\r\nНачальныйОстаток=0.00\r\nВсегоПоступило=500.00\r\nВсегоСписано=0.00\r\nКонечныйОстаток=500.00\r\nКонецРасчСчет\r\n`,
      `СекцияДокумент=Платежное поручение\r\nНомер=7\r\nДата=${dotted}\r\nСумма=500.00\r\nПлательщикСчет=40817810000000000001\r\nПлательщик1=Иванов Иван\r\nПолучательСчет=${own}\r\nДатаПоступило=${dotted}\r\nНазначениеПлатежа=Перевод\r\nКонецДокумента\r\n`,
    )
  }
  const text = `${head('two accounts')}${sections.filter((_, at) => at % 2 === 0).join('')}${sections.filter((_, at) => at % 2 === 1).join('')}КонецФайла\r\n`
  const sent = await worker.browser.upload(
    '/operator/statements/upload',
    { mode: 'test' },
    new Blob([text]),
    'two.txt',
  )
  const at = sent.location!
  const refused = await read(at)
  assert.match(refused, /are counted from camt files/)
  await worker.browser.post(`${at}/again`, { only: free })
  assert.doesNotMatch(await read(at), /are counted from/)
  await worker.browser.post(`${at}/take`, { reading: '2', anyway: 'on' })
  await read(at)
  const { count } = await gateway.db.one<{ count: bigint }>(
    sql`select count(*) as count from transfers where account_id = ${free}`,
  )
  assert.equal(count, 1n)
})
