/** The desk at 500 items a day: a part of the queue, several items at once, usual reasons, and rows reported twice. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { propose } from '../../src/domain/approvals/propose.ts'
import { claimPayment } from '../../src/domain/deposits/change-deposit.ts'
import { writeOneC } from '../../src/domain/statements/writers/one-c.ts'
import { readTransfer } from '../../src/domain/transfers/store.ts'
import { sql } from '../../src/platform/db.ts'
import { queueKinds } from '../../src/surfaces/desk/queue/queue.ts'
import { readWaiting } from '../../src/surfaces/desk/store.ts'
import {
  accountOf,
  bankDay,
  depositContextOf,
  importBytes,
  requisiteOf,
  today,
  transferTo,
} from '../support/bank.ts'
import {
  openShop,
  productionTimeouts,
  type Shop,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { holdAccount } from '../support/held-account.ts'
import { joined } from '../support/person.ts'
import { suspectedOn } from '../support/suspects.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let anna: Worker
let boris: Worker
let accountId: string
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' }, timeouts: productionTimeouts })
  shop = await openShop(gateway)
  anna = await joined(gateway, { operatorRole: 'operator' })
  boris = await joined(gateway, { operatorRole: 'operator' })
  accountId = await accountOf(gateway, await created())
})

let amount = 300_000
const created = async (cents = ++amount): Promise<string> =>
  (await shop.create({ payment_type: 'account_number', cents })).body.id
const unmatched = (facts: { payerName?: string; cents?: bigint } = {}) =>
  transferTo(gateway, accountId, { cents: BigInt(++amount), ...facts })
const stateOf = async (id: string) => (await readTransfer(gateway.db, id))!.transfer.state
const itemsIn = (text: string): string[] =>
  [...text.matchAll(/href="\/operator\/(?:transfers|deposits|approvals|statements)\/([0-9a-f-]{36})/g)].map(
    ([, id]) => id!,
  )
const itemsAt = async (path: string, { browser }: Worker = anna): Promise<string[]> =>
  itemsIn((await browser.get(path)).text)
const plain = (text: string): string => text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
const auditOf = (subject: string) =>
  gateway.db.query<{ act: string; actor: string; reason: string; after: string }>(
    sql`select act, actor, reason, after from audit_entries where subject = ${subject} order by place`,
  )
const picked = (...ids: string[]) => Object.fromEntries(ids.map((id) => [`transfer:${id}`, 'on']))

test('every kind of the queue is counted as it is listed, the reversals too', async () => {
  const cents = ++amount
  const [first] = [await created(cents), await created(cents)]
  await transferTo(gateway, accountId, { cents: BigInt(cents) })
  await unmatched()
  await transferTo(gateway, accountId, { cents: BigInt(++amount), direction: 'debit', isReversal: true })
  const claimed = await created()
  await claimPayment(depositContextOf(gateway), { depositId: claimed, actor: 'customer' })
  await gateway.database.owner.script(`update deposits set labels = '{review}' where id = '${first}'`)
  const by = { personId: anna.person.id, email: anna.email, requestId: null }
  await propose(gateway.db, { change: { kind: 'confirm', depositId: claimed }, by, reason: 'Seen' })
  await suspectedOn(gateway, accountId, { cents: BigInt(++amount) })
  // Told early, and not in the file that closes the day; then a file of a day that is not over.
  const { body: paid } = await shop.create({ payment_type: 'account_number', cents: ++amount })
  const purpose = paid.payment_data.payment_reason
  await transferTo(gateway, accountId, { cents: BigInt(amount), purpose })
  await importOneC(bankDay(0), { isComplete: true })
  await importOneC(bankDay(1))
  const { kinds, queue } = await readWaiting(gateway.db)
  let all = 0
  for (const kind of queueKinds) {
    const { text } = await anna.browser.get(`/operator?kind=${kind}`)
    const listed = itemsIn(text.slice(text.indexOf('<table'))).length
    assert.ok(listed > 0, `nothing of ${kind}`)
    assert.equal(kinds[kind], listed, kind)
    assert.equal(/aria-current="page">[^<·]+· ([^<]+)<\/a>/.exec(text)?.[1], String(listed), kind)
    all += listed
  }
  assert.deepEqual(queue, { count: all, isMore: false })
  assert.match(
    (await anna.browser.get('/operator')).text,
    new RegExp(`Queue</span> <span class="count">${all}<`),
  )
  // Its days are open again.
  await gateway.database.owner.script('delete from account_days; delete from report_rows')
})

/** A file of one day and one payment of nobody. */
async function importOneC(day: string, options: { isComplete?: boolean } = {}) {
  const { number: account } = await gateway.database.owner.one<{ number: string }>(
    sql`select number from receiving_accounts where id = ${accountId}`,
  )
  const payer = { name: 'Nobody', account: '40817810000000000001', taxId: '', bank: '' }
  const entry = {
    ...({ direction: 'credit', cents: 12_345_678n, bookedOn: day, bookedAt: null, paidOn: null } as const),
    ...{ documentNumber: day, purpose: 'Перевод', bankId: null, payer },
  }
  const bytes = writeOneC(
    [{ account, currency: 'RUB', from: day, to: day, entries: [entry] }],
    `${today()}T00:00:00`,
  )
  await importBytes(depositContextOf(gateway), bytes, options)
}

