/**
 * What belongs to another merchant (IDOR): every console and desk route and every API route, asked by the owner of one
 * merchant with the ids of another. The victim's texts never appear, the answer is 404, and nothing of theirs changes.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { signV2 } from '../../sdk/signature.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { attacksOf, behindProxy, fromAnywhere, inTurns, isWhole } from '../support/attempts.ts'
import { accountOf, today, transferTo } from '../support/bank.ts'
import { until } from '../support/delivery.ts'
import {
  type Answer,
  call,
  nowSeconds,
  openShop,
  type Shop,
  signedPost,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { demoAccount } from '../support/one-c.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'
import { tableDigests } from '../support/table-digests.ts'

const { attack, report } = attacksOf('other merchants (IDOR)')

/** A text in everything that the victim wrote: an answer with this text leaks the victim's data. */
const secretText = 'Confidential-Q7'

let gateway: TestGateway
let attacker: { shop: Shop; owner: PersonsBrowser; deposit: string }
let victim: { shop: Shop; owner: PersonsBrowser; ids: Record<string, string> }

before(async () => {
  gateway = await startGateway({
    // Nothing is sent: the victim's rows stand still.
    environment: { ...behindProxy, INLET_ROLES: 'api,console,pay' },
  })
  const [mine, theirs] = [await openShop(gateway), await openShop(gateway)]
  const { browser: owner } = await joined(gateway, { merchantId: mine.merchant, role: 'owner' })
  attacker = { shop: mine, owner, deposit: (await mine.create()).body.id }
  const theirOwner = await joined(gateway, { merchantId: theirs.merchant, role: 'owner' })
  const admin = await joined(gateway, { operatorRole: 'admin' })
  const { id: deposit } = (await theirs.create({ customer: secretText, order_id: `${secretText}-1` })).body
  const { id: paid, payment_data } = (await theirs.create({ customer: secretText, cents: 77_001 })).body
  await gateway.db.query(
    sql`update merchants set callback_url = ${'https://victim.example/cb'} where id = ${theirs.merchant}`,
  )
  const accountId = await accountOf(gateway, paid)
  const transfer = await transferTo(gateway, accountId, {
    cents: 77_001n,
    purpose: payment_data.payment_reason,
  })
  const [callback] = await firstRows(() =>
    gateway.database.owner.query<{ id: string; sequence: string; endpoint_id: string }>(
      sql`select id, sequence::text, 
        (select id::text from endpoints where merchant_id = ${theirs.merchant} and origin is null) as endpoint_id
        from events where merchant_id = ${theirs.merchant} limit 1`,
    ),
  )
  const rowIdOf = async (text: string, value: string) =>
    (await gateway.database.owner.query<{ id: string }>({ name: '', text, values: [value] }))[0]!.id
  victim = {
    shop: theirs,
    owner: theirOwner.browser,
    ids: {
      deposit,
      paid,
      transfer,
      account: accountId,
      person: theirOwner.person.id,
      email: theirOwner.email,
      admin: admin.person.id,
      key: theirs.keyId,
      callback: callback!.id,
      number: callback!.sequence,
      lane: callback!.endpoint_id,
      session: await rowIdOf('select id::text from sessions where person_id = $1', theirOwner.person.id),
      order: `${secretText}-1`,
    },
  }
})

/** Waits for them. */
async function firstRows<Row>(read: () => Promise<Row[]>): Promise<Row[]> {
  let rows: Row[] = []
  await until('a row', async () => {
    rows = await read()
    return rows.length > 0
  })
  return rows
}

/** Every id of the victim that a parameter of a route, or a field of a form, could be filled with. */
const idsFor = (parameter: string): string[] => {
  const { ids } = victim
  if (parameter === 'number') return [ids.number!]
  if (parameter === 'key') return [ids.key!]
  return [ids.deposit!, ids.transfer!, ids.person!, ids.account!, ids.callback!, ids.admin!]
}

const addressesOf = (path: string, merchant: string): string[] => {
  const [, parameter] = /:(?!merchant)(\w+)/.exec(path) ?? []
  const base = path.replace(':merchant', merchant)
  return parameter ? idsFor(parameter).map((id) => base.replace(`:${parameter}`, id)) : [base]
}

/** Whatever a form could name. */
const victimsFields = (): Record<string, string> => {
  const { ids } = victim
  return {
    ...{ deposit: ids.deposit!, lane: ids.lane!, id: ids.session!, transfer: ids.transfer! },
    ...{ email: ids.email!, play: 'exact', reason: 'x', code: 'sbp', item: `deposit:${ids.deposit}` },
  }
}

const ask = async (method: string, path: string) => {
  const answer =
    method === 'GET'
      ? await attacker.owner.get(path, fromAnywhere())
      : await attacker.owner.post(path, victimsFields(), fromAnywhere())
  assert.notEqual(answer.status, 429, `${method} ${path}`)
  return answer
}

