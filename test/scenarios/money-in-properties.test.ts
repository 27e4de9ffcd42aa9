/** What must hold of money whatever arrives, in whatever order, however often it is reported. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import type { Source } from '../../src/domain/transfers/source.ts'
import { sourceOfKind } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { today } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
let source: Source
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  source = await gateway.db.transaction((tx) => sourceOfKind(tx, 'sandbox', 'test', newId()))
})

const cents = 100_000n

type Set = { ids: string[]; references: string[]; accountId: string }

/** Deposits with references, all of one amount. */
async function newDeposits(count: number): Promise<Set> {
  const bodies = await Promise.all(
    Array.from({ length: count }, async () => (await shop.create({ cents: Number(cents) })).body),
  )
  const [row] = await gateway.database.owner.query<{ account_id: string }>(
    sql`select account_id from deposits where id = ${bodies[0].id}`,
  )
  return {
    ids: bodies.map((body) => body.id),
    references: bodies.map((body) => body.payment_data.payment_reason),
    accountId: row!.account_id,
  }
}

/** `to` is the deposit that the purpose names; past the last one it names nobody. */
type Payment = { to: number; cents: bigint; hasId: boolean }

const entriesOf = ({ references, accountId }: Set, payments: readonly Payment[]): IncomingEntry[] => {
  const seen = new Map<string, number>()
  return payments.map(({ to, cents: sum, hasId }, place) => {
    const purpose = references[to] ?? 'Перевод без ссылки'
    const key = `${purpose}:${sum}:${hasId}`
    const occurrence = (seen.get(key) ?? 0) + 1
    seen.set(key, occurrence)
    return {
      accountId,
      direction: 'credit',
      cents: sum,
      currency: 'RUB',
      bookedOn: today(),
      bookedAt: null,
      paidOn: null,
      documentNumber: '',
      payerName: '',
      payerAccount: '',
      payerTaxId: '',
      payerBank: '',
      purpose,
      purposeParts: [purpose],
      bankId: hasId ? `${references[0]}:${place}` : null,
      bankEntry: null,
      channel: 'sandbox',
      version: 0n,
      statementId: null,
      line: null,
      raw: '',
      occurrence: hasId ? 1 : occurrence,
      isRevoked: false,
    }
  })
}

const outcomeOf = async (ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const { deposit } = (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!
      return [deposit.state, deposit.receivedCents, [...deposit.labels].sort()]
    }),
  )

const payments = fc.array(
  fc.record({
    to: fc.nat(3),
    cents: fc.constantFrom(1n, cents / 2n, cents - 1n, cents, cents + 1n, 2n * cents),
    hasId: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
)

/** Unnamed money of the very amount goes to whoever is the last to wait for it: there the order does matter. */
const isAmbiguous = ({ to, cents: sum }: Payment): boolean => to === 3 && sum === cents

test('order, grouping and repetition of named payments change nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      payments,
      fc.infiniteStream(fc.nat(1_000)),
      fc.integer({ min: 1, max: 12 }),
      async (drawn, order, size) => {
        const given = drawn.filter((payment) => !isAmbiguous(payment))
        const straight = await newDeposits(3)
        await takeTransfers(context, entriesOf(straight, given), { source })
        const expected = await outcomeOf(straight.ids)

        const mixed = await newDeposits(3)
        const entries = entriesOf(mixed, given)
          .map((entry) => ({ entry, key: order.next().value }))
          .sort((left, right) => left.key - right.key)
          .map(({ entry }) => entry)
        for (let at = 0; at < entries.length; at += size) {
          await takeTransfers(context, entries.slice(at, at + size), { source })
        }
        assert.deepEqual(await outcomeOf(mixed.ids), expected)

        const again = await takeTransfers(context, [...entries].reverse(), { source })
        assert.deepEqual([again.taken, again.seen], [0, entries.length])
        assert.deepEqual(await outcomeOf(mixed.ids), expected)
      },
    ),
    { numRuns: 15 },
  )
})

test('after all of it no transfer settles two deposits and all amounts add up', async () => {
  const [books] = await gateway.database.owner.query<{ wrong: bigint; unbalanced: bigint }>(sql`
    select
      (select count(*) from (
        select t.id from transfers t group by t.id having count(distinct t.deposit_id) > 1) twice) as wrong,
      (select count(*) from (
        select d.id
        from deposits d
        left join transfers t on t.deposit_id = d.id
        group by d.id
        having d.received_cents <> coalesce(sum(t.deposit_cents), 0)) uneven) as unbalanced`)
  assert.deepEqual(books, { wrong: 0n, unbalanced: 0n })
})
