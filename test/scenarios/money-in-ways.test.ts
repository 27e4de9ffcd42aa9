/**
 * Payments that several sources report, each in its own words: with its own number of the document or none, its own day, its own
 * mask of the payer, with ids or without, once or in two files. No deposit gets more than was paid, and no payment is lost, also
 * where only the amount says whose a payment is, and the next deposit of that amount waits already.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { insertStatement } from '../../src/domain/statements/store.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import type { Source } from '../../src/domain/transfers/source.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { many } from '../support/attempts.ts'
import { accountOf, bankDay, depositContextOf, entryTo } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'

let gateway: MoneyIn['gateway']
let shop: MoneyIn['shop']
let sources: MoneyIn['sources']
let stored: MoneyIn['stored']
before(async () => {
  ;({ gateway, shop, sources, stored } = await openMoneyIn())
})

let documents = 100
const newNumber = () => String(++documents)

/** In hundredths of the deposit. */
const plans = [[50], [50, 50], [100], [50, 40]]

const wayOf = (
  name: keyof typeof sources,
  channel: IncomingEntry['channel'],
  hasIds: fc.Arbitrary<boolean>,
) =>
  fc.record({
    name: fc.constant(name),
    channel: fc.constant(channel),
    hasIds,
    number: fc.constantFrom('ofOrder', 'ofPayer', 'none'),
    payerAccount: fc.constantFrom('4081…0001', '****0001', '2200…1234', '3023…5678', ''),
    words: fc.constantFrom('', 'Зачисление ', 'СБП: '),
    days: fc.constantFrom(0, 0, 1, 2),
    /** A second file has the payments once more; some of those without ids have moved to the next day there. */
    again: fc.constantFrom(null, null, 0, 1),
  })

const ways = fc.uniqueArray(
  fc.oneof(
    wayOf('one', 'push', fc.constant(true)),
    wayOf('other', 'push', fc.constant(true)),
    wayOf('file', '1c', fc.constant(false)),
    wayOf('file', 'csv', fc.constant(false)),
    wayOf('file', 'camt', fc.constant(true)),
    wayOf('file', 'mt940', fc.boolean()),
  ),
  { minLength: 1, maxLength: 3, selector: ({ name, channel }) => name + channel },
)

async function newStatement(): Promise<string> {
  const id = newId()
  const named = { fileName: 'day', format: '1c', takenBy: 'test' }
  const digests = { digest: randomBytes(32), fileDigest: randomBytes(32) }
  await gateway.db.transaction((tx) => insertStatement(tx, { id, mode: 'test', ...digests, ...named }))
  return id
}

/** Equal rows of one file are numbered, as an import does it. */
function numbered(entries: readonly IncomingEntry[]): IncomingEntry[] {
  const times = new Map<string, number>()
  return entries.map((entry) => {
    const key = [entry.bookedOn, entry.cents, entry.documentNumber].join()
    times.set(key, (times.get(key) ?? 0) + 1)
    return entry.bankId === null ? { ...entry, occurrence: times.get(key)! } : entry
  })
}

type Way = { name: keyof typeof sources; channel: IncomingEntry['channel'] } & Record<
  'number' | 'payerAccount' | 'words',
  string
> & { hasIds: boolean; days: number; again: number | null }
type Payment = { cents: bigint; day: number } & Record<'ofOrder' | 'ofPayer' | 'none', string>
type Delivery = { source: Source; entries: IncomingEntry[] }

const paymentOf = (cents: bigint, day: number): Payment => ({
  ...{ cents, day, ofOrder: newNumber(), ofPayer: `INV-${newNumber()}`, none: '' },
})

/** Every push and file in which the ways report the payments. */
async function deliveriesOf(
  used: readonly Way[],
  payments: readonly Payment[],
  to: { accountId: string; purpose: string; isNamed: boolean },
): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  for (const { name, channel, hasIds, number, payerAccount, words, days, again } of used) {
    const purpose = words + to.purpose
    const ids = payments.map(() => (hasIds ? newId() : null))
    for (const moved of again === null || channel === 'push' ? [0] : [0, again]) {
      const statementId = channel === 'push' ? null : await newStatement()
      // A payment without a number and a name, on another day, is another one: nothing else distinguishes customers who pay alike.
      const mayMove = !hasIds && (number !== 'none' || to.isNamed)
      const shift = days + (mayMove ? moved : 0)
      const entries = payments.map((payment, place) =>
        entryTo(to.accountId, {
          ...{ cents: payment.cents, documentNumber: payment[number as 'none'], bankId: ids[place]! },
          ...{ bookedOn: bankDay(payment.day + shift), payerAccount, purpose, channel, version: 0n },
          ...{ statementId, line: place + 1 },
        }),
      )
      deliveries.push({ source: sources[name], entries: numbered(entries) })
    }
  }
  return deliveries
}