test('above a thousand the counts say that there are more', async () => {
  await gateway.database.owner.script(`
    insert into transfers
      (id, source_id, account_id, direction, cents, currency, booked_on, document_number, payer_name, payer_account,
       payer_tax_id, payer_bank, purpose, bank_id, is_sum, names, raw, taken_at, told_early_at, state, open_cents, channel)
    select gen_random_uuid(), s.id, '${accountId}', 'credit', 7, 'RUB', current_date, '', 'Crowd', '', '', '', 'x',
      'crowd' || n, false, '{}', '', inlet_now(), inlet_now(), 'unmatched', 7, 'sandbox'
    from generate_series(1, 1001) as n
    cross join (select id from bank_sources where kind = 'sandbox' limit 1) s`)
  const crowd = '/operator?kind=unmatched&payer=crowd'
  const { text } = await anna.browser.get(crowd)
  assert.match(text, /Unmatched · 1,000\+</)
  assert.match(text, /Queue<\/span> <span class="count">1,00\d\+</)
  assert.match(text, /Showing the oldest 100\./)
  assert.match((await anna.browser.get(crowd, { 'accept-language': 'ru' })).text, /1\u00a0000\+</)
  await gateway.database.owner.script(
    `update transfers set state = 'set_aside' where payer_name = 'Crowd' and bank_id = 'crowd1'`,
  )
  // A thousand is a thousand.
  assert.match((await anna.browser.get(crowd)).text, /Unmatched · 1,000</)
  await gateway.database.owner.script(
    `update transfers set state = 'set_aside' where payer_name = 'Crowd' and state = 'unmatched'`,
  )
})

test('the queue is filtered by account, merchant, amount, payer and age, and the tabs keep the filter', async () => {
  const other = await openShop(gateway)
  const payer = 'СЕМЁНОВ Пётр'
  await gateway.database.shiftClock('-5 hours')
  const small = await unmatched({ payerName: payer, cents: 1_234n })
  await gateway.database.shiftClock('0')
  const large = await unmatched({ payerName: payer, cents: 9_876_500n })
  const found = async (query: string) =>
    (await itemsAt(`/operator?${query}`)).filter((id) => [small, large].includes(id))
  const cases: [query: string, found: string[]][] = [
    ['payer=семенов', [small, large]],
    ['payer=семенов&amount=12.34', [small]],
    ['payer=семенов&amount=98000–99000', [large]],
    ['payer=семенов&amount=–13', [small]],
    ['payer=семенов&kind=unmatched', [small, large]],
    ['payer=семенов&kind=ambiguous', []],
    [`payer=семенов&account=${accountId}`, [small, large]],
    [`payer=семенов&account=${other.merchant}`, []],
    ['payer=.*', []],
    ['payer=семенов&older=1', [small]],
    ['payer=семенов&older=4', [small]],
    ['payer=семенов&older=24', []],
    // What cannot be read shows nothing, rather than everything.
    ['payer=семенов&amount=много', []],
  ]
  for (const [query, expected] of cases) assert.deepEqual(await found(encodeURI(query)), expected, query)
  assert.match((await anna.browser.get('/operator?amount=x')).text, /Enter an amount/)

  const { text } = await anna.browser.get(encodeURI(`/operator?payer=семенов&account=${accountId}`))
  const kept = `payer=${encodeURIComponent('семенов')}`
  assert.ok(text.includes(`href="/operator?kind=ambiguous&amp;account=${accountId}&amp;${kept}"`))
  assert.match(plain(text), /Apply filters Account: Demo RUB account · Test Clear all/)
  assert.ok(text.includes(`href="/operator/transfers/${small}?queue=account%3D${accountId}%26payer%3D`))
  for (const [typed, chip] of [
    ['98000–99000', '98,000–99,000'],
    ['–1234.5', '–1,234.50'],
    ['1000-', '1,000–'],
    ['1500', '1,500'],
    ['много', 'много'],
  ] as const) {
    const { text } = await anna.browser.get(encodeURI(`/operator?amount=${typed}`))
    assert.ok(text.includes(`Amount: <bdi>${chip}</bdi>`), `${typed}: ${text}`)
  }
})

