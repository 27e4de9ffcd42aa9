/**
 * The reference: the rows that a create writes (load, slot for a card, deposit, history), committed one
 * transaction each by a bare `pg` client. No HTTP, no checks, values made before the clock starts. It gets the
 * best a client can do without grouping: one prepared statement per transaction, so one round trip each, and
 * as many connections as serve it best.
 */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { takeReferenceBlock } from '../src/domain/deposits/store.ts'
import { bounds } from '../src/platform/bounds.ts'
import { newId, randomToken } from '../src/platform/clock.ts'
import { type Login, openDatabase } from '../src/platform/db.ts'
import { type OrderKind, orderCents, orderId, type Shop } from './orders.ts'
import { drawnReference } from './references.ts'
import { connect, type Receiver } from './world.ts'

type BareRow = unknown[]

export type Bared = { answered: number; perSecond: number; p50Ms: number; p99Ms: number }

type Bare = {
  prepare(from: number, count: number): Promise<BareRow[]>
  commit(rows: BareRow[], connections: number, seconds: number): Promise<Bared>
  close(): Promise<void>
}

type BareOptions = { login: Login; kind: OrderKind; shop: Shop; receivers: Receiver[] }

const mostConnections = 32

export async function openBare({ login, kind, shop, receivers }: BareOptions): Promise<Bare> {
  const clients = await Promise.all(Array.from({ length: mostConnections }, () => connect(login)))
  const db = openDatabase(login, { connections: 1 })
  const statement = { name: `bare-${kind}`, text: kind === 'card' ? cardText : accountText }

  return {
    async prepare(from, count) {
      const rows: BareRow[] = []
      let reference = 0
      for (let number = from; number < from + count; number++) {
        // From the same blocks that Inlet draws from, so that none is given twice.
        if (rows.length % bounds.referenceBlock === 0) reference = (await takeReferenceBlock(db)).first
        rows.push(valuesOf(kind, shop, receivers[number % receivers.length]!, number, reference++))
      }
      return rows
    },
    async commit(rows, connections, seconds) {
      const latencies: number[] = []
      let next = 0
      const begin = performance.now()
      const end = begin + seconds * 1000
      const work = async (client: pg.Client) => {
        for (;;) {
          const sentAt = performance.now()
          const values = rows[next++]
          if (!values || sentAt >= end) return
          await client.query({ ...statement, values })
          latencies.push(performance.now() - sentAt)
        }
      }
      await Promise.all(clients.slice(0, connections).map(work))
      const elapsed = (performance.now() - begin) / 1000
      latencies.sort((left, right) => left - right)
      return {
        answered: latencies.length,
        perSecond: latencies.length / elapsed,
        p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
        p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
      }
    },
    async close() {
      await Promise.all(clients.map((client) => client.end()))
      await db.close()
    },
  }
}

const loaded = `
  with loaded as (
    update requisite_loads
    set open_deposits = open_deposits + 1, day_cents = day_cents + $6, day = current_date
    where requisite_id = $12
  )`
const deposit = `
    insert into deposits
      (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type, customer,
       callback_url, requisite_id, account_id, shown, reference, page_token, sent, created_at, issued_at, expires_at,
       late_until)
    values
      ($1, $2, $3, 'create', $4, $5, $6, $7, $8, $9, $10, $12, $13, $11, $14, $15, $16, now(), now(),
       now() + interval '30 minutes', now() + interval '1 day')`

const accountText = loaded + deposit
const cardText = `${loaded}, slotted as (
    insert into deposit_slots (currency, amount_cents, account_id, deposit_id, free_at)
    values ($7, $6, $13, $1, now() + interval '1 day')
  )${deposit}`

function valuesOf(kind: OrderKind, shop: Shop, receiver: Receiver, number: number, drawn: number): BareRow {
  const { draft, requisiteId, accountId } = receiver
  const reference = drawnReference(drawn)
  const shown = {
    kind: draft.kind,
    number: draft.number,
    name: draft.holder,
    bank_name: draft.bankName,
    seller: 'ООО "Пример"',
    ...(kind === 'account' && { bic: draft.bic, payment_reason: `Пополнение ${reference}` }),
  }
  return [
    newId(),
    shop.merchant,
    orderId(kind, number),
    createHash('sha256').update(String(number)).digest(),
    'created',
    orderCents(kind, number),
    'RUB',
    kind === 'card' ? 'any_bank' : 'account_number',
    `customer-${number % 10_000}`,
    'https://shop.example/callbacks/deposits',
    JSON.stringify(shown),
    requisiteId,
    accountId,
    reference,
    randomToken(16),
    JSON.stringify({ request: `req_${randomToken(12)}` }),
  ]
}
