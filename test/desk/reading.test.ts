/** The wording of the desk's pages is clear: what a button affects, what is current and what is proposed, when and how much. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { currencies } from '../../src/domain/money.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'

let gateway: TestGateway
let shop: Shop
let admin: PersonsBrowser
let auditor: PersonsBrowser
let account: string
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  admin = (await joined(gateway, { operatorRole: 'admin' })).browser
  auditor = (await joined(gateway, { operatorRole: 'auditor' })).browser
  const [row] = await gateway.db.query<{ account_id: string }>(sql`
    select account_id from requisites where currency = 'RUB' and kind = 'card' and mode = 'test' limit 1`)
  account = row!.account_id
})

/** The main part of a page, without the navigation beside it. */
const pageOf = async (path: string, browser = admin): Promise<string> => {
  const { status, text } = await browser.get(`/operator${path}`)
  assert.equal(status, 200, path)
  return text.slice(text.indexOf('<main'), text.indexOf('</main>'))
}
/** As it is read, without its tags. */
const readOf = async (path: string, browser = admin): Promise<string> =>
  (await pageOf(path, browser)).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

const inRussian = async (read: () => Promise<void>): Promise<void> => {
  await gateway.database.owner.query(sql`update people set language = 'ru'`)
  try {
    await read()
  } finally {
    await gateway.database.owner.query(sql`update people set language = 'en'`)
  }
}

test('a payment type is one row, with its currencies in their order, and one button stops all of them', async () => {
  const rows = async () => (await pageOf('/payment-types')).match(/<tr><th scope="row"[\s\S]*?<\/tr>/g) ?? []
  const rowOf = async (code: string) => {
    const found = (await rows()).filter((row) => row.includes(`/payment-types/${code}"`))
    assert.equal(found.length, 1, code)
    return found[0]!
  }
  const types = await gateway.db.query<{ code: string }>(sql`select code from payment_types`)
  assert.equal((await rows()).length, types.length)
  const row = await rowOf('any_bank')
  const places = currencies.map((currency) => row.indexOf(`\u00a0${currency}<`))
  assert.deepEqual(
    places,
    places.toSorted((left, right) => left - right),
  )
  assert.ok(!places.includes(-1))

  await gateway.database.owner.query(sql`
    update payment_limits set enabled = false where payment_type = 'any_bank' and currency = 'UZS'`)
  assert.match(await rowOf('any_bank'), /UZS<[^\n]*?<span class="badge bad">Off</)
  assert.match(await pageOf('/payment-types/any_bank'), /action="[^"]*\/any_bank\/stop"/)
  await admin.post('/operator/payment-types/any_bank/stop')
  assert.match(await rowOf('any_bank'), />Off</)
  assert.match(await pageOf('/payment-types/any_bank'), /action="[^"]*\/any_bank\/start"/)
  await admin.post('/operator/payment-types/any_bank/start')
})

test('the effect of a stop is explained beside its button, and only there', async () => {
  const beside = (page: string, text: RegExp) =>
    assert.match(
      page,
      new RegExp(`class="button danger"[^>]*>[^<]+</button>\\s*</form><(?:p|span)[^>]*>${text.source}`),
    )
  const merchant = `/merchants/${shop.merchant}`
  beside(await pageOf(merchant), /Takes effect immediately: API requests are refused\./)
  beside(await pageOf(`/accounts/${account}`), /Stopping takes effect immediately: new deposits get none/)
  assert.doesNotMatch(await pageOf(merchant, auditor), /Takes effect|button danger/)
  assert.doesNotMatch(await pageOf(`/accounts/${account}`, auditor), /Stopping|button danger/)
  await admin.post(`/operator${merchant}/stop`)
  assert.doesNotMatch(await pageOf(merchant), /Takes effect/)
  await admin.post(`/operator${merchant}/start`)
  await admin.post(`/operator/accounts/${account}/stop`)
  const stopped = await pageOf(`/accounts/${account}`)
  assert.match(stopped, /A second person approves turning it on\./)
  assert.doesNotMatch(stopped, /Stopping/)
})