test('a transfer belongs to the merchant of its account, or to those it may be for', async () => {
  const cents = ++amount
  const other = await openShop(gateway)
  await created(cents)
  await created(cents)
  const transfer = await transferTo(gateway, accountId, { cents: BigInt(cents) })
  const rowOf = async (query: string) => {
    const { text } = await anna.browser.get(`/operator?${query}`)
    return text.split('<tr>').find((row) => row.includes(`${transfer}`))
  }
  const [{ name } = { name: '' }] = await gateway.db.query<{ name: string }>(
    sql`select name from merchants where id = ${shop.merchant}`,
  )
  const [{ label } = { label: '' }] = await gateway.db.query<{ label: string }>(
    sql`select label from receiving_accounts where id = ${accountId}`,
  )
  const row = plain((await rowOf(`merchant=${shop.merchant}&kind=ambiguous`))!)
  assert.ok(row.includes(name) && row.includes(label), row)
  assert.equal(await rowOf(`merchant=${other.merchant}&kind=ambiguous`), undefined)
  await gateway.database.owner.script(
    `update receiving_accounts set merchant_id = '${other.merchant}' where id = '${accountId}'`,
  )
  assert.ok(await rowOf(`merchant=${other.merchant}&kind=ambiguous`))
  await gateway.database.owner.script(
    `update receiving_accounts set merchant_id = null where id = '${accountId}'`,
  )
})

test('the next item stays inside the filter, also after a decision', async () => {
  const payerName = 'ООО "Ромашка" [77]'
  const skipped = await unmatched({ payerName: 'ООО "Ромашка" 76' })
  const mine = [await unmatched({ payerName }), await unmatched({ payerName })]
  const query = new URLSearchParams({ payer: 'ромашка" [77]' })
  const first = await anna.browser.get(`/operator/next?${query}`)
  assert.equal(
    first.location,
    `/operator/transfers/${mine[0]}?${new URLSearchParams({ queue: String(query) })}`,
  )
  const { text } = await anna.browser.get(first.location!)
  const next = /href="(\/operator\/next\?[^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&')
  assert.match((await anna.browser.get(next)).location!, new RegExp(mine[1]!))
  // The forms of its page remember it.
  const remembered = new URL(first.location!, gateway.url).search
  const page = `/operator/transfers/${mine[0]}`
  const taken = await anna.browser.post(`${page}/take${remembered}`)
  assert.equal(taken.location, `${page}${remembered}&notice=taken`)
  assert.ok((await anna.browser.get(taken.location!)).text.includes(`${page}/set-aside?queue=payer`))
  const refused = await anna.browser.post(`${page}/set-aside${remembered}`, { reason: '' })
  assert.equal(refused.status, 422)
  assert.ok(refused.text.includes(`${page}/set-aside?queue=payer`))
  const done = await anna.browser.post(`${page}/set-aside${remembered}`, { preset: 'set_aside-3' })
  assert.equal(done.location, `${page}${remembered}&notice=set_aside`)
  const [line] = await auditOf(`transfer:${mine[0]}`)
  assert.equal(line?.reason, 'Unknown payer, waiting for them to contact us.')
  const after = await anna.browser.get(`/operator/next?after=transfer:${mine[0]}&${query}`)
  assert.match(after.location!, new RegExp(mine[1]!))
  // What was passed over comes again only at the end.
  const wider = await anna.browser.get(
    `/operator/next?after=transfer:${mine[0]}&payer=${encodeURI('ромашка')}`,
  )
  assert.match(wider.location!, new RegExp(mine[1]!))
  const last = await anna.browser.get(
    `/operator/next?after=transfer:${mine[1]}&payer=${encodeURI('ромашка')}`,
  )
  assert.match(last.location!, new RegExp(skipped))
  await anna.browser.post(`/operator/queue/set-aside?${query}`, { ...picked(mine[1]!), reason: 'x' })
  const none = await anna.browser.get(`/operator/next?${query}`)
  assert.equal(none.location, `/operator?${query}&notice=nothing_left`)
  // What an address remembers is never another address. The switch of the menu leads back to this very page.
  const elsewhere = `queue=${encodeURIComponent('https://evil.example')}`
  const strange = await anna.browser.get(`${page}?${elsewhere}`)
  assert.doesNotMatch(strange.text.replace(`name="to" value="${page}?${elsewhere}"`, ''), /evil/)
})

