/** Spec 3: the states and how a deposit moves between them, with its history, its event and its load. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  cancelDeposit,
  claimPayment,
  confirmDeposit,
  type DepositContext,
  receiveMoney,
} from '../../src/domain/deposits/change-deposit.ts'
import { expireDeposits, freeExpiredSlots, sweepDeposits } from '../../src/domain/deposits/expire-deposits.ts'
import { newPage } from '../../src/domain/deposits/page-token.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { insertDeposits } from '../../src/domain/deposits/store.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { rejectDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { atNoon } from '../support/bank.ts'
import { call, openShop, type Shop, signedPost, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
before(async () => {
  // Without workers: each test says itself when the clock acts.
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,pay' } })
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})

const operator = { actor: 'operator:test', reason: 'seen on the statement' }
const newDeposit = async (fields = {}, by = shop) => (await by.create(fields)).body.id as string
const read = async (id: string, by = shop) => (await by.get(`/api/v1/requests/deposit/${id}`)).body
const historyOf = (id: string) =>
  gateway.db.query<{
    action: string
    from_state: string | null
    to_state: string
    actor: string
    reason: string
  }>(
    sql`select action, from_state, to_state, actor, reason from deposit_timeline where deposit_id = ${id} order by entry`,
  )
const eventsOf = async (by: Shop, after = 0) => (await by.get(`/api/v1/events?after=${after}`)).body

test('created → confirmed: record, history, one event with the record', async () => {
  const own = await openShop(gateway)
  const id = await newDeposit({}, own)
  await confirmDeposit(context, { depositId: id, ...operator })
  const record = await read(id, own)
  assert.deepEqual([record.state, record.is_final, record.labels], ['confirmed', true, ['manual']])
  assert.ok(record.final_at)
  assert.deepEqual(
    (await historyOf(id)).map((line) => [
      line.action,
      line.from_state,
      line.to_state,
      line.actor,
      line.reason,
    ]),
    [
      ['create', null, 'created', 'merchant', null],
      ['confirm', 'created', 'confirmed', 'operator:test', 'seen on the statement'],
    ],
  )
  const { events, next_after } = await eventsOf(own)
  assert.equal(next_after, 1)
  assert.deepEqual(
    events.map((event: Record<string, unknown>) => [event.type, event.sequence]),
    [['deposit.confirmed', 1]],
  )
  assert.deepEqual(events[0].data, record)
  assert.match(events[0].id, /^[0-9a-f-]{36}$/)
})

test('POST cancel withdraws an unpaid deposit, and answers it again when repeated; a paid or foreign one stays', async () => {
  const id = await newDeposit()
  const canceled = await signedPost(gateway, shop, `/api/v1/requests/deposit/${id}/cancel`)
  assert.deepEqual([canceled.status, canceled.body.state, canceled.body.is_final], [200, 'canceled', true])
  const again = await signedPost(gateway, shop, `/api/v1/requests/deposit/${id}/cancel`)
  assert.deepEqual([again.status, again.body], [200, canceled.body])
  assert.deepEqual(
    (await historyOf(id)).map(({ action }) => action),
    ['create', 'cancel'],
  )
  const given = await newDeposit()
  await rejectDeposit(context, { depositId: given, actor: 'operator', reason: 'test' })
  const rejected = await signedPost(gateway, shop, `/api/v1/requests/deposit/${given}/cancel`)
  assert.deepEqual(
    [rejected.status, rejected.body.code, rejected.body.state],
    [409, 'state_conflict', 'rejected'],
  )
  const other = await openShop(gateway)
  const open = await newDeposit()
  for (const target of [open, '00000000-0000-7000-8000-000000000000', 'x']) {
    const foreign = await signedPost(gateway, other, `/api/v1/requests/deposit/${target}/cancel`)
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'not_found'])
  }
  await receiveMoney(context, { depositId: open, actor: 'matcher', cents: 1n })
  const paid = await signedPost(gateway, shop, `/api/v1/requests/deposit/${open}/cancel`)
  assert.deepEqual([paid.status, paid.body.code], [409, 'state_conflict'])
  const unsigned = await call(gateway.url, `/api/v1/requests/deposit/${open}/cancel`, { method: 'POST' })
  assert.equal(unsigned.status, 401)
})

test('a change whose callback cannot be written changes nothing: no state, no history, no load, no number', async () => {
  const { owner } = gateway.database
  const own = await openShop(gateway)
  const id = await newDeposit({}, own)
  const all = () =>
    gateway.db.one(sql`
      select d.state, d.received_cents, l.open_deposits, l.day_cents,
        (select count(*) from deposit_timeline h where h.deposit_id = d.id) as lines,
        (select last_sequence from event_counters c where c.merchant_id = d.merchant_id) as events
      from deposits d
      join requisite_loads l on l.requisite_id = d.requisite_id
      where d.id = ${id}`)
  const before = await all()
  await owner.script(`alter table events add constraint test_poison check (deposit_id <> '${id}') not valid`)
  for (const act of [
    () => confirmDeposit(context, { depositId: id, ...operator }),
    () => receiveMoney(context, { depositId: id, ...operator, cents: 150_000n }),
    () => rejectDeposit(context, { depositId: id, ...operator }),
  ])
    await assert.rejects(act, { constraint: 'test_poison' })
  assert.deepEqual(await all(), before)
  await owner.script('alter table events drop constraint test_poison')
  await confirmDeposit(context, { depositId: id, ...operator })
  assert.equal((await read(id, own)).state, 'confirmed')
})

test('50 parallel confirms leave one: one history line, one event', async () => {
  const own = await openShop(gateway)
  const id = await newDeposit({}, own)
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, () => confirmDeposit(context, { depositId: id, ...operator })),
  )
  assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1)
  assert.equal((await historyOf(id)).length, 2)
  assert.equal((await eventsOf(own)).events.length, 1)
})

test('confirm, expire, cancel and reject racing on one deposit: one wins, one event', async () => {
  const own = await openShop(gateway)
  for (let round = 0; round < 20; round++) {
    const id = await newDeposit({}, own)
    await gateway.database.owner.query(
      sql`update deposits set expires_at = created_at + interval '1 millisecond' where id = ${id}`,
    )
    await Promise.allSettled([
      expireDeposits(context),
      confirmDeposit(context, { depositId: id, ...operator }),
      cancelDeposit(context, { depositId: id, actor: 'merchant', merchantId: own.merchant }),
      rejectDeposit(context, { depositId: id, ...operator }),
    ])
    const lines = (await historyOf(id)).map((line) => line.to_state).slice(1)
    assert.ok(
      ['confirmed', 'canceled', 'rejected', 'expired', 'expired,confirmed', 'expired,rejected'].includes(
        lines.join(),
      ),
      lines.join(),
    )
  }
  const { events } = await eventsOf(own)
  const [count] = await gateway.db.query<{ count: bigint }>(
    sql`select count(*) from deposit_timeline h join deposits d on d.id = h.deposit_id where d.merchant_id = ${own.merchant} and h.entry > 1`,
  )
  assert.equal(BigInt(events.length), count!.count)
  assert.deepEqual(
    events.map((event: { sequence: number }) => event.sequence),
    events.map((_: unknown, index: number) => index + 1),
  )
})

test('the numbers of 200 events made in parallel by several deposits are gap-free', async () => {
  const own = await openShop(gateway)
  const ids = await Promise.all(Array.from({ length: 200 }, () => newDeposit({}, own)))
  // In tens: the counter is one row, and waiting for a connection has an end, on a busy machine sooner.
  for (let from = 0; from < ids.length; from += 10)
    await Promise.all(
      ids.slice(from, from + 10).map((id) => rejectDeposit(context, { depositId: id, ...operator })),
    )
  const { events, next_after } = await eventsOf(own)
  assert.deepEqual([events.length, next_after], [200, 200])
  assert.deepEqual(
    events.map((event: { sequence: number }) => event.sequence),
    Array.from({ length: 200 }, (_, index) => index + 1),
  )
  assert.deepEqual((await eventsOf(own, 198)).events.length, 2)
  assert.deepEqual(await eventsOf(own, 200), { events: [], next_after: 200 })
})

test('the sweep expires overdue deposits in groups, and nothing else', async () => {
  const own = await openShop(gateway)
  const ids = await Promise.all(Array.from({ length: 30 }, () => newDeposit({}, own)))
  await gateway.database.shiftClock('29 minutes')
  while ((await expireDeposits(context)) > 0);
  assert.equal((await read(ids[0]!, own)).state, 'created')
  await gateway.database.shiftClock('31 minutes')
  const [one, two] = await Promise.all([expireDeposits(context), expireDeposits(context)])
  assert.ok(one + two >= 30)
  const record = await read(ids[0]!, own)
  assert.deepEqual([record.state, record.is_final, record.final_at], ['expired', false, null])
  assert.equal(
    (await eventsOf(own)).events.filter((event: { type: string }) => event.type === 'deposit.expired').length,
    30,
  )
  await gateway.database.shiftClock('0')
})

test('a deposit that cannot be written does not keep others from expiring', async () => {
  const [broken, other] = [await newDeposit(), await newDeposit({}, await openShop(gateway))]
  await gateway.database.owner.script(`
    create function refuse_one() returns trigger language plpgsql as $$ begin
      if new.deposit_id = '${broken}' then raise exception 'this one cannot be written'; end if;
      return new;
    end $$;
    create trigger refuse_one before insert on deposit_history for each row execute function refuse_one()`)
  await gateway.database.shiftClock('31 minutes')
  // After a downtime expiry would be delayed.
  await gateway.database.owner.script('update upkeep set last_beat = now()')
  await assert.rejects(sweepDeposits(context), /this one cannot be written/)
  const stateOf = async (id: string) =>
    (await gateway.db.one<{ state: string }>(sql`select state from deposits where id = ${id}`)).state
  assert.deepEqual([await stateOf(broken), await stateOf(other)], ['created', 'expired'])
  await gateway.database.owner.script('drop trigger refuse_one on deposit_history; drop function refuse_one')
  await sweepDeposits(context)
  assert.equal(await stateOf(broken), 'expired')
  await gateway.database.shiftClock('0')
})

test('late money inside the grace confirms an expired deposit; after it the record is final', async () => {
  const own = await openShop(gateway)
  const [late, never] = [await newDeposit({}, own), await newDeposit({}, own)]
  await gateway.database.shiftClock('31 minutes')
  while ((await expireDeposits(context)) > 0);
  await receiveMoney(context, { depositId: late, actor: 'matcher', cents: 150_000n })
  assert.deepEqual([(await read(late, own)).state, (await read(late, own)).labels], ['confirmed', ['late']])
  await gateway.database.shiftClock('6 days')
  const record = await read(never, own)
  assert.deepEqual([record.state, record.is_final], ['expired', true])
  const [{ late_until }] = (await gateway.db.query<{ late_until: Date }>(
    sql`select late_until from deposits where id = ${never}`,
  )) as [{ late_until: Date }]
  assert.equal(record.final_at, late_until.toISOString())
  await assert.rejects(receiveMoney(context, { depositId: never, actor: 'matcher', cents: 150_000n }), {
    code: 'state_conflict',
  })
  await gateway.database.shiftClock('0')
})

test('optional events take no sequence number until the merchant wants them', async () => {
  const own = await openShop(gateway)
  await claimPayment(context, { depositId: await newDeposit({}, own), actor: 'customer' })
  assert.equal((await eventsOf(own)).events.length, 0)
  await changeMerchant(gateway.db, { merchantId: own.merchant, optionalEvents: ['deposit.claimed'] })
  await claimPayment(context, { depositId: await newDeposit({}, own), actor: 'customer' })
  assert.deepEqual(
    (await eventsOf(own)).events.map((event: { type: string; sequence: number }) => [
      event.type,
      event.sequence,
    ]),
    [['deposit.claimed', 1]],
  )
})

test('a slot is free again after the late grace, and a confirmed one after the bank day', async () => {
  const amount = { payment_type: 'sbp', cents: 987_600 }
  const ids = await Promise.all([newDeposit(amount), newDeposit(amount), newDeposit(amount)])
  assert.equal((await shop.create(amount)).status, 503)
  await receiveMoney(context, { depositId: ids[0]!, cents: 987_600n, ...operator })
  assert.equal((await read(ids[0]!)).state, 'confirmed')
  await cancelDeposit(context, { depositId: ids[1]!, actor: 'merchant', merchantId: shop.merchant })
  await freeExpiredSlots(gateway.db)
  assert.equal((await shop.create(amount)).status, 503)
  await gateway.database.shiftClock('24 hours')
  await freeExpiredSlots(gateway.db)
  assert.equal((await shop.create(amount)).status, 201, 'the bank day of the confirmed one is over')
  assert.equal((await shop.create(amount)).status, 503, 'the grace of the others is not')
  await gateway.database.shiftClock('25 hours')
  await freeExpiredSlots(gateway.db)
  assert.equal((await shop.create(amount)).status, 201)
  await gateway.database.shiftClock('0')
})

test('money that is booked days after a person confirmed its deposit does not confirm the next one', async () => {
  const amount = { payment_type: 'sbp', cents: 987_700 }
  await gateway.database.shiftClock(atNoon(0))
  const ids = await Promise.all([newDeposit(amount), newDeposit(amount), newDeposit(amount)])
  for (const depositId of ids) await confirmDeposit(context, { depositId, ...operator })
  const statusOn = async (day: number) => {
    await gateway.database.shiftClock(atNoon(day))
    await freeExpiredSlots(gateway.db)
    return (await shop.create(amount)).status
  }
  for (const day of [1, 2, 3]) assert.equal(await statusOn(day), 503, `${day} days later`)
  assert.equal(await statusOn(4), 201)
  await gateway.database.shiftClock('0')
})

test('a reference may name another deposit 90 days after its own was closed, and not before', async () => {
  const id = await newDeposit()
  await rejectDeposit(context, { depositId: id, ...operator })
  const { deposit } = (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!
  const place = await gateway.db.one<{ requisiteId: string; accountId: string }>(
    sql`select requisite_id as "requisiteId", account_id as "accountId" from deposits where id = ${id}`,
  )
  const again = () => {
    const draft = { ...deposit, ...newPage(), ...place, orderId: newId(), state: 'created' as const }
    const rest = { fingerprint: '00'.repeat(32), isAccountLimited: false, holdsSlot: false }
    const times = {
      openMinutes: 30,
      lateGraceHours: 1,
      sent: { request: 'r', key: 'k', scheme: 'v2' as const },
    }
    return insertDeposits(gateway.db, [{ ...draft, ...rest, ...times }])
  }
  await gateway.database.shiftClock('95 days')
  assert.equal((await again()).size, 0)
  await gateway.database.shiftClock('96 days')
  assert.equal((await again()).size, 1)
  assert.equal((await again()).size, 0)
  await gateway.database.shiftClock('0')
})

test('after the whole installation was away, expiry waits two minutes', async () => {
  const own = await openShop(gateway)
  const id = await newDeposit({}, own)
  await sweepDeposits(context)
  await gateway.database.owner.script(`update upkeep set last_beat = now() - interval '10 minutes'`)
  await gateway.database.shiftClock('31 minutes')
  await sweepDeposits(context)
  assert.equal((await read(id, own)).state, 'created')
  await gateway.database.shiftClock('33 minutes 5 seconds')
  await sweepDeposits(context)
  assert.equal((await read(id, own)).state, 'expired')
  await gateway.database.shiftClock('0')
})

test('the database itself refuses a path that the table does not have', async () => {
  const id = await newDeposit()
  await confirmDeposit(context, { depositId: id, ...operator })
  for (const state of ['created', 'expired', 'rejected', 'canceled', 'builded']) {
    await assert.rejects(
      gateway.database.owner.query(sql`update deposits set state = ${state} where id = ${id}`),
      { constraint: 'deposit_path' },
    )
  }
})

test('loads follow: every requisite carries exactly its open deposits', async () => {
  const wrong = await gateway.db.query(sql`
    select l.requisite_id, l.open_deposits
    from requisite_loads l
    where l.open_deposits <> (
      select count(*) from deposits d where d.requisite_id = l.requisite_id and d.state = 'created')`)
  assert.deepEqual(wrong, [])
})

test('events beyond the retention are refused as gone, with the oldest number', async () => {
  const own = await openShop(gateway)
  for (let count = 0; count < 3; count++)
    await rejectDeposit(context, { depositId: await newDeposit({}, own), ...operator })
  await gateway.database.owner.query(
    sql`delete from events where merchant_id = ${own.merchant} and sequence < 3`,
  )
  const gone = await own.get('/api/v1/events?after=0')
  assert.deepEqual([gone.status, gone.body.code, gone.body.oldest_sequence], [410, 'events_gone', 3])
  assert.equal((await own.get('/api/v1/events?after=2')).body.events.length, 1)
  for (const after of ['x', '-1', '1.5'])
    assert.equal((await own.get(`/api/v1/events?after=${after}`)).status, 422)
})

test('a merchant has so many callback lanes of its own and no more: further addresses share some', async () => {
  const many = await openShop(gateway)
  const lanes = () =>
    gateway.db.query<{ id: bigint; origin: string | null }>(
      sql`select id, origin from endpoints where merchant_id = ${many.merchant}`,
    )
  const canceled = async (host: string) => {
    const id = await newDeposit({ callback_url: `https://${host}/callback` }, many)
    await signedPost(gateway, many, `/api/v1/requests/deposit/${id}/cancel`)
    const [made] = await gateway.db.query<{ origin: string; url: string }>(sql`
      select p.origin, e.url
      from events e
      join deliveries d on d.event_id = e.id
      join endpoints p on p.id = d.endpoint_id
      where e.deposit_id = ${id}`)
    return made
  }
  const first = { origin: 'https://first.example', url: 'https://first.example/callback' }
  assert.deepEqual(await canceled('first.example'), first)
  await gateway.db.query(sql`
    insert into endpoints (merchant_id, origin)
    select ${many.merchant}, 'https://shop-' || n || '.example' from generate_series(1, ${bounds.endpointsOfMerchant}::int) n`)
  const before = (await lanes()).length
  const shared = await canceled('one-more.example')
  assert.match(shared!.origin, /^https:\/\/\* \(\d+\)$/)
  assert.equal(shared!.url, 'https://one-more.example/callback')
  // Always the same one for an address: its deposits' events stay in order.
  assert.deepEqual(await canceled('one-more.example'), shared)
  assert.deepEqual(await canceled('first.example'), first)
  assert.equal((await lanes()).length, before + 1)
})
