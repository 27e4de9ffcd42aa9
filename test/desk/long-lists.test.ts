/** Lists that grow without a bound are rendered in pages: one request keeps the thread for one page only. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { bounds } from '../../src/platform/bounds.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'

const many = bounds.listRows + 20
let gateway: TestGateway
let shop: Shop
let admin: Awaited<ReturnType<typeof joined>>
let owner: Awaited<ReturnType<typeof joined>>

before(async () => {
  gateway = await startGateway({ demo: false, environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  admin = await joined(gateway, { operatorRole: 'admin' })
  owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  await gateway.database.owner.script(`
    insert into people (id, email, name)
    select gen_random_uuid(), 'row-' || n || '@example.com', 'Row ' || n
    from generate_series(1, ${many}) n;
    insert into memberships (person_id, merchant_id, role)
    select id, '${shop.merchant}', 'viewer' from people where email like 'row-%';
    insert into sign_in_links
      (id, digest, person_id, purpose, name, merchant_id, merchant_role, made_by, made_by_person, expires_at)
    select gen_random_uuid(), sha256(id::text::bytea), id, 'invitation', 'Guest', '${shop.merchant}', 'viewer', 'test',
      null, inlet_now() + interval '1 day'
    from people where email like 'row-%';
    insert into receiving_accounts
      (id, mode, currency, label, owner_legal_name, owner_public_name, owner_tax_id, owner_agreement, added_by)
    select gen_random_uuid(), 'test', 'RUB', 'Row ' || n, 'Owner', 'Owner', '1', 'x', 'test'
    from generate_series(1, ${many}) n`)
})

/** The rows of all pages, from the first to the last, as their links lead on. */
async function rowsOf(browser: typeof admin.browser, path: string, row: RegExp): Promise<number[]> {
  const counts: number[] = []
  for (let at: string | undefined = path; at; ) {
    const { status, text } = await browser.get(at)
    assert.equal(status, 200, at)
    const rows = text.match(row) ?? []
    counts.push(rows.length)
    const links = [...text.matchAll(/rel="next" href="([^"]+)"/g)].map(([, link]) =>
      link!.replaceAll('&amp;', '&'),
    )
    at = links.find((link) => link.includes('after='))
  }
  return counts
}

const account = /<bdi>Row \d+<\/bdi><\/a>/g

const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0)

test('people, invitations and accounts of the desk come in pages, none of them twice', async () => {
  for (const [path, row] of [
    ['/operator/people?show=people', /row-\d+@/g],
    ['/operator/people?show=invitations', /row-\d+@/g],
    ['/operator/accounts?mode=test', account],
  ] as const) {
    const counts = await rowsOf(admin.browser, path, row)
    assert.equal(counts.length, 2, `${path} ${row} ${counts}`)
    assert.equal(sum(counts), many, `${path} ${row}`)
    assert.ok(Math.max(...counts) <= bounds.listRows)
  }
})

test('people and invitations of a merchant come in pages, and somebody of the second page can be removed', async () => {
  const path = `/console/${shop.merchant}/people`
  const row = new RegExp(`<th scope="row"[^>]*><a href="(${path}/[^"]+)"`, 'g')
  assert.deepEqual(await rowsOf(owner.browser, `${path}?show=people`, row), [bounds.listRows, 21])
  assert.equal(sum(await rowsOf(owner.browser, `${path}?show=invitations`, row)), many)
  const { text } = await owner.browser.get(`${path}?show=people`)
  const next = /rel="next" href="([^"]+after=[^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&')
  const last = row.exec((await owner.browser.get(next)).text)![1]!
  assert.equal((await owner.browser.get(last)).status, 200)
  assert.equal((await owner.browser.post(`${last}/end`)).status, 303)
  assert.equal((await owner.browser.get(last)).status, 404)
})

test('the requisites of one account come in pages', async () => {
  const [{ id }] = (await gateway.database.owner.query<{ id: string }>({
    text: `select id from receiving_accounts order by id limit 1`,
    name: '',
    values: [],
  })) as [{ id: string }]
  await gateway.database.owner.script(`
    with added as (
      insert into requisites (id, account_id, mode, currency, kind, number, holder, bank_name)
      select gen_random_uuid(), '${id}', 'test', 'RUB', 'phone', '+7900' || lpad(n::text, 7, '0'), 'Holder', 'Bank'
      from generate_series(1, ${many}) n
      returning id
    )
    insert into requisite_loads (requisite_id) select id from added`)
  const counts = await rowsOf(
    admin.browser,
    `/operator/requisites?account=${id}`,
    /<th scope="row"[^>]*><a href="\/operator\/requisites\/[^"]+"/g,
  )
  assert.deepEqual(counts, [bounds.listRows, 20])
  const { text } = await admin.browser.get(`/operator/accounts/${id}`)
  assert.equal(text.match(/href="\/operator\/requisites\/[0-9a-f-]{36}"/g)!.length, 20)
})

test('merchants come in pages, none of them twice', async () => {
  await gateway.database.owner.script(`
    insert into merchants (id, name, mode)
    select gen_random_uuid(), 'Row ' || n, 'test' from generate_series(1, ${many}) n`)
  const counts = await rowsOf(admin.browser, '/operator/merchants', account)
  assert.deepEqual([counts.length, sum(counts)], [2, many])
  assert.ok(Math.max(...counts) <= bounds.listRows)
})

test('the page that explains a refusal shows its requisites in pages, and counts all of them', async () => {
  await gateway.database.owner.script(`
    update receiving_accounts set merchant_id = null;
    with added as (
      insert into requisites (id, account_id, mode, currency, kind, number, holder, bank_name)
      select gen_random_uuid(), id, 'test', 'RUB', 'phone', '+7901' || lpad(row_number() over ()::text, 7, '0'), 'Holder', 'Bank'
      from receiving_accounts where label like 'Row %'
      returning id
    )
    insert into requisite_loads (requisite_id) select id from added`)
  const path = `/operator/merchants/${shop.merchant}/why?type=sbp&currency=RUB&amount=1500`
  const row = /href="\/operator\/accounts\/[^"]+"/g
  const counts = await rowsOf(admin.browser, path, row)
  assert.equal(sum(counts), 2 * many)
  assert.ok(Math.max(...counts) <= bounds.listRows, `${counts}`)
  const { text } = await admin.browser.get(path)
  assert.match(text, new RegExp(`<td[^>]*>${2 * many}</td>`))
})