test('several are set aside at once: each with its line, and what a colleague has is left out', async () => {
  const ids = [await unmatched(), await unmatched(), await unmatched(), await unmatched()]
  const [a, b, held, done] = ids as [string, string, string, string]
  const deposit = await created()
  await boris.browser.post(`/operator/transfers/${held}/take`)
  await anna.browser.post(`/operator/transfers/${done}/take`)
  await anna.browser.post(`/operator/transfers/${done}/set-aside`, { reason: 'Before' })
  const gone = '00000000-0000-4000-8000-000000000001'
  const fields = { ...picked(a, b, held, done, gone), [`deposit:${deposit}`]: 'on' }
  const act = '/operator/queue/set-aside?kind=unmatched'
  assert.match((await anna.browser.post(act, { reason: 'x' })).text, /Nothing selected/)
  assert.equal((await anna.browser.post(act, fields)).status, 422)
  assert.equal(await stateOf(a), 'unmatched')

  const { status, text } = await anna.browser.post(act, { ...fields, reason: 'Fee of the month' })
  assert.equal(status, 200)
  assert.match(text, /Done: 2 of 6/)
  const rows = text.split('<tr>').map(plain)
  const outcomeOf = (id: string) => {
    const place = text.split('<tr>').findIndex((row) => row.includes(id))
    return rows[place] ?? ''
  }
  assert.match(outcomeOf(a), / Done /)
  assert.match(outcomeOf(b), / Done /)
  assert.match(
    outcomeOf(held),
    new RegExp(`Assigned to a colleague .* ${boris.person.name} is working on it`),
  )
  assert.match(outcomeOf(done), /Not possible .* A transfer that is set_aside cannot be set aside/)
  assert.match(outcomeOf(deposit), /Not possible .* Decide deposits on their own pages/)
  assert.match(outcomeOf(gone), /Not possible .* Item not found/)
  assert.ok(text.includes('href="/operator?kind=unmatched"'))
  assert.deepEqual(await Promise.all(ids.map(stateOf)), ['set_aside', 'set_aside', 'unmatched', 'set_aside'])
  for (const id of [a, b]) {
    const [line, ...more] = await auditOf(`transfer:${id}`)
    assert.deepEqual(
      [line?.act, line?.actor, line?.reason, more.length],
      ['transfer_set_aside', anna.email, 'Fee of the month', 0],
    )
  }
  assert.equal((await auditOf(`transfer:${held}`)).length, 0)
  // What could not be decided is as free as it was.
  const [claim] = await gateway.db.query(sql`select item from work_claims where item = ${`transfer:${done}`}`)
  assert.equal(claim, undefined)
  await boris.browser.post(`/operator/transfers/${held}/release`)

  const auditor = await joined(gateway, { operatorRole: 'auditor' })
  const page = await auditor.browser.get('/operator')
  assert.doesNotMatch(page.text, /class="pick"/)
  assert.equal((await auditor.browser.post(act, { ...picked(held), reason: 'x' })).status, 403)
})

