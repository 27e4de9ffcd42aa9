/** The operator's queue: what is in it, who takes it, and what a person decides about it. */

import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { before, test } from 'node:test'
import { setApprovalSettings } from '../../src/domain/approvals/change-settings.ts'
import { claimPayment } from '../../src/domain/deposits/change-deposit.ts'
import { readTimeline } from '../../src/domain/deposits/read-store.ts'
import { dropClaim, takeClaim } from '../../src/domain/people/claim-store.ts'
import { declareNotOwed, payBack } from '../../src/domain/refunds/pay-back.ts'
import { placeFrom, placeText, surplusParts } from '../../src/domain/refunds/refund.ts'
import { refund, revokeByHand, setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { sourceOf } from '../../src/domain/transfers/source-store.ts'
import { listTransfers, readTransfer } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { queryable, sql } from '../../src/platform/db.ts'
import { accountOf, depositContextOf, entryTo, transferTo } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let anna: Worker
let boris: Worker
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  anna = await joined(gateway, { operatorRole: 'operator' })
  boris = await joined(gateway, { operatorRole: 'operator' })
  await setApprovalSettings(gateway.db, { RUB: '1000000' })
})

let amount = 200_000
const created = async (cents = ++amount) => {
  const { status, body } = await shop.create({ payment_type: 'account_number', cents })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id as string
}
const stateOf = async (id: string) => (await readTimeline(gateway.db, id))!.deposit.state
const transferStateOf = async (id: string) => (await readTransfer(gateway.db, id))!.transfer.state

/** Two deposits of one amount, and money that names neither. */
async function ambiguous(facts: { payerName?: string; purpose?: string } = {}) {
  const cents = ++amount
  const deposits = [await created(cents), await created(cents)]
  const accountId = await accountOf(gateway, deposits[0]!)
  const transfer = await transferTo(gateway, accountId, { cents: BigInt(cents), ...facts })
  assert.equal(await transferStateOf(transfer), 'ambiguous')
  return { transfer, deposits, accountId }
}

const auditOf = (subject: string) =>
  gateway.db.query<{ act: string; actor: string; reason: string; before: string; after: string }>(
    sql`select act, actor, reason, before, after from audit_entries where subject = ${subject} order by place`,
  )

const take = async ({ browser }: { browser: PersonsBrowser }, page: string) => {
  const taken = await browser.post(`${page}/take`)
  assert.deepEqual([taken.status, taken.location], [303, page])
  assert.match((await browser.get(page)).text, />Yours</)
}

test('the queue shows every kind, oldest first, with counts', async () => {
  const { transfer, deposits, accountId } = await ambiguous({ payerName: '<b>Bobby</b>' })
  const unmatched = await transferTo(gateway, accountId, { cents: 77_777n })
  const claimed = await created()
  await claimPayment(depositContextOf(gateway), { depositId: claimed, actor: 'customer' })
  const { status, text } = await anna.browser.get('/operator')
  assert.equal(status, 200)
  const links = [...text.matchAll(/<li><a href="(\/operator\/queue\/[^"]+)"/g)].map(([, href]) => href)
  assert.deepEqual(links, [
    `/operator/queue/transfers/${transfer}`,
    `/operator/queue/transfers/${unmatched}`,
    `/operator/queue/deposits/${claimed}`,
  ])
  assert.match(text, /Ambiguous · 1</)
  assert.match(text, /Unmatched · 1</)
  assert.match(text, /Reported paid · 1</)
  // What somebody else wrote stays text.
  assert.doesNotMatch(text, /<b>Bobby/)
  assert.match(text, /&lt;b&gt;Bobby/)
  const only = await anna.browser.get('/operator?kind=unmatched')
  assert.doesNotMatch(only.text, new RegExp(transfer))
  assert.match(only.text, new RegExp(unmatched))

  // Opening an item changes nothing, and shows its candidates with what speaks for them.
  const item = await anna.browser.get(`/operator/queue/transfers/${transfer}`)
  for (const id of deposits) assert.match(item.text, new RegExp(`name="deposit" value="${id}"`))
  assert.match(item.text, /value="2 deposits are awaiting this amount\./)
  assert.match(item.text, /<h2>Decision history<\/h2>[\s\S]*<bdi>automatic matching<\/bdi>/)
  assert.deepEqual(await gateway.db.query(sql`select item from work_claims`), [])
  // The next one is a key away.
  const next = /href="([^"]+)" data-key="n"/.exec(item.text)?.[1]
  assert.equal(next, `/operator/queue/transfers/${unmatched}`)
})

