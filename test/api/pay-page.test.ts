/**
 * The payment page over HTTP, as a browser, a robot and a forger meet it: what it answers, what it refuses, what
 * nothing but its own forms can change, and the stream of its status.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request as rawRequest } from 'node:http'
import { before, test } from 'node:test'
import { matchesHex, returnString } from '../../sdk/signature.ts'
import {
  cancelDeposit,
  confirmDeposit,
  type DepositContext,
  expireDeposit,
  receiveMoney,
} from '../../src/domain/deposits/change-deposit.ts'
import type { DepositState } from '../../src/domain/deposits/deposit.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { rotateKey } from '../../src/domain/merchants/rotate-key.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { payScript, payStyles } from '../../src/surfaces/pay/assets.ts'
import { languages, messages } from '../../src/surfaces/web/messages/languages.ts'
import {
  type Answer,
  call,
  type Fields,
  openShop,
  type Shop,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { atOneMoment } from '../support/one-moment.ts'

const { en } = messages

let gateway: TestGateway
let shop: Shop
let context: DepositContext
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  // Another process on the same database: it does not wake the streams of this one.
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})

type Made = { id: string; path: string; token: string; cents: number }

let amount = 2_000_000
/** Amounts differ, so that no two deposits want the same slot. */
async function made(answer: (fields: Fields) => Promise<Answer>, fields: Fields): Promise<Made> {
  amount += 100
  const cents = Number(fields.cents ?? amount)
  const { status, body } = await answer({ cents, ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  const { pathname } = new URL(body.payment_data.url)
  return { id: body.id ?? body.uuid, path: pathname, token: pathname.slice('/pay/'.length), cents }
}
const created = (fields: Fields = {}) => made(shop.create, { payment_type: 'any_bank', ...fields })
const builded = (fields: Fields = {}) => made(shop.build, fields)

const page = (path: string, headers: Record<string, string> = { 'accept-language': 'en' }) =>
  call(gateway.url, path, { headers })

const form = (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  call(gateway.url, path, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  })

const by = (depositId: string) => ({ depositId, actor: 'operator:test', reason: 'test' })
const screenOn = ({ body }: Answer): string | undefined => /data-screen="(\w+)"/.exec(body)?.[1]

type Kept = { state: DepositState; claimed: boolean; lines: bigint; requisites: bigint }
async function kept({ id }: Made): Promise<Kept> {
  const [row] = await gateway.database.owner.query<Kept>(sql`
    select d.state, d.claimed_at is not null as claimed,
      (select count(*) from deposit_timeline h where h.deposit_id = d.id) as lines,
      (select count(*) from deposits o where o.id = d.id and o.requisite_id is not null) as requisites
    from deposits d
    where d.id = ${id}`)
  return row!
}

// ── What a customer must not be able to do ──────────────────────────────────────────────────────────────────

test('a claimed or partly paid deposit cannot be abandoned', async () => {
  const claimedOne = await created()
  await form(`${claimedOne.path}/claim`)
  await form(`${claimedOne.path}/give-up`)
  assert.equal((await kept(claimedOne)).state, 'created')
  const paidOne = await created()
  const pay = receiveMoney(context, { ...by(paidOne.id), cents: 1_000n })
  await Promise.all([pay, ...Array.from({ length: 5 }, () => form(`${paidOne.path}/give-up`))]).catch(
    () => {},
  )
  const [row] = await gateway.database.owner.query<{ state: string; received_cents: bigint }>(
    sql`select state, received_cents from deposits where id = ${paidOne.id}`,
  )
  // One of them was first; never both.
  assert.ok(
    row!.state === 'created' || row!.received_cents === 0n,
    JSON.stringify(row, (_, v) => String(v)),
  )
})

test('customers of a disabled merchant get no requisites', async () => {
  const closed = await openShop(gateway)
  const deposit = await made(closed.build, {})
  await changeMerchant(gateway.db, { merchantId: closed.merchant, enabled: false })
  await new Promise((resolve) => setTimeout(resolve, bounds.merchantCacheMs + 100))
  assert.ok((await page(deposit.path)).body.includes(en.choose.none))
  await form(`${deposit.path}/choose`, { method: 'any_bank' })
  assert.equal((await kept(deposit)).state, 'builded')
})

test('the address of an act leads back to the page', async () => {
  const { path } = await created()
  for (const act of ['choose', 'claim', 'play']) {
    const answer = await call(gateway.url, `${path}/${act}`, { redirect: 'manual' })
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, path])
  }
})

