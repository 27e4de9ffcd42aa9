/**
 * A seeded day of business: deposits of every kind, money that is exact, short, too much, late, delivered twice, revoked,
 * and strangers' money. A bank pushes half of it in random order; its file tells all of it once the days are over. At the end
 * every coin has its place, every deposit the state that its money earns, every event its callback; and the same seed gives the
 * same books.
 *
 *   npm test               60 deposits, twice
 *   npm run test:faults    10,000, twice; INLET_FAULT_SEED repeats one
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { callbackSent } from '../../src/domain/callbacks/list-store.ts'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import type { DepositState, ListedDeposit } from '../../src/domain/deposits/deposit.ts'
import { expireDeposits } from '../../src/domain/deposits/expire-deposits.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { changeAccountNumber } from '../../src/domain/requisites/add-requisite.ts'
import { writeOneC } from '../../src/domain/statements/writers/one-c.ts'
import type { Entry } from '../../src/domain/transfers/entry.ts'
import { sourceOf } from '../../src/domain/transfers/source-store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { openDatabase, sql } from '../../src/platform/db.ts'
import { bankDay, entryTo, importBytes } from '../support/bank.ts'
import { openShop, startGateway, type TestGateway } from '../support/gateway.ts'
import { startReceiver } from '../support/receiver.ts'

const isLong = process.env.INLET_FAULTS === 'long'
const seed = Number(process.env.INLET_FAULT_SEED ?? 20261115)
const deposits = isLong ? 10_000 : 60

/** mulberry32 */
function randomFrom(state: number): () => number {
  let next = state
  return () => {
    next = (next + 0x6d2b79f5) | 0
    let mixed = Math.imul(next ^ (next >>> 15), 1 | next)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Fate = 'exact' | 'under' | 'over' | 'late' | 'twice' | 'revoked' | 'unpaid'
function fateOf(chance: number): Fate {
  if (chance < 0.05) return 'under'
  if (chance < 0.08) return 'over'
  if (chance < 0.13) return 'late'
  if (chance < 0.15) return 'twice'
  if (chance < 0.16) return 'revoked'
  return chance < 0.2 ? 'unpaid' : 'exact'
}

/** The state that a deposit must have at the end of the day. */
const endOf: Record<Fate, DepositState> = {
  exact: 'confirmed',
  under: 'expired',
  over: 'confirmed',
  late: 'confirmed',
  twice: 'confirmed',
  revoked: 'reversed',
  unpaid: 'expired',
}

type Order = { orderId: string; fate: Fate; deposit: ListedDeposit; accountId: string }

for (const round of [1, 2]) {
  test(`a day of ${deposits} deposits (seed ${seed}, ${round})`, { timeout: 900_000 }, async () => {
    const books = await liveDay(seed)
    digests.push(books)
    assert.equal(new Set(digests).size, 1, 'the same seed gives the same books')
  })
}
const digests: string[] = []

async function liveDay(from: number): Promise<string> {
  const random = randomFrom(from)
  const gateway = await startGateway({ environment: { INLET_ROLES: 'api,worker' } })
  const receiver = await startReceiver()
  const shop = await openShop(gateway)
  await changeMerchant(gateway.db, { merchantId: shop.merchant, callbackUrl: receiver.url('/shop') })
  const context: DepositContext = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  const push = await gateway.db.transaction((tx) =>
    sourceOf(tx, { mode: 'test', kind: 'sandbox', channel: 'sandbox' }),
  )

  const fates = new Map<string, Fate>()
  for (let made = 0; made < deposits; made += 50) {
    await Promise.all(
      Array.from({ length: Math.min(50, deposits - made) }, async (_, place) => {
        const number = made + place
        const orderId = `day-${number}`
        // Deposits to cards are distinguished by their amounts, those to accounts by references.
        const payment_type = number % 3 === 0 ? 'any_bank' : 'account_number'
        const { status } = await shop.create({ order_id: orderId, payment_type, cents: 1_000_000 + number })
        assert.equal(status, 201)
      }),
    )
  }
  for (let number = 0; number < deposits; number++) fates.set(`day-${number}`, fateOf(random()))
  const orders = await readOrders(gateway, shop.merchant, fates)

  /** What the bank tells early, on the day and later, and what its file tells of all days. */
  const [first, later, booked]: [Entry[], Entry[], Entry[]] = [[], [], []]
  for (const order of orders) {
    const { fate, deposit } = order
    const isPushed = random() < 0.5
    if (fate === 'unpaid') continue
    // Without a reference a wrong amount is nobody's: people would decide.
    const isTied = deposit.shown!.payment_reason !== undefined
    const cents =
      fate === 'under' && isTied
        ? deposit.amountCents / 2n
        : fate === 'over' && isTied
          ? deposit.amountCents + 500n
          : deposit.amountCents
    if (fate === 'under' && !isTied) continue
    const payment = paymentOf(order, cents)
    if (fate === 'late') {
      const late = { ...payment, bookedOn: bankDay(20 / 24) }
      if (isPushed) later.push(late)
      booked.push(late)
      continue
    }
    if (isPushed || fate === 'revoked' || fate === 'twice') first.push(payment)
    if (fate === 'revoked') later.push({ ...payment, version: 2n, isReversal: true })
    else booked.push(payment)
    // Nobody acknowledged the first delivery.
    if (fate === 'twice') first.push({ ...payment })
  }
  const strangers = Array.from({ length: deposits / 20 }, (_, stranger) => ({
    ...paymentOf(orders[0]!, BigInt(100 + stranger)),
    ...{ purpose: 'Возврат долга', purposeParts: ['Возврат долга'], payerName: 'Петров Пётр' },
    ...{ bankId: `s${stranger}`, documentNumber: `s${stranger}` },
  }))
  first.push(...strangers)
  booked.push(...strangers)

  const shuffled = (entries: readonly Entry[]) =>
    entries
      .map((entry) => ({ entry, key: random() }))
      .sort((left, right) => left.key - right.key)
      .map(({ entry }) => entry)
  for (const part of [first, later]) {
    if (part === later) {
      // Most of a day on: what nobody paid has expired, and late money still counts.
      await gateway.database.shiftClock('20 hours')
      while ((await expireDeposits(context)) > 0);
    }
    const ordered = shuffled(part)
    for (let at = 0; at < ordered.length; at += 97)
      await takeTransfers(context, ordered.slice(at, at + 97), { source: push })
  }
  for (const [accountId, entries] of Map.groupBy(shuffled(booked), (entry) => entry.accountId)) {
    const file = await statementOf(gateway, accountId, entries)
    const { taken } = await importBytes(context, file, { isComplete: true, anyway: true })
    assert.equal(taken.held + taken.parked, 0)
    assert.equal(taken.taken + taken.paired, entries.length)
  }
  await untilDelivered(gateway)
  const books = await assertBooks(gateway, orders, receiver.received.length)
  await gateway.database.shiftClock('0')
  await gateway.stop()
  return books
}

async function readOrders(
  gateway: TestGateway,
  merchantId: string,
  fates: ReadonlyMap<string, Fate>,
): Promise<Order[]> {
  const { listDeposits } = await import('../../src/domain/deposits/read-store.ts')
  const accounts = new Map(
    (
      await gateway.database.owner.query<{ id: string; account_id: string }>(
        sql`select id, account_id from deposits where merchant_id = ${merchantId}`,
      )
    ).map((row) => [row.id, row.account_id]),
  )
  const orders: Order[] = []
  for (let after: string | null = null; ; ) {
    const page = await listDeposits(gateway.db, {
      merchantId,
      state: null,
      from: null,
      to: null,
      after,
      limit: 200,
    })
    for (const { deposit } of page) {
      orders.push({
        orderId: deposit.orderId,
        fate: fates.get(deposit.orderId)!,
        deposit,
        accountId: accounts.get(deposit.id)!,
      })
    }
    if (page.length < 200) break
    after = page.at(-1)!.deposit.id
  }
  // By order and not by time: the same seed must meet the same deposits.
  return orders.sort((left, right) => Number(left.orderId.slice(4)) - Number(right.orderId.slice(4)))
}

function paymentOf({ orderId, deposit, accountId }: Order, cents: bigint): Entry {
  const purpose = deposit.shown!.payment_reason ?? 'Перевод'
  return entryTo(accountId, {
    ...{ cents, currency: deposit.currency, documentNumber: orderId, bankId: `b-${orderId}`, purpose },
    ...{ payerName: 'Иванов Иван', payerAccount: '4081…0001' },
  })
}

/** The bank's file of all days of an account. */
async function statementOf(
  gateway: TestGateway,
  accountId: string,
  entries: readonly Entry[],
): Promise<Uint8Array> {
  const known = await gateway.database.owner.one<{ number: string | null }>(
    sql`select number from receiving_accounts where id = ${accountId}`,
  )
  // An account that is paid by card has no number of its own in the demo.
  const account = known.number ?? `4070281090000${accountId.replace(/\D/g, '').slice(-7)}`
  if (!known.number) await changeAccountNumber(gateway.db, accountId, account)
  const days = entries.map(({ bookedOn }) => bookedOn).sort()
  const [from, to] = [days[0]!, days.at(-1)!]
  return writeOneC([{ account, currency: entries[0]!.currency, from, to, entries }], `${to}T20:00:00`)
}

async function untilDelivered(gateway: TestGateway): Promise<void> {
  for (let tries = 0; tries < 2_400; tries++) {
    const [row] = await gateway.db.query<{ due: bigint }>(
      sql`select count(*) as due from deliveries where state = 'open'`,
    )
    if (row!.due === 0n) return
    await sleep(50)
  }
  assert.fail('callbacks are left')
}

/** Every coin, every deposit, every callback. The digest tells two days apart. */
async function assertBooks(
  gateway: TestGateway,
  orders: readonly Order[],
  received: number,
): Promise<string> {
  const { owner } = gateway.database
  const [coins] = await owner.query<{ came: bigint; placed: bigint; strangers: bigint }>(sql`
    select
      coalesce(sum(cents) filter (where state not in ('duplicate', 'revoked', 'debit')), 0)::bigint as came,
      coalesce(sum(deposit_cents + refund_cents + open_cents), 0)::bigint as placed,
      coalesce(sum(open_cents), 0)::bigint as strangers
    from transfers`)
  assert.equal(coins!.came, coins!.placed)
  const wrong = await owner.query(sql`
    select d.order_id, d.received_cents, sum(a.cents) as of_transfers
    from deposits d
    left join allocations a on a.deposit_id = d.id
    where d.state <> 'reversed'
    group by d.id
    having d.received_cents <> coalesce(sum(a.cents), 0)`)
  assert.deepEqual(wrong, [])
  const rows = await owner.query<{
    order_id: string
    state: DepositState
    received_cents: bigint
    labels: string[]
  }>(sql`select order_id, state, received_cents, labels from deposits order by order_id`)
  const states = new Map(rows.map((row) => [row.order_id, row.state]))
  const receivedOf = new Map(rows.map((row) => [row.order_id, row.received_cents]))
  for (const { orderId, fate, deposit } of orders) {
    assert.equal(states.get(orderId), endOf[fate], `${orderId}: ${fate}`)
    if (fate === 'exact' || fate === 'late' || fate === 'twice')
      assert.equal(receivedOf.get(orderId), deposit.amountCents, `${orderId}: ${fate}`)
  }
  const [events] = await owner.query<{ events: bigint; acked: bigint }>(
    sql`select count(*) as events, count(sent.acked_at) as acked from events c ${callbackSent}`,
  )
  assert.equal(events!.acked, events!.events)
  assert.ok(BigInt(received) >= events!.events)
  // As the command does: its questions may take longer than any of the daily work.
  const patient = openDatabase(gateway.database.login, { role: 'inlet_runtime', hasNoStatementTimeout: true })
  const examined = await examine({ db: patient, vault: gateway.vault }, { all: true }).finally(patient.close)
  const findings = examined.filter(({ verdict, name }) => verdict !== 'holds' && name !== 'clock-is-true')
  assert.deepEqual(findings, [])
  const text = rows
    .map((row) => `${row.order_id} ${row.state} ${row.received_cents} ${row.labels}`)
    .join('\n')
  return createHash('sha256').update(`${text}\n${coins!.strangers}`).digest('hex')
}