test('a deposit shows the request that created it', async () => {
  const { body, headers } = await shop.create({ cents: ++amount })
  const { text } = await anna.browser.get(`/operator/deposits/${body.id}`)
  assert.ok(text.includes(`${headers.get('request-id')} ${shop.keyId}`))
})

test('a note on a case is kept in the audit log, and shown on its page', async () => {
  const page = `/operator/deposits/${await created()}`
  const done = await anna.browser.post(`${page}/note`, { note: 'Called\nthe payer' })
  assert.equal(done.location, `${page}?done=note`)
  assert.match((await boris.browser.get(page)).text, /Called\nthe payer/)
})

test('an item is taken by one person at a time, and only that person can decide', async () => {
  const { transfer, deposits } = await ambiguous()
  const page = `/operator/transfers/${transfer}`
  const act = { deposit: deposits[0]!, reason: 'The payer wrote to us' }
  await take(anna, page)
  for (const path of [page, `/operator/queue/transfers/${transfer}`]) {
    const { status, text } = await boris.browser.post(`${path}/take`)
    assert.equal(status, 409)
    assert.match(text, new RegExp(`${anna.person.name} is working on this`))
  }
  assert.match((await boris.browser.get(page)).text, new RegExp(`Taken by ${anna.person.name}`))
  const refused = await boris.browser.post(`${page}/match`, act)
  assert.equal(refused.status, 409)
  assert.match(refused.text, new RegExp(`${anna.person.name} is working on this`))
  assert.equal(await transferStateOf(transfer), 'ambiguous')
  // The link to the next item skips items that somebody else works on.
  const queue = (await boris.browser.get('/operator?kind=ambiguous')).text
  assert.notEqual(
    /href="([^"?]+)[^"]*" data-key="n"/.exec(queue)?.[1],
    `/operator/queue/transfers/${transfer}`,
  )

  await anna.browser.post(`${page}/release`)
  await take(boris, page)
  // Ten minutes later anybody may take it.
  await gateway.database.owner.script(
    `update work_claims set until = inlet_now() where item = 'transfer:${transfer}'`,
  )
  await take(anna, page)
  await anna.browser.post(`${page}/release`)
})

test('an item that is let go while another person takes it is theirs', async () => {
  const item = `deposit:${await created()}`
  await takeClaim(gateway.db, item, anna.person.id)
  let asked = 0
  const db = queryable(async (statement) => {
    const rows = await gateway.db.query(statement)
    if (++asked === 1) await dropClaim(gateway.db, item, anna.person.id)
    return rows as never
  })
  assert.equal((await takeClaim(db, item, boris.person.id)).personId, boris.person.id)
})

test('a form is refused in a page, also at an address that no browser sends', async () => {
  const { hostname: host, port } = new URL(gateway.url)
  const headers = {
    cookie: anna.browser.cookie,
    'x-csrf': anna.browser.csrf,
    'sec-fetch-site': 'same-origin',
  }
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    request({ host, port, method: 'POST', path: '/operator/deposits/a\\b/take', headers }, resolve)
      .on('error', reject)
      .end(),
  )
  assert.equal((await answered).resume().statusCode, 404)
})

test('a transfer is matched by hand: the deposit is confirmed, and the record names who and why', async () => {
  const { transfer, deposits } = await ambiguous()
  const page = `/operator/transfers/${transfer}`
  await take(anna, page)
  const noReason = await anna.browser.post(`${page}/match`, { deposit: deposits[1]! })
  assert.equal(noReason.status, 422)
  const matched = await anna.browser.post(`${page}/match`, {
    deposit: deposits[1]!,
    reason: 'By the letter',
  })
  assert.deepEqual([matched.status, matched.location], [303, `${page}?done=match`])
  assert.equal(await stateOf(deposits[1]!), 'confirmed')
  assert.equal(await stateOf(deposits[0]!), 'created')
  const { history } = (await readTimeline(gateway.db, deposits[1]!))!
  assert.equal(history.at(-1)!.actor, `operator:${anna.email}`)
  const [line] = await auditOf(`transfer:${transfer}`)
  assert.deepEqual(
    [line!.act, line!.actor, line!.reason, JSON.parse(line!.before).state, JSON.parse(line!.after).state],
    ['transfer_match', anna.email, 'By the letter', 'ambiguous', 'matched'],
  )
  // It is let go with the act, and a second act finds it done.
  assert.equal((await boris.browser.get(page)).text.includes('Taken by '), false)
  await take(boris, page)
  assert.equal(
    (await boris.browser.post(`${page}/match`, { deposit: deposits[0]!, reason: 'Mine too' })).status,
    409,
  )
  await boris.browser.post(`${page}/release`)
})