const take = ({ source, entries }: Delivery) => takeTransfers(depositContextOf(gateway), entries, { source })

async function assertNothingLost(accountId: string, payments: readonly Payment[]): Promise<void> {
  const { count } = await gateway.db.one<{ count: number }>(sql`
    select count(*)::int
    from transfers
    where account_id = ${accountId}
      and cents = any(${payments.map(({ cents }) => cents)}::bigint[])
      and state not in ('duplicate', 'revoked')`)
  assert.ok(count >= payments.length, `${count} of ${payments.length} payments are left`)
}

let amount = 20_000_000
const numRuns = many(80, 30)

test('in whatever ways banks report payments, no deposit gets more than was paid and no payment is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...plans),
      ways,
      fc.infiniteStream(fc.nat()),
      async (plan, used, turns) => {
        amount += 100
        const { body } = await shop.create({ payment_type: 'account_number', cents: amount })
        const deposit = await stored(body.id)
        const accountId = await accountOf(gateway, deposit.id)
        const payments = plan.map((share, day) =>
          paymentOf((deposit.amountCents * BigInt(share)) / 100n, day % 2),
        )
        const purpose = deposit.shown!.payment_reason!
        const deliveries = await deliveriesOf(used, payments, { accountId, purpose, isNamed: true })
        while (deliveries.length > 0)
          await take(deliveries.splice(turns.next().value % deliveries.length, 1)[0]!)
        const paid = payments.reduce((sum, { cents }) => sum + cents, 0n)
        const { state, receivedCents } = await stored(deposit.id)
        assert.ok(receivedCents <= paid, `${receivedCents} of ${paid}`)
        assert.ok(state !== 'confirmed' || paid >= deposit.amountCents, 'confirmed with too little')
        await assertNothingLost(accountId, payments)
      },
    ),
    { numRuns },
  )
})

/** A deposit on the card, for which only its amount speaks, and its account. */
async function onCard(cents: number): Promise<{ id: string; accountId: string }> {
  const { status, body } = await shop.create({ payment_type: 'any_bank', cents })
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.id, accountId: await accountOf(gateway, body.id) }
}

test('however banks report a payment to a card, it does not pay the next deposit of its amount on that card', async () => {
  const { accountId } = await onCard(19_000_000)
  // With one card only, the next deposit is on it.
  await gateway.database.owner.query(sql`
    update requisites set enabled = false where kind in ('card', 'phone') and account_id <> ${accountId}`)
  let cents = 10_000_000
  let paidTwice = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(1, 1, 2),
      ways,
      fc.infiniteStream(fc.nat()),
      async (count, used, turns) => {
        cents += 100
        const payments = Array.from({ length: count }, () => paymentOf(BigInt(cents), 0))
        const to = { accountId, purpose: 'Перевод', isNamed: false }
        const deliveries = await deliveriesOf(used, payments, to)
        const deposits: string[] = []
        const states = async () => (await Promise.all(deposits.map(stored))).map(({ state }) => state)
        while (deliveries.length > 0) {
          if ((await states()).every((state) => state === 'confirmed')) {
            // As on the days after: the amount is free again.
            await gateway.database.owner.query(sql`delete from deposit_slots where amount_cents = ${cents}`)
            const next = await onCard(cents)
            assert.equal(next.accountId, accountId)
            deposits.push(next.id)
          }
          assert.equal((await states()).at(-1), 'created', 'nobody waits for the amount')
          await take(deliveries.splice(turns.next().value % deliveries.length, 1)[0]!)
        }
        const confirmed = (await states()).filter((state) => state === 'confirmed').length
        assert.ok(confirmed <= count, `${count} payments confirmed ${confirmed} deposits`)
        if (deposits.length > count) paidTwice++
        await assertNothingLost(accountId, payments)
      },
    ),
    { numRuns },
  )
  assert.ok(paidTwice > numRuns / 8, `only ${paidTwice} times a deposit waited for what was reported again`)
})
