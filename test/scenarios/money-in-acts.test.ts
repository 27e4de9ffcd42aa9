/**
 * The oracle of money in with people between the reports: what is given back, taken back, confirmed by hand or undone with its
 * file. At no time are more deposits of one amount paid than payments of it were neither given back nor taken back.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { confirmDeposit } from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { insertStatement } from '../../src/domain/statements/store.ts'
import { beginUndo, undoStatement } from '../../src/domain/statements/undo/undo-statement.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { refund, revokeByHand, setAside } from '../../src/domain/transfers/decide-transfer.ts'
import type { Source } from '../../src/domain/transfers/source.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { Refusal } from '../../src/platform/refusals.ts'
import {
  accountOf,
  type BankSources,
  bankDay,
  bankSources,
  depositContextOf,
  entryTo,
} from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let sources: BankSources
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  sources = await bankSources(gateway)
  await gateway.database.owner.query(sql`update receiving_accounts set amount_matching = 'always'`)
})

const payers = [
  {
    account: ['4081…0001', '****0001', '2200…1234', '3023…5678', ''],
    name: ['Иванова Анна Петровна', 'Анна И.', 'IVANOVA ANNA', ''],
  },
  {
    account: ['4081…0002', '****0002', '2200…4321', '3023…5678', ''],
    name: ['Петров Олег Ильич', 'Олег П.', 'PETROV OLEG', ''],
  },
]

const report = fc.record({
  number: fc.constantFrom('ofOrder', 'ofPayer', 'none'),
  account: fc.nat({ max: 4 }),
  name: fc.nat({ max: 3 }),
  purpose: fc.constantFrom('whole', 'whole', 'prefixed', 'cut', 'none'),
  days: fc.constantFrom(0, 0, 1, 3, 9),
  hasPaidOn: fc.boolean(),
})

const wayOf = (name: keyof BankSources, channel: IncomingEntry['channel'], hasIds: fc.Arbitrary<boolean>) =>
  fc.record({
    name: fc.constant(name),
    channel: fc.constant(channel),
    hasIds,
    first: report,
    omits: fc.array(fc.constantFrom(false, false, false, true), { minLength: 3, maxLength: 3 }),
  })

const ways = fc.uniqueArray(
  fc.oneof(
    wayOf('one', 'push', fc.constant(true)),
    wayOf('other', 'push', fc.constant(true)),
    wayOf('file', '1c', fc.constant(false)),
    wayOf('file', 'csv', fc.boolean()),
    wayOf('file', 'camt', fc.constant(true)),
    wayOf('file', 'mt940', fc.boolean()),
  ),
  { minLength: 1, maxLength: 3, selector: ({ name, channel }) => name + channel },
)

type Report = typeof report extends fc.Arbitrary<infer Told> ? Told : never
type Way = typeof ways extends fc.Arbitrary<(infer Told)[]> ? Told : never
type Payment = { cents: bigint; payer: number; day: number; reference: string } & Record<
  'ofOrder' | 'ofPayer' | 'none',
  string
>
type Delivery = { source: Source; entries: IncomingEntry[] }

const by = { actor: 'operator:test', reason: 'test' }

let documents = 100
const newNumber = () => String(++documents)

async function newStatement(): Promise<string> {
  const id = newId()
  const named = { fileName: 'day', format: '1c', takenBy: 'test' }
  const digests = { digest: randomBytes(32), fileDigest: randomBytes(32) }
  await gateway.db.transaction((tx) => insertStatement(tx, { id, mode: 'test', ...digests, ...named }))
  return id
}

const purposeOf = ({ reference }: Payment, how: Report['purpose']): string =>
  ({
    whole: reference || 'Перевод',
    prefixed: `СБП: ${reference || 'Перевод'}`,
    cut: (reference || 'Перевод').slice(0, 5),
    none: '',
  })[how]

function numbered(entries: readonly IncomingEntry[]): IncomingEntry[] {
  const times = new Map<string, number>()
  return entries.map((entry) => {
    const key = [
      ...[entry.bookedOn, entry.cents, entry.documentNumber, entry.purpose],
      ...[entry.payerAccount, entry.payerName],
    ].join()
    times.set(key, (times.get(key) ?? 0) + 1)
    return entry.bankId === null ? { ...entry, occurrence: times.get(key)! } : entry
  })
}

async function deliveriesOf(told: readonly Way[], payments: readonly Payment[], accountId: string) {
  const deliveries: Delivery[] = []
  for (const { name, channel, hasIds, first, omits } of told) {
    const { number, account, name: spelt, purpose: how, hasPaidOn, days } = first
    const statementId = channel === 'push' ? null : await newStatement()
    const entries = payments.flatMap((payment, place) => {
      if (omits[place]) return []
      const { cents, payer, day } = payment
      const purpose = purposeOf(payment, how)
      return entryTo(accountId, {
        ...{ cents, documentNumber: payment[number], bankId: hasIds ? newId() : null },
        ...{ purpose, purposeParts: [purpose], raw: `p${place}` },
        ...{ bookedOn: bankDay(day + days), paidOn: hasPaidOn ? bankDay(day) : null },
        ...{ payerAccount: payers[payer]!.account[account]!, payerName: payers[payer]!.name[spelt]! },
        ...{ channel, version: 0n, statementId, line: place + 1 },
      })
    })
    if (channel === 'push')
      deliveries.push(...entries.map((entry) => ({ source: sources[name], entries: [entry] })))
    else deliveries.push({ source: sources[name], entries: numbered(entries) })
  }
  return deliveries
}

const take = ({ source, entries }: Delivery) => takeTransfers(depositContextOf(gateway), entries, { source })

async function depositOf(cents: number): Promise<Deposit> {
  await gateway.database.owner.query(sql`delete from deposit_slots where amount_cents = ${cents}`)
  const { status, body } = await shop.create({ payment_type: 'account_number', cents })
  assert.equal(status, 201, JSON.stringify(body))
  return (await findDeposit(gateway.db, { merchantId: shop.merchant, id: body.id }))!.deposit
}

const isAwaited = (accountId: string, cents: number) =>
  gateway.db.has(sql`
    select id
    from deposits
    where account_id = ${accountId} and amount_cents = ${cents} and state = 'created' and received_cents = 0`)

type Row = {
  id: string
  state: string
  raw: string
  statementId: string | null
  depositId: string | null
  channel: string
}
const rowsOf = (accountId: string, cents: number) =>
  gateway.db.query<Row>(sql`
    select id, state, raw, statement_id as "statementId", deposit_id as "depositId", channel, booked_on, paid_on,
      document_number, payer_account, payer_name, purpose, bank_id,
      (select string_agg(rule, ' ' order by entry) from transfer_decisions d where d.transfer_id = t.id) as rules
    from transfers t
    where account_id = ${accountId} and cents = ${cents}
    order by id`)

const { INLET_ORACLE_RUNS } = process.env
const numRuns = Number(INLET_ORACLE_RUNS ?? 40)
const seed = INLET_ORACLE_RUNS ? {} : { seed: 20_261_117 }
let amount = 10_000_000

const paid = fc.record({
  payers: fc.array(fc.record({ payer: fc.nat({ max: 1 }), day: fc.nat({ max: 2 }), isNamed: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  isPart: fc.boolean(),
})

const acts = fc.array(fc.constantFrom('none', 'refund', 'revoke', 'undo', 'confirm', 'setAside'), {
  minLength: 8,
  maxLength: 8,
})
const person = { actor: 'operator:test', personId: null, requestId: null }

test('of one amount no more payments count than are left, whatever people do between the reports', async () => {
  const accountId = await accountOf(gateway, (await depositOf(9_000_000)).id)
  await gateway.database.owner.query(
    sql`update requisites set enabled = false where account_id <> ${accountId}`,
  )
  const context = depositContextOf(gateway)
  await fc.assert(
    fc.asyncProperty(
      paid,
      ways,
      acts,
      fc.infiniteStream(fc.nat()),
      async ({ payers, isPart }, told, acts, turns) => {
        amount += 200
        const cents = isPart ? amount / 2 : amount
        const payments: Payment[] = []
        const own: Deposit[] = []
        for (const { payer, day, isNamed } of payers) {
          const deposit = isNamed ? await depositOf(amount) : null
          if (deposit) own.push(deposit)
          const numbers = { ofOrder: newNumber(), ofPayer: `INV-${newNumber()}`, none: '' }
          const reference = deposit?.shown?.payment_reason ?? ''
          payments.push({ cents: BigInt(cents), payer, day, reference, ...numbers })
        }
        const log: string[] = []
        const deliveries = await deliveriesOf(told, payments, accountId)
        const gone = new Set<string>()
        let byHand = 0
        let step = 0
        while (deliveries.length > 0) {
          if (!(await isAwaited(accountId, cents))) await depositOf(cents)
          const next = deliveries.splice(turns.next().value % deliveries.length, 1)[0]!
          log.push(`${next.source.name} ${next.entries[0]?.channel} ${next.entries.map(({ raw }) => raw)}`)
          await take(next)
          const rows = await rowsOf(accountId, cents)
          const act = acts[step++ % acts.length]!
          const matched = rows.filter(({ state }) => state === 'matched')
          const pick = <Item>(items: readonly Item[]): Item | undefined =>
            items.length > 0 ? items[turns.next().value % items.length] : undefined
          try {
            if (act === 'refund') {
              const one = pick(matched)
              if (one) {
                await refund(context, { transferId: one.id, cents: null, mayReverse: true, ...by })
                gone.add(one.id)
                log.push(`refund ${one.raw} ${one.channel}`)
              }
            }
            if (act === 'revoke') {
              const one = pick(matched)
              if (one) {
                await revokeByHand(context, { transferId: one.id, ...by })
                gone.add(one.id)
                log.push(`revoke ${one.raw} ${one.channel}`)
              }
            }
            if (act === 'setAside') {
              const one = pick(rows.filter(({ state }) => state === 'ambiguous' || state === 'unmatched'))
              if (one) {
                await setAside(context, { transferId: one.id, ...by })
                log.push(`set aside ${one.raw} ${one.channel}`)
              }
            }
            if (act === 'undo') {
              const statement = pick(rows.filter(({ statementId }) => statementId))
              if (statement?.statementId) {
                const { statementId } = statement
                await beginUndo(gateway.db, { statementId, reason: 'test', by: person })
                await undoStatement(context, { statementId, by: person })
                log.push(`undo ${statement.channel}`)
              }
            }
            if (act === 'confirm' && !isPart) {
              const one = pick(own)
              const { deposit } = one
                ? (await findDeposit(gateway.db, { merchantId: shop.merchant, id: one.id }))!
                : { deposit: null }
              if (deposit?.state === 'created' && deposit.receivedCents === 0n) {
                await confirmDeposit(context, { depositId: deposit.id, ...by })
                log.push(`by hand ${payments.findIndex(({ reference }) => reference === deposit.reference)}`)
              }
            }
          } catch (error) {
            if (!(error instanceof Refusal)) throw error
            log.push(`refused ${act}: ${error.message}`)
          }
        }
        const rows = await rowsOf(accountId, cents)
        const counted = rows.filter(({ state }) => state === 'matched').length
        const [{ manual }] = (await gateway.db.query<{ manual: number }>(sql`
          select count(*)::int as manual
          from deposits
          where account_id = ${accountId} and amount_cents = ${amount} and state = 'confirmed' and received_cents = 0`)) as [
          { manual: number },
        ]
        byHand = manual
        assert.ok(
          counted + gone.size + byHand <= payments.length,
          `${payments.length}: gone ${gone.size}, by hand ${byHand} ${JSON.stringify({ log, payments: payments.map(({ cents, ...rest }) => rest), rows }, null, 1)}`,
        )
      },
    ),
    { numRuns, ...seed },
  )
})

test('money of a deposit that a person confirmed is not taken for the money of the next one of its amount', async () => {
  const confirmed = await depositOf(8_000_000)
  await confirmDeposit(depositContextOf(gateway), { depositId: confirmed.id, ...by })
  const next = await depositOf(8_000_000)
  const accountId = await accountOf(gateway, confirmed.id)
  assert.equal(accountId, await accountOf(gateway, next.id))
  await take({ source: sources.one, entries: [entryTo(accountId, { cents: 8_000_000n, channel: 'push' })] })
  const [row] = await rowsOf(accountId, 8_000_000)
  assert.equal(row!.state, 'ambiguous')
})

test('a payment without a name, pushed before holidays and booked after them in a table, pays for one deposit', async () => {
  const accountId = await accountOf(gateway, (await depositOf(8_100_000)).id)
  const payment = { cents: 8_100_000n, payerAccount: '2200…1234' }
  const pushed = entryTo(accountId, { ...payment, channel: 'push' })
  await take({ source: sources.one, entries: [pushed] })
  await depositOf(8_100_000)
  const statementId = await newStatement()
  const booked = { ...payment, bookedOn: bankDay(9), documentNumber: '', bankId: null, statementId, line: 1 }
  await take({ source: sources.file, entries: [entryTo(accountId, { ...booked, channel: 'csv' })] })
  assert.deepEqual(
    (await rowsOf(accountId, 8_100_000)).map(({ state }) => state),
    ['matched', 'ambiguous'],
  )
})