/** `/console` itself names nobody: it leads to one's own place. */
const notOnesOwn = ({ path }: { path: string }) => /^\/(console\/|operator)/.test(path)

attack('every route of the consoles and the desk at the victim’s address', async (note) => {
  const before = await tableDigests(gateway.database.owner)
  const routes = gateway.policies.filter(notOnesOwn)
  const jobs = routes.flatMap(({ method, path }, place) =>
    addressesOf(path, victim.shop.merchant)
      .filter((_, at) => isWhole || (at + place) % 12 === 0)
      .map((address) => ({ method, address })),
  )
  await inTurns(jobs, async ({ method, address }) => {
    const { status, text } = await ask(method, address)
    note(
      `${method} ${address}: ${status}`,
      status !== 404 && status !== 415 ? true : text.includes(secretText),
    )
  })
  assert.deepEqual(await tableDigests(gateway.database.owner), before, 'nothing was changed')
})

attack('the victim’s ids at one’s own address', async (note) => {
  const { merchant } = victim.shop
  const before = await tableDigests(gateway.database.owner, { about: merchant })
  const routes = gateway.policies.filter(
    ({ path }) => path.startsWith('/console') && (/:(?!merchant)/.test(path) || takesIds.test(path)),
  )
  for (const { method, path } of routes) {
    for (const address of addressesOf(path, attacker.shop.merchant)) {
      const { status, text } = await ask(method, address)
      note(`${method} ${address}: ${status}`, status < 400 || text.includes(secretText))
    }
  }
  for (const query of [
    ...[
      `?before=2099-01-01T00:00:00.000Z_${victim.ids.deposit}`,
      `?q=${victim.ids.deposit}`,
      `?q=${secretText}`,
      `?q=${victim.ids.order}`,
    ],
    ...[
      `/bank?deposit=${victim.ids.deposit}`,
      `/deposits/export.csv?q=${secretText}`,
      `/deposits/export.csv?q=${victim.ids.deposit}`,
    ],
    ...[
      `/callbacks?type=deposit.confirmed`,
      `/callbacks?after=99999`,
      `/callbacks?state=pending`,
      '/endpoints',
      `/settings?merchant=${merchant}`,
      `?merchant=${merchant}`,
    ],
  ]) {
    const path = `/console/${attacker.shop.merchant}${query}`
    const { status, text } = await attacker.owner.get(path, fromAnywhere())
    assert.notEqual(status, 429, path)
    // What was asked for stands in its own field again.
    const answered = text
      .replaceAll(`value="${secretText}`, '')
      .replaceAll(new RegExp(`q=${secretText}[^"]*`, 'g'), '')
    note(
      `GET ${query}`,
      answered.includes(secretText) ||
        answered.includes(victim.ids.email!) ||
        answered.includes(victim.ids.key!),
    )
  }
  assert.deepEqual(
    await tableDigests(gateway.database.owner, { about: merchant }),
    before,
    'nothing of theirs changed',
  )
})

/** A form that names what it acts on in a field. */
const takesIds = /\/bank\/pay$/

attack('one’s own account with the ids of another person', async (note) => {
  const { ids } = victim
  const sessionsOf = (person: string) =>
    gateway.database.owner.query(sql`select id from sessions where person_id = ${person} order by id`)
  const before = await sessionsOf(ids.person!)
  await attacker.owner.post('/account/sessions/end', { id: ids.session! })
  await attacker.owner.post('/account/passkeys/remove', { id: ids.session! })
  note('end a session of another person', (await sessionsOf(ids.person!)).length !== before.length)
})