// ── Tokens that lead nowhere ────────────────────────────────────────────────────────────────────────────────

/** Of the right shape but nobody's, too short, too long, climbing, broken, and one that is a deposit's id. */
const strangers = (deposit: Made) => [
  'AAAAAAAAAAAAAAAAAAAAAA',
  'x',
  '..%2f',
  `${'A'.repeat(22)}.`,
  'A'.repeat(21),
  'A'.repeat(200),
  '%00',
  '%27or%201=1',
  '%F0%9F%92%B8',
  deposit.id,
  deposit.token.toLowerCase() === deposit.token ? 'B'.repeat(22) : deposit.token.toLowerCase(),
]

const shapeOf = ({ status, headers, body }: Answer) => {
  const own = new Set(['date', 'request-id', 'ratelimit'])
  const problem = body.request_id ? { ...body, request_id: '' } : body
  return JSON.stringify([status, [...headers].filter(([name]) => !own.has(name)), problem])
}

test('an unknown, a malformed and a foreign token get one and the same answer', async () => {
  const deposit = await created()
  for (const [method, rest] of [
    ['GET', ''],
    ['GET', '/give-up'],
    ['GET', '/status'],
    ['GET', '/events'],
    ['POST', '/claim'],
    ['POST', '/choose'],
  ]) {
    const fresh = await startGateway({ beside: gateway })
    const answers: Answer[] = []
    for (const token of strangers(deposit))
      answers.push(await call(fresh.url, `/pay/${token}${rest}`, { method: method! }))
    await fresh.stop()
    assert.equal(new Set(answers.map(shapeOf)).size, 1, `${method} ${rest}`)
    assert.equal(answers[0]!.status, 404)
    if (method === 'GET' && rest === '') assert.ok(answers[0]!.body.includes(messages.ru.gone.head))
  }
})

test('guessing tokens is limited by address, while pages that exist stay open to it', async () => {
  const { path } = await created()
  const fresh = await startGateway({ beside: gateway })
  const guesses = await atOneMoment(() =>
    Promise.all(
      Array.from({ length: bounds.unknownPageRate.burst + 5 }, (_, at) =>
        call(fresh.url, `/pay/${String(at).padStart(22, 'A')}`, { headers: { 'accept-language': 'en' } }),
      ),
    ),
  )
  const refused = guesses.filter(({ status }) => status === 429)
  assert.equal(refused.length, 5)
  assert.equal(guesses.filter(({ status }) => status === 404).length, guesses.length - refused.length)
  for (const { headers, body } of refused) {
    assert.ok(Number(headers.get('retry-after')) >= 1)
    assert.ok(body.includes(en.failed.tooMany.head) && body.includes(en.failed.tooMany.text))
  }
  assert.equal((await call(fresh.url, path)).status, 200)
  await fresh.stop()
})

// ── Headers, languages, cookies ─────────────────────────────────────────────────────────────────────────────

const policy =
  `default-src 'none'; style-src ${payStyles.source}; script-src 'self'; connect-src 'self'; ` +
  "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'"

