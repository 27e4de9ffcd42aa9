/**
 * Findings of a reading: a deposit that was paid in very many parts. A test merchant makes one for nothing, and every
 * further payment on that account, whoever's it is, looks at what was paid before: not at all of it, or others wait.
 */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { signV2 } from '../../sdk/signature.ts'
import { findBegun } from '../../src/domain/transfers/candidate-store.ts'
import { rejectDeposit } from '../../src/domain/transfers/end-deposit.ts'
import type { Payer } from '../../src/domain/transfers/repetitions.ts'
import { findSettled } from '../../src/domain/transfers/settled-store.ts'
import { newId } from '../../src/platform/clock.ts'
import { fragment, sql } from '../../src/platform/db.ts'
import { attacksOf } from '../support/attempts.ts'
import {
  call,
  type Fields,
  freshSeconds,
  openShop,
  type Shop,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'

const { attack, report } = attacksOf('payments in parts')

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
})

function signed(
  fields: Fields,
): [target: string, init: { method: string; headers: Record<string, string>; body: Buffer<ArrayBuffer> }] {
  const target = '/api/v1/sandbox/transfers'
  const body = Buffer.from(JSON.stringify(fields))
  const { secret, keyId: kid } = shop
  const signature = signV2({ secret, kid, t: freshSeconds(target), method: 'POST', target, body })
  const headers = { 'content-type': 'application/json', 'x-signature': signature }
  return [target, { method: 'POST', headers, body }]
}

async function pay(fields: Fields) {
  const answer = await call(gateway.url, ...signed(fields))
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
}

const payerColumns = fragment`
  payer_account as "payerAccount", payer_tax_id as "payerTaxId", payer_name as "payerName"`

/** As if the fake bank had been asked for this payment so many times more, each time for another payer. */
async function repeat(depositId: string, times: number): Promise<void> {
  const { owner } = gateway.database
  await owner.script(`
    insert into transfers
    select (jsonb_populate_record(t, jsonb_build_object(
      'id', gen_random_uuid(), 'bank_id', t.bank_id || n, 'payer_name', t.payer_name || n))).*
    from transfers t, generate_series(1, ${times}) as n
    where t.deposit_id = '${depositId}'`)
}

attack('what one more payment looks at', async (note) => {
  for (const payment_type of ['account_number', 'any_bank']) {
    const { body: deposit } = await shop.create({ cents: 9_000_000, payment_type })
    await pay({ deposit: deposit.id, cents: 1 })
    await repeat(deposit.id, 500)
    const [transfer] = await gateway.db.query<
      Payer & { accountId: string; sourceId: string; bookedOn: string }
    >(sql`
      select account_id as "accountId", source_id as "sourceId", booked_on as "bookedOn", ${payerColumns}
      from transfers
      where deposit_id = ${deposit.id}
      limit 1`)
    const { begun, settled, elsewhere } = await gateway.db.transaction(async (tx) => {
      const origin = {
        sourceId: transfer!.sourceId,
        channel: 'sandbox',
        statementId: null,
        repeatedIds: [],
      } as const
      const parts = await findBegun(tx, [transfer!.accountId], [transfer!])
      const payment = { cents: 1n, bookedOn: transfer!.bookedOn, paidOn: null }
      return {
        begun: parts.begun.filter(({ depositId }) => depositId === deposit.id),
        settled: await findSettled(tx, origin, [deposit.id], [payment]),
        // Of another source one of them may be the same payment, where amount and day are.
        elsewhere: await Promise.all(
          [payment, { ...payment, cents: 2n }].map((one) =>
            findSettled(tx, { ...origin, sourceId: newId() }, [deposit.id], [one]),
          ),
        ),
      }
    })
    assert.ok(begun.length > 0)
    assert.deepEqual(
      elsewhere.map(({ length }) => length),
      [501, 0],
    )
    note(`${payment_type}: payers of ${begun.length} parts`, begun.length > 100)
    note(`${payment_type}: ${settled.length} parts that may be the same payment`, settled.length > 0)
    // Whatever was paid before, the next part counts.
    await pay({ deposit: deposit.id, cents: 5 })
    const { body: now } = await shop.get(`/api/v1/requests/deposit/${deposit.id}`)
    assert.equal(now.received_cents, 6)
  }
})

attack('more deposits that are paid in part than were looked at', async (note) => {
  const { body: deposit } = await shop.create({ cents: 9_100_000, payment_type: 'account_number' })
  await pay({ deposit: deposit.id, cents: 1 })
  const { owner } = gateway.database
  const copy = (table: string, values: string, which: string) => `
    insert into ${table}
    select (jsonb_populate_record(t, jsonb_build_object(${values}))).*
    from ${table} t, generate_series(1, 1500) as n
    where ${which} = '${deposit.id}'`
  const id = `'id', md5('${deposit.id}' || n)::uuid`
  const names = `'order_id', 'part ' || n, 'page_token', 'part ' || n, 'reference', 'KT' || 10000000 + n`
  await owner.script(copy('deposits', `${id}, ${names}`, 't.id'))
  await owner.script(
    copy(
      'transfers',
      `'id', gen_random_uuid(), 'bank_id', t.bank_id || n, 'deposit_id', md5('${deposit.id}' || n)::uuid`,
      't.deposit_id',
    ),
  )
  const [part] = await owner.query<Payer & { accountId: string }>(
    sql`select account_id as "accountId", ${payerColumns} from transfers where deposit_id = ${deposit.id}`,
  )
  const { begun, isCrowded } = await gateway.db.transaction((tx) => findBegun(tx, [part!.accountId], [part!]))
  const seen = new Set(begun.map(({ depositId }) => depositId)).size
  // A rest that belongs to a deposit which nobody looked at would be taken for the amount of another one.
  note(`${seen} of more than 1,501 deposits, crowded: ${isCrowded}`, !isCrowded && seen < 1_501)
})

attack('the end of a deposit that was paid in very many parts', async (note, t) => {
  const context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  const { body: deposit } = await shop.create({ cents: 9_000_000, payment_type: 'account_number' })
  await pay({ deposit: deposit.id, cents: 1 })
  await repeat(deposit.id, 3_000)
  const more = await call(gateway.url, ...signed({ deposit: deposit.id, cents: 1 }))
  note(`the fake bank pays one part more: ${more.status}`, more.status !== 409)
  const began = performance.now()
  await rejectDeposit(context, { depositId: deposit.id, actor: 'test', reason: 'it is over' })
  const seconds = (performance.now() - began) / 1_000
  t.diagnostic(`3,001 parts were let go in ${seconds.toFixed(1)} s`)
  // Meanwhile its account is locked, and where the clock does it, no deposit of anybody expires.
  note(`its parts are let go in ${seconds.toFixed(1)} s`, seconds > 10)
  const states = await gateway.db.query(sql`
    select t.state, t.deposit_id, t.open_cents::int as open, t.deposit_cents::int as settled,
      t.due_since is not null as due, d.rule, d.state as decided, count(*)::int as count
    from transfers t
    join transfer_decisions d on d.transfer_id = t.id
    where d.evidence ->> 'deposit' = ${deposit.id}
    group by 1, 2, 3, 4, 5, 6, 7`)
  assert.deepEqual(states, [
    {
      ...{ state: 'unmatched', deposit_id: null, open: 1, settled: 0, due: true },
      ...{ rule: 'deposit_ended', decided: 'unmatched', count: 3_001 },
    },
  ])
})

report()