attack('every API route with the victim’s ids, under one’s own key', async (note) => {
  const { ids, shop: theirs } = victim
  const { shop } = attacker
  const before = await tableDigests(gateway.database.owner, { about: theirs.merchant })
  const isThrough = ({ status, body }: Answer) => status < 400 || JSON.stringify(body).includes(secretText)
  for (const id of [ids.deposit!, ids.paid!, ids.callback!, ids.transfer!]) {
    note(`GET deposit/${id}`, isThrough(await shop.get(`/api/v1/requests/deposit/${id}`)))
    note(`cancel ${id}`, isThrough(await signedPost(gateway, shop, `/api/v1/requests/deposit/${id}/cancel`)))
    note(`replay ${id}`, isThrough(await signedPost(gateway, shop, `/api/v1/callbacks/${id}/replay`)))
    note(`pay ${id}`, isThrough(await postV2(shop, '/api/v1/sandbox/transfers', { deposit: id })))
    note(
      `revoke ${id}`,
      isThrough(
        await postV2(shop, '/api/v1/sandbox/transfers', { deposit: id, revoked: 'true', bank_id: 'x' }),
      ),
    )
  }
  note('GET by order', isThrough(await shop.get(`/api/v1/requests/deposit?order_id=${ids.order}`)))
  for (const target of [
    ...[
      '/api/v1/requests/deposits',
      `/api/v1/requests/deposits?after=${ids.deposit}`,
      '/api/v1/events',
      '/api/v1/events?after=0',
    ],
    ...[
      '/api/v1/callbacks',
      '/api/v1/callbacks?before=99999',
      '/api/v1/sandbox/statement',
      `/api/v1/sandbox/statement?account=${ids.account}`,
    ],
  ]) {
    const { body } = await shop.get(target)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    note(
      `GET ${target}`,
      [secretText, ids.deposit!, ids.paid!, ids.callback!].some((value) => text.includes(value)),
    )
  }
  const foreign = `/api/v1/requests/limit?merchant=${theirs.merchant}&timestamp=${nowSeconds()}`
  note('limits of another', isThrough(await shop.get(foreign)))
  note('create for another', isThrough(await shop.createV2(theirs.order())))
  // The clock of a test merchant moves its own deposits only.
  await postV2(shop, '/api/v1/sandbox/clock', { minutes: 100 })
  const after = await tableDigests(gateway.database.owner, { about: theirs.merchant })
  note('anything of theirs changed', JSON.stringify(after) !== JSON.stringify(before))
})

const postV2 = (shop: Shop, target: string, fields: Record<string, unknown>): Promise<Answer> => {
  const body = Buffer.from(JSON.stringify(fields))
  const { secret, keyId: kid } = shop
  const signature = signV2({ secret, kid, t: nowSeconds(), method: 'POST', target, body })
  const headers = { ...fromAnywhere(), 'content-type': 'application/json', 'x-signature': signature }
  return call(gateway.url, target, { method: 'POST', headers, body })
}

attack('a bank’s token for accounts that are not its own', async (note) => {
  const [elsewhere] = await gateway.database.owner.query<{ id: string }>(
    sql`select id from receiving_accounts where id <> ${victim.ids.account} and mode = 'test' limit 1`,
  )
  const { token } = await addSource(gateway.db, { name: 'Another', mode: 'test', accounts: [elsewhere!.id] })
  const lively = await addSource(gateway.db, { name: 'Live bank', mode: 'live' })
  const { body } = await victim.shop.create({ cents: 91_001 })
  const entry = {
    ...{ id: newId(), account: demoAccount, cents: 91_001, currency: 'RUB' },
    ...{ booked_on: today(), payer_name: 'x', purpose: body.payment_data.payment_reason },
  }
  const push = (bearer: string) =>
    call(gateway.url, '/api/v1/bank/transfers', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: bearer, ...fromAnywhere() },
      body: JSON.stringify(entry),
    })
  for (const bearer of [
    ...[
      `Bearer ${lively.token}`,
      `Bearer ${token}`,
      `Bearer ${token}x`,
      `bearer ${token}`,
      `Bearer  ${token}`,
      token,
      `Basic ${token}`,
      'Bearer ',
      '',
    ],
    ...[`Bearer bank_${'A'.repeat(43)}`, `Bearer ${attacker.shop.secret}`, `Bearer ${attacker.shop.keyId}`],
  ]) {
    const { status } = await push(bearer)
    note(`${bearer.replace(token, '…')}: ${status}`, status < 400)
  }
  const state = async () => (await victim.shop.get(`/api/v1/requests/deposit/${body.id}`)).body.state
  assert.equal(await state(), 'created')
  // The test bank was the account's early source until now.
  await gateway.database.owner.script('delete from account_voices')
  const own = await addSource(gateway.db, { name: 'Its bank', mode: 'test', accounts: [victim.ids.account!] })
  assert.equal((await push(`Bearer ${own.token}`)).status, 200, 'control')
  assert.equal(await state(), 'confirmed', 'control')
})

test('control: the owner sees and changes all of it by the same addresses', async () => {
  const { owner, ids, shop } = victim
  const base = `/console/${shop.merchant}`
  assert.ok((await owner.get(`${base}/deposits/${ids.deposit}`)).text.includes(secretText))
  assert.equal((await owner.get(`${base}/callbacks/${ids.number}`)).status, 200)
  assert.equal((await owner.get(`${base}/keys/${ids.key}`)).status, 200)
  assert.equal((await owner.get(`${base}/people/${ids.person}`)).status, 200)
  assert.match((await owner.post(`${base}/endpoints/${ids.lane}/pause`)).location!, /done=pause/)
  assert.match((await owner.post(`${base}/deposits/${ids.deposit}/cancel`)).location!, /done=cancel/)
  assert.equal((await shop.get(`/api/v1/requests/deposit/${ids.deposit}`)).body.state, 'canceled')
})

report()
