/** The merchant's console: every page for everybody who may see it, every act for who may do it, and nothing more. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { verifyCallback } from '../../sdk/signature.ts'
import { operatorPause } from '../../src/domain/callbacks/delivery/lane.ts'
import { listEndpoints, pauseLane, resumeLane } from '../../src/domain/callbacks/endpoint-store.ts'
import { changePaymentType } from '../../src/domain/catalogue/change-payment-type.ts'
import { findMerchant } from '../../src/domain/merchants/store.ts'
import { endMember } from '../../src/domain/people/change-members.ts'
import { invitePerson } from '../../src/domain/people/change-person.ts'
import { csrfOf } from '../../src/domain/people/session.ts'
import { addToList } from '../../src/domain/rules/change-list.ts'
import { sql, within } from '../../src/platform/db.ts'
import { until } from '../support/delivery.ts'
import { during } from '../support/during.ts'
import { type Fields, openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { untilWaiting } from '../support/held-account.ts'
import { joined, PersonsBrowser, password } from '../support/person.ts'
import { answers, ok, type Receiver, startReceiver } from '../support/receiver.ts'
import { liftPageRates, misprintsOf } from '../support/staff-pages.ts'
import { faultsOfHtml } from '../support/valid-html.ts'

type Member = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let other: Shop
let receiver: Receiver
let viewer: Member
let developer: Member
let owner: Member
let stranger: Member
let confirmed: string
let open: string
before(async () => {
  liftPageRates()
  gateway = await startGateway()
  receiver = await startReceiver()
  shop = await openShop(gateway)
  other = await openShop(gateway)
  viewer = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  developer = await joined(gateway, { merchantId: shop.merchant, role: 'developer' })
  owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  stranger = await joined(gateway, { merchantId: other.merchant, role: 'owner' })
  confirmed = await deposit({ order_id: 'A-1001', cents: 150_050, customer: 'user-42' })
  open = await deposit({ order_id: 'A-1002', cents: 777_700, payment_type: 'any_bank' })
})

async function deposit(fields: Fields = {}, owner = shop): Promise<string> {
  const { status, body } = await owner.create(fields)
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

const at = (path = '', merchant = shop.merchant) => `/console/${merchant}${path}`

const text = (page: string) =>
  page
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')

async function lastAct(): Promise<{
  act: string
  actor: string
  merchantId: string
  before: string
  after: string
}> {
  const [row] = await gateway.database.owner.query<{
    act: string
    actor: string
    merchantId: string
    before: string
    after: string
  }>(sql`
    select act, actor, merchant_id as "merchantId", before, after
    from audit_entries
    order by place desc
    limit 1`)
  return row!
}

const pages = () => [
  '/overview',
  '/deposits',
  '/deposits?q=A-1001&state=confirmed&currency=RUB&method=account_number&from=2020-01-01&to=2099-12-31',
  '/deposits?q=nothing+like+it',
  `/deposits/${confirmed}`,
  `/deposits/${open}`,
  '/callbacks',
  '/callbacks?state=failed',
  '/callbacks?state=pending',
  '/callbacks/1',
  '/callbacks?type=deposit.confirmed',
  '/callbacks?q=A-1001',
  '/endpoints',
  '/keys',
  `/keys/${shop.keyId}`,
  '/people',
  '/limits',
  '/settings',
  '/bank',
]
const developerPages = ['/settings/callback', '/keys/secret', '/keys/rotate']
const ownerPages = ['/settings/returns', '/settings/branding']

test('a deposit is paid by the test bank, and its page shows its history', async () => {
  const paid = await developer.browser.post(at('/bank/pay'), { deposit: 'A-1001', play: 'exact' })
  assert.equal(paid.location, at(`/deposits/${confirmed}`))
  const { status, text: page } = await viewer.browser.get(at(`/deposits/${confirmed}`))
  assert.equal(status, 200)
  assert.match(text(page), /Created.*Money received.*Confirmed/)
  assert.match(text(page), /Тестовый плательщик/)
  assert.match(text(page), /Reference in the purpose/)
  assert.match(page, new RegExp(`href="${at('/callbacks/1')}"`))
  assert.match(text(page), /Fulfil the order/)
  assert.equal((await lastAct()).actor, developer.email)
})

test('how money was matched is said in words, not by the code of the rule', async () => {
  const id = await deposit({ order_id: 'A-card', payment_type: 'any_bank', cents: 151_070 })
  await developer.browser.post(at('/bank/pay'), { deposit: 'A-card', play: 'exact' })
  const { text: page } = await viewer.browser.get(at(`/deposits/${id}`))
  assert.match(text(page), /Amount: only this deposit was awaiting it/)
})

test('the merchant does not see the operator’s watch list', async () => {
  const watched = { list: 'watch', kind: 'customer', value: 'user-43', merchantId: null } as const
  await addToList(gateway.db, { ...watched, reason: 'Cheated another shop', addedBy: 'anna' })
  const id = await deposit({ order_id: 'A-43', cents: 151_060, customer: 'user-43' })
  await developer.browser.post(at('/bank/pay'), { deposit: 'A-43', play: 'exact' })
  const { text: page } = await viewer.browser.get(at(`/deposits/${id}`))
  assert.match(text(page), /Created.*Money received/)
  assert.doesNotMatch(page, /watch list|Cheated/)
})

test('the merchant learns that the operator decided, and why, but not which of its people', async () => {
  const id = await deposit({ cents: 150_051 })
  const operator = await joined(gateway, { operatorRole: 'operator' })
  const approver = await joined(gateway, { operatorRole: 'approver' })
  const desk = `/operator/deposits/${id}`
  await operator.browser.post(`${desk}/take`)
  await operator.browser.post(`${desk}/confirm`, { reason: 'Seen at the bank' })
  const [proposal] = await gateway.db.query<{ id: string }>(
    sql`select id from proposals where subject = ${`deposit:${id}`}`,
  )
  await approver.browser.post(`/operator/approvals/${proposal!.id}/approve`, { reason: 'I saw it too' })
  const { text: page } = await viewer.browser.get(at(`/deposits/${id}`))
  assert.match(text(page), /Confirmed.* operator Seen at the bank/)
  for (const { email, person } of [operator, approver])
    assert.deepEqual([page.includes(email), page.includes(person.name)], [false, false])
  assert.ok((await approver.browser.get(desk)).text.includes(approver.email))
})

test('a missing value is found on a page, although a random token may contain the same letters', () => {
  const csrf = csrfOf('0'.repeat(43))
  assert.deepEqual(misprintsOf(`<input value="${csrf.replace(/^.{3}/, 'NaN')}"><td>NaN</td> NaN undefined`), [
    'undefined',
    'NaN',
    'NaN',
  ])
})

test('every page is there for a viewer, in both languages, as valid HTML', async () => {
  const wrong: string[] = []
  const more = [...developerPages, ...ownerPages, '/callbacks/replay-failed', '/callbacks/test']
  for (const [person, language, paths] of [
    [viewer, 'en', pages()],
    [owner, 'en', more],
    [owner, 'ru', [...pages(), ...more]],
  ] as const) {
    await person.browser.post('/account/preferences', { language, zone: 'Asia/Tashkent' })
    for (const path of paths) {
      const { status, text: page } = await person.browser.get(at(path))
      assert.equal(status, 200, `${path}: ${text(page)} ${gateway.logged.slice(-5).join('\n')}`)
      assert.match(page, new RegExp(`<html lang="${language}">`), path)
      assert.deepEqual(misprintsOf(page), [], path)
      assert.equal(page.match(/<h1/g)?.length, 1, path)
      for (const fault of await faultsOfHtml(page)) wrong.push(path + fault)
    }
    await person.browser.post('/account/preferences', { language: 'en', zone: 'Asia/Tashkent' })
  }
  assert.deepEqual([...new Set(wrong)], [])
})

test('one search field finds a deposit by any of its identifiers', async () => {
  const { body } = await shop.create({ order_id: 'B-7', cents: 1_234_567, customer: 'anna@example.com' })
  const reference = /KT\d{8}/.exec(body.payment_data.payment_reason)![0]
  const queries = [
    body.id,
    'B-7',
    'anna@example.com',
    '12345.67',
    '12 345,67',
    '12,345.67',
    reference,
    body.payment_data.number.slice(-4),
    body.payment_data.number,
  ]
  for (const query of queries) {
    const { text: page } = await viewer.browser.get(at(`/deposits?q=${encodeURIComponent(query)}`))
    assert.match(page, new RegExp(`/deposits/${body.id}"`), query)
  }
  // What a customer of a card deposit quotes: on its page, as it is read out on the phone, and when it is free for others.
  const card = await shop.create({ order_id: 'B-8', cents: 1_234_600, payment_type: 'any_bank' })
  const { text: payment } = await viewer.browser.get(new URL(card.body.payment_data.url).pathname)
  const quoted = /KT\d{8}/.exec(payment)![0]
  assert.match((await viewer.browser.get(at(`/deposits/${card.body.id}`))).text, new RegExp(quoted))
  for (const query of [quoted, quoted.replace(/^KT(\d{4})/, 'кт $1-')]) {
    const { text: page } = await viewer.browser.get(at(`/deposits?q=${encodeURIComponent(query)}`))
    assert.match(page, new RegExp(`/deposits/${card.body.id}"`), query)
  }
  for (const query of ['12345', 'B-', 'anna', '0000'])
    assert.match(
      (await viewer.browser.get(at(`/deposits?q=${encodeURIComponent(query)}`))).text,
      /Nothing found/,
      query,
    )
})

test('filters narrow, combine, and stay when paging', async () => {
  const many = await openShop(gateway)
  const person = await joined(gateway, { merchantId: many.merchant, role: 'viewer' })
  for (let made = 0; made < 110; made++) await deposit({ cents: 200_000 + made, order_id: `P-${made}` }, many)
  const first = await person.browser.get(at('/deposits?currency=RUB', many.merchant))
  assert.equal(first.text.match(/\/deposits\/[0-9a-f-]{36}/g)!.length, 100)
  const older = /href="([^"]+after=[^"]+)"/.exec(first.text)![1]!.replaceAll('&amp;', '&')
  assert.match(older, /currency=RUB/)
  const second = await person.browser.get(older)
  assert.equal(second.text.match(/\/deposits\/[0-9a-f-]{36}/g)!.length, 10)
  const orders = [...(first.text + second.text).matchAll(/<bdi>(P-\d+)<\/bdi>/g)].map(([, order]) => order)
  assert.deepEqual(
    orders,
    Array.from({ length: 110 }, (_, place) => `P-${109 - place}`),
  )
  for (const none of [
    '?state=reversed',
    '?currency=TJS',
    '?method=sbp',
    '?to=2020-01-01',
    '?from=2098-01-01',
  ])
    assert.match(
      (await person.browser.get(at(`/deposits${none}`, many.merchant))).text,
      /Nothing found/,
      none,
    )
  // What an address says wrongly counts as not said.
  assert.equal(
    (await person.browser.get(at('/deposits?state=lost&currency=XXX&from=yesterday&after=x', many.merchant)))
      .status,
    200,
  )
})

test('a console without deposits teaches how to make one', async () => {
  const { text: page } = await stranger.browser.get(at('/deposits', other.merchant))
  assert.match(page, /No deposits yet/)
  assert.match((await stranger.browser.get(at('/overview', other.merchant))).text, /href="\/docs"/)
})

test('what customers and shops wrote stays text: in pages, and in a spreadsheet', async () => {
  const html = '<script>alert(1)</script>'
  const id = await deposit({ order_id: html, customer: '=HYPERLINK("http://evil.example","x")' })
  for (const path of ['/deposits', `/deposits/${id}`, '/bank', `/deposits?q=${encodeURIComponent(html)}`]) {
    const { text: page } = await viewer.browser.get(at(path))
    assert.doesNotMatch(page, /<script>alert/, path)
    assert.match(page, /&lt;script&gt;alert/, path)
  }
  const { text: csv, headers } = await viewer.browser.get(at('/deposits/export.csv'))
  assert.match(headers.get('content-type')!, /^text\/csv/)
  assert.match(csv, /"'=HYPERLINK\(""http/)
  assert.match(
    csv,
    /^\ufeff?order_id;"amount \(0,00\)";currency;state;created_at;payment_type;id;"received \(0,00\)";/,
  )
  assert.match(
    csv,
    /A-1001;1500,50;RUB;confirmed;\d{4}-\d\d-\d\dT[\d:.]+Z;Bank account;[0-9a-f-]{36};1500,50;RUB;user-42;/,
  )
  const narrowed = (await viewer.browser.get(at('/deposits/export.csv?state=confirmed&q=A-1001'))).text
  assert.deepEqual([narrowed.trim().split('\r\n').length, narrowed.includes('A-1001')], [2, true])
  // Who took what out is on record, what they typed is not.
  const { act, after } = await lastAct()
  assert.deepEqual([act, after], ['export', '{"state":"confirmed"}'])
})

test('a callback that waits for an address shows no past attempt, in the console and at the desk', async () => {
  const { location } = await developer.browser.post(at('/bank/pay'), { deposit: 'A-1001', play: 'exact' })
  assert.ok(location)
  for (const path of ['/callbacks', '/callbacks?state=pending', '/callbacks/1'])
    assert.match(text((await viewer.browser.get(at(path))).text), /when a URL is set/, path)
  const admin = await joined(gateway, { operatorRole: 'admin' })
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select deposit_id as id from events where merchant_id = ${shop.merchant} limit 1`,
  )
  const { text: page } = await admin.browser.get(`/operator/deposits/${row!.id}`)
  assert.match(text(page), /Callback URL not set/)
})

test('an address is set, tested against a real receiver, and gets what waited', async () => {
  receiver.answer('/hook', ok)
  const wrong = await developer.browser.post(at('/settings/callback'), { address: 'ftp://shop.example' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /full http or https address/)
  const set = await developer.browser.post(at('/settings/callback'), { address: receiver.url('/hook') })
  assert.equal(set.location, at('/settings?done=callback'))
  const { act, after, merchantId } = await lastAct()
  assert.deepEqual([act, merchantId], ['callback_address', shop.merchant])
  assert.equal(JSON.parse(after).callbackUrl, receiver.url('/hook'))
  const tested = await developer.browser.post(at('/callbacks/test'))
  assert.match(text(tested.text), /Answered 200/)
  await until('the callback that waited', () =>
    receiver.of('/hook').some((callback) => callback.sequence === 1),
  )
  await until('delivered', async () =>
    />Delivered</.test((await viewer.browser.get(at('/callbacks/1'))).text),
  )
  const { text: page } = await viewer.browser.get(at('/callbacks/1'))
  const sent = receiver.of('/hook').find((callback) => callback.sequence === 1)!
  // The page shows what really went out: the bytes, and the very signature.
  assert.ok(page.includes(sent.body.replaceAll('"', '&quot;')))
  assert.ok(page.includes(`webhook-signature: ${sent.headers['webhook-signature']}`))
  assert.match(page, /thank you/)
})

test('a merchant does not learn that a callback URL leads into the operator’s network, nor to which address', async () => {
  await gateway.database.owner.script(`
    insert into delivery_attempts (made_on, event_id, endpoint_id, at, ms, outcome, error, address, node)
    select made_on, id, (select p.id from endpoints p where p.merchant_id = events.merchant_id and p.origin is null),
      made_at, 5, 'retry', error, address, gen_random_uuid()
    from events, (values ('blocked_address', '10.20.30.40'), ('dns', null), ('connect', '203.0.113.40')) as tried (error, address)
    where merchant_id = '${shop.merchant}' and sequence = 1`)
  const page = text((await viewer.browser.get(at('/callbacks/1'))).text)
  // The same as of a name that does not exist.
  assert.equal(page.match(/host name not found, or its address is not allowed \(dns\)/g)?.length, 2)
  assert.doesNotMatch(page, /blocked/)
  assert.match(page, /203\.0\.113\.40/)
  assert.doesNotMatch(page, /10\.20\.30\.40/)
})

test('callbacks are paused and resumed by a person, and nothing is lost', async () => {
  const [lane] = await listEndpoints(gateway.db, shop.merchant)
  const here = at(`/endpoints/${lane!.id}`)
  assert.equal((await developer.browser.post(`${here}/pause`)).location, `${here}?done=pause`)
  assert.match((await developer.browser.get(at('/endpoints'))).text, /Paused/)
  const id = await deposit({ order_id: 'C-1', cents: 310_000 })
  await developer.browser.post(at('/bank/pay'), { deposit: id, play: 'exact' })
  assert.equal(receiver.of('/hook').filter((callback) => callback.depositId === id).length, 0)
  assert.match((await developer.browser.get(at('/callbacks?state=pending'))).text, /deposit\.confirmed/)
  await developer.browser.post(`${here}/resume`)
  await until('it goes out', () => receiver.of('/hook').some((callback) => callback.depositId === id))
})

test('only the operator resumes a lane that the operator paused', async () => {
  const own = await openShop(gateway)
  const person = await joined(gateway, { merchantId: own.merchant, role: 'owner' })
  const [lane] = await listEndpoints(gateway.db, own.merchant)
  const here = at(`/endpoints/${lane!.id}`, own.merchant)
  await pauseLane(gateway.db, lane!.id, operatorPause('Complaints of customers'))
  const page = await person.browser.get(here)
  assert.match(page.text, /Complaints of customers/)
  assert.match(page.text, /Only the operator can resume it/)
  for (const word of ['resume', 'pause']) {
    const refused = await person.browser.post(`${here}/${word}`)
    assert.equal(refused.status, 409)
    assert.doesNotMatch(refused.text, /The deposit/)
  }
  assert.equal((await listEndpoints(gateway.db, own.merchant))[0]!.state, 'paused')

  // Also while the operator is about to.
  await resumeLane(gateway.db, lane!.id)
  const late = await during(
    gateway,
    (tx) => pauseLane(tx, lane!.id, operatorPause('Complaints of customers')),
    () => person.browser.post(`${here}/pause`),
  )
  assert.equal(late.status, 409)
  assert.equal((await listEndpoints(gateway.db, own.merchant))[0]!.state, 'paused')
})

test('one callback is sent again, and all that were given up', async () => {
  const before = receiver.of('/hook').length
  const again = await developer.browser.post(at('/callbacks/1/replay'))
  assert.equal(again.location, at('/callbacks/1?done=replay'))
  await until('again', () => receiver.of('/hook').filter((callback) => callback.sequence === 1).length === 2)
  assert.equal(receiver.of('/hook').length, before + 1)
  receiver.answer('/hook', answers(410))
  const id = await deposit({ order_id: 'C-2', cents: 320_000, callback_url: receiver.url('/gone') })
  receiver.answer('/gone', answers(410))
  await developer.browser.post(at('/bank/pay'), { deposit: id, play: 'exact' })
  await until('given up', async () => {
    const dead = await gateway.db.query(
      sql`select event_id from deliveries where state = 'dead' and merchant_id = ${shop.merchant}`,
    )
    return dead.length === 1
  })
  assert.match((await developer.browser.get(at('/callbacks?state=failed'))).text, />Failed</)
  receiver.answer('/gone', ok)
  receiver.answer('/hook', ok)
  assert.equal((await developer.browser.post(at('/callbacks/replay-failed'), { since: 'soon' })).status, 422)
  // However old: no day has to be typed.
  await gateway.database.owner.script(
    `update deliveries set died_at = died_at - interval '20 days' where state = 'dead' and merchant_id = '${shop.merchant}'`,
  )
  assert.match(
    (await developer.browser.get(at('/callbacks/replay-failed'))).text,
    /Failed callbacks found: 1/,
  )
  const all = await developer.browser.post(at('/callbacks/replay-failed'), { since: '' })
  assert.equal(all.location, at('/callbacks?state=pending&done=replay-failed&count=1'))
  assert.match((await developer.browser.get(all.location!)).text, /Callbacks that are sent again: 1/)
  assert.equal(JSON.parse((await lastAct()).after).replayed, 1)
  await until('sent again', () => receiver.of('/gone').some((callback) => callback.status === 200))
})

test('a live merchant’s address is asked for, and waits for the operator', async () => {
  const live = await openShop(gateway, { mode: 'live' })
  const person = await joined(gateway, { merchantId: live.merchant, role: 'developer' })
  const here = at('/settings', live.merchant)
  const plain = await person.browser.post(`${here}/callback`, { address: 'http://shop.example/hook' })
  assert.equal(plain.status, 422)
  const address = 'https://shop.example/hook'
  assert.equal((await person.browser.post(`${here}/callback`, { address })).location, `${here}?done=proposed`)
  const { text: page } = await person.browser.get(here)
  assert.match(text(page), /waiting for a second person/)
  assert.equal((await person.browser.post(`${here}/callback`, { address })).status, 409)
  const [row] = await gateway.database.owner.query<{ callback_url: string | null }>(
    sql`select callback_url from merchants where id = ${live.merchant}`,
  )
  assert.equal(row!.callback_url, null)
  const [, withdraw] = /action="([^"]+\/withdraw)"/.exec(page)!
  assert.equal((await person.browser.post(withdraw!)).location, `${here}?done=withdrawn`)
  assert.doesNotMatch((await person.browser.get(here)).text, /waiting for a second person/)
  // There is no fake bank for real money.
  assert.equal((await person.browser.get(at('/bank', live.merchant))).status, 404)
  assert.equal((await person.browser.post(at('/bank/time', live.merchant), { minutes: '5' })).status, 404)
})

test('a callback secret is renewed: every call carries both signatures', async () => {
  const made = await developer.browser.post(at('/keys/secret'), { days: '1' })
  const secret = /whsec_[\w+/=]+/.exec(made.text)![0]
  await until('signed with both', async () => {
    await developer.browser.post(at('/callbacks/test'))
    return receiver
      .of('/hook')
      .some((callback) => String(callback.headers['webhook-signature']).split(' ').length === 2)
  })
  const { headers, body } = receiver.of('/hook').at(-1)!
  const isGenuine = verifyCallback({
    secrets: [secret],
    id: String(headers['webhook-id']),
    timestamp: String(headers['webhook-timestamp']),
    signature: String(headers['webhook-signature']),
    body,
    now: Number(headers['webhook-timestamp']),
  })
  assert.ok(isGenuine)
})

test('an owner changes the rules; a wrong value changes nothing', async () => {
  const rules = {
    choiceMinutes: '20',
    paymentMinutes: '45',
    lateGraceHours: '12',
    lateGraceAccountHours: '96',
    underpaidPolicy: 'accept',
    underpaidTolerance: '1,00',
    overpaidPolicy: 'review',
    latePolicy: 'confirm',
    language: 'uz',
    claimed: 'on',
  }
  const save = (section: string, more = {}) =>
    owner.browser.post(at(`/settings/${section}`), { ...rules, ...more })
  // A section changes what is its own, whatever else the form says.
  for (const [section, expected] of [
    ['times', { choiceMinutes: 20, paymentMinutes: 45, lateGraceHours: 12, lateGraceAccountHours: 96 }],
    [
      'differences',
      {
        underpaidPolicy: 'accept',
        underpaidToleranceCents: '100',
        overpaidPolicy: 'review',
      },
    ],
    ['page', { language: 'uz', optionalEvents: ['deposit.claimed'] }],
  ] as const) {
    assert.equal((await save(section)).location, at(`/settings?done=${section}`))
    const { act, before, after } = await lastAct()
    assert.equal(act, 'merchant_settings')
    assert.deepEqual(JSON.parse(after), expected)
    assert.deepEqual(Object.keys(JSON.parse(before)).sort(), Object.keys(expected).sort())
  }
  // Rates belong to the operator.
  assert.equal((await save('limits', { ratePerSecond: '1000000' })).status, 404)
  for (const [section, wrong] of [
    ['times', { paymentMinutes: '4' }],
    ['times', { paymentMinutes: '1e3' }],
    ['differences', { underpaidPolicy: 'confirm' }],
    ['differences', { underpaidTolerance: '-1' }],
  ] as const)
    assert.equal((await save(section, wrong)).status, 422)
  assert.match((await viewer.browser.get(at('/settings'))).text, /Accept within the allowed shortfall/)
})

test('an owner sets where customers return to, and the very next deposit takes it', async () => {
  const here = at('/settings/returns')
  const success = 'http://shop.example/thanks?a="b"'
  const wrong = await owner.browser.post(here, { success, reject: 'shop.example' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="returns-reject-error">Enter a full http or https address\.</)
  assert.doesNotMatch(wrong.text, /returns-success-error/)
  // What was typed is still there.
  assert.match(wrong.text, /value="http:\/\/shop\.example\/thanks\?a=&quot;b&quot;"/)
  assert.match(wrong.text, /value="shop\.example"/)
  const set = await owner.browser.post(here, { success, reject: '' })
  assert.equal(set.location, at('/settings?done=returns'))
  const { act, after } = await lastAct()
  assert.deepEqual([act, JSON.parse(after)], ['return_addresses', { successUrl: success }])
  assert.match((await viewer.browser.get(at('/settings'))).text, /thanks\?a=&quot;b&quot;/)
  const id = await deposit({ order_id: 'R-1', cents: 365_000 })
  assert.match((await viewer.browser.get(at(`/deposits/${id}`))).text, /thanks\?a=&quot;b&quot;/)
  await owner.browser.post(here, { success: '', reject: '' })
  const next = await deposit({ order_id: 'R-2', cents: 366_000 })
  assert.doesNotMatch((await viewer.browser.get(at(`/deposits/${next}`))).text, /thanks/)
})

test('the audit entry of a change has the value that it replaced, even one that was written while it waited', async () => {
  const here = at('/settings/returns')
  const meanwhile = 'http://shop.example/meanwhile'
  let changed: Promise<unknown> = Promise.resolve()
  await gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`update merchants set success_url = ${meanwhile} where id = ${shop.merchant}`)
    changed = owner.browser.post(here, { success: 'http://shop.example/after', reject: '' })
    await untilWaiting(gateway, 1)
  })
  await changed
  const { act, before } = await lastAct()
  assert.deepEqual([act, JSON.parse(before)], ['return_addresses', { successUrl: meanwhile }])
  await owner.browser.post(here, { success: '', reject: '' })
})

test('a live merchant’s return addresses are asked for, and wait for the operator', async () => {
  const live = await openShop(gateway, { mode: 'live' })
  const person = await joined(gateway, { merchantId: live.merchant, role: 'owner' })
  const other = await joined(gateway, { merchantId: live.merchant, role: 'owner' })
  const here = at('/settings', live.merchant)
  const plain = await person.browser.post(`${here}/returns`, { success: 'http://shop.example/' })
  assert.match(plain.text, /A live merchant must use https/)
  const wanted = { success: 'https://shop.example/thanks', reject: 'https://shop.example/basket' }
  const asked = await person.browser.post(`${here}/returns`, wanted)
  assert.equal(asked.location, `${here}?done=proposed`)
  assert.match(text((await other.browser.get(here)).text), /waiting for a second person/)
  assert.equal((await other.browser.post(`${here}/returns`, wanted)).status, 409)
  const [, withdraw] = /action="([^"]+\/withdraw)"/.exec((await person.browser.get(here)).text)!
  assert.doesNotMatch((await other.browser.get(here)).text, /\/withdraw"/)
  assert.equal((await other.browser.post(withdraw!)).status, 404)
  assert.equal((await person.browser.post(withdraw!)).location, `${here}?done=withdrawn`)
  assert.doesNotMatch((await other.browser.get(here)).text, /waiting for a second person/)
  assert.equal((await findMerchant(gateway.db, live.merchant))!.successUrl, null)
})

test('the list of people shows the viewer as present', async () => {
  const lone = await openShop(gateway)
  const { browser, email } = await joined(gateway, { merchantId: lone.merchant, role: 'owner' })
  const { text } = await browser.get(`/console/${lone.merchant}/people`)
  const [row] = text.split('<tr>').filter((part) => part.includes(email))
  assert.match(row!, /<time datetime="[^"]+" title="[^"]+">/)
})

test('a merchant keeps one owner', async () => {
  const lone = await openShop(gateway)
  const only = await joined(gateway, { merchantId: lone.merchant, role: 'owner' })
  const here = at('/people/invite', lone.merchant)
  assert.equal((await only.browser.post(at(`/people/${only.person.id}/end`, lone.merchant))).status, 409)
  const lower = { email: only.email, name: 'Only', role: 'viewer' }
  const refused = await only.browser.post(here, lower, { 'accept-language': 'ru' })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /хотя бы один владелец/)
  assert.equal((await only.browser.get(at('/settings', lone.merchant))).status, 200)
})

test('errors and the audit record are in Russian for people who read Russian', async () => {
  const live = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  await live.browser.post('/account/preferences', { language: 'ru', zone: 'Europe/Moscow' })
  const address = await live.browser.post(at('/settings/callback'), { address: 'ftp://shop.example' })
  assert.equal(address.status, 422)
  assert.match(address.text, /Укажите полный адрес с http или https\./)
  const returns = await live.browser.post(at('/settings/returns'), { success: 'https://a:b@shop.example/' })
  assert.match(returns.text, /В адресе не должно быть имени пользователя и пароля\./)
  const days = await live.browser.post(at('/keys/rotate'), { days: '1000' })
  assert.match(days.text, /Введите целое число от 0 до \d+\./)
  const id = await deposit({ order_id: 'A-ru', cents: 31_400 })
  const invited = await live.browser.post(at('/people/invite'), {
    email: 'no address',
    name: 'Имя',
    role: 'viewer',
  })
  assert.match(invited.text, /Введите адрес почты\./)
  await live.browser.post(at(`/deposits/${id}/cancel`))
  const again = await live.browser.post(at(`/deposits/${id}/cancel`))
  assert.match(again.text, /Депозит в состоянии «Отменён» отменить нельзя\./)
  const { text } = await live.browser.get(at(`/deposits/${id}`))
  assert.ok(text.includes(`<bdi title="${live.email}">мерчант ${live.person.name}</bdi>`))
})

test('of two owners who remove each other at once, one stays', async () => {
  const pair = await openShop(gateway)
  const firstOwner = await joined(gateway, { merchantId: pair.merchant, role: 'owner' })
  const two = await joined(gateway, { merchantId: pair.merchant, role: 'owner' })
  const actor = { personId: firstOwner.person.id, name: firstOwner.email, requestId: null }
  const second = await during(
    gateway,
    (tx) => endMember(tx, { merchantId: pair.merchant, email: two.email, actor }),
    () => two.browser.post(at(`/people/${firstOwner.person.id}/end`, pair.merchant)),
  )
  assert.equal(second.status, 409)
  assert.equal((await firstOwner.browser.get(at('/settings', pair.merchant))).status, 200)
})

test('an owner cannot take over an account that is invited to the desk at the same time', async () => {
  const email = 'next.approver@example.com'
  const actor = { personId: null, name: 'test', requestId: null }
  const { text: page } = await during(
    gateway,
    (tx) =>
      invitePerson(within(tx, gateway.db), {
        email,
        name: 'Next',
        operatorRole: 'approver',
        membership: null,
        actor,
      }),
    () => owner.browser.post(at('/people/invite'), { email, name: 'Next', role: 'viewer' }),
  )
  const [, link] = /(\/join\/[\w-]{43})/.exec(page)!
  const guest = new PersonsBrowser(gateway)
  assert.equal((await guest.post(link!, { password })).location, '/home')
  assert.equal((await guest.get('/operator')).status, 404)
})

// Before the tests that let time pass: deposits that expire give their room back.
test('a type is available as far as an account has room, and not where the least amount would be refused', async () => {
  const own = await openShop(gateway)
  const person = await joined(gateway, { merchantId: own.merchant, role: 'viewer' })
  const { body } = await own.create({ cents: 100_000 })
  const shown = async () => text((await person.browser.get(at('/limits', own.merchant))).text)
  const leave = (cents: number | null) =>
    gateway.database.owner.query(sql`
      update requisites r
      set daily_cents = l.day_cents + ${cents}::bigint
      from requisite_loads l
      where l.requisite_id = r.id and r.kind like 'account%' and r.currency = 'RUB' and r.mode = 'test'`)
  await leave(20_000)
  assert.match(await shown(), /Bank account Yes up to 200\.00 RUB in one deposit/)
  // The least is 100.00: nobody can ask for what is left.
  await leave(9_999)
  assert.match(await shown(), /Bank account No no account has room for the least amount/)
  assert.equal((await own.create({ cents: 10_000 })).status, 503)
  await leave(null)
  assert.equal(body.state, 'created')
})

test('the test bank pays less, more, late and twice, and time passes for its merchant alone', async () => {
  for (const [place, play] of ['less', 'more', 'late', 'twice', 'reject'].entries()) {
    const id = await deposit({ cents: 400_000 + place * 1000, order_id: `T-${play}` })
    const done = await developer.browser.post(at('/bank/pay'), { deposit: `T-${play}`, play })
    assert.equal(done.location, at(`/deposits/${id}`), play)
  }
  const page = async (order: string) => text((await viewer.browser.get(at(`/deposits?q=${order}`))).text)
  assert.match(await page('T-less'), /Awaiting payment Underpaid/)
  assert.match(await page('T-late'), /Confirmed .*Late/)
  assert.match(await page('T-reject'), /Rejected/)
  await developer.browser.post(at('/bank/time'), { minutes: '60' })
  await until('expired', async () => / Expired /.test(await page('A-1002')))
  assert.equal(
    (await developer.browser.post(at('/bank/pay'), { deposit: 'none', play: 'exact' })).status,
    404,
  )
  const conflict = await developer.browser.post(at('/bank/pay'), { deposit: 'T-reject', play: 'reject' })
  assert.equal(conflict.status, 409)
  assert.match(conflict.text, /This could not be done/)
})

test('an unpaid deposit can be canceled; another cannot, and the page says why', async () => {
  const id = await deposit({ order_id: 'X-1', cents: 500_000 })
  assert.match((await developer.browser.get(at(`/deposits/${id}`))).text, /Cancel deposit/)
  const done = await developer.browser.post(at(`/deposits/${id}/cancel`))
  assert.equal(done.location, at(`/deposits/${id}?done=cancel`))
  assert.equal((await developer.browser.post(at(`/deposits/${id}/cancel`))).status, 409)
  assert.match((await developer.browser.get(at(`/deposits/${id}`))).text, /“Canceled” cannot be canceled/)
  const part = await deposit({ order_id: 'X-2', cents: 510_000 })
  await developer.browser.post(at('/bank/pay'), { deposit: 'X-2', play: 'less' })
  assert.match((await developer.browser.get(at(`/deposits/${part}`))).text, /Money has already arrived/)
})

test('the limits page shows unavailable types, and why', async () => {
  await gateway.database.owner.query(sql`update payment_types set enabled = false where code = 'bankx'`)
  const { text: page } = await viewer.browser.get(at('/limits'))
  assert.match(text(page), /No the operator has turned off this payment type .{0,60} bankx create/)
  assert.match(text(page), /Yes .{0,60} account_number create/)
  await gateway.database.owner.query(sql`update payment_types set enabled = true where code = 'bankx'`)
})

test('a method may be called like something that every object has', async () => {
  const limit = { currency: 'RUB', minCents: 100n, maxCents: 900n, merchantId: null } as const
  const type = {
    code: 'constructor',
    name: 'Builder’s bank',
    group: 'card',
    bankCode: null,
    enabled: true,
  } as const
  await changePaymentType(gateway.db, { ...type, limit })
  for (const path of ['/deposits', '/limits']) {
    const { status, text: page } = await viewer.browser.get(at(path))
    assert.equal(status, 200, path)
    assert.match(page, /Builder’s bank/)
  }
  assert.doesNotMatch((await viewer.browser.get(at('/callbacks?done=constructor'))).text, /native code/)
})
