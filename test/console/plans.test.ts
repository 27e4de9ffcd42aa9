/**
 * Every list of the merchant's console is read from an index and ends at its limit, with a plan made for its values
 * and with the one that a connection keeps. What is counted is rows that were touched: they must not grow with the
 * table.
 */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import pg from 'pg'
import { readScarceAccounts } from '../../src/domain/alarms/store.ts'
import {
  findCallback,
  listAttempts,
  listCallbacks,
  listCallbacksOfDeposit,
  listPending,
  searchCallbacks,
} from '../../src/domain/callbacks/list-store.ts'
import { readHistoryForMerchant } from '../../src/domain/deposits/history-store.ts'
import { type DepositFilter, noFilter } from '../../src/domain/deposits/merchant-search.ts'
import { listDepositRows } from '../../src/domain/deposits/merchant-search-store.ts'
import { listDeposits } from '../../src/domain/deposits/read-store.ts'
import { invariants, offendersOf } from '../../src/domain/doctor/examine.ts'
import { readScope } from '../../src/domain/doctor/store.ts'
import { readCustomerUse } from '../../src/domain/rules/store.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { type Queryable, queryable, type Statement, sql } from '../../src/platform/db.ts'
import { listEndingKeys, listReviewed, readOpen } from '../../src/surfaces/console/overview/store.ts'
import { readDay } from '../../src/surfaces/office/overview/store.ts'
import { atEnd } from '../support/clean-up.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { fillDeposits } from '../support/many-deposits.ts'
import { joined } from '../support/person.ts'

