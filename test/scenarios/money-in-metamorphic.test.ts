/**
 * The same day, reported as 1C, camt.053, camt.054, CSV, XLSX, MT940 and push, in any order, each split over files anywhere,
 * with the bank's ids or without them: the books end the same.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import type { ImportStatement } from '../../src/domain/statements/import-statement.ts'
import { writeCamt } from '../../src/domain/statements/writers/camt.ts'
import { csvMappingOf, writeCsv } from '../../src/domain/statements/writers/csv.ts'
import { writeMt940 } from '../../src/domain/statements/writers/mt940.ts'
import { writeOneC } from '../../src/domain/statements/writers/one-c.ts'
import type { WrittenEntry, WrittenStatement } from '../../src/domain/statements/writers/statement.ts'
import { writeXlsx } from '../../src/domain/statements/writers/xlsx.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { depositContextOf, importBytes, today } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
let token: string
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  context = depositContextOf(gateway)
  token = (await addSource(gateway.db, { name: 'bank', mode: 'test' })).token
})

const account = '40702810300000000042'
const channels = ['1c', 'camt.053', 'camt.054', 'csv', 'xlsx', 'mt940', 'push'] as const
type Channel = (typeof channels)[number]

let amount = 5_000_000
let documents = 0

const entryOf = (cents: bigint, purpose: string, changes: Partial<WrittenEntry> = {}): WrittenEntry => ({
  direction: 'credit',
  cents,
  bookedOn: today(),
  bookedAt: null,
  paidOn: null,
  documentNumber: `D${++documents}`,
  payer: { name: 'Иванова Анна', account: '40817810000000000001', taxId: '500100732259', bank: 'Банк' },
  purpose,
  bankId: newId().replaceAll('-', '').slice(-16).toUpperCase(),
  ...changes,
})

const stranger = { name: 'Петров Пётр', account: '40817810000000000002', taxId: '', bank: '' }

type Day = { entries: WrittenEntry[]; deposits: { id: string; received: bigint; state: string }[] }

/** Two deposits paid at once, one in two equal parts, one too little, and money for nobody. */
async function dayOf(): Promise<Day> {
  amount += 10
  const made = await Promise.all(
    [2, 4, 6, 8].map((more) => shop.create({ payment_type: 'account_number', cents: amount + more })),
  )
  const bodies = made.map(({ body }) => body)
  const [first, second, parts, short] = bodies.map((body) => ({
    id: body.id as string,
    cents: BigInt(body.amount_cents),
    purpose: body.payment_data.payment_reason as string,
  }))
  return {
    entries: [
      entryOf(first!.cents, first!.purpose),
      entryOf(second!.cents, `Оплата; "${second!.purpose}" <b>`),
      entryOf(parts!.cents / 2n, parts!.purpose),
      entryOf(parts!.cents / 2n, parts!.purpose),
      entryOf(short!.cents - 1n, short!.purpose),
      entryOf(BigInt(amount + 1), 'Возврат долга', { payer: stranger }),
    ],
    deposits: [
      { id: first!.id, received: first!.cents, state: 'confirmed' },
      { id: second!.id, received: second!.cents, state: 'confirmed' },
      { id: parts!.id, received: parts!.cents, state: 'confirmed' },
      { id: short!.id, received: short!.cents - 1n, state: 'created' },
    ],
  }
}

const take = (bytes: Uint8Array, changes: Partial<ImportStatement> = {}) =>
  importBytes(context, bytes, { name: 'day', ...changes })

async function tell(channel: Channel, entries: readonly WrittenEntry[], hasIds: boolean): Promise<void> {
  const written = entries.map((entry) => ({ ...entry, bankId: hasIds ? entry.bankId : null }))
  const statement: WrittenStatement = {
    account,
    currency: 'RUB',
    from: today(),
    to: today(),
    entries: written,
  }
  const madeAt = `${today()}T12:00:00+03:00`
  const camt = () => writeCamt([statement], madeAt, newId().slice(0, 30))
  switch (channel) {
    case '1c':
      return taken(await take(writeOneC([statement], madeAt)))
    case 'camt.053':
      return taken(await take(camt()))
    case 'camt.054': {
      const text = new TextDecoder()
        .decode(camt())
        .replaceAll('BkToCstmrStmt', 'BkToCstmrDbtCdtNtfctn')
        .replaceAll(/(<\/?)Stmt>/g, '$1Ntfctn>')
      return taken(await take(new TextEncoder().encode(text)))
    }
    case 'csv':
      return taken(await take(writeCsv(statement), { mapping: csvMappingOf(statement) }))
    case 'xlsx':
      return taken(await take(writeXlsx(statement), { mapping: csvMappingOf(statement) }))
    case 'mt940':
      return taken(await take(writeMt940([statement], newId())))
    case 'push':
      for (const entry of entries) await push(entry)
  }
}

const taken = ({ isTaken, warnings, bad }: { isTaken: boolean; warnings: unknown[]; bad: unknown[] }): void =>
  assert.deepEqual([isTaken, warnings, bad], [true, [], []])

async function push({
  bankId,
  cents,
  documentNumber,
  payer,
  purpose,
  bookedOn,
}: WrittenEntry): Promise<void> {
  const answer = await fetch(`${gateway.url}/api/v1/bank/transfers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      id: bankId,
      account,
      cents: Number(cents),
      currency: 'RUB',
      booked_on: bookedOn,
      document_number: documentNumber,
      payer_name: payer.name,
      payer_account: payer.account,
      payer_tax_id: payer.taxId,
      purpose,
    }),
  })
  assert.equal(answer.status, 200, await answer.text())
}

test('in whatever order and pieces a day is reported, each payment counts once and for the same deposit', async () => {
  const deliveries = fc.tuple(
    fc.shuffledSubarray([...channels], { minLength: channels.length }),
    fc.array(fc.record({ cut: fc.nat(5), hasIds: fc.boolean() }), {
      minLength: channels.length,
      maxLength: channels.length,
    }),
  )
  await fc.assert(
    fc.asyncProperty(deliveries, async ([order, pieces]) => {
      const { entries, deposits } = await dayOf()
      for (const [place, channel] of order.entries()) {
        const { cut, hasIds } = pieces[place]!
        for (const part of [entries.slice(0, cut), entries.slice(cut)])
          if (part.length > 0) await tell(channel, part, hasIds)
      }
      const numbers = entries.map((entry) => entry.documentNumber)
      const books = await gateway.db.query<{ number: string; cents: bigint; state: string }>(sql`
        select document_number as number, cents, state
        from transfers
        where document_number = any(${numbers}::text[]) and state not in ('duplicate', 'revoked')
        order by document_number`)
      assert.deepEqual(
        books.toSorted((a, b) => numbers.indexOf(a.number) - numbers.indexOf(b.number)),
        entries.map((entry, index) => ({
          number: entry.documentNumber,
          cents: entry.cents,
          state: index === entries.length - 1 ? 'unmatched' : 'matched',
        })),
      )
      for (const { id, received, state } of deposits) {
        const { deposit } = (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!
        assert.deepEqual([deposit.state, deposit.receivedCents], [state, received])
      }
    }),
    { numRuns: 8 },
  )
})