test('every page forbids caching, indexing, framing, referrers and foreign scripts', async () => {
  const { path } = await created()
  const refused = await form(`${path}/claim`, {}, { 'sec-fetch-site': 'cross-site' })
  const answers = [await page(path), await page(`${path}/give-up`), await page('/pay/x'), refused]
  for (const { headers } of answers) {
    assert.equal(headers.get('content-security-policy'), policy)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('x-robots-tag'), 'noindex, nofollow')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
    const permissions = headers.get('permissions-policy')!.split(', ')
    const given = permissions.filter((permission) => !permission.endsWith('=()'))
    assert.deepEqual(given, [
      'clipboard-write=(self)',
      'publickey-credentials-get=(self)',
      'publickey-credentials-create=(self)',
    ])
    for (const feature of ['camera', 'clipboard-read', 'geolocation', 'microphone', 'payment'])
      assert.ok(permissions.includes(`${feature}=()`), feature)
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(headers.get('vary'), 'accept-encoding, accept-language, cookie')
    assert.equal(headers.get('set-cookie'), null)
    assert.equal(headers.get('access-control-allow-origin'), null)
  }
})

test('the language: the address, then the cookie, then the browser, then the merchant; garbage is nothing', async () => {
  const { path } = await created()
  const long = 'x-garbage;q=0.1,'.repeat(400)
  const cases: [query: string, headers: Record<string, string>, language: string][] = [
    ['', {}, 'ru'],
    ['', { 'accept-language': 'kk-KZ,ru;q=0.5' }, 'kk'],
    ['', { 'accept-language': 'de, fr;q=0.9' }, 'ru'],
    ['', { 'accept-language': ';;;,,,q=,*;q=nan' }, 'ru'],
    ['', { 'accept-language': '*' }, 'ru'],
    ['', { 'accept-language': `${long}uz` }, 'ru'],
    ['', { 'accept-language': '__proto__,constructor;q=1,tg;q=0.1' }, 'tg'],
    ['', { 'accept-language': 'en', cookie: 'inlet_lang=uz' }, 'uz'],
    ['', { 'accept-language': 'en', cookie: 'inlet_lang="><script>; other=1' }, 'en'],
    ['', { 'accept-language': 'en', cookie: '=;=;inlet_lang' }, 'en'],
    ['?lang=tg', { 'accept-language': 'en', cookie: 'inlet_lang=uz' }, 'tg'],
    ['?lang=xx', { cookie: 'inlet_lang=uz' }, 'uz'],
    ['?lang=%00', { 'accept-language': 'en' }, 'en'],
    ['?lang=uz&lang=tg', { 'accept-language': 'en' }, 'en'],
    ['?lang[]=uz&lang.x=1&__proto__=uz', { 'accept-language': 'en' }, 'en'],
    [`?lang=${'e'.repeat(5000)}`, { 'accept-language': 'en' }, 'en'],
    ['?notice=__proto__&lang', { 'accept-language': 'en' }, 'en'],
  ]
  for (const [query, headers, language] of cases) {
    const { status, body } = await page(path + query, headers)
    assert.equal(status, 200)
    assert.ok(body.includes(`<html lang="${language}">`), `${query} ${JSON.stringify(headers).slice(0, 80)}`)
  }
  await gateway.database.owner.query(
    sql`update merchants set language = 'uz' where id = ${shop.merchant}::uuid`,
  )
  assert.ok((await page(path, {})).body.includes('<html lang="uz">'))
  assert.ok((await page(path, { 'accept-language': 'kk' })).body.includes('<html lang="kk">'))
  await gateway.database.owner.query(
    sql`update merchants set language = null where id = ${shop.merchant}::uuid`,
  )
})

test('a chosen language is remembered, another value of ?lang is not', async () => {
  const { path } = await created()
  for (const language of languages) {
    assert.equal(
      (await page(`${path}?lang=${language}`)).headers.get('set-cookie'),
      `inlet_lang=${language}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000`,
    )
  }
  for (const other of ['', '?lang=xx', '?lang=en%3B%20Domain%3Dx', '?lang=en&lang=ru', '?lang=EN'])
    assert.equal((await page(path + other)).headers.get('set-cookie'), null, other)
})