const deposits = 20_000
const today = new Date().toISOString().slice(0, 10)
let gateway: TestGateway
let shop: Shop
let client: pg.Client
/** A deposit of the middle of the list. */
let middle: string
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  await fillDeposits(gateway, shop.merchant, { deposits, callbacks: 10_000 })
  await fillDeposits(gateway, (await openShop(gateway)).merchant, { deposits: 0, callbacks: 5_000 })
  // One that asks and cancels all day.
  await gateway.database.owner.script(`
    alter table deposits disable trigger user;
    update deposits set customer = 'kiosk' where merchant_id = '${shop.merchant}' and state = 'rejected';
    update deposits
    set customer = 'terminal', amount_cents = 7777700,
      shown = jsonb_set(shown, '{number}', '"40702810900000557531"')
    where merchant_id = '${shop.merchant}' and state = 'confirmed';
    alter table deposits enable trigger user;
    analyze deposits`)
  const [half] = await gateway.database.owner.query<{ id: string }>(sql`
    select id from deposits where merchant_id = ${shop.merchant} order by created_at offset ${deposits / 2} limit 1`)
  middle = half!.id
  client = new pg.Client(gateway.database.login)
  atEnd(() => client.end())
  await client.connect()
  // As every connection of ours is.
  await client.query('set search_path = inlet; set enable_seqscan = off')
})

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** Runs what it is asked as EXPLAIN ANALYZE, with a plan for these values and with one for all values. */
function explaining(plans: Plan[]): Queryable {
  let last = Promise.resolve()
  return queryable(<Row>(statement: Statement) => {
    // One after another, as all of them are prepared under one name.
    last = last.then(() => explain(statement))
    return last.then(() => [] as Row[])
  })
  async function explain({ text, values }: Statement): Promise<void> {
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`set plan_cache_mode = ${mode}`)
      await client.query(`prepare asked as ${text}`)
      const list = values.length > 0 ? `(${values.map(literal).join(', ')})` : ''
      const { rows } = await client.query(`explain (analyze, format json) execute asked${list}`)
      plans.push(rows[0]['QUERY PLAN'][0].Plan)
      await client.query('deallocate asked')
    }
  }
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.join(',')}}`)
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Rows that came out of tables and indexes, and those that were looked at in vain. */
const touched = (plan: Plan): number =>
  nodesOf(plan)
    .filter((node) => node['Relation Name'])
    .reduce(
      (sum, node) =>
        sum + node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
      0,
    )

const page = (filter: Partial<DepositFilter>) => ({
  merchantId: shop.merchant,
  filter: { ...noFilter, ...filter },
  zone: 'Asia/Tashkent',
  after: null,
  limit: 51,
})
const someId = '019a8d20-7c11-7b52-9f0e-2d6a41c5e803'

const lists: [name: string, ask: (db: Queryable) => Promise<unknown>, most: number][] = [
  ['newest', (db) => listDepositRows(db, page({})), 110],
  ['a page in the middle', (db) => listDepositRows(db, { ...page({}), after: middle }), 110],
  ['of days long ago', (db) => listDepositRows(db, page({ from: '2020-01-01', to: '2020-02-01' })), 60],
  ['a rare state', (db) => listDepositRows(db, page({ state: 'reversed' })), 100],
  ['a currency', (db) => listDepositRows(db, page({ currency: 'UZS' })), 2_000],
  [
    'a currency that nobody used',
    (db) => listDepositRows(db, page({ currency: 'TJS' })),
    bounds.depositsLookedAt,
  ],
  [
    'a method, from the middle',
    (db) => listDepositRows(db, { ...page({ paymentType: 'sbp' }), after: middle }),
    2_100,
  ],
  [
    'three filters',
    (db) => listDepositRows(db, page({ state: 'expired', currency: 'RUB', paymentType: 'sbp' })),
    bounds.depositsLookedAt,
  ],
  // The overview: what is counted has a maximum.
  [
    'a day',
    (db) => readDay(db, { merchantId: shop.merchant, mode: 'test', zone: 'Asia/Tashkent' }, today),
    400,
  ],
  ['what is open', (db) => readOpen(db, shop.merchant), 2_000],
  ['what is under review', (db) => listReviewed(db, shop.merchant, 5), 20],
  ['keys that end', (db) => listEndingKeys(db, shop.merchant), 20],
  ['by order', (db) => listDepositRows(db, page({ search: 'O-31234' })), 20],
  ['by a reference', (db) => listDepositRows(db, page({ search: 'KT10000016' })), 20],
  ['by our id', (db) => listDepositRows(db, page({ search: someId })), 20],
  ['by amount', (db) => listDepositRows(db, page({ search: '1 500,00' })), 300],
  ['by customer', (db) => listDepositRows(db, page({ search: 'customer-77' })), 50],
  ['by last digits', (db) => listDepositRows(db, page({ search: '1234' })), bounds.depositsLookedAt + 20],
  [
    'by more digits than four that many have',
    (db) => listDepositRows(db, page({ search: '997531' })),
    2 * bounds.depositsLookedAt + 20,
  ],
  [
    'by a customer of many, of a rare state',
    (db) => listDepositRows(db, page({ search: 'terminal', state: 'reversed' })),
    2 * bounds.depositsLookedAt + 20,
  ],
  [
    'by an amount of many, of a rare state',
    (db) => listDepositRows(db, page({ search: '77777', state: 'reversed' })),
    2 * bounds.depositsLookedAt + 20,
  ],
  ['by nothing there is', (db) => listDepositRows(db, page({ search: 'never seen' })), 20],
  ['callbacks', (db) => listCallbacks(db, callbacks(null)), 400],
  ['callbacks in the middle', (db) => listCallbacks(db, { ...callbacks(null), before: 15_000n }), 400],
  ['callbacks of an order', (db) => searchCallbacks(db, { ...callbacks(null), search: 'O-31234' }), 20],
  [
    'callbacks of a type that nobody has',
    (db) => listCallbacks(db, { ...callbacks(null), type: 'deposit.claimed' }),
    3 * bounds.callbacksLookedAt,
  ],
  ['callbacks given up', (db) => listCallbacks(db, callbacks('failed')), 100],
  ['callbacks that wait', (db) => listPending(db, callbacks('pending')), 100],
  ['deposits of the API', (db) => listDeposits(db, depositsOfApi({})), 410],
  ['of them those of a rare state', (db) => listDeposits(db, depositsOfApi({ state: 'reversed' })), 410],
  ['a page of them in the middle', (db) => listDeposits(db, depositsOfApi({ after: someId })), 410],
  [
    'what a customer has of all that was asked for',
    (db) => readCustomerUse(db, [{ merchantId: shop.merchant, customer: 'kiosk', currency: 'RUB' }]),
    20,
  ],
  [
    'what a customer has who pays all day',
    (db) => readCustomerUse(db, [{ merchantId: shop.merchant, customer: 'terminal', currency: 'RUB' }]),
    bounds.customerDeposits + 20,
  ],
  ['callbacks of the API', (db) => listCallbacks(db, { ...callbacks(null), limit: bounds.pageSize }), 1_000],
  [
    'of them those that wait',
    (db) => listCallbacks(db, { ...callbacks('pending'), limit: bounds.pageSize }),
    5_000,
  ],
  ['one callback', (db) => findCallback(db, shop.merchant, 15_000n), 20],
  ['callbacks of a deposit', (db) => listCallbacksOfDeposit(db, someId, shop.merchant), 20],
  [
    'accounts with few free references',
    (db) => readScarceAccounts(db, { sample: ['KT10000016', 'KT38219035'], mode: 'live' }),
    20,
  ],
  ['history', (db) => readHistoryForMerchant(db, shop.merchant, someId), 20],
]

const callbacks = (state: 'failed' | 'pending' | null) => ({
  merchantId: shop.merchant,
  type: null,
  state,
  before: null,
  limit: 51,
})

/** As `GET /api/v1/requests/deposits` asks for a page. */
const depositsOfApi = (filter: { state?: 'reversed'; after?: string }) => ({
  merchantId: shop.merchant,
  state: null,
  from: null,
  to: null,
  after: null,
  limit: 201,
  ...filter,
})

/** A few rows each: they are read whole. */
const small = new Set(['payment_types', 'merchants', 'endpoints'])

for (const [name, ask, most] of lists) {
  test(`${name}: from an index, and few rows of ${deposits}`, async () => {
    const plans: Plan[] = []
    await ask(explaining(plans))
    assert.ok(plans.length > 0)
    for (const plan of plans) {
      const whole = nodesOf(plan).filter(
        (node) => node['Node Type'] === 'Seq Scan' && !small.has(node['Relation Name']!),
      )
      assert.deepEqual(whole, [])
      assert.ok(touched(plan) <= most, `${touched(plan)} rows`)
    }
  })
}

/** What waits, what is kept for a month and what is of the installation is read whole; deposits and transfers are not. */
for (const check of invariants) {
  const { name } = check
  // Works with what it reads, and asks for no deposits.
  if (/^audit-|^standby-|^replication-/.test(name)) continue
  test(`doctor, ${name}: reads the last seven days and not all ${deposits} deposits`, async () => {
    const scope = await readScope(gateway.db, { days: 7, keptDays: bounds.callbackKeepDays, most: 21 })
    const plans: Plan[] = []
    await offendersOf(check, explaining(plans), scope, gateway)
    for (const plan of plans.flatMap(nodesOf)) {
      if (!['deposits', 'deposit_history', 'transfers'].includes(plan['Relation Name'] ?? '')) continue
      const rows = plan['Actual Loops'] * (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0))
      assert.ok(rows <= deposits / 4, `${plan['Node Type']} of ${plan['Relation Name']}: ${rows} rows`)
    }
  })
}

test('a search that looks at few deposits leads on, and finds all that fit, once each', async () => {
  const found: string[] = []
  let after: string | null = null
  do {
    const asked = { ...page({ search: 'terminal', paymentType: 'sbp' }), after }
    const { lines, next }: Awaited<ReturnType<typeof listDepositRows>> = await listDepositRows(
      gateway.database.owner,
      asked,
    )
    found.push(...lines.map(({ id }) => id))
    after = next
  } while (after)
  const expected = await gateway.database.owner.query<{ id: string }>(sql`
    select id from deposits where customer = 'terminal' and payment_type = 'sbp' order by created_at desc, id desc`)
  assert.ok(expected.length > 4_000)
  assert.deepEqual(
    found,
    expected.map(({ id }) => id),
  )
  // One that none has, among as many.
  after = null
  let pages = 0
  for (; ; pages++) {
    const asked = { ...page({ search: 'terminal', state: 'canceled' }), after }
    const { lines, next }: Awaited<ReturnType<typeof listDepositRows>> = await listDepositRows(
      gateway.database.owner,
      asked,
    )
    assert.deepEqual(lines, [])
    if (!next) break
    after = next
  }
  assert.equal(pages, Math.floor((0.7 * deposits - 1) / bounds.depositsLookedAt))
})

test('few attempts of a callback with twenty thousand are read, and the first success counts', async () => {
  const owner = await openShop(gateway)
  await fillDeposits(gateway, owner.merchant, { deposits: 0, callbacks: 3, isAnalyzed: false })
  const one = (await findCallback(gateway.db, owner.merchant, 2n))!
  // Delivered at the second attempt, then replayed for weeks, at last in vain.
  await gateway.database.owner.script(`
    insert into delivery_attempts (made_on, event_id, endpoint_id, at, ms, outcome, status, node)
    select c.made_on, c.id, (select p.id from endpoints p where p.merchant_id = c.merchant_id and p.origin is null),
      c.made_at + n * interval '1 minute', 1, case when n < 19950 then 'ok' else 'retry' end,
      case when n < 19950 then 200 else 503 end, c.merchant_id
    from events c, generate_series(1, 20000) n
    where c.id = '${one.id}';
    update delivery_attempts set outcome = 'retry', status = 500 where event_id = '${one.id}' and at < '${one.madeAt.toISOString()}'::timestamptz + interval '30 seconds';
    analyze delivery_attempts`)
  const asked: ((db: Queryable) => Promise<unknown>)[] = [
    (db) => findCallback(db, owner.merchant, 2n),
    (db) => listCallbacks(db, { ...callbacks(null), merchantId: owner.merchant }),
    (db) => listCallbacksOfDeposit(db, one.depositId, null),
    (db) => listAttempts(db, one),
  ]
  for (const ask of asked) {
    const plans: Plan[] = []
    await ask(explaining(plans))
    for (const plan of plans)
      assert.ok(touched(plan) <= 2 * bounds.attemptsRead + 1_000, `${ask}: ${touched(plan)} rows`)
  }
  const found = (await findCallback(gateway.db, owner.merchant, 2n))!
  assert.deepEqual(
    [found.state, found.attempts, found.hasMoreAttempts, found.lastStatus],
    ['delivered', 2 * bounds.attemptsRead, true, 503],
  )
  assert.equal(found.ackedAt!.getTime(), one.madeAt.getTime() + 60_001)
  const other = (await findCallback(gateway.db, owner.merchant, 1n))!
  assert.deepEqual([other.attempts, other.hasMoreAttempts], [1, false])
  const { browser } = await joined(gateway, { merchantId: owner.merchant, role: 'viewer' })
  const shown = await browser.get(`/console/${owner.merchant}/callbacks/2`)
  assert.match(shown.text, /Last attempts/)
  assert.doesNotMatch((await browser.get(`/console/${owner.merchant}/callbacks/1`)).text, /Last attempts/)
  const list = await browser.get(`/console/${owner.merchant}/callbacks`)
  assert.match(list.text, new RegExp(`>${2 * bounds.attemptsRead}\\+<`))
})

test('a page of the API looks at few callbacks, and leads on until the oldest was looked at', async () => {
  const found: number[] = []
  const leads: (number | null)[] = []
  for (let before: number | null | undefined; before !== null; leads.push(before!)) {
    const { body } = await shop.get(`/api/v1/callbacks?state=pending${before ? `&before=${before}` : ''}`)
    found.push(...body.callbacks.map((one: { sequence: number }) => one.sequence))
    before = body.next_before
  }
  assert.deepEqual(found, [])
  assert.deepEqual(leads, [8_001, 6_001, 4_001, 2_001, 1, null])
  const { body } = await shop.get('/api/v1/callbacks?state=failed')
  assert.deepEqual([body.callbacks[0].sequence, body.next_before], [5, null])
})
