/** Many pushes for one account at once: each is taken once, and nobody gets a fault of ours. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { sleep } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { today } from '../support/bank.ts'
import {
  type Answer,
  call,
  openShop,
  productionTimeouts,
  type Shop,
  signedPost,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { untilWaiting } from '../support/held-account.ts'
import { atOneMoment } from '../support/one-moment.ts'
import { joined } from '../support/person.ts'

let gateway: TestGateway
let shop: Shop
let token: string
before(async () => {
  gateway = await startGateway({ timeouts: productionTimeouts })
  shop = await openShop(gateway)
  token = (await addSource(gateway.db, { name: 'Busy bank', mode: 'test' })).token
})

const account = '40702810300000000042'
const push = (body: unknown, bearer = token): Promise<Answer> =>
  call(gateway.url, '/api/v1/bank/transfers', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    body: JSON.stringify(body),
  })

let amount = 7_000_000
const transfersOf = (many: number, name: string, purpose = 'Перевод') =>
  Array.from({ length: many }, (_, place) => ({
    id: `${name}-${place}`,
    account,
    cents: ++amount,
    currency: 'RUB',
    booked_on: today(),
    payer_name: 'Иванов Иван',
    purpose,
  }))

/** What the books have of these entries, by the bank's id. */
const takenOf = (name: string) =>
  gateway.database.owner.query<{ id: string }>(
    sql`select bank_id as id from transfers where bank_id like ${`${name}-%`}`,
  )

const tally = (answers: readonly Answer[]) => {
  const counts = Map.groupBy(answers, ({ status, body }) => `${status} ${body.code ?? ''}`.trim())
  return Object.fromEntries([...counts].map(([name, list]) => [name, list.length]))
}

/** Another connection holds the account for so long. */
const holding = (ms: number) => heldUntil(sleep(ms))

const heldUntil = (end: Promise<unknown>) =>
  gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`select id from receiving_accounts where number = ${account} for update`)
    await end
  })

/** Sends what was refused because of the lock again, as a bank would, until all of it is taken. */
async function pushRefused(entries: readonly object[], answers: Answer[]): Promise<void> {
  const refused = entries.filter((_, place) => answers[place]!.status === 503)
  assert.deepEqual(new Set(answers.map(({ status }) => status)).difference(new Set([200, 503])), new Set())
  if (refused.length > 0) await pushRefused(refused, await Promise.all(refused.map((entry) => push(entry))))
}

// More than an address may send without a token: a right one is charged to its source.
test('of three hundred concurrent pushes each is taken once, or refused with Retry-After', async () => {
  const entries = transfersOf(300, 'crowd')
  const answers = await atOneMoment(() => Promise.all(entries.map((entry) => push(entry))))
  const { 200: taken = 0, '503 overloaded': refused = 0 } = tally(answers)
  assert.deepEqual([taken + refused, taken >= 100], [300, true], JSON.stringify(tally(answers)))
  for (const { status, headers } of answers) if (status === 503) assert.equal(headers.get('retry-after'), '1')
  const rows = await takenOf('crowd')
  const ids = answers.flatMap(({ status }, place) => (status === 200 ? [entries[place]!.id] : []))
  assert.deepEqual(rows.map(({ id }) => id).sort(), ids.sort())
})

test('an account that is held for longer is no fault of ours: 503 with Retry-After, and nothing is taken', async () => {
  const entries = transfersOf(40, 'long-held')
  const held = holding(6_000)
  const answers = await Promise.all(entries.map((entry) => push(entry)))
  await held
  for (const { status, headers, body } of answers) {
    assert.ok(status === 200 || status === 503, JSON.stringify(body))
    if (status === 503) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
  const taken = answers.filter(({ status }) => status === 200).length
  assert.equal((await takenOf('long-held')).length, taken)
  assert.deepEqual(tally(await Promise.all(entries.map((entry) => push(entry)))), { 200: 40 })
  assert.equal((await takenOf('long-held')).length, 40)
})

test('the same push twenty times at once is taken once, and each answer says so', async () => {
  const { body: deposit } = await shop.create({ cents: amount + 1 })
  const [entry] = transfersOf(1, 'again', deposit.payment_data.payment_reason)
  const answers = await Promise.all(Array.from({ length: 20 }, () => push(entry)))
  assert.deepEqual(tally(answers), { 200: 20 })
  const sum = (name: string) => answers.reduce((all, { body }) => all + body[name], 0)
  assert.deepEqual([sum('taken'), sum('seen'), sum('matched')], [1, 19, 1])
})

test('a flood of one source for a held account does not hold up another source', async () => {
  const [other] = await gateway.database.owner.query<{ number: string; currency: string }>(sql`
    select number, currency from receiving_accounts
    where mode = 'test' and number is not null and number <> ${account}
    limit 1`)
  const quiet = await addSource(gateway.db, { name: 'Quiet bank', mode: 'test' })
  const entries = transfersOf(80, 'flood')
  const quietTaken = Promise.withResolvers<void>()
  const held = heldUntil(quietTaken.promise)
  let answered = 0
  const flood = Promise.all(entries.map((entry) => push(entry).finally(() => answered++)))
  const entry = {
    id: 'quiet-1',
    account: other!.number,
    cents: 5,
    currency: other!.currency,
    booked_on: today(),
  }
  await untilWaiting(gateway, 1)
  assert.equal((await push(entry, quiet.token)).status, 200)
  assert.equal(answered, 0, 'the quiet source waited for the flood')
  quietTaken.resolve()
  await held
  await pushRefused(entries, await flood)
  assert.equal((await takenOf('flood')).length, 80)
})

test('a merchant’s action on a locked deposit is answered 503 with Retry-After', async () => {
  const { body: deposit } = await shop.create({ cents: ++amount })
  await gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`select id from deposits where id = ${deposit.id} for update`)
    const answer = await signedPost(gateway, shop, `/api/v1/requests/deposit/${deposit.id}/cancel`)
    assert.deepEqual([answer.status, answer.body.code], [503, 'overloaded'])
    assert.equal(answer.headers.get('retry-after'), '1')
  })
})

test('a form of the desk that meets a lock answers with a page, 503 and Retry-After', async () => {
  const { id } = await addSource(gateway.db, { name: 'Held bank', mode: 'test' })
  const { browser } = await joined(gateway, { operatorRole: 'admin' })
  await gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`select id from bank_sources where id = ${id} for update`)
    const answer = await browser.post(`/operator/sources/${id}/disable`)
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1'])
    assert.match(answer.text, /someone else is changing the same data/)
  })
})