test('behind https the cookies are secure, and the transport is strict', async () => {
  const secure = await startGateway({
    beside: gateway,
    environment: { INLET_PUBLIC_URL: 'https://pay.example' },
  })
  const { path } = await created()
  const { headers, body } = await call(secure.url, `${path}?lang=en`)
  // A neighbour below the same domain can neither set nor replace it.
  assert.match(headers.get('set-cookie')!, /^__Host-inlet_lang=en; Path=\/; .*; Secure(;|$)/)
  const remembered = await call(secure.url, path, { headers: { cookie: '__Host-inlet_lang=uz' } })
  assert.match(remembered.body, /<html lang="uz"/)
  assert.match(headers.get('strict-transport-security')!, /^max-age=31536000/)
  assert.ok(body.includes('<bdi>pay.example</bdi>'))
  const own = { 'sec-fetch-site': 'same-origin' }
  assert.equal(
    (await call(secure.url, `${path}/claim`, { method: 'POST', redirect: 'manual', headers: own })).status,
    303,
  )
  await secure.stop()
})

test('looking changes nothing: no address of the page acts on GET or HEAD', async () => {
  const deposit = await created()
  const open = await builded()
  const before = [await kept(deposit), await kept(open)]
  for (const { path } of [deposit, open]) {
    for (const rest of [
      '',
      '?lang=en&notice=ran_out',
      '/give-up',
      '/status',
      '/claim',
      '/choose?method=any_bank',
      '/play',
    ])
      for (const method of ['GET', 'HEAD'])
        assert.ok((await fetch(gateway.url + path + rest, { method })).status < 500, path + rest)
  }
  assert.deepEqual([await kept(deposit), await kept(open)], before)
})

test('a method that is not offered is refused, and the page shows those that are', async () => {
  const open = await builded({ currency: 'RUB' })
  const methods = [
    'uzs_select',
    'nothing',
    'SBP',
    ' sbp',
    '__proto__',
    'constructor',
    '<script>',
    'я',
    'x'.repeat(5000),
  ]
  for (const method of methods) {
    const { status, headers } = await form(`${open.path}/choose`, { method })
    assert.deepEqual([status, headers.get('location')], [303, `${open.path}?notice=ran_out`], method)
    assert.equal(headers.get('set-cookie'), null)
  }
  assert.deepEqual(await kept(open), { state: 'builded', claimed: false, lines: 1n, requisites: 0n })
  const shown = await page(`${open.path}?notice=ran_out`)
  assert.equal(screenOn(shown), 'choose')
  assert.ok(shown.body.includes(en.choose.ranOut))
})

test('a form without a choice, or with a body that is no form, asks to pick one', async () => {
  const open = await builded({ currency: 'RUB' })
  const bodies: [type: string, body: string][] = [
    ['application/x-www-form-urlencoded', ''],
    ['application/x-www-form-urlencoded', 'method='],
    ['application/x-www-form-urlencoded', '%%%&=&&method'],
    ['application/x-www-form-urlencoded', 'other=sbp'],
    ['application/x-www-form-urlencoded', 'method=%0D%0ASet-Cookie:%20a=b'],
    ['application/json', '{"method":"sbp"}'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="method"\r\n\r\nsbp\r\n--x--',
    ],
  ]
  for (const [type, body] of bodies) {
    const answer = await call(gateway.url, `${open.path}/choose`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': type },
      body,
    })
    assert.deepEqual(
      [answer.status, answer.headers.get('location')],
      [303, `${open.path}?notice=pick_one`],
      body,
    )
  }
  const huge = await form(`${open.path}/choose`, { method: 'x'.repeat(bounds.bodyBytes) })
  assert.equal(huge.status, 413)
  assert.match(huge.headers.get('content-type')!, /^text\/html/)
  assert.equal((await kept(open)).state, 'builded')
})

