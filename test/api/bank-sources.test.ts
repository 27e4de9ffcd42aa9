/** What a bank that pushes may speak for, and from where: over HTTP, from the command line, at the desk. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { addSource, changeSourceWithin } from '../../src/domain/transfers/bank-source.ts'
import { findSource, sourceOf } from '../../src/domain/transfers/source-store.ts'
import { sql } from '../../src/platform/db.ts'
import { today } from '../support/bank.ts'
import { commandsOn, inlet } from '../support/command.ts'
import { call, openShop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'

type Account = { id: string; number: string; currency: string }

let gateway: TestGateway
let own: Account
let other: Account
before(async () => {
  gateway = await startGateway({ environment: { INLET_TRUSTED_PROXIES: '127.0.0.1,::1' } })
  await openShop(gateway)
  ;[own, other] = (await accountsOf(gateway)) as [Account, Account]
})

// Each source is the first of its accounts.
beforeEach(() => gateway.database.owner.script('delete from account_voices'))

const accountsOf = ({ database }: TestGateway) =>
  database.owner.query<Account>(sql`
    select id, number, currency from receiving_accounts where mode = 'test' and number is not null order by id`)

let ids = 0
const entryOf = ({ number, currency }: Account) => ({
  id: `bound-${++ids}`,
  account: number,
  cents: 1_234,
  currency,
  booked_on: today(),
})

/** As a proxy in front of us passes it on. */
const push = (token: string, body: unknown, address = '198.51.100.7') =>
  call(gateway.url, '/api/v1/bank/transfers', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'x-forwarded-for': address,
    },
    body: JSON.stringify(body),
  })

const countOf = async (bankId: string) =>
  (await gateway.db.query(sql`select id from transfers where bank_id = ${bankId}`)).length

test('a source reports its own accounts only; another account refuses the whole push as unknown', async () => {
  const { id, token } = await addSource(gateway.db, { name: 'Bound', mode: 'test', accounts: [own.id] })
  assert.equal((await push(token, entryOf(own))).status, 200)

  const good = entryOf(own)
  const foreign = await push(token, { transfers: [good, entryOf(other)] })
  const unknown = await push(token, {
    transfers: [good, { ...entryOf(other), account: '40702810300000009999' }],
  })
  assert.deepEqual([foreign.status, foreign.body.code], [404, 'not_found'])
  assert.equal(foreign.body.errors[0].pointer, '#/transfers/1/account')
  assert.equal(await countOf(good.id), 0)
  // Nobody learns from the answer which accounts there are.
  const { request_id: _one, ...left } = foreign.body
  const { request_id: _two, ...right } = unknown.body
  assert.deepEqual(left, right)

  const lines = gateway.logged
    .filter((line) => line.includes('push for accounts'))
    .map((line) => JSON.parse(line))
  assert.partialDeepStrictEqual(lines, [
    { message: 'push for accounts of others', source: id, count: 1 },
    { message: 'push for accounts that are not here', source: id, count: 1 },
  ])
  assert.doesNotMatch(gateway.logged.join('\n'), new RegExp(`${other.number}|40702810300000009999|${token}`))

  await gateway.db.transaction((tx) =>
    changeSourceWithin(tx, id, { accounts: (accounts) => [...accounts, other.id] }),
  )
  assert.equal((await push(token, { transfers: [good, entryOf(other)] })).status, 200)
  await gateway.db.transaction((tx) => changeSourceWithin(tx, id, { accounts: () => [] }))
  assert.equal((await push(token, entryOf(own))).status, 404)
})

test('a source without listed accounts may report every account of its mode', async () => {
  const { token } = await addSource(gateway.db, { name: 'Old', mode: 'test' })
  assert.equal((await push(token, { transfers: [entryOf(own), entryOf(other)] })).status, 200)
})

test('an account has one early source: what another one tells of it is refused whole, with a sentence', async () => {
  const [first, second] = [
    await addSource(gateway.db, { name: 'First', mode: 'test' }),
    await addSource(gateway.db, { name: 'Second', mode: 'test' }),
  ]
  const known = entryOf(own)
  assert.equal((await push(first.token, known)).status, 200)
  const free = entryOf(other)
  const { status, body } = await push(second.token, { transfers: [free, { ...entryOf(own) }] })
  assert.deepEqual([status, body.code], [409, 'other_source_counts'])
  assert.match(body.detail, /First/)
  assert.equal(await countOf(free.id), 0)
  // The refusal has claimed nothing.
  assert.equal((await push(first.token, free)).status, 200)
  assert.partialDeepStrictEqual((await push(first.token, known)).body, { seen: 1 })
})

test('an account of the other mode cannot be named', async () => {
  const asked = { name: 'Live', mode: 'live' as const, accounts: [own.id] }
  await assert.rejects(addSource(gateway.db, asked), { code: 'not_found' })
})

test('a source with networks is accepted only from them; other calls count against the caller’s network', async () => {
  const networks = ['203.0.113.0/24', '2001:db8:5::/48']
  const asked = { name: 'Walled', mode: 'test' as const, accounts: [own.id], networks }
  const { id, token } = await addSource(gateway.db, asked)
  for (const address of ['203.0.113.9', '2001:db8:5::1', '::ffff:203.0.113.9', '::ffff:cb00:7109'])
    assert.equal((await push(token, entryOf(own), address)).status, 200, address)
  const entry = entryOf(own)
  const { status, body } = await push(token, entry, '203.0.114.9')
  assert.deepEqual([status, body.code], [403, 'bank_network_refused'])
  assert.equal(await countOf(entry.id), 0)
  const line = gateway.logged.findLast((text) => text.includes('outside of its networks'))!
  assert.partialDeepStrictEqual(JSON.parse(line), { source: id, address: '203.0.114.9' })

  // Like wrong tokens: the address that sends them is refused, and nobody else.
  const answers = await Promise.all(Array.from({ length: 40 }, () => push(token, entry, '192.0.2.66')))
  assert.ok(answers.some(({ body }) => body.code === 'rate_limited'))
  assert.equal((await push(`bank_${'A'.repeat(43)}`, entry, '192.0.2.66')).status, 429)
  assert.equal((await push(token, entry, '203.0.113.9')).status, 200)
})