test('the time of the last event is shown as a time ago, or as now', async () => {
  const { id } = await addSource(gateway.db, { name: 'Quiet bank', mode: 'test' })
  const heard = (ago: string) =>
    gateway.database.owner.query(
      sql`update bank_sources set last_used_at = inlet_now() - ${ago}::interval where id = ${id}`,
    )
  for (const [ago, en, ru] of [
    ['33 minutes', '33 minutes ago', '33 минуты назад'],
    ['1 hour', '1 hour ago', '1 час назад'],
    ['5 seconds', 'now', 'сейчас'],
  ] as const) {
    await heard(ago)
    assert.match(
      await pageOf('/sources'),
      new RegExp(`<time datetime="[^"]*" title="[^"]*\\d\\d:\\d\\d[^"]*">${en}<`),
    )
    await inRussian(async () => assert.match(await pageOf('/sources'), new RegExp(`>${ru}</time>`)))
  }
  assert.match(await pageOf('/people'), />now<\/time>/)
})

test('people who may not change settings read what they are, and have nothing to fill in', async () => {
  await gateway.database.owner.query(sql`
    update installation set second_person_above = '{"RUB": "1500000"}'::jsonb`)
  const page = await pageOf('/settings', auditor)
  assert.doesNotMatch(page, /<(?:input|form|button)/)
  const text = await readOf('/settings', auditor)
  assert.match(text, /One person runs this installation Off Second person above, RUB 15,000\.00 ₽ /)
  assert.match(text, /above, UZS Always /)
  for (const path of ['/settings', '/people', '/lists', '/sources', `/accounts/${account}`])
    assert.doesNotMatch(await pageOf(path, auditor), /confirm it’s you/, path)
})

test('amounts in fields are written in the language of their reader', async () => {
  await gateway.database.owner.query(
    sql`update receiving_accounts set day_cents = 19806490 where id = ${account}`,
  )
  assert.match(await pageOf(`/accounts/${account}/limits`), /name="day"[^>]* value="198064\.90"/)
  await inRussian(async () => {
    assert.match(await pageOf('/settings'), /name="rub"[^>]* value="15\u00a0000"/)
    const why = `/merchants/${shop.merchant}/why`
    assert.match(await pageOf(why), /placeholder="1\u00a0500,50"/)
    assert.match(await pageOf(`${why}?amount=15000.50`), /name="amount"[^>]* value="15\u00a0000,50"/)
    assert.match(await pageOf(`${why}?amount=15k`), /name="amount"[^>]* value="15k"/)
  })
})

test('a list of accounts says how many of their requisites are on', async () => {
  const { owner } = gateway.database
  const readsOf = async (text: string) => {
    const page = await pageOf('/accounts')
    const row = page.slice(page.indexOf(`/operator/accounts/${account}"`)).split('</tr>')[0]!
    assert.ok(row.includes(`>${text}<`), row)
  }
  await readsOf('1 of 1')
  await owner.query(sql`update requisites set enabled = false where account_id = ${account}`)
  await readsOf('0 of 1')
  await inRussian(() => readsOf('0 из 1'))
  await owner.query(sql`update requisites set enabled = true where account_id = ${account}`)
})

test('a request is checked against requisites in the order in which people count', async () => {
  const query = new URLSearchParams({ type: 'any_bank', currency: 'RUB', amount: '3000' })
  const page = await pageOf(`/merchants/${shop.merchant}/why?${query}`)
  const cards = [...page.matchAll(/>Demo RUB card (\d+)</g)].map(([, card]) => Number(card))
  assert.ok(cards.length > 10)
  assert.deepEqual(
    cards,
    cards.toSorted((left, right) => left - right),
  )
  const rules = page.slice(page.indexOf('>Rules<'), page.indexOf('>Requisites<'))
  assert.doesNotMatch(rules, />–</)
})

test('a removed entry of a list shows when and why; a search without results is not shown as an empty list', async () => {
  const entry = { list: 'watch', kind: 'customer', reason: 'Looks odd' }
  await admin.post('/operator/lists/add', { ...entry, value: 'stays' })
  await admin.post('/operator/lists/add', { ...entry, value: 'goes' })
  const [row] = await gateway.db.query<{ id: string }>(sql`select id from list_entries where value = 'goes'`)
  await admin.post(`/operator/lists/${row!.id}/remove`, { reason: 'A mistake' })
  assert.match(await readOf('/lists?ended=on'), /goes [\s\S]*A mistake/)
  assert.match(await readOf('/lists?q=nobody'), /Nothing found/)
})

test('in Russian "enabled" has the gender of the merchant, account or source', async () => {
  await inRussian(async () => {
    for (const path of ['/merchants', '/accounts', '/sources', '/payment-types']) {
      const page = await pageOf(path)
      assert.match(page, /<span class="badge ok">Включён</, path)
      assert.doesNotMatch(page, /Включено/, path)
    }
  })
})
