/**
 * Limits and lists at the desk: stricter changes apply immediately, looser ones take two people, all are audited; and the
 * page that explains a refusal.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let operator: Worker
let approver: Worker
let admin: Worker
let account: string
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  operator = await joined(gateway, { operatorRole: 'operator' })
  approver = await joined(gateway, { operatorRole: 'approver' })
  admin = await joined(gateway, { operatorRole: 'admin' })
  const [row] = await gateway.db.query<{ account_id: string }>(sql`
    select account_id from requisites where currency = 'RUB' and kind like 'account%' and mode = 'test'`)
  account = row!.account_id
})

const create = async (fields: Record<string, unknown>) => {
  const { status, body } = await shop.create({ payment_type: 'account_number', currency: 'RUB', ...fields })
  return [status, body.code]
}
const limitsOf = async () => {
  const [row] = await gateway.db.query<Record<string, unknown>>(sql`
    select day_cents, month_cents, open_deposits, silent_hours from receiving_accounts where id = ${account}`)
  return Object.values(row!)
}
const setLimits = (fields: Record<string, string>, { browser } = operator) =>
  browser.post(`${page()}/limits`, { reason: 'As agreed with the bank', ...fields })
const openProposal = async () => {
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from proposals where kind = 'account.limits' and state = 'open'`,
  )
  return row?.id
}
const lastLine = async (subject: string) => {
  const [row] = await gateway.db.query<{ act: string; actor: string; before: string; after: string }>(
    sql`select act, actor, before, after from audit_entries where subject = ${subject} order by place desc limit 1`,
  )
  return row!
}
const page = () => `/operator/accounts/${account}`

test('a lower limit of an account applies to the next request, is audited, and is shown with its numbers', async () => {
  assert.deepEqual(await create({ cents: 100_000 }), [201, undefined])
  const wrong = await setLimits({ day: 'much', month: '90000' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="limits-day-error">Enter an amount, for example 1500\.50/)
  assert.match(wrong.text, /name="month"[^>]*value="90000"/)
  assert.equal((await setLimits({ day: '0' })).status, 422)
  assert.equal((await setLimits({ open: '1.5' })).status, 422)

  const set = await setLimits({ day: '1500.00', month: '90 000,00', silent: '36' })
  assert.equal(set.location, `${page()}?done=limits`, set.text)
  assert.deepEqual(await limitsOf(), [150_000n, 9_000_000n, null, 36])
  const line = await lastLine(`account:${account}`)
  assert.deepEqual([line.act, line.actor], ['account_limits', operator.email])
  assert.deepEqual(JSON.parse(line.before), { dayCents: null, monthCents: null, silentHours: null })
  assert.deepEqual(JSON.parse(line.after), { dayCents: '150000', monthCents: '9000000', silentHours: 36 })
  assert.deepEqual(await create({ cents: 60_000 }), [503, 'no_requisite_available'])
  assert.deepEqual(await create({ cents: 50_000 }), [201, undefined])
  const { text } = await operator.browser.get(page())
  assert.match(text, /1,500[\s\S]{0,120}of[\s\S]{0,60}1,500/)
  assert.match(text, /Day limit of the account reached/)
  // The form is filled with what holds now.
  const form = (await operator.browser.get(`${page()}/limits`)).text
  assert.match(form, /name="day"[^>]*value="1500"/)
  assert.match(form, /name="silent"[^>]*value="36"/)
  assert.equal((await setLimits({ day: '1500', month: '90000', silent: '36' })).status, 409)
})

test('a change with a higher or removed limit waits for a second person as a whole', async () => {
  const wanted = { day: '5000', month: '', open: '7', silent: '36' }
  const asked = await setLimits(wanted)
  assert.equal(asked.location, `${page()}?done=proposed`)
  assert.deepEqual(await limitsOf(), [150_000n, 9_000_000n, null, 36])
  const proposal = `/operator/approvals/${await openProposal()}`
  const { text } = await approver.browser.get(proposal)
  assert.match(text, /Change limits/)
  assert.match(text, /Per day<\/th><td[^>]*>1500<\/td><td[^>]*>5000</)
  assert.match(text, /Per month<\/th><td[^>]*>90000<\/td><td[^>]*>–</)
  assert.equal((await setLimits({ ...wanted, day: '6000' })).status, 409)
  assert.equal((await operator.browser.post(`${proposal}/approve`, { reason: 'x' })).status, 403)

  // Who tightened it meanwhile meant it: the proposal stays open.
  const tightened = await setLimits({ day: '1400', month: '90000', open: '7', silent: '36' })
  assert.equal(tightened.location, `${page()}?done=limits`)
  const late = await approver.browser.post(`${proposal}/approve`, { reason: 'Yes' })
  assert.equal(late.status, 409)
  assert.match(late.text, /has changed since/)
  assert.deepEqual(await limitsOf(), [140_000n, 9_000_000n, 7, 36])
  await operator.browser.post(`${proposal}/withdraw`, { reason: 'Proposed again' })
  await setLimits({ day: '', month: '100000', open: '7', silent: '36' })
  const again = `/operator/approvals/${await openProposal()}`
  const approved = await approver.browser.post(`${again}/approve`, { reason: 'The bank says yes' })
  assert.equal(approved.location, `${again}?done=approve`, approved.text)
  assert.deepEqual(await limitsOf(), [null, 10_000_000n, 7, 36])
  assert.equal((await lastLine(`account:${account}`)).act, 'approve_account_limits')
  assert.deepEqual(await create({ cents: 60_000 }), [201, undefined])
})

test('a stricter limit of a requisite applies to the next request, a looser one needs two people, and an inverted range is refused', async () => {
  const [row] = await gateway.db.query<{ id: string; account_id: string }>(sql`
    select id, account_id from requisites where currency = 'KZT' and kind like 'account%' and mode = 'test'`)
  const { id, account_id } = row!
  const own = `/operator/requisites/${id}`
  const set = (fields: Record<string, string>) =>
    operator.browser.post(`${own}/limits`, { reason: 'The bank asks for it', ...fields })
  const limits = async () => {
    const [found] = await gateway.db.query<Record<string, unknown>>(sql`
      select min_cents, max_cents, daily_cents, open_deposits from requisites where id = ${id}`)
    return Object.values(found!)
  }
  assert.ok((await operator.browser.get(`/operator/accounts/${account_id}`)).text.includes(`href="${own}"`))
  // A higher minimum is stricter, and so is a lower maximum.
  const stricter = await set({ min: '2000', max: '30 000' })
  assert.equal(stricter.location, `${own}?done=limits`, stricter.text)
  assert.deepEqual(await limits(), [200_000n, 3_000_000n, null, null])
  const line = await lastLine(`requisite:${id}`)
  assert.deepEqual([line.act, line.actor], ['requisite_limits', operator.email])
  assert.deepEqual(JSON.parse(line.after), { minCents: '200000', maxCents: '3000000' })
  assert.deepEqual(await create({ currency: 'KZT', cents: 199_900 }), [503, 'no_requisite_available'])
  assert.deepEqual(await create({ currency: 'KZT', cents: 3_000_100 }), [503, 'no_requisite_available'])
  assert.deepEqual(await create({ currency: 'KZT', cents: 200_000 }), [201, undefined])
  const inverted = await set({ min: '30 000.01', max: '30000' })
  assert.equal(inverted.status, 422)
  assert.match(inverted.text, /id="limits-max-error">/)
  assert.equal((await set({ min: 'x' })).status, 422)
  assert.equal((await set({ min: '2000', max: '30000' })).status, 409)

  const asked = await set({ min: '1500', max: '', open: '1000' })
  assert.equal(asked.location, `${own}?done=proposed`)
  assert.match(
    (await operator.browser.get(asked.location!)).text,
    /Sent for approval\. Nothing has changed yet/,
  )
  assert.deepEqual(await limits(), [200_000n, 3_000_000n, null, null])
  const [open] = await gateway.db.query<{ id: string }>(
    sql`select id from proposals where kind = 'requisite.limits' and state = 'open'`,
  )
  const proposal = `/operator/approvals/${open!.id}`
  const { text } = await approver.browser.get(proposal)
  assert.match(text, /Minimum of a deposit<\/th><td[^>]*>2000<\/td><td[^>]*>1500</)
  assert.match(text, /Currency<\/th><td[^>]*><bdi>KZT/)
  await approver.browser.post(`${proposal}/approve`, { reason: 'Seen' })
  assert.deepEqual(await limits(), [150_000n, null, null, 1_000])
  assert.equal((await lastLine(`requisite:${id}`)).act, 'approve_requisite_limits')
  assert.deepEqual(await create({ currency: 'KZT', cents: 150_000 }), [201, undefined])
  const nowhere = '/operator/requisites/00000000-0000-4000-8000-000000000000'
  assert.equal((await operator.browser.get(nowhere)).status, 404)
  assert.equal((await operator.browser.post(`${nowhere}/limits`, { reason: 'x', min: '1' })).status, 404)
})

test('limits that move past where they were wait as a whole', async () => {
  const [row] = await gateway.db.query<{ id: string }>(sql`
    select id from requisites where currency = 'UZS' and kind like 'account%' and mode = 'test'`)
  const own = `/operator/requisites/${row!.id}`
  const set = (min: string, max: string) =>
    operator.browser.post(`${own}/limits`, { reason: 'The bank asks for it', min, max })
  const limits = async () => {
    const [found] = await gateway.db.query<Record<string, unknown>>(sql`
      select min_cents, max_cents from requisites where id = ${row!.id}`)
    return Object.values(found!)
  }
  const approve = async () => {
    const [open] = await gateway.db.query<{ id: string }>(
      sql`select id from proposals where subject = ${`requisite:${row!.id}`} and state = 'open'`,
    )
    const proposal = `/operator/approvals/${open!.id}`
    const { location } = await approver.browser.post(`${proposal}/approve`, { reason: 'Seen' })
    assert.equal(location, `${proposal}?done=approve`)
  }
  assert.equal((await set('100', '1000')).location, `${own}?done=limits`)
  assert.equal((await set('3000', '2000')).status, 422)
  const up = await set('2000', '3000')
  assert.equal(up.location, `${own}?done=proposed`, up.text)
  assert.deepEqual(await limits(), [10_000n, 100_000n])
  await approve()
  assert.deepEqual(await limits(), [200_000n, 300_000n])
  const down = await set('500', '1500')
  assert.equal(down.location, `${own}?done=proposed`, down.text)
  await approve()
  assert.deepEqual(await limits(), [50_000n, 150_000n])
})

test('the number that statements know an account by is set by an admin, and on record by its end', async () => {
  const fields = { number: '4070 2810 3000 0000 7777', reason: 'From the agreement' }
  assert.equal((await operator.browser.post(`${page()}/number`, fields)).status, 403)
  const wrong = await admin.browser.post(`${page()}/number`, { ...fields, number: '№' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="number-number-error">/)
  assert.equal((await admin.browser.post(`${page()}/number`, fields)).location, `${page()}?done=number`)
  const [row] = await gateway.db.query<{ number: string }>(
    sql`select number from receiving_accounts where id = ${account}`,
  )
  assert.equal(row!.number, '40702810300000007777')
  const line = await lastLine(`account:${account}`)
  assert.equal(line.act, 'account_number')
  assert.match(line.after, /7777/)
  assert.doesNotMatch(line.before + line.after, /4070/)
})

test('a blocked customer is refused at once, is found in other spellings, and can be unblocked', async () => {
  const fields = {
    list: 'block',
    kind: 'phone',
    value: '8 (900) 123-45-67',
    reason: 'Chargebacks',
  }
  const customer = { cents: 70_000, customer: 'Вася', customer_phone_number: '+79001234567' }
  assert.deepEqual(await create({ ...customer, cents: 70_001 }), [201, undefined])
  const { browser: auditor } = await joined(gateway, { operatorRole: 'auditor' })
  assert.equal((await auditor.post('/operator/lists/add', fields)).status, 403)
  assert.equal((await operator.browser.post('/operator/lists/add', { ...fields, value: '12' })).status, 422)
  const added = await operator.browser.post('/operator/lists/add', fields)
  assert.equal(added.location, '/operator/lists?done=add', added.text)
  assert.equal((await operator.browser.post('/operator/lists/add', fields)).status, 409)
  assert.deepEqual(await create(customer), [403, 'customer_blocked'])
  const line = await lastLine('list')
  assert.deepEqual([line.act, JSON.parse(line.after).value], ['list_add', '79001234567'])

  const search = async (q: string, more = '') =>
    (await auditor.get(`/operator/lists?q=${encodeURIComponent(q)}${more}`)).text
  assert.match(await search('+7 900 1234567'), /Chargebacks/)
  assert.match(await search('+7 900 1234568'), /Nothing found/)
  const entry = /href="\/operator\/lists\/([0-9a-f-]{36})"/.exec(
    (await auditor.get('/operator/lists')).text,
  )![1]!
  const remove = (reason: string) => operator.browser.post(`/operator/lists/${entry}/remove`, { reason })
  const ended = await remove('Settled')
  assert.equal(ended.location, `/operator/lists/${entry}?done=remove`)
  assert.equal((await lastLine(`list:${entry}`)).act, 'list_end')
  const lines = async () =>
    (await gateway.db.query(sql`select place from audit_entries where subject = ${`list:${entry}`}`)).length
  assert.equal((await remove('Again')).status, 409)
  assert.equal(await lines(), 1)
  assert.deepEqual(await create(customer), [201, undefined])
  assert.match(await search('89001234567', '&ended=on'), /Settled/)
})

test('the page explains why a deposit would be refused, with the rule and its numbers, or which requisite takes it', async () => {
  const why = async (fields: Record<string, string>) => {
    const asked = { type: 'account_number', currency: 'RUB', amount: '500.00', ...fields }
    const query = new URLSearchParams(asked)
    return (await operator.browser.get(`/operator/merchants/${shop.merchant}/why?${query}`)).text
  }
  assert.match(await why({}), /The request would be accepted\. Available requisites: 1\./)
  assert.match(await why({ type: 'nothing' }), /This payment type is not available/)
  assert.match(await why({ amount: '99999999.00' }), /The request would be refused/)

  await admin.browser.post('/operator/lists/add', {
    ...{ list: 'block', kind: 'customer', value: 'petya', reason: 'A <b>reason</b>' },
  })
  assert.match(await why({ customer: 'Petya' }), /Block, customer: <bdi>A &lt;b&gt;reason/)

  const limits = (fields: Record<string, string>) =>
    admin.browser.post(`/operator/merchants/${shop.merchant}/limits`, { reason: 'Agreed', ...fields })
  const saved = await limits({ customerDay: '1 000' })
  assert.equal(saved.status, 303, saved.text)
  // A page that was opened before an update may name its fields otherwise: what is not there removes no limit.
  assert.equal((await limits({ customerDayCents: '100000' })).status, 303)
  assert.equal((await limits({ customerDay: '0' })).status, 422)
  assert.deepEqual(await create({ cents: 60_003, customer: 'Olya' }), [201, undefined])
  assert.deepEqual(await create({ cents: 50_000, customer: 'Olya' }), [422, 'customer_limit_reached'])
  assert.match(await why({ customer: 'Olya' }), /600\.03\u00a0₽ \+ 500\u00a0₽<\/td><td[^>]*>1,000\u00a0₽/)

  await setLimits({ month: '100000', open: '1', silent: '36' })
  assert.match(await why({}), /Open deposits of the account: limit reached <span class="quiet">\d+ \/ 1/)
  await operator.browser.post(`${page()}/stop`)
  assert.match(await why({}), /Refused<\/span> Off/)
})