test('a hundred are decided at once, and no more', async () => {
  const ids: string[] = []
  for (let count = 0; count < 101; count++) ids.push(await unmatched({ payerName: 'Hundred' }))
  const over = await anna.browser.post('/operator/queue/set-aside', { ...picked(...ids), reason: 'x' })
  assert.equal(over.status, 422)
  assert.match(over.text, /Select at most 100 items/)
  const { text } = await anna.browser.post('/operator/queue/set-aside', {
    ...picked(...ids.slice(0, 100)),
    reason: 'x',
  })
  assert.match(text, /Done: 100 of 100/)
  assert.equal(await stateOf(ids[100]!), 'unmatched')
})

test('a locked account leaves the rest for later, and the page says what was decided', async () => {
  const ids = [await unmatched(), await unmatched(), await unmatched()]
  const release = await holdAccount(gateway)
  const busy = await anna.browser.post('/operator/queue/set-aside', { ...picked(...ids), reason: 'Fee' })
  await release()
  assert.equal(busy.status, 200)
  assert.match(plain(busy.text), /Done: 0 of 3\./)
  assert.equal(plain(busy.text).match(/The account is busy\. Try again in a moment\./g)?.length, 3)
  for (const id of ids) {
    assert.equal(await stateOf(id), 'unmatched')
    // It is as free as it was.
    assert.equal((await boris.browser.post(`/operator/transfers/${id}/take`)).status, 303)
    await boris.browser.post(`/operator/transfers/${id}/release`)
  }
  const after = await anna.browser.post('/operator/queue/set-aside', { ...picked(...ids), reason: 'Fee' })
  assert.match(plain(after.text), /Done: 3 of 3\./)
})

test('several are assigned to a colleague for an hour, or to oneself', async () => {
  const [free, mine, his] = [await unmatched(), await unmatched(), await unmatched()]
  const third = await joined(gateway, { operatorRole: 'operator' })
  await anna.browser.post(`/operator/transfers/${mine}/take`)
  await third.browser.post(`/operator/transfers/${his}/take`)
  const deposit = await created()
  await claimPayment(depositContextOf(gateway), { depositId: deposit, actor: 'customer' })
  const ended = await created()
  const act = '/operator/queue/assign'
  const fields = {
    ...picked(free, mine, his),
    [`deposit:${deposit}`]: 'on',
    [`deposit:${ended}`]: 'on',
    to: boris.person.id,
  }
  const { text } = await anna.browser.post(act, fields)
  assert.match(text, /Done: 3 of 5/)
  // Who works on an item stands beside its kind: the columns are the same whether or not anybody does.
  const heads = (page: string) => [...page.matchAll(/<th scope="col"[^>]*>([^<]*)/g)].map(([, head]) => head)
  const queue = (await boris.browser.get('/operator?kind=unmatched')).text
  assert.match(queue, /Unmatched <span title="Assigned to you"><span class="badge info">You</)
  assert.match(queue, new RegExp(`Unmatched <span title="Assigned to ${third.person.name}">`))
  assert.deepEqual(heads(queue), heads((await boris.browser.get('/operator?kind=proposal')).text))
  const holders = await gateway.db.query<{ item: string; person_id: string; minutes: number }>(sql`
    select item, person_id, round(extract(epoch from until - inlet_now()) / 60)::int as minutes
    from work_claims
    where until > inlet_now()`)
  const holderOf = (item: string) => holders.find((holder) => holder.item === item)
  for (const item of [`transfer:${free}`, `transfer:${mine}`, `deposit:${deposit}`])
    assert.deepEqual(holderOf(item), { item, person_id: boris.person.id, minutes: 60 })
  assert.equal(holderOf(`transfer:${his}`)?.person_id, third.person.id)
  assert.equal(holderOf(`deposit:${ended}`), undefined)
  const [line] = await auditOf(`transfer:${free}`)
  assert.deepEqual([line?.act, line?.actor], ['item_assign', anna.email])
  assert.match(line!.after, new RegExp(boris.person.name))
  assert.equal((await auditOf(`transfer:${his}`)).length, 0)

  // Who has it decides it; nobody takes it from them.
  assert.equal((await anna.browser.post(`/operator/transfers/${free}/take`)).status, 409)
  const own = await boris.browser.post(act, { ...picked(free), to: boris.person.id })
  assert.match(own.text, /Done: 1 of 1/)
  const auditor = await joined(gateway, { operatorRole: 'auditor' })
  for (const to of [auditor.person.id, 'x', ''])
    assert.match((await anna.browser.post(act, { ...picked(free), to })).text, /Choose a colleague/)
})