test('a method that ran out meanwhile brings the notice, and cannot be chosen on the page', async () => {
  const cents = 3_333_300
  for (let phone = 1; phone <= 3; phone++) await created({ payment_type: 'sbp', cents })
  const open = await builded({ currency: 'RUB', cents })
  const { status, headers } = await form(`${open.path}/choose`, { method: 'sbp' })
  assert.deepEqual([status, headers.get('location')], [303, `${open.path}?notice=ran_out`])
  const shown = await page(`${open.path}?notice=ran_out`)
  assert.match(shown.body, /value="sbp" required {2}disabled/)
  assert.ok(shown.body.includes(en.choose.ranOut))
  const other = await form(`${open.path}/choose`, { method: 'account_number' })
  assert.equal(other.headers.get('location'), open.path)
  assert.equal(
    other.headers.get('set-cookie'),
    'inlet_method=account_number; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000',
  )
  assert.equal(screenOn(await page(open.path)), 'pay')
})

test('the last choice of this browser is preselected, and a forged cookie is not', async () => {
  const open = await builded({ currency: 'RUB' })
  const chosen = async (cookie: string) =>
    /value="(\w+)" required checked/.exec((await page(open.path, { cookie })).body)?.[1]
  assert.equal(await chosen('inlet_method=sbp'), 'sbp')
  assert.equal(await chosen('inlet_method=uzs_select'), undefined)
  assert.equal(await chosen('inlet_method=">x'), undefined)
})

test('twenty claims at once are one claim, and extend a deadline that is near once', async () => {
  const deposit = await created()
  await gateway.database.shiftClock('25 minutes')
  try {
    const answers = await Promise.all(Array.from({ length: 20 }, () => form(`${deposit.path}/claim`)))
    for (const { status, headers } of answers)
      assert.deepEqual([status, headers.get('location')], [303, deposit.path])
    const [row] = await gateway.database.owner.query<{ minutes: number }>(sql`
      select (extract(epoch from expires_at - created_at) / 60)::float8 as minutes
      from deposits
      where id = ${deposit.id}`)
    assert.equal(row!.minutes, 40)
    assert.equal(screenOn(await page(deposit.path)), 'checking')
    // The creation and one claim.
    assert.equal((await kept(deposit)).lines, 2n)
  } finally {
    await gateway.database.shiftClock('0 minutes')
  }
})

test('an action that comes too late shows the current page: choosing, claiming, giving up, playing', async () => {
  const open = await builded({ currency: 'RUB' })
  const closed = await builded({ currency: 'RUB' })
  await expireDeposit(context, by(closed.id))
  const canceled = await created()
  await cancelDeposit(context, { ...by(canceled.id), merchantId: null })
  const confirmed = await created()
  await confirmDeposit(context, by(confirmed.id))
  const part = await created({ payment_type: 'account_number' })
  await receiveMoney(context, { ...by(part.id), cents: 100n })
  await gateway.database.shiftClock('2 days')
  try {
    const cases: [deposit: Made, act: string, screen: string][] = [
      [open, 'choose', 'closed'],
      [open, 'claim', 'closed'],
      [closed, 'choose', 'closed'],
      [closed, 'claim', 'closed'],
      [closed, 'give-up', 'closed'],
      [canceled, 'claim', 'canceled'],
      [canceled, 'give-up', 'canceled'],
      [canceled, 'play', 'canceled'],
      [confirmed, 'claim', 'success'],
      [confirmed, 'give-up', 'success'],
      [confirmed, 'choose', 'success'],
    ]
    for (const [deposit, act, screen] of cases) {
      const { status, headers } = await form(`${deposit.path}/${act}`, { method: 'sbp', play: 'reject' })
      assert.deepEqual([status, headers.get('location')], [303, deposit.path], `${act} ${screen}`)
      assert.equal(screenOn(await page(deposit.path)), screen, act)
    }
  } finally {
    await gateway.database.shiftClock('0 minutes')
  }
})

test('the test bank does not exist for live merchants', async () => {
  const live = await openShop(gateway, { mode: 'live' })
  const open = await made(live.build, { currency: 'RUB' })
  const shown = await page(open.path)
  assert.equal(screenOn(shown), 'choose')
  assert.ok(!shown.body.includes('/play') && !shown.body.includes(en.testMode))
  const played = await form(`${open.path}/play`, { play: 'exact' }, { 'accept-language': 'en' })
  assert.equal(shapeOf(played), shapeOf(await page('/pay/x')))
  assert.equal((await kept(open)).state, 'builded')
  // In test mode only what is on the panel is played.
  assert.equal((await form(`${(await created()).path}/play`, { play: 'constructor' })).status, 422)
})