test('a transfer is set aside, and then refunded in parts', async () => {
  const { transfer, accountId } = await ambiguous()
  const page = `/operator/transfers/${transfer}`
  await take(anna, page)
  assert.equal((await anna.browser.post(`${page}/set-aside`, { reason: 'Nobody asks' })).status, 303)
  assert.equal(await transferStateOf(transfer), 'set_aside')
  await take(anna, page)
  assert.equal((await anna.browser.post(`${page}/refund`, { amount: 'much', reason: 'x' })).status, 422)
  const part = await anna.browser.post(`${page}/refund`, { amount: '1 000,50', reason: 'They asked for it' })
  assert.equal(part.location, `${page}?done=refund`)
  const { transfer: half } = (await readTransfer(gateway.db, transfer))!
  assert.deepEqual([half.state, half.refundCents], ['set_aside', 100_050n])
  await take(anna, page)
  await anna.browser.post(`${page}/refund`, { amount: '', reason: 'The rest' })
  assert.equal(await transferStateOf(transfer), 'refunded')
  assert.deepEqual(
    (await auditOf(`transfer:${transfer}`)).map((line) => line.act),
    ['transfer_set_aside', 'transfer_refund', 'transfer_refund'],
  )
  assert.ok(accountId)
})

test('a deposit is confirmed, rejected and reversed by the person who took it, as the transition table allows', async () => {
  const [first, second] = [await created(), await created()]
  await take(anna, `/operator/deposits/${first}`)
  assert.equal(
    (await anna.browser.post(`/operator/deposits/${first}/confirm`, { reason: 'Seen at the bank' })).location,
    `/operator/deposits/${first}?done=confirm`,
  )
  assert.equal(await stateOf(first), 'confirmed')
  const decided = (await anna.browser.get(`/operator/deposits/${first}`)).text
  assert.ok(decided.includes(`/deposits/${first}/reverse"`))
  assert.ok(!decided.includes(`/deposits/${first}/reject"`))
  await take(anna, `/operator/deposits/${first}`)
  const again = await anna.browser.post(`/operator/deposits/${first}/reject`, { reason: 'Oops' })
  assert.equal(again.status, 409)
  await anna.browser.post(`/operator/deposits/${first}/reverse`, { reason: 'The bank took it back' })
  assert.equal(await stateOf(first), 'reversed')

  await take(anna, `/operator/deposits/${second}`)
  await anna.browser.post(`/operator/deposits/${second}/reject`, { reason: 'Wrong customer' })
  assert.equal(await stateOf(second), 'rejected')
  const closed = (await anna.browser.get(`/operator/deposits/${second}`)).text
  for (const act of ['confirm', 'reject', 'reverse']) assert.ok(!closed.includes(`/${act}"`), act)
  const lines = await auditOf(`deposit:${first}`)
  assert.deepEqual(
    lines.map((line) => [line.act, JSON.parse(line.before).state, JSON.parse(line.after).state]),
    [
      ['deposit_confirm', 'created', 'confirmed'],
      ['deposit_reverse', 'confirmed', 'reversed'],
    ],
  )
})

test('a dangerous act wants a fresh factor, and leads back to its page', async () => {
  const id = await created()
  const page = `/operator/deposits/${id}`
  await take(anna, page)
  await gateway.database.owner.script(
    `update sessions set proved_at = inlet_now() - interval '1 hour' where person_id = '${anna.person.id}'`,
  )
  const stale = await anna.browser.post(`${page}/confirm`, { reason: 'Seen' })
  assert.equal(stale.location, `/sign-in/again?to=${encodeURIComponent(page)}`)
  assert.equal(await stateOf(id), 'created')
  assert.ok((await anna.browser.get(page)).text.includes('/sign-in/again?to='))
  await gateway.database.owner.script(
    `update sessions set proved_at = inlet_now() where person_id = '${anna.person.id}'`,
  )
  await anna.browser.post(`${page}/release`)
})