test('a payment that may be known stands beside the known one, and is answered first', async () => {
  const facts = { cents: BigInt(++amount), payerName: 'Twice', payerAccount: '4081…0777' }
  const { known, suspected } = await suspectedOn(gateway, accountId, facts)
  assert.equal(await stateOf(suspected), 'held')
  const page = `/operator/transfers/${suspected}`
  await anna.browser.post(`${page}/take`)
  const { text } = await anna.browser.get(page)
  const main = text.slice(text.indexOf('<main'))
  // Both rows come before anything that can be pressed about them.
  assert.ok(main.indexOf('class="sides"') > 0 && main.indexOf('class="sides"') < main.indexOf('data-key="d"'))
  assert.ok(main.indexOf('data-key="d"') < main.indexOf('data-key="m"'))
  assert.match(main, new RegExp(`Earlier transfer <a href="/operator/transfers/${known}">`))
  assert.match(main, /<mark><span class="visually-hidden">differs: <\/span><time/)
  // They came in another way and at another time, which says nothing about the payment.
  for (const name of ['Source', 'Received']) {
    const values = [...main.matchAll(new RegExp(`<dt>${name}</dt><dd>(.*?)</dd>`, 'g'))].map(
      ([, value]) => value,
    )
    assert.equal(values.length, 2, name)
    assert.ok(
      values.every((value) => !value!.includes('<mark>')),
      name,
    )
  }
  assert.match(plain(main), /The same payment as .+, \d+ \w{3} \d{4}/)
  const other = await anna.browser.post(`${page}/duplicate`, { of: 'x', reason: 'x' })
  assert.equal(other.status, 422)
  const done = await anna.browser.post(`${page}/duplicate`, { of: known, preset: 'duplicate-1' })
  assert.equal(done.location, `${page}?notice=duplicate`)
  assert.equal(await stateOf(suspected), 'duplicate')
  const [line] = await auditOf(`transfer:${suspected}`)
  assert.deepEqual([line?.act, line?.reason], ['transfer_duplicate', 'Same payment in another statement.'])

  // Said too soon: it is a payment of its own, and nobody is asked again whether it is the same.
  assert.match((await anna.browser.get(page)).text, /The same payment as another transfer/)
  await anna.browser.post(`${page}/take`)
  const genuine = await anna.browser.post(`${page}/genuine`, { preset: 'genuine-1' })
  assert.equal(genuine.location, `${page}?notice=genuine`)
  assert.equal(await stateOf(suspected), 'unmatched')
  assert.doesNotMatch((await anna.browser.get(page)).text, /class="sides"/)
  assert.equal((await auditOf(`transfer:${suspected}`)).at(-1)?.act, 'transfer_genuine')
  await anna.browser.post(`/operator/queue/set-aside`, { ...picked(suspected), reason: 'x' })
})

test('a known payment names what is held because of it', async () => {
  const { known, suspected } = await suspectedOn(gateway, accountId, { cents: BigInt(++amount) })
  const { text } = await anna.browser.get(`/operator/transfers/${known}`)
  assert.match(text, new RegExp(`On hold because of it[\\s\\S]*href="/operator/transfers/${suspected}"`))
})

