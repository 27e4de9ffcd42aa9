/**
 * One oracle for all the ways in which banks report payments: of one account and amount, no more transfers count without a person
 * than there were payments. Each source and file leaves out or changes what real ones do: ids, numbers, the payer's name and
 * account, the purpose and the reference in it, the day. A source alone still confirms all that it reports.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { depositContextOf } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { type Delivery, deliveriesOf, newNumbers, type Payment, ways } from '../support/reported-payments.ts'

let gateway: MoneyIn['gateway']
let sources: MoneyIn['sources']
let depositOf: MoneyIn['depositOf']
let keepOneAccount: MoneyIn['keepOneAccount']
let matchAmounts: MoneyIn['matchAmounts']
before(async () => {
  ;({ gateway, sources, depositOf, matchAmounts, keepOneAccount } = await openMoneyIn())
})

const take = ({ source, entries }: Delivery) => takeTransfers(depositContextOf(gateway), entries, { source })

const isAwaited = (accountId: string, cents: number) =>
  gateway.db.has(sql`
    select id
    from deposits
    where account_id = ${accountId} and amount_cents = ${cents} and state = 'created' and received_cents = 0`)

/** The same cases each time, unless a longer search is asked for. */
const { INLET_ORACLE_RUNS } = process.env
const numRuns = Number(INLET_ORACLE_RUNS ?? 80)
const seed = INLET_ORACLE_RUNS ? {} : { seed: 20_261_117 }
let amount = 10_000_000

/** Each pays its own deposit, named or not; `isPart`: half of what the named deposits wait for. */
const paid = fc.record({
  payers: fc.array(fc.record({ payer: fc.nat({ max: 1 }), day: fc.nat({ max: 2 }), isNamed: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  isPart: fc.boolean(),
  amountMatching: fc.constantFrom('always', 'always', 'by_kind'),
})

test('of one account and amount no more transfers count by themselves than there were payments', async () => {
  const accountId = await keepOneAccount()
  let inDoubt = 0
  await fc.assert(
    fc.asyncProperty(
      paid,
      ways,
      fc.infiniteStream(fc.nat()),
      async ({ payers, isPart, amountMatching }, used, turns) => {
        await matchAmounts(amountMatching)
        amount += 200
        const cents = isPart ? amount / 2 : amount
        const payments: Payment[] = []
        for (const { payer, day, isNamed } of payers) {
          const reference = isNamed ? (await depositOf(amount)).shown!.payment_reason! : ''
          payments.push({ cents: BigInt(cents), payer, day, reference, ...newNumbers() })
        }
        const deliveries = await deliveriesOf({ gateway, sources }, used, payments, accountId)
        const isAlone = deliveries.length === 1
        while (deliveries.length > 0) {
          // Somebody who does not pay waits for the same amount.
          if (!isAlone && !(await isAwaited(accountId, cents))) await depositOf(cents)
          await take(deliveries.splice(turns.next().value % deliveries.length, 1)[0]!)
        }
        const rows = await gateway.db.query<{ state: string }>(sql`
        select channel, booked_on, document_number, payer_account, purpose, state, deposit_id
        from transfers
        where account_id = ${accountId} and cents = ${cents}
        order by id`)
        const counted = rows.filter(({ state }) => state === 'matched').length
        assert.ok(counted <= payments.length, `${payments.length}: ${JSON.stringify(rows, null, 1)}`)
        if (rows.some(({ state }) => state === 'ambiguous')) inDoubt++
        const isReported = (_: Payment, place: number) => used.some(({ omits }) => !omits[place])
        const kept = rows.filter(({ state }) => state !== 'duplicate').length
        const most = Math.max(
          ...used.map(({ omits }) => omits.slice(0, payments.length).filter((one) => !one).length),
        )
        assert.ok(kept >= most, 'a payment is lost')
        // No other source has reported anything: whatever names its deposit counts.
        const hasNames =
          used.every(({ first }) => first.purpose === 'whole') &&
          payments.every(({ reference }) => reference !== '')
        if (isAlone && hasNames) assert.equal(counted, payments.filter(isReported).length)
      },
    ),
    { numRuns, ...seed },
  )
  assert.ok(inDoubt > numRuns / 10, `only ${inDoubt} times something was in doubt`)
})