test('deposits of all merchants are found by id, order, reference and amount', async () => {
  const other = await openShop(gateway)
  const { body } = await other.create({
    payment_type: 'account_number',
    cents: 4_444_444,
    order_id: 'Order №7',
  })
  const { deposit } = (await readTimeline(gateway.db, body.id))!
  for (const q of [
    body.id,
    'Order №7',
    deposit.reference!,
    deposit.reference!.toLowerCase(),
    '44444.44',
    '44 444,44',
  ]) {
    const { text } = await anna.browser.get(`/operator/deposits?q=${encodeURIComponent(q)}`)
    const found = [...text.matchAll(/<a href="\/operator\/deposits\/([0-9a-f-]{36})"/g)].map(([, id]) => id)
    assert.deepEqual(found, [body.id], q)
  }
  // A card deposit has one too; it is found as it is read out on the phone, and when the number is free for others.
  const card = await other.create({ payment_type: 'any_bank', cents: 4_444_500, order_id: 'Order №8' })
  const { reference } = (await readTimeline(gateway.db, card.body.id))!.deposit
  const spelled = reference!.replace(/^KT(\d{4})/, 'КТ $1 ')
  for (const q of [reference!, spelled]) {
    const { text } = await anna.browser.get(`/operator/deposits?q=${encodeURIComponent(q)}`)
    assert.match(text, new RegExp(`/operator/deposits/${card.body.id}"`), q)
  }
  assert.ok((await anna.browser.get(`/operator/deposits/${card.body.id}`)).text.includes(reference!))
  const none = await anna.browser.get('/operator/deposits?q=nothing-like-it')
  assert.match(none.text, /Nothing found/)
})

/** A deposit on an account with its reference, and money for it. */
async function paid(...amounts: number[]) {
  const depositId = await created()
  const { deposit } = (await readTimeline(gateway.db, depositId))!
  const accountId = await accountOf(gateway, depositId)
  const transfers: string[] = []
  for (const more of amounts) {
    const facts = {
      cents: deposit.amountCents + BigInt(more),
      purpose: deposit.reference!,
      payerName: '=Payer()',
    }
    transfers.push(await transferTo(gateway, accountId, facts))
  }
  return { depositId, transfers, accountId, deposit }
}
const depositOf = async (id: string) => (await readTimeline(gateway.db, id))!.deposit
const refundsPage = async (query = '') => (await anna.browser.get(`/operator/refunds${query}`)).text
const owed = async (query = '') =>
  [
    ...(await refundsPage(query)).matchAll(
      /href="\/operator\/refunds\/([0-9a-f-]{36})"><span class="money">([\d,.]+) <span class="unit">₽/g,
    ),
  ].map(([, id, amount]) => [id!, Number(amount!.replaceAll(',', '')).toFixed(2)])
const takeRefund = ({ browser }: typeof anna, transfer: string) =>
  browser.post(`/operator/refunds/${transfer}/take`)
const releaseRefund = ({ browser }: typeof anna, transfer: string) =>
  browser.post(`/operator/refunds/${transfer}/release`)
const declareNone = (transfer: string, reason = 'x') =>
  anna.browser.post(`/operator/refunds/${transfer}/none`, { reason })