// ── The way back ────────────────────────────────────────────────────────────────────────────────────────────

const linkOn = ({ body }: Answer): string | undefined =>
  /id="return" href="([^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&')

test('the link back carries the outcome, signed, on an address of any permitted length', async () => {
  const long = `https://shop.example/paid?cart=${'7'.repeat(bounds.urlCharacters - 32)}#end`.slice(
    0,
    bounds.urlCharacters,
  )
  for (const success_url of [
    'https://shop.example/paid?a=1&a=2#top',
    long,
    'https://мagazin.example/путь?q=я',
  ]) {
    const order_id = `odd "&<#?я 👍 ${success_url.length}`
    const deposit = await created({ success_url, order_id })
    await receiveMoney(context, { ...by(deposit.id), cents: BigInt(deposit.cents) })
    const shown = await page(deposit.path)
    assert.equal(shown.status, 200)
    const link = new URL(linkOn(shown)!)
    const own = new URL(success_url)
    assert.deepEqual([link.origin, link.pathname, link.hash], [own.origin, own.pathname, own.hash])
    const read = (name: string) => link.searchParams.get(name)!
    const returned = {
      id: read('id'),
      orderId: read('order_id'),
      state: read('state'),
      ts: Number(read('ts')),
    }
    assert.deepEqual([returned.id, returned.orderId, returned.state], [deposit.id, order_id, 'confirmed'])
    assert.ok(matchesHex(shop.secret, returnString(returned), read('signature')))
  }
})

test('after a rotation the link back is signed with the newest key', async () => {
  const own = await openShop(gateway)
  const deposit = await made(own.create, { payment_type: 'any_bank', success_url: 'https://shop.example/' })
  await receiveMoney(context, { ...by(deposit.id), cents: BigInt(deposit.cents) })
  const { secret } = await rotateKey(gateway.db, gateway.vault, {
    ...{ merchantId: own.merchant, purpose: 'request', overlapDays: 7 },
  })
  // Another process has not read the old keys yet.
  const later = await startGateway({ beside: gateway, environment: { INLET_ROLES: 'pay' } })
  const link = new URL(linkOn(await call(later.url, deposit.path))!)
  const read = (name: string) => link.searchParams.get(name)!
  const returned = { id: read('id'), orderId: read('order_id'), state: read('state'), ts: Number(read('ts')) }
  const isSignedWith = (key: string) => matchesHex(key, returnString(returned), read('signature'))
  assert.deepEqual([isSignedWith(secret), isSignedWith(own.secret)], [true, false])
})

// ── Live status ─────────────────────────────────────────────────────────────────────────────────────────────

type LiveStatus = { screen: string; text: string; left: number | null }

/** One message after the other; undefined when the stream has ended. A connection each, as a browser does it. */
async function listen(url: string, path: string) {
  const asking = rawRequest(`${url}${path}/events?lang=en`, { agent: false }).end()
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  const parts = response.setEncoding('utf8')[Symbol.asyncIterator]()
  let text = ''
  return {
    response,
    async next(): Promise<LiveStatus | undefined> {
      for (;;) {
        const message = /(?:^|\n)data: (.*)\n\n/.exec(text)
        if (message) {
          text = text.slice(message.index + message[0].length)
          return JSON.parse(message[1]!)
        }
        const { done, value } = await parts.next()
        if (done) return undefined
        text += value
      }
    },
    leave: () => void asking.destroy(),
  }
}

const patient = { timeout: 30_000 }

