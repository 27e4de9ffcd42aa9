/**
 * Two payments, reported in one to three ways, of which the first is taken back: as the bank's revocation, or as a debit with the
 * same id, with another one, or with nothing at all. It must not count unless a person is asked, and the second one stays.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, entryTo } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { newStatement, numbered } from '../support/reported-payments.ts'

/** Few by default, and the same each time; with INLET_ORACLE_RUNS as many as it says, of which none is known. */
const { INLET_ORACLE_RUNS } = process.env
const numRuns = Number(INLET_ORACLE_RUNS ?? 20)
const seed = INLET_ORACLE_RUNS ? {} : { seed: 20_261_117 }

let money: MoneyIn
let accountId: string
before(async () => {
  money = await openMoneyIn()
  accountId = await money.keepOneAccount()
})

const way = fc.record({
  name: fc.constantFrom('one', 'other', 'camt', 'mt940'),
  ids: fc.constantFrom('long', 'short', 'none'),
  number: fc.constantFrom('order', 'own', 'none'),
  payer: fc.constantFrom('4081…100', '2200…100', ''),
  hasPurpose: fc.constantFrom(true, true, false),
  days: fc.constantFrom(0, 0, 1),
  end: fc.constantFrom('revoked', 'same id', 'new id', 'bare', 'none'),
  isTogether: fc.boolean(),
})
type Way = typeof way extends fc.Arbitrary<infer One> ? One : never

/** Whether the two payments have these in common. */
const common = fc.record({ amount: fc.boolean(), payer: fc.boolean(), document: fc.boolean() })

type Facts = Partial<IncomingEntry> & { cents: bigint; bankId: string | null }
type Delivery = () => Promise<unknown>

const isFile = ({ name }: Way): boolean => name === 'camt' || name === 'mt940'

/** The id of each payment as this bank gives ids, and that of a debit which has its own. */
function idsOf(way: Way, from: number): (place: number) => string | null {
  if (way.ids === 'none' && isFile(way)) return () => null
  if (way.ids !== 'short') return () => newId()
  return (place) => (isFile(way) ? `${bankDay(way.days)}/${from + place}` : `${from + place}`)
}

function endOf(way: Way, payment: Facts, ownId: string | null): Facts[] {
  if (way.end === 'none') return []
  if (way.end === 'revoked' && !isFile(way)) return [{ ...payment, isRevoked: true, version: 1n }]
  const debit = { ...payment, direction: 'debit' as const, isRevoked: true, raw: 'end' }
  const bankId = payment.bankId === null ? null : ownId
  if (way.end === 'new id') return [{ ...debit, bankId }]
  if (way.end !== 'bare') return [debit]
  return [
    { ...debit, bankId, documentNumber: '', payerAccount: '', payerName: '', purpose: '', purposeParts: [] },
  ]
}

const send =
  (way: Way, facts: readonly Facts[]): Delivery =>
  async () => {
    const statementId = isFile(way) ? await newStatement(money.gateway) : null
    const source = isFile(way) ? 'file' : (way.name as 'one' | 'other')
    const entries = facts.map((one, place) => entryTo(accountId, { ...one, statementId, line: place + 1 }))
    await takeTransfers(depositContextOf(money.gateway), numbered(entries), { source: money.sources[source] })
  }

let amount = 30_000_000

test('revoked money counts for nothing unless a person decides, and other money stays', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(way, { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
      common,
      fc.infiniteStream(fc.nat()),
      async (ways, same, turns) => {
        amount += 1_000
        const cents = [amount, same.amount ? amount : amount + 7] as const
        const deposits = [await money.depositOf(cents[0]), await money.depositOf(cents[1])] as const
        const numbers = [amount / 1_000, amount / 1_000 + (same.document ? 0 : 500_000)] as const
        const queues: Delivery[][] = ways.map((way) => {
          const idOf = idsOf(way, turns.next().value % 800)
          const [first, second] = ([0, 1] as const).map((place): Facts => {
            const purpose = way.hasPurpose ? deposits[place].shown!.payment_reason! : ''
            const payer = same.payer ? 0 : place
            const numberOf = {
              order: `${numbers[place]}`,
              own: `9${numbers[place]}${way.name.length}`,
              none: '',
            }
            return {
              ...{ cents: BigInt(cents[place]), bankId: idOf(place), version: 0n, raw: `payment ${place}` },
              ...{
                channel: isFile(way) ? (way.name as 'camt' | 'mt940') : 'push',
                bookedOn: bankDay(way.days),
              },
              ...{ documentNumber: numberOf[way.number], payerName: `Payer ${payer}`, purpose },
              ...{ payerAccount: way.payer && `${way.payer}${payer}`, purposeParts: [purpose] },
            }
          }) as [Facts, Facts]
          const end = endOf(way, first, idOf(50))
          if (way.isTogether || end.length === 0) return [send(way, [first, second, ...end])]
          return [send(way, [first, second]), send(way, end)]
        })
        while (queues.length > 0) {
          const place = turns.next().value % queues.length
          await queues[place]!.shift()!()
          if (queues[place]!.length === 0) queues.splice(place, 1)
        }
        const rows = await money.gateway.db.query<Record<'state' | 'raw' | 'direction' | 'rule', string>>(sql`
          select t.state, t.raw, t.direction, d.rule
          from transfers t
          cross join lateral (
            select rule from transfer_decisions where transfer_id = t.id order by entry desc limit 1) d
          where t.account_id = ${accountId} and t.cents = any(${cents}::bigint[])
          order by t.id`)
        const [one, two] = [await money.stored(deposits[0].id), await money.stored(deposits[1].id)]
        const why = JSON.stringify({ ways, same, one: one.state, two: two.state, rows }, null, 1)
        const isAsked = rows.some(
          ({ state, rule }) => state === 'reversal' || (state === 'ambiguous' && rule === 'told_of_revoked'),
        )
        const isReversed = ways.some(({ end }) => end !== 'none')
        assert.ok(!isReversed || one.state !== 'confirmed' || isAsked, `confirmed without its money: ${why}`)
        assert.notEqual(two.state, 'reversed', `another payment was taken back: ${why}`)
        for (const { receivedCents, amountCents } of [one, two])
          assert.ok(receivedCents <= amountCents, `counted twice: ${why}`)
        const isKept = rows.some(
          ({ direction, state, raw }) =>
            direction === 'credit' && raw === 'payment 1' && state !== 'duplicate' && state !== 'revoked',
        )
        assert.ok(isKept, `lost: ${why}`)
      },
    ),
    { numRuns, ...seed },
  )
})