test('refunds are listed oldest first: set aside, left by an ended deposit, overpaid', async () => {
  const { transfer: aside } = await ambiguous()
  await take(anna, `/operator/transfers/${aside}`)
  await anna.browser.post(`/operator/transfers/${aside}/set-aside`, { reason: 'No <such> order' })
  const over = await paid(5_000)
  assert.equal(await stateOf(over.depositId), 'confirmed')
  const ended = await paid(-1_000)
  await take(anna, `/operator/deposits/${ended.depositId}`)
  await anna.browser.post(`/operator/deposits/${ended.depositId}/reject`, { reason: 'Too little' })
  // Our own money between our accounts is nobody else's.
  await transferTo(gateway, over.accountId, { cents: 99n, isInternal: true })

  const amountOf = async (id: string) => {
    const { cents } = (await readTransfer(gateway.db, id))!.transfer
    return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
  }
  assert.deepEqual(await owed(), [
    [aside, await amountOf(aside)],
    [over.transfers[0]!, '50.00'],
    [ended.transfers[0]!, await amountOf(ended.transfers[0]!)],
  ])
  const text = await refundsPage('?mode=test')
  assert.match(text, /No &lt;such&gt; order/)
  assert.match(text, /Deposit closed[\s\S]*The deposit it was for is rejected/)
  assert.ok(text.includes(`/operator/deposits/${ended.depositId}`))
  assert.match(text, /<dt>Test: 3<\/dt><dd>/)
  assert.match(text, /data-head="Came to"><bdi>/)
  assert.deepEqual(await owed('?mode=live'), [])
  const { since } = (
    await gateway.db.query<{ since: Date }>(sql`
    select due_since as since from transfers where id = ${aside}`)
  )[0]!
  const place = placeText({ since, id: aside })
  assert.deepEqual(placeFrom(place), { since, id: aside })
  assert.equal((await owed(`?after=${encodeURIComponent(place)}`)).length, 2)
  assert.equal((await owed('?after=nonsense')).length, 3)

  const csv = await anna.browser.get('/operator/refunds/export.csv?mode=test')
  const lines = csv.text.trim().split('\r\n')
  assert.equal(lines.length, 4)
  assert.match(lines[0]!, /^"amount \(0,00\)";currency;since;payer;why;/)
  assert.match(lines[2]!, /^50,00;RUB;[^;]+;'=Payer\(\)[^;]*;overpaid;/)

  // Matched after all, it is owed to nobody.
  await take(anna, `/operator/transfers/${aside}`)
  const waiting = await created(Number((await readTransfer(gateway.db, aside))!.transfer.cents))
  await anna.browser.post(`/operator/transfers/${aside}/match`, { deposit: waiting, reason: 'Found' })
  assert.equal((await owed()).length, 2)
})

test('a paid refund leaves the list, never exceeds what is owed, and leaves the deposit its amount', async () => {
  const { depositId, transfers, deposit } = await paid(5_000)
  const [transfer] = transfers as [string]
  const pay = (amount: string, { browser } = anna) =>
    browser.post(`/operator/refunds/${transfer}/paid`, { amount, reason: 'Document 17 of today' })
  const page = `/operator/refunds/${transfer}`
  // The person who pays it at the bank has taken it, so that nobody else pays it meanwhile.
  assert.match((await pay('20.00')).text, /Take this first/)
  assert.equal((await takeRefund(anna, transfer)).location, page)
  await takeRefund(boris, transfer)
  assert.match((await boris.browser.get(page)).text, /Taken by /)
  assert.equal((await pay('20.00', boris)).status, 409)
  const most = await pay('50.01')
  assert.equal(most.status, 422)
  assert.match(most.text, /You can refund at most/)
  assert.equal((await pay('')).status, 422)
  assert.equal((await pay('0')).status, 422)
  assert.match(most.text, /name="amount"[^>]* value="50\.01"/)
  assert.equal((await pay('20.00')).location, `${page}?done=paid`)
  assert.ok((await owed()).some(([id, amount]) => id === transfer && amount === '30.00'))
  const lines = await auditOf(`transfer:${transfer}`)
  assert.deepEqual([lines[0]!.act, lines[0]!.reason], ['refund_paid', 'Document 17 of today'])
  assert.deepEqual(JSON.parse(lines[0]!.after).refundCents, '2000')

  // Noted, it is free again: two people at once are one of them.
  await Promise.all([takeRefund(anna, transfer), takeRefund(boris, transfer)])
  const both = await Promise.all([pay('30.00'), pay('30.00', boris)])
  assert.equal(both.filter(({ status }) => status === 303).length, 1)
  const after = await depositOf(depositId)
  assert.deepEqual([after.state, after.receivedCents, after.labels], ['confirmed', deposit.amountCents, []])
  // Nothing is owed any more, so there is no such refund.
  assert.equal((await takeRefund(anna, transfer)).status, 404)
  assert.equal((await pay('0.01')).status, 404)
  assert.ok(!(await owed()).some(([id]) => id === transfer))
})

test('a refund stays assigned to a person while it is paid at the bank, also if they take its transfer', async () => {
  const [transfer] = (await paid(5_000)).transfers as [string]
  await takeRefund(anna, transfer)
  await take(anna, `/operator/transfers/${transfer}`)
  await gateway.database.owner.query(
    sql`update work_claims set until = until - interval '11 minutes' where item = ${`transfer:${transfer}`}`,
  )
  await takeRefund(boris, transfer)
  assert.match((await boris.browser.get(`/operator/refunds/${transfer}`)).text, /Taken by /)
  assert.equal((await releaseRefund(anna, transfer)).location, `/operator/refunds/${transfer}`)
})

test('a second payment is owed whole, money without a deposit to its last coin', async () => {
  const twice = await paid(0, 0)
  const [, second] = twice.transfers as [string, string]
  const whole = `${twice.deposit.amountCents / 100n}.${String(twice.deposit.amountCents % 100n).padStart(2, '0')}`
  assert.deepEqual(
    (await owed()).filter(([id]) => twice.transfers.includes(id!)),
    [[second, whole]],
  )
  const context = depositContextOf(gateway)
  const act = { actor: 'operator:test', reason: 'Sent back' }
  await assert.rejects(
    payBack(context, { ...act, transferId: second, cents: twice.deposit.amountCents + 1n }),
    {
      code: 'invalid_value',
    },
  )
  assert.equal(
    (await payBack(context, { ...act, transferId: second, cents: null })).transfer.state,
    'refunded',
  )
  assert.equal(await stateOf(twice.depositId), 'confirmed')

  const { transfer } = await ambiguous()
  await take(anna, `/operator/transfers/${transfer}`)
  await anna.browser.post(`/operator/transfers/${transfer}/set-aside`, { reason: 'Unknown' })
  const part = await payBack(context, { ...act, transferId: transfer, cents: 1_00n })
  assert.equal(part.transfer.state, 'set_aside')
  assert.ok((await owed()).some(([id]) => id === transfer))
  assert.equal(
    (await payBack(context, { ...act, transferId: transfer, cents: null })).transfer.state,
    'refunded',
  )
  assert.ok(!(await owed()).some(([id]) => id === transfer))
})

test('money that is not owed leaves the list with a reason; further surplus is owed again', async () => {
  const { depositId, transfers, accountId, deposit } = await paid(5_000)
  const [transfer] = transfers as [string]
  await takeRefund(anna, transfer)
  const none = await declareNone(transfer, 'The shop credited it')
  assert.equal(none.location, '/operator/refunds?done=none')
  assert.equal((await auditOf(`transfer:${transfer}`))[0]!.act, 'refund_none')
  assert.ok(!(await owed()).some(([id]) => id === transfer))
  assert.equal((await depositOf(depositId)).receivedCents, deposit.amountCents + 5_000n)
  const more = await transferTo(gateway, accountId, { cents: 7_00n, purpose: deposit.reference! })
  assert.deepEqual(
    (await owed()).filter(([id]) => id === transfer || id === more),
    [[more, '7.00']],
  )
  await takeRefund(anna, more)
  assert.equal((await declareNone(more)).status, 303)
  assert.equal((await declareNone(more)).status, 404)
})

test('of several payments each is owed its own part, and decisions about one do not affect another', async () => {
  const context = depositContextOf(gateway)
  const act = { actor: 'operator:test', reason: 'test' }
  const { depositId, transfers, accountId, deposit } = await paid(2_00)
  const [first] = transfers as [string]
  const pay = (cents: bigint) => transferTo(gateway, accountId, { cents, purpose: deposit.reference! })
  const second = await pay(3_00n)
  const mine = async () => (await owed()).filter(([id]) => [first, second].includes(id!))
  assert.deepEqual(
    (await mine()).toSorted(),
    [
      [first, '2.00'],
      [second, '3.00'],
    ].toSorted(),
  )
  await assert.rejects(payBack(context, { ...act, transferId: first, cents: 2_01n }), {
    code: 'invalid_value',
  })
  await declareNotOwed(context, { ...act, transferId: second })
  assert.deepEqual(await mine(), [[first, '2.00']])
  // It goes with its payment: what comes later is owed whole.
  await revokeByHand(context, { ...act, transferId: second })
  const third = await pay(4_00n)
  assert.deepEqual(
    (await owed()).filter(([id]) => [first, second, third].includes(id!)).toSorted(),
    [
      [first, '2.00'],
      [third, '4.00'],
    ].toSorted(),
  )
  assert.equal(await stateOf(depositId), 'confirmed')
})

test('a refund uses up what was not owed: surplus that arrives later is owed whole', async () => {
  const context = depositContextOf(gateway)
  const act = { actor: 'operator:test', reason: 'test' }
  const { depositId, transfers, accountId, deposit } = await paid(5_00)
  const [first] = transfers as [string]
  await declareNotOwed(context, { ...act, transferId: first })
  await refund(context, { ...act, transferId: first, cents: 2_00n })
  const kept = async () => (await readTransfer(gateway.db, first))!.transfer.shares[0]!.keptCents
  assert.deepEqual(
    [await kept(), (await depositOf(depositId)).receivedCents],
    [3_00n, deposit.amountCents + 3_00n],
  )
  const later = await transferTo(gateway, accountId, { cents: 4_00n, purpose: deposit.reference! })
  assert.deepEqual(
    (await owed()).filter(([id]) => id === first || id === later),
    [[later, '4.00']],
  )
})

test('money that is not owed cannot be refunded, and what the bank brings back is not owed twice', async () => {
  const context = depositContextOf(gateway)
  const act = { actor: 'operator:test', reason: 'test' }
  const { transfer } = await ambiguous()
  const nobody = { code: 'state_conflict' }
  await assert.rejects(payBack(context, { ...act, transferId: transfer, cents: null }), nobody)
  await setAside(context, { ...act, transferId: transfer })
  await declareNotOwed(context, { ...act, transferId: transfer })
  await assert.rejects(payBack(context, { ...act, transferId: transfer, cents: null }), nobody)
  await assert.rejects(declareNotOwed(context, { ...act, transferId: transfer }), nobody)

  const { transfer: other } = await ambiguous()
  await setAside(context, { ...act, transferId: other })
  await payBack(context, { ...act, transferId: other, cents: null })
  await revokeByHand(context, { ...act, transferId: other })
  const stored = (await readTransfer(gateway.db, other))!.transfer
  await takeTransfers(context, [entryTo(stored.accountId, { ...stored, version: stored.version + 1n })], {
    source: await gateway.db.transaction((tx) =>
      sourceOf(tx, { mode: 'test', kind: 'sandbox', channel: 'sandbox' }),
    ),
  })
  const [back] = await listTransfers(gateway.db, {
    ...{ state: 'held', accountId: stored.accountId, depositId: null, before: null, limit: 1 },
  })
  assert.deepEqual(back!.heldWith, [other])
  await setAside(context, { ...act, transferId: back!.id })
  assert.deepEqual(
    (await owed()).filter(([id]) => id === other || id === back!.id),
    [],
  )
})

test('a surplus is that of the last payments; what none of them explains stands for itself', () => {
  const partOf = (depositCents: bigint, keptCents = 0n) => ({ depositCents, keptCents })
  const [old, middle, last] = [partOf(1_000n), partOf(300n), partOf(200n)]
  const parts = (surplus: bigint) => surplusParts(surplus, [last!, middle!, old!])
  assert.deepEqual(parts(150n), [{ part: last, cents: 150n }])
  assert.deepEqual(parts(450n), [
    { part: last, cents: 200n },
    { part: middle, cents: 250n },
  ])
  assert.deepEqual(surplusParts(5n, []), [{ part: null, cents: 5n }])
  assert.deepEqual(parts(1_501n).at(-1), { part: null, cents: 1n })
  // What was nobody's claim of one payment is taken from that one.
  assert.deepEqual(surplusParts(450n, [partOf(200n, 200n), middle]), [{ part: middle, cents: 250n }])
  assert.deepEqual(surplusParts(450n, [last, partOf(300n, 100n)]).at(-1)!.cents, 150n)
  // What is kept of a payment that is no surplus any more, because an earlier one was taken back, is kept of the later ones.
  const kept = partOf(1_000n, 1_000n)
  const [newest, older] = [partOf(900n), partOf(600n)]
  assert.deepEqual(surplusParts(1_500n, [newest, older, kept]), [{ part: newest, cents: 500n }])
  assert.deepEqual(surplusParts(1_500n, [newest, older, partOf(1_000n, 100n)]), [
    { part: newest, cents: 900n },
    { part: older, cents: 500n },
  ])
})