test('inlet source: added for an account, shown, changed', async () => {
  await commandsOn(gateway)
  const by = ['--by', (await joined(gateway, { operatorRole: 'admin' })).email, '--reason', 'The agreement']
  const add = (...words: string[]) => inlet('source', 'add', '--name', 'Bank', ...words, ...by, '--json')
  assert.match((await add()).stderr, /account: Fill this in/)
  const wrong = await add('--account', own.id, '--networks', '10.0.0.0/99')
  assert.deepEqual([wrong.code, /Write a network as/.test(wrong.stderr)], [1, true])

  const added = await add('--account', own.id, '--networks', '203.0.113.7/24 2001:db8::/32')
  const { id, token } = JSON.parse(added.stdout)
  assert.equal((await inlet('source', 'allow', id, '--account', other.id, ...by)).code, 0)
  assert.equal((await push(token, { transfers: [entryOf(own), entryOf(other)] }, '203.0.113.8')).status, 200)
  assert.equal((await push(token, entryOf(own))).status, 403)
  const shown = JSON.parse((await inlet('source', 'show', id, '--json')).stdout)
  assert.deepEqual(
    shown.parts.Accounts.map(([account]: string[]) => account).sort(),
    [own.id, other.id].sort(),
  )
  assert.equal(shown.networks, '203.0.113.0/24 2001:db8::/32')

  assert.equal((await inlet('source', 'withdraw', id, '--account', own.id, ...by.slice(0, 2))).code, 0)
  assert.equal((await inlet('source', 'networks', id, '--networks', '', ...by)).code, 0)
  assert.equal((await push(token, entryOf(own))).status, 404)
  assert.equal((await push(token, entryOf(other))).status, 200)
  assert.match((await inlet('source', 'list')).stdout, new RegExp(`${id} +Bank +on +push +test +1 +Any`))
})

test('only a source that pushes can be switched: files and the sandbox’s bank have no token', async () => {
  const { browser, email } = await joined(gateway, { operatorRole: 'admin' })
  await commandsOn(gateway)
  for (const [kind, channel] of [
    ['file', 'camt'],
    ['sandbox', 'sandbox'],
  ] as const) {
    const { id } = await gateway.db.transaction((tx) => sourceOf(tx, { mode: 'test', kind, channel }))
    const { code, stderr } = await inlet('source', 'disable', id, '--by', email)
    assert.deepEqual([code, /^not_found/.test(stderr)], [1, true], stderr)
    assert.equal((await browser.post(`/operator/sources/${id}/disable`)).status, 404)
    assert.equal((await findSource(gateway.db, id))!.enabled, true)
  }
})

test('the desk adds a source for an account, and changes accounts and networks with a line in the record', async () => {
  const { browser } = await joined(gateway, { operatorRole: 'admin' })
  const why = { reason: 'The agreement' }
  const form = { name: 'Desk bank', account: own.id, networks: '203.0.113.0/24, 10.0.0.0/8', ...why }
  assert.equal((await browser.post('/operator/sources/add', { ...form, account: '123' })).status, 422)
  const typo = await browser.post('/operator/sources/add', { ...form, networks: 'x' })
  assert.equal(typo.status, 422)
  assert.match(typo.text, /id="add-networks-error">Write a network as[\s\S]*?name="networks"[^>]*value="x"/)
  const token = /bank_[\w-]{43}/.exec((await browser.post('/operator/sources/add', form)).text)![0]
  const [added] = await gateway.db.query<{ id: string }>(
    sql`select id from bank_sources where name = 'Desk bank'`,
  )
  const page = `/operator/sources/${added!.id}`
  assert.match((await browser.get('/operator/sources')).text, new RegExp(`href="${page}"`))
  assert.equal((await push(token, entryOf(own), '10.1.1.1')).status, 200)

  const allowed = await browser.post(`${page}/allow`, { account: other.id, ...why })
  assert.equal(allowed.location, `${page}?done=allow`, allowed.text)
  assert.equal((await browser.post(`${page}/withdraw`, { account: own.id })).status, 303)
  assert.equal((await browser.post(`${page}/networks`, { networks: '', ...why })).status, 303)
  assert.equal((await push(token, entryOf(other))).status, 200)
  assert.equal((await push(token, entryOf(own))).status, 404)

  const lines = await gateway.db.query<{ act: string; before: string; after: string }>(sql`
    select act, before, after from audit_entries where subject = ${`source:${added!.id}`} order by place`)
  const networks = ['10.0.0.0/8', '203.0.113.0/24']
  assert.deepEqual(
    lines.slice(1).map(({ act, before, after }) => [act, JSON.parse(before), JSON.parse(after)]),
    [
      ['source_account_add', { accounts: [own.id] }, { accounts: [own.id, other.id] }],
      ['source_account_remove', { accounts: [own.id, other.id] }, { accounts: [other.id] }],
      ['source_networks', { networks }, { networks: [] }],
    ],
  )
  const text = (await browser.get(page)).text
  assert.match(text, /<dd>Any<\/dd>/)
  assert.doesNotMatch(text, /value="[^"]*203\.0/)
  assert.doesNotMatch(text, new RegExp(`${other.number}|bank_[\\w-]{43}`))
})