test('a correction stands beside what it corrects, and what differs is marked', async () => {
  const facts = { cents: BigInt(++amount), payerName: 'Corrected', payerTaxId: '7707083893' }
  const { known, suspected } = await suspectedOn(gateway, accountId, facts, { cents: BigInt(++amount) })
  const page = `/operator/transfers/${suspected}`
  await boris.browser.post(`${page}/take`)
  const { text } = await boris.browser.get(page, { 'accept-language': 'ru' })
  assert.match(text, /Этот платёж уже известен\?/)
  assert.match(text, /<mark><span class="visually-hidden">отличается: <\/span><strong>/)
  assert.match(plain(text), /Тот же платёж: .+ от \d+ [а-я.]+ \d{4}/)
  const done = await boris.browser.post(`${page}/duplicate`, { of: known, preset: 'duplicate-2' })
  assert.equal(done.location, `${page}?notice=duplicate`)
  assert.equal((await auditOf(`transfer:${suspected}`)).at(-1)?.act, 'transfer_duplicate')
})

test('several are called the same as the payments that they may be', async () => {
  const pair = (cents = BigInt(++amount)) =>
    suspectedOn(gateway, accountId, { cents, payerName: 'Many', payerAccount: '4081…0778' })
  const [one, two] = [await pair(), await pair()]
  const alone = await unmatched()
  const { text } = await anna.browser.post('/operator/queue/duplicate', {
    ...picked(one.suspected, two.suspected, alone),
    preset: 'duplicate-1',
  })
  assert.match(text, /Done: 2 of 3/)
  assert.match(plain(text), /Not possible .* No original transfer is suspected/)
  for (const { known, suspected } of [one, two]) {
    const { transfer } = (await readTransfer(gateway.db, suspected))!
    assert.deepEqual([transfer.state, transfer.duplicateOf], ['duplicate', known])
    assert.equal((await auditOf(`transfer:${suspected}`)).at(-1)?.act, 'transfer_duplicate')
  }
  assert.equal(await stateOf(alone), 'unmatched')
})

test('accounts are found by label, owner, bank, last digits, currency and mode; a requisite is stopped on its page', async () => {
  const requisite = await requisiteOf(gateway, await created())
  const [row] = await gateway.db.query<{
    account_id: string
    number: string
    bank_name: string
    label: string
  }>(sql`
    select r.account_id, r.number, r.bank_name, a.label
    from requisites r
    join receiving_accounts a on a.id = r.account_id
    where r.id = ${requisite}`)
  await gateway.database.owner.script(
    `update receiving_accounts set owner_legal_name = 'ООО «Ёлка»' where id = '${row!.account_id}'`,
  )
  const list = '/operator/accounts'
  const finds = async (search: Record<string, string>) =>
    (await anna.browser.get(`${list}?${new URLSearchParams(search)}`)).text.includes(
      `href="${list}/${row!.account_id}"`,
    )
  const digits = row!.number.slice(-4)
  for (const q of [row!.label.toUpperCase(), 'елка', row!.bank_name.slice(0, 3), digits, `Елка ${digits}`])
    assert.ok(await finds({ q }), q)
  assert.ok(await finds({ q: '', mode: 'test', currency: 'RUB' }))
  for (const search of [
    { q: 'nowhere' },
    { q: `${digits} nowhere` },
    { mode: 'live' },
    { currency: 'KZT' },
    { q: row!.number },
  ])
    assert.equal(await finds(search as Record<string, string>), false, JSON.stringify(search))
  assert.match((await anna.browser.get(`${list}?q=nowhere`)).text, /Nothing found/)

  const page = `/operator/requisites/${requisite}`
  const found = (await anna.browser.get(`/operator/requisites?q=${digits}`)).text
  assert.ok(found.includes(`href="${page}"`))
  const auditor = await joined(gateway, { operatorRole: 'auditor' })
  assert.ok((await anna.browser.get(page)).text.includes(`${page}/stop"`))
  assert.ok(!(await auditor.browser.get(page)).text.includes(`${page}/stop"`))
  assert.equal((await anna.browser.post(`${page}/stop`)).location, `${page}?done=stop`)
  const [line] = await auditOf(`requisite:${requisite}`)
  assert.deepEqual([line?.act, line?.actor], ['emergency_stop', anna.email])
  const [after] = await gateway.db.query<{ enabled: boolean }>(
    sql`select enabled from requisites where id = ${requisite}`,
  )
  assert.equal(after!.enabled, false)
})