test('the status is available as JSON, and hides what the page hides', async () => {
  const deposit = await created()
  const { headers, body } = await page(`${deposit.path}/status?lang=en`)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.deepEqual(Object.keys(body), ['screen', 'text', 'left'])
  assert.equal(body.screen, 'pay')
  assert.match(body.text, /^Pay by \d+\u00a0\w+, \d\d:\d\d \(Moscow,\u00a0GMT\+3\)\.$/)
  assert.ok(body.left > 0 && body.left <= 1800)
  await cancelDeposit(context, { ...by(deposit.id), merchantId: null })
  assert.deepEqual((await page(`${deposit.path}/status?lang=en`)).body, {
    screen: 'canceled',
    text: `${en.canceled.text} ${en.rejected.money}`,
    left: null,
  })
})

test('an open page gets its status at once and every later change', patient, async () => {
  const deposit = await created()
  const page = await listen(gateway.url, deposit.path)
  assert.equal(page.response.headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.equal(page.response.headers['cache-control'], 'no-store')
  assert.equal((await page.next())!.screen, 'pay')
  await form(`${deposit.path}/claim`)
  assert.equal((await page.next())!.screen, 'checking')
  await form(`${deposit.path}/play`, { play: 'exact' })
  assert.equal((await page.next())!.screen, 'success')
  page.leave()
})

test('an open page gets changes of another process, however soon after it opened', patient, async () => {
  const other = await startGateway({ beside: gateway })
  const deposit = await created()
  const page = await listen(gateway.url, deposit.path)
  assert.equal((await page.next())!.screen, 'pay')
  // At once: the reader of this process has not looked at the page yet.
  await call(other.url, `${deposit.path}/claim`, { method: 'POST', redirect: 'manual' })
  assert.equal((await page.next())!.screen, 'checking')
  await receiveMoney(context, { ...by(deposit.id), cents: BigInt(deposit.cents) })
  assert.equal((await page.next())!.screen, 'success')
  page.leave()
  await other.stop()
})

test('the gateway stops although pages are open: their streams end', patient, async () => {
  const other = await startGateway({ beside: gateway })
  const deposit = await created()
  const pages = await Promise.all([1, 2].map(() => listen(other.url, deposit.path)))
  await Promise.all(pages.map((page) => page.next()))
  await other.stop()
  for (const page of pages) assert.equal(await page.next(), undefined)
})

test('one network may watch a limited number of pages; closing one makes room', patient, async () => {
  const other = await startGateway({ beside: gateway })
  const deposit = await created()
  const pages: Awaited<ReturnType<typeof listen>>[] = []
  while (pages.length < bounds.openPagesPerNetwork) pages.push(await listen(other.url, deposit.path))
  const refused = await call(other.url, `${deposit.path}/events`)
  assert.deepEqual([refused.status, refused.body.code], [503, 'overloaded'])
  assert.equal((await call(other.url, `${deposit.path}/status`)).status, 200)
  pages.pop()!.leave()
  for (;;) {
    const again = await listen(other.url, deposit.path)
    again.leave()
    if (again.response.statusCode === 200) break
  }
  for (const page of pages) page.leave()
  await other.stop()
})

// ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────

test('the script is kept forever under its own name; another name gets the current one, not to be kept', async () => {
  const own = await call(gateway.url, `/assets/${payScript.name}`)
  assert.equal(own.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(own.headers.get('content-type'), 'text/javascript; charset=utf-8')
  assert.equal(own.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(own.body, (await payScript.answer.body()).identity.toString())
  const other = await call(gateway.url, '/assets/pay-0000000000000000.js')
  assert.equal(other.headers.get('cache-control'), 'no-store')
  assert.equal(other.body, own.body)
  for (const name of [
    'nothing-0000000000000000.js',
    'pay.js',
    '..%2fpay-0.js',
    '__proto__-0.js',
    'constructor-0.js',
  ])
    assert.equal((await call(gateway.url, `/assets/${name}`)).status, 404, name)
  assert.ok((await payScript.answer.body()).gzip.length <= 5 * 1024)
  assert.doesNotMatch(own.body, /innerHTML|\beval\b|document\.write|console\.|localStorage/)
})
