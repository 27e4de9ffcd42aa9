/** At the desk: one past statement, the undo of its import with a second person, and a file that somebody stops. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { type SettingValues, setApprovalSettings } from '../../src/domain/approvals/change-settings.ts'
import { readTimeline } from '../../src/domain/deposits/read-store.ts'
import type { Currency } from '../../src/domain/money.ts'
import { beginUndo } from '../../src/domain/statements/undo/undo-statement.ts'
import { refund } from '../../src/domain/transfers/decide-transfer.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { depositContextOf, forgetMoneyIn, importBytes, today } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { holdAccount, untilWaiting } from '../support/held-account.ts'
import { demoAccount, oneCOf, type StatementRow, strangers } from '../support/one-c.ts'
import { joined } from '../support/person.ts'
import { writeCamt } from '../support/writers/camt.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let operator: Worker
let approver: Worker
let auditor: Worker
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  operator = await joined(gateway, { operatorRole: 'operator' })
  approver = await joined(gateway, { operatorRole: 'approver' })

  auditor = await joined(gateway, { operatorRole: 'auditor' })
})

beforeEach(() => forgetMoneyIn(gateway))

let files = 0
const take = async (rows: readonly StatementRow[]) => {
  const bytes = oneCOf(rows, `${++files}`)
  const { statement } = await importBytes(depositContextOf(gateway), bytes, {
    name: `day <b> ${files}.txt`,
    by: `operator:${operator.email}`,
  })
  return { statement, page: `/operator/statements/${statement}` }
}

let amount = 6_500_000
async function paidRow() {
  const { body } = await shop.create({ cents: ++amount })
  return { id: body.id as string, row: { cents: BigInt(amount), purpose: body.payment_data.payment_reason } }
}
const stateOf = async (id: string) => (await readTimeline(gateway.db, id))!.deposit.state
const settings = (values: SettingValues) => setApprovalSettings(gateway.db, values)
const linesOf = async (statement: string) => {
  const lines = await gateway.db.query<{ act: string; actor: string }>(
    sql`select act, actor from audit_entries where subject = ${`statement:${statement}`} order by place`,
  )
  return lines.map(({ act, actor }) => [act, actor])
}

/** The page once it says this. */
async function until(page: string, expected: RegExp, { browser } = operator): Promise<string> {
  for (let tries = 0; tries < 1_500; tries++) {
    const { text } = await browser.get(page)
    if (expected.test(text)) return text
    // A person has so many pages a minute.
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${page} never said ${expected}`)
}
const tile = (text: string, name: string) => new RegExp(`<dt>${name}</dt><dd>([^<]*)</dd>`).exec(text)?.[1]

test('a past statement has a page: what it was, what came of it, its transfers', async () => {
  const { id, row } = await paidRow()
  const { page, statement } = await take([row, ...strangers(60, 310_000)])
  const list = (await operator.browser.get('/operator/statements')).text
  assert.match(list, new RegExp(`href="${page}"><bdi>day &lt;b&gt;`))
  const { text } = await operator.browser.get(page)
  assert.match(text, /day &lt;b&gt; 1\.txt/)
  assert.match(text, new RegExp(operator.email))
  assert.deepEqual([tile(text, 'New'), tile(text, 'Matched'), tile(text, 'Unmatched')], ['61', '1', '60'])
  const links = (shown: string) => [...shown.matchAll(/href="\/operator\/transfers\/([0-9a-f-]{36})"/g)]
  assert.equal(links(text).length, 50)
  const rows = `/operator/statements/rows?statement=${statement}`
  assert.ok(text.includes(`href="${rows}"`))
  assert.equal(links((await operator.browser.get(rows)).text).length, 61)
  assert.equal(links((await operator.browser.get(`${rows}&state=matched`)).text).length, 1)
  assert.equal(links((await operator.browser.get(`${rows}&outcome=held`)).text).length, 0)
  assert.match(text, /Undo import/)
  assert.doesNotMatch((await auditor.browser.get(page)).text, /<button[^>]*>Undo import/)
  assert.equal((await auditor.browser.post(`${page}/undo`, { reason: 'x' })).status, 403)
  assert.equal((await operator.browser.get(`/operator/statements/${id}`)).status, 404)
  assert.deepEqual(await linesOf(statement), [])
})

test('outgoing money has a minus sign on every page, and is not called incoming', async () => {
  const { page } = await take([{ cents: 310_000n, purpose: 'Аренда', number: '907', out: true }])
  const { text } = await operator.browser.get(page)
  const [, transfer] = /href="(\/operator\/transfers\/[^"]+)"/.exec(text)!
  assert.match(text, /Outgoing<\/span><\/th><td[^>]*>1<\/td><td[^>]*><span class="money">−3,100/)
  assert.equal(text.split('>−3,100').length, 3)
  const one = (await operator.browser.get(transfer!)).text
  assert.match(one, /<h1>Outgoing −3\u00a0100\.00\u00a0RUB<\/h1>/)
  assert.doesNotMatch(one, /It waits for a decision/)
  assert.doesNotMatch(one, /Assign to me|No deposit on this account/)
  assert.ok((await operator.browser.get('/operator/transfers?state=debit')).text.includes('>−3,100'))
})

test('an undo of outgoing rows alone names no sum, and says that no incoming money is revoked', async () => {
  const outgoing = { purpose: 'Аренда', out: true }
  const { page } = await take([
    { ...outgoing, cents: 120_000n, number: '901' },
    { ...outgoing, cents: 45_050n, number: '902' },
  ])
  const { text } = await operator.browser.get(page)
  assert.match(text, /Rows to revoke<\/dt><dd>2<\/dd>.*\n?.*Incoming money among them<\/dt><dd>None</)
  assert.doesNotMatch(text, />[^<]*\b0\u00a0₽/)
  await operator.browser.post(`${page}/undo`, { reason: 'The wrong account' })
  const [, proposal] = /href="(\/operator\/approvals\/[^"]+)"/.exec((await operator.browser.get(page)).text)!
  const asked = (await approver.browser.get(proposal!)).text
  assert.match(asked, /0\.00.RUB · 2</)
  await operator.browser.post(`${proposal}/withdraw`, { reason: 'A mistake' })

  const both = await take([...strangers(1, 8_100_150), { ...outgoing, cents: 77_000n, number: '903' }])
  assert.match(
    (await operator.browser.get(both.page)).text,
    /Incoming money among them<\/dt><dd><span class="part"><span class="money">81,001\.50 </,
  )
})

test('above the sum of one person, and where none is set, an undo waits for a second', async () => {
  const { id, row } = await paidRow()
  const { page, statement } = await take([row])
  assert.match((await operator.browser.get(page)).text, /A second person must approve it/)
  const asked = await operator.browser.post(`${page}/undo`, { reason: 'The wrong account' })
  assert.equal(asked.location, `${page}?done=proposed`)
  assert.equal(await stateOf(id), 'confirmed')
  const again = await approver.browser.post(`${page}/undo`, { reason: 'Again' })
  assert.equal(again.status, 409)

  const shown = (await operator.browser.get(page)).text
  const [, proposal] = /href="(\/operator\/approvals\/[^"]+)"/.exec(shown)!
  const waiting = (await approver.browser.get(proposal!)).text
  assert.match(waiting, /Undo import/)
  assert.match(waiting, /65.000\.02.RUB · 1</)
  assert.match(waiting, new RegExp(`href="${page}"`))
  assert.equal((await operator.browser.post(`${proposal}/approve`, { reason: 'Me too' })).status, 403)
  const approved = await approver.browser.post(`${proposal}/approve`, { reason: 'I looked' })
  assert.equal(approved.location, `${proposal}?done=approve`)

  const over = await until(page, />Undone</)
  assert.match(over, /The wrong account/)
  assert.deepEqual([tile(over, 'Revoked'), tile(over, 'Deposits reversed')], ['1', '1'])
  assert.equal(await stateOf(id), 'reversed')
  assert.deepEqual(await linesOf(statement), [
    ['propose_statement_undo', operator.email],
    ['approve_statement_undo', approver.email],
  ])
  const list = (await operator.browser.get('/operator/statements')).text
  assert.match(list, /<span class="badge ">Undone<\/span>/)
  assert.equal((await operator.browser.post(`${page}/undo`, { reason: 'Twice' })).status, 409)
  assert.equal((await operator.browser.post(`${page}/go-on`)).status, 409)
})

test('of an undo of several currencies each is compared with what one person may confirm', async () => {
  await settings({ RUB: '100000000', KZT: null })
  const common = { bookedAt: null, paidOn: null, purpose: 'Перевод', line: 1, direction: 'credit' } as const
  const payer = { payerName: 'Anna', payerAccount: '', payerTaxId: '', payerBank: '' }
  const statementOf = (account: string, currency: Currency) => {
    const [from, to] = [today(currency), today(currency)]
    const entry = { ...common, ...payer, bookedOn: from, cents: 5_000n, documentNumber: '7', bankId: newId() }
    return { account, currency, from, to, entries: [entry] }
  }
  const file = writeCamt(
    [statementOf('KZ90999TEST000000001', 'KZT'), statementOf(demoAccount, 'RUB')],
    `${today()}T20:00:00`,
    newId().slice(0, 30),
  )
  const { statement } = await importBytes(depositContextOf(gateway), Buffer.from(file), { name: 'two.xml' })
  const page = `/operator/statements/${statement}`
  const asked = await operator.browser.post(`${page}/undo`, { reason: 'The wrong day' })
  assert.equal(asked.location, `${page}?done=proposed`)
})

test('below the sum of one person it begins at once', async () => {
  await settings({ RUB: '100000000' })
  const { id, row } = await paidRow()
  const { page, statement } = await take([row])
  assert.match((await operator.browser.get(page)).text, /It starts immediately/)
  assert.equal((await operator.browser.post(`${page}/undo`, { reason: '' })).status, 422)
  assert.equal(
    (await operator.browser.post(`${page}/undo`, { reason: 'Twice' })).location,
    `${page}?done=undo`,
  )
  await until(page, />Undone</)
  assert.equal(await stateOf(id), 'reversed')
  assert.deepEqual(await linesOf(statement), [['statement_undo', operator.email]])
})

test('an undo that was interrupted elsewhere is continued', async () => {
  const { page, statement } = await take(strangers(3, 320_000))
  await gateway.db.transaction((tx) =>
    beginUndo(tx, { statementId: statement, reason: 'Killed', by: 'operator:Anna' }),
  )
  const { text } = await operator.browser.get(page)
  assert.match(text, /The import is being undone: 0 of 3 rows/)
  assert.match((await operator.browser.get('/operator/statements')).text, /Undoing/)
  assert.equal((await operator.browser.post(`${page}/go-on`)).location, `${page}?done=go-on`)
  assert.match(await until(page, />Undone</), /Undone by<\/dt><dd>[\s\S]*?Anna/)
})

test('refunds that were paid are listed, and nothing is undone', async () => {
  const { page, statement } = await take(strangers(2, 330_000))
  const [first] = await gateway.db.query<{ id: string }>(
    sql`select transfer_id as id from report_rows where statement_id = ${statement} order by place limit 1`,
  )
  const act = { actor: 'operator:Anna', reason: 'Sent back' }
  await refund(depositContextOf(gateway), { transferId: first!.id, cents: 700n, ...act })
  const refused = await operator.browser.post(`${page}/undo`, { reason: 'x' })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /Refunds of its transfers have been paid/)
  assert.match(refused.text, new RegExp(`<li>${first!.id}: 7\\.00`))
  assert.match((await operator.browser.get(page)).text, /Undo import/)
})

const upload = async (rows: readonly StatementRow[]) => {
  const file = new Blob([new Uint8Array(oneCOf(rows, `${++files}`))])
  const { browser } = operator
  return (await browser.upload('/operator/statements/upload', { mode: 'test' }, file, `u${files}.txt`))
    .location!
}

test('a file that is stopped while it is read leaves nothing', async () => {
  const release = await holdAccount(gateway)
  const page = await upload(strangers(2, 340_000))
  await untilWaiting(gateway, 1)
  const shown = (await operator.browser.get(page)).text
  assert.match(shown, /data-under-way/)
  assert.match(shown, /<progress/)
  assert.equal(tile(shown, 'Rows read'), '2')
  assert.equal((await auditor.browser.post(`${page}/stop`)).status, 403)
  // The next one waits for its turn, and is stopped before it.
  const second = await upload(strangers(2, 341_000))
  for (const address of [page, second])
    assert.equal((await operator.browser.post(`${address}/stop`)).location, address)
  assert.match((await operator.browser.get(page)).text, /Stopping after the current rows/)
  await release()
  // Its only group was under way: there was nothing left to stop.
  await until(page, /Ready to import/)
  assert.match(await until(second, /Stopped\. Nothing was imported/), />Stopped</)
  assert.equal((await operator.browser.post(`${second}/take`, { reading: '1' })).status, 409)
  assert.equal((await operator.browser.post(`${second}/stop`)).status, 409)
})

/** Stops an import while its second group waits for the account. */
async function stoppedWithin(press: () => Promise<unknown>, stop: () => Promise<unknown>): Promise<void> {
  const isStored = async () => (await gateway.db.query(sql`select 1 from report_rows limit 1`)).length > 0
  let letGo = await holdAccount(gateway)
  await press()
  await untilWaiting(gateway, 1)
  while (!(await isStored())) {
    const again = holdAccount(gateway)
    await untilWaiting(gateway, 2)
    await letGo()
    letGo = await again
    await untilWaiting(gateway, 1)
  }
  await stop()
  await letGo()
}

test('a stopped import keeps what it has stored, and can be continued', async () => {
  const page = await upload(strangers(1_200, 350_000))
  await until(page, /Ready to import/)
  const press = async () => {
    const { text } = await operator.browser.get(page)
    const reading = /name="reading" value="(\d+)"/.exec(text)?.[1] ?? ''
    return operator.browser.post(`${page}/take`, { reading })
  }
  await stoppedWithin(press, () => operator.browser.post(`${page}/stop`))
  const stopped = await until(page, /Stopped: 1,000 of 1,200 rows imported/)
  const [, statement] = /href="(\/operator\/statements\/[0-9a-f-]{36})"/.exec(stopped)!
  const unfinished = (await operator.browser.get(statement!)).text
  assert.match(unfinished, /Upload the same file again to continue/)
  assert.match(unfinished, /Rows imported so far: 1000;/)
  assert.equal((await press()).location, page)
  const taken = await until(page, /Import result/)
  assert.deepEqual([tile(taken, 'New'), tile(taken, 'Already imported')], ['200', '1000'])
  assert.match(taken, new RegExp(`href="${statement}"`))
})

/** An upload whose taking was stopped after its second group; `goOn` takes the rest. */
async function stoppedUpload(from: number) {
  const page = await upload(strangers(1_200, from))
  await until(page, /Ready to import/)
  const take = async () => {
    const { text } = await operator.browser.get(page)
    await operator.browser.post(`${page}/take`, {
      reading: /name="reading" value="(\d+)"/.exec(text)?.[1] ?? '',
    })
  }
  await stoppedWithin(take, () => approver.browser.post(`${page}/stop`))
  const stopped = await until(page, /Stopped: 1,000 of 1,200 rows imported/)
  const [, statement] = /href="(\/operator\/statements\/[0-9a-f-]{36})"/.exec(stopped)!
  const goOn = async () => {
    await take()
    await until(page, /Import result/)
  }
  return { page, statement: statement!, goOn }
}

test('a file that fails because of our fault is logged', async () => {
  const release = await holdAccount(gateway)
  const first = await upload(strangers(2, 345_000))
  await untilWaiting(gateway, 1)
  const second = await upload(strangers(2, 346_000))
  await gateway.db.run(sql`delete from upload_parts where upload_id = ${second.split('/').at(-1)!}`)
  const logged = gateway.logged.length
  await release()
  await until(first, /Ready to import/)
  await until(second, /badge bad/)
  const lines = gateway.logged.slice(logged).filter((line) => /a file could not be read/.test(line))
  assert.equal(lines.length, 1)
  assert.match(lines[0]!, /ERR_ASSERTION/)
})

test('the audit record names the person who stopped an import', async () => {
  const { page } = await stoppedUpload(360_000)
  const id = page.slice(page.lastIndexOf('/') + 1)
  const lines = await gateway.db.query<{ act: string; actor: string }>(
    sql`select act, actor from audit_entries where subject = ${`upload:${id}`} order by place`,
  )
  assert.deepEqual(
    lines.map(({ act, actor }) => [act, actor]),
    [
      ['statement_upload', operator.email],
      ['statement_take', operator.email],
      ['statement_stop', approver.email],
    ],
  )
})

test('an approval is void if the file has added more since the proposal', async () => {
  await settings({ RUB: '100000' })
  const { statement: page, goOn } = await stoppedUpload(370_000)
  await operator.browser.post(`${page}/undo`, { reason: 'Half of it is enough' })
  const [, proposal] = /href="(\/operator\/approvals\/[^"]+)"/.exec((await operator.browser.get(page)).text)!
  assert.match((await approver.browser.get(proposal!)).text, / · 1000</)
  await goOn()
  const refused = await approver.browser.post(`${proposal}/approve`, { reason: 'I looked' })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /has changed since/)
  assert.match((await operator.browser.get(page)).text, />1200</)
  assert.doesNotMatch((await operator.browser.get(page)).text, />Undone<|is being undone/)
  // It is requested again, with the current sums.
  assert.equal((await approver.browser.post(`${proposal}/refuse`, { reason: 'It has grown' })).status, 303)
  await operator.browser.post(`${page}/undo`, { reason: 'All of it' })
  const [, second] = /href="(\/operator\/approvals\/[^"]+)"/.exec((await operator.browser.get(page)).text)!
  await approver.browser.post(`${second}/approve`, { reason: 'I looked again' })
  await until(page, />Undone</)
})
