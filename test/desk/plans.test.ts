/** Every list of the desk reads few rows, by an index, however many deposits, transfers and entries there are. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readSubjectNames } from '../../src/domain/approvals/subject-store.ts'
import { listAudit } from '../../src/domain/audit/store.ts'
import type { Reference } from '../../src/domain/deposits/reference.ts'
import { searchDeposits } from '../../src/domain/deposits/search-store.ts'
import { listPeople } from '../../src/domain/people/store.ts'
import { listRefunds, sumRefunds } from '../../src/domain/refunds/store.ts'
import { listRequisites } from '../../src/domain/requisites/listed-store.ts'
import { listStatements } from '../../src/domain/statements/store.ts'
import { listTransfersOf } from '../../src/domain/transfers/allocation-store.ts'
import { listTransfers } from '../../src/domain/transfers/store.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { type Queryable, queryable, type Statement, sql } from '../../src/platform/db.ts'
import {
  listFailing,
  listLoaded,
  listSilentAccounts,
  listSilentSources,
} from '../../src/surfaces/desk/overview/store.ts'
import { wholeQueue } from '../../src/surfaces/desk/queue/filter.ts'
import { countQueue, readAges, readQueue } from '../../src/surfaces/desk/queue/store.ts'
import { readDay } from '../../src/surfaces/office/overview/store.ts'
import { openShop, startGateway, type TestGateway } from '../support/gateway.ts'

const many = 15_000

let gateway: TestGateway
let accountId: string
let requisiteId: string
let merchantId: string
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  merchantId = (await openShop(gateway)).merchant
  const { owner } = gateway.database
  await owner.script(`
    insert into deposits
      (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type, requisite_id,
       account_id, shown, reference, page_token, sent, labels, claimed_at, created_at, issued_at, expires_at, late_until,
       final_at)
    select gen_random_uuid(), '${merchantId}', 'O-' || n, 'create', '\\x00',
      case when n % 10 < 7 then 'confirmed' else 'expired' end, 100000 + n % 5000, 'RUB', 'any_bank', r.id,
      r.account_id, jsonb_build_object('kind', r.kind, 'number', '4111'), 'KT' || (10000000 + n), 't' || n, '{}',
      case when n % 10000 = 3 then '{review}'::text[] else '{}' end,
      -- Most who said they have paid and did not are past their time.
      case when n % 10 >= 7 then t.at end, t.at, t.at, t.at + interval '30 minutes', t.at + interval '1 day',
      case when n % 10 < 7 then t.at + interval '5 minutes' end
    from generate_series(1, ${many}) as n
    cross join lateral (select now() - interval '90 days' + n * interval '77 seconds' as at) t
    cross join (select id, account_id, kind from requisites order by id limit 1) r`)
  await owner.script(`
    insert into bank_sources (id, name, mode, kind, channel) values (gen_random_uuid(), 'sandbox', 'test', 'sandbox', 'sandbox');
    insert into transfers
      (id, source_id, account_id, direction, cents, currency, booked_on, document_number, payer_name, payer_account,
       payer_tax_id, payer_bank, purpose, bank_id, channel, is_sum, names, taken_at, told_early_at, state, open_cents)
    select gen_random_uuid(), s.id, a.id, 'credit', 1000 + n, 'RUB', current_date, '1', 'Payer', '', '', '', 'x',
      'b' || n, 'sandbox', false, '{}', now() - interval '90 days' + n * interval '77 seconds', now(),
      case when n % 5000 = 1 then 'ambiguous' when n % 5000 = 2 then 'unmatched' else 'set_aside' end, 1000 + n
    from generate_series(1, ${many}) as n
    cross join (select id from bank_sources limit 1) s
    cross join (select id from receiving_accounts order by id limit 1) a;
    insert into audit_entries (place, at, actor, act, subject, reason, before, after, previous, digest)
    select n, now(), 'somebody', 'act', 'deposit:' || n, '', 'null', 'null', decode(repeat('00', 32), 'hex'),
      decode(repeat('00', 32), 'hex')
    from generate_series(1, ${many}) as n;
    update transfers set payer_name = 'Rare payer' where cents = 1500;
    -- Few of them are owed.
    update deposits set received_cents = amount_cents + 500 where order_id like 'O-%00';
    update transfers set due_since = taken_at where cents % 100 = 0;
    -- Sessions stay, and one person may have signed in for months, or made a script do it.
    insert into people (id, email, name)
    select gen_random_uuid(), 'person-' || n || '@example.com', 'Somebody' from generate_series(1, 20) as n;
    insert into memberships (person_id, merchant_id, role) select id, '${merchantId}', 'viewer' from people;
    insert into sessions (digest, id, person_id, strength, ends_at, ended_at, network, browser)
    select sha256(n::text::bytea), gen_random_uuid(), p.id, 'full', now(), now(), '192.0.2.1', 'Browser'
    from generate_series(1, ${many}) as n
    cross join (select id from people limit 1) p;
    analyze deposits; analyze transfers; analyze audit_entries; analyze people; analyze sessions`)
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from receiving_accounts order by id limit 1`,
  )
  accountId = row!.id
  requisiteId = (await gateway.db.query<{ id: string }>(sql`select id from requisites limit 1`))[0]!.id
})

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}
type Read = { rows: number; whole: string[] }

/** Runs every statement as the program would and counts the rows that its plans touch. */
function counting(): { db: Queryable; read: Read } {
  const read: Read = { rows: 0, whole: [] }
  const walk = (plan: Plan) => {
    if (plan['Node Type'].endsWith('Scan') && plan['Relation Name'])
      read.rows += (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    if (
      plan['Node Type'] === 'Seq Scan' &&
      ['deposits', 'transfers', 'audit_entries'].includes(plan['Relation Name']!)
    )
      read.whole.push(plan['Relation Name']!)
    plan.Plans?.forEach(walk)
  }
  const db = queryable(async <Row>(statement: Statement) => {
    const text = `explain (analyze, timing off, format json) ${statement.text}`
    const [row] = await gateway.db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>({
      ...statement,
      text,
      name: '',
    })
    walk(row!['QUERY PLAN'][0].Plan)
    return gateway.db.query<Row>(statement)
  })
  return { db, read }
}

const looks: [name: string, look: (db: Queryable) => Promise<unknown>, most: number][] = [
  ['what waits', (db) => countQueue(db), 3_000],
  ['the queue', (db) => readQueue(db, wholeQueue, 100), 5_000],
  // Every transfer that waits is looked at, and none of the books.
  ['the queue of an account', (db) => readQueue(db, { ...wholeQueue, accountId }, 100), 5_000],
  ['of a merchant', (db) => readQueue(db, { ...wholeQueue, merchantId }, 100), 5_000],
  ['of an amount', (db) => readQueue(db, { ...wholeQueue, amount: '10–60' }, 100), 5_000],
  ['of a payer', (db) => readQueue(db, { ...wholeQueue, payer: 'pay' }, 100), 5_000],
  ['of an age', (db) => readQueue(db, { ...wholeQueue, olderThan: 72 }, 100), 5_000],
  ['one kind of it', (db) => readQueue(db, { ...wholeQueue, kind: 'ambiguous' }, 100), 5_000],
  ['deposits, newest', (db) => searchDeposits(db, newest({}), { before: null, limit: 51 }), 300],
  ['of a merchant', (db) => searchDeposits(db, newest({ merchantId }), { before: null, limit: 51 }), 300],
  [
    'of a rare state',
    (db) => searchDeposits(db, newest({ state: 'reversed', mode: 'test' }), { before: null, limit: 51 }),
    300,
  ],
  [
    'of a payer that has none',
    (db) => searchDeposits(db, { by: 'payer', payer: 'Nobody' }, { before: null, limit: 51 }),
    300,
  ],
  ['transfers of a payer', (db) => listTransfers(db, { ...anyTransfer, payer: 'Rare payer' }), 300],
  [
    'deposits by order',
    (db) => searchDeposits(db, { by: 'name', name: 'O-777' }, { before: null, limit: 51 }),
    300,
  ],
  [
    'by reference',
    (db) =>
      searchDeposits(
        db,
        { by: 'reference', reference: 'KT10000009' as Reference },
        { before: null, limit: 51 },
      ),
    300,
  ],
  [
    'by amount',
    (db) => searchDeposits(db, { by: 'amount', cents: 100_777n }, { before: null, limit: 51 }),
    300,
  ],
  [
    'created on a day',
    (db) => searchDeposits(db, { by: 'created', ...ofDay }, { before: null, limit: 51 }),
    300,
  ],
  [
    'confirmed on a day',
    (db) => searchDeposits(db, { by: 'confirmed', ...ofDay }, { before: null, limit: 51 }),
    300,
  ],
  [
    'money in of a day',
    (db) =>
      listTransfers(db, {
        ...{ state: 'money_in', accountId: null, before: null, limit: 51 },
        day: { ...ofDay, currency: 'RUB' },
      }),
    1_000,
  ],
  // The overview: what is counted has a maximum.
  ['how long work waits', (db) => readAges(db), 6_000],
  ['deposits of a day', (db) => readDay(db, { ...ofDay, merchantId: null }, someDay), 4_000],
  ['loaded requisites', (db) => listLoaded(db, 'test', 6), 2_000],
  ['shops that fail', (db) => listFailing(db, 'test', 6), 100],
  ['silent sources', (db) => listSilentSources(db, 'test', 6), 100],
  ['silent accounts', (db) => listSilentAccounts(db, 'test', 6), 500],
  ['transfers', (db) => listTransfers(db, { state: null, accountId: null, before: null, limit: 51 }), 500],
  [
    'ambiguous ones',
    (db) => listTransfers(db, { state: 'ambiguous', accountId: null, before: null, limit: 51 }),
    200,
  ],
  [
    'a rare state',
    (db) => listTransfers(db, { state: 'revoked', accountId: null, before: null, limit: 51 }),
    100,
  ],
  [
    'of an account',
    (db) => listTransfers(db, { state: 'unmatched', accountId, before: null, limit: 51 }),
    200,
  ],
  ['of a deposit', (db) => listTransfersOf(db, '00000000-0000-4000-8000-000000000000'), 10],
  ['refunds', (db) => listRefunds(db, { mode: null, after: null, limit: 50 }), 700],
  [
    'refunds of a mode that has none',
    (db) => listRefunds(db, { mode: 'live', after: null, limit: 50 }),
    2_500,
  ],
  ['what is owed in all', (db) => sumRefunds(db, null), 2_500],
  ['statements', (db) => listStatements(db, { after: null, limit: 50 }), 100],
  ['the record', (db) => listAudit(db, { ...all, subject: null }), 200],
  ['the audit record of one deposit', (db) => listAudit(db, { ...all, subject: 'deposit:77' }), 10],
  [
    'what entries are about',
    (db) =>
      readSubjectNames(db, [`merchant:${merchantId}`, `account:${accountId}`, `requisite:${requisiteId}`]),
    100,
  ],
  ['people', (db) => listPeople(db, null, firstPage), 300],
  ['people of a merchant', (db) => listPeople(db, merchantId, firstPage), 300],
  // Numbers go over a sample that has a bound.
  ['requisites', (db) => listRequisites(db, { accountId }, firstPage), 11_000],
  ['one requisite', (db) => listRequisites(db, { id: requisiteId }), 11_000],
]
const newest = (more: { merchantId?: string; state?: 'reversed'; mode?: 'test' }) =>
  ({ by: 'newest', merchantId: null, state: null, mode: null, ...more }) as const
const anyTransfer = { state: null, accountId: null, before: null, limit: 51 }
/** A day that has a twelfth of them. */
const someDay = new Date(Date.now() - 85 * 86_400_000).toISOString().slice(0, 10)
const ofDay = { day: someDay, until: null, mode: 'test', zone: 'Europe/Moscow' } as const
const firstPage = { after: null, limit: 101 }
const all = { merchantId: null, personId: null, before: null, limit: 51 }

for (const [name, look, most] of looks) {
  test(`${name}: few rows, by an index`, async () => {
    const { db, read } = counting()
    await look(db)
    assert.deepEqual(read.whole, [])
    assert.ok(read.rows <= most, `${read.rows} rows`)
  })
}

test('a page after the first costs no more than it', async () => {
  const { db, read } = counting()
  const first = await listTransfers(gateway.db, {
    state: 'set_aside',
    accountId: null,
    before: null,
    limit: 51,
  })
  const next = await listTransfers(db, {
    state: 'set_aside',
    accountId: null,
    before: first.at(-1)!.id,
    limit: 51,
  })
  assert.equal(new Set([...first, ...next].map((row) => row.id)).size, 102)
  assert.ok(read.rows <= 500, `${read.rows} rows`)
})

test('a filter that fits nothing looks at so many of a long queue, and says that there are more', async () => {
  const { owner } = gateway.database
  await owner.script(`update transfers set state = 'unmatched' where state = 'set_aside'; analyze transfers`)
  const none = { ...wholeQueue, payer: 'nobody of this name' }
  const { db, read } = counting()
  const { items, counts, isCut } = await readQueue(db, none, 100)
  assert.deepEqual([items.length, counts.unmatched, isCut], [0, 0, true])
  assert.deepEqual(read.whole, [])
  assert.ok(read.rows <= 2 * bounds.queueLookedAt, `${read.rows} rows`)

  const whole = await readQueue(gateway.db, wholeQueue, 100)
  assert.deepEqual([whole.items.length, whole.counts.unmatched, whole.isCut], [100, 1_001, false])
  assert.equal((await readAges(gateway.db)).find(({ kind }) => kind === 'unmatched')?.count, 1_001)
  // An account has its own index: what is far down the queue of all is found.
  const late = await readQueue(gateway.db, { ...wholeQueue, accountId, amount: '10.01–60' }, 100)
  assert.equal(late.counts.unmatched, 1_001)
})

test('if nearly all transfers have one state, a list of another state does not read them all', async () => {
  const { owner } = gateway.database
  await owner.script(`update transfers set state = 'unmatched' where state = 'ambiguous'`)
  // As they were written: then an index by time alone would be the cheaper one.
  await owner.script('cluster transfers using transfers_by_state')
  await owner.script('analyze transfers')
  for (const state of [null, 'matched'] as const) {
    const { db, read } = counting()
    await listTransfers(db, { state, accountId: null, before: null, limit: 51 })
    assert.ok(read.rows <= 500, `${read.rows} rows`)
  }
})
