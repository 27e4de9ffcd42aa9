/**
 * Findings of a reading: a deposit that was paid in very many parts. A test merchant makes one for nothing, and every
 * further payment on that account, whoever's it is, looks at what was paid before: not at all of it, or others wait.
 */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { signV2 } from '../../sdk/signature.ts'
import { findBegun } from '../../src/domain/transfers/candidate-store.ts'
import { findSettled } from '../../src/domain/transfers/prior-entry-store.ts'
import { newId } from '../../src/platform/clock.ts'
import { openDatabase, sql } from '../../src/platform/db.ts'
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

async function pay(fields: Fields) {
  const target = '/api/v1/sandbox/transfers'
  const body = Buffer.from(JSON.stringify(fields))
  const { secret, keyId: kid } = shop
  const signature = signV2({ secret, kid, t: freshSeconds(), method: 'POST', target, body })
  const headers = { 'content-type': 'application/json', 'x-signature': signature }
  const answer = await call(gateway.url, target, { method: 'POST', headers, body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
}

/** As if the fake bank had been asked for this payment so many times more, each time for another payer. */
async function repeat(depositId: string, times: number): Promise<void> {
  const owner = openDatabase(gateway.database.login, { connections: 1, hasNoStatementTimeout: true })
  await owner.script(`
    insert into transfers
    select (jsonb_populate_record(t, jsonb_build_object(
      'id', gen_random_uuid(), 'bank_id', 'again-' || n, 'payer_name', t.payer_name || n))).*
    from transfers t, generate_series(1, ${times}) as n
    where t.deposit_id = '${depositId}'`)
  await owner.close()
}

attack('what one more payment looks at', async (note) => {
  for (const payment_type of ['account_number', 'any_bank']) {
    const { body: deposit } = await shop.create({ cents: 9_000_000, payment_type })
    await pay({ deposit: deposit.id, cents: 1 })
    await repeat(deposit.id, 500)
    const [told] = await gateway.db.query<{ accountId: string; sourceId: string; bookedOn: string }>(sql`
      select account_id as "accountId", source_id as "sourceId", booked_on as "bookedOn"
      from transfers
      where deposit_id = ${deposit.id}
      limit 1`)
    const { begun, settled, elsewhere } = await gateway.db.transaction(async (tx) => {
      const origin = { sourceId: told!.sourceId, channel: 'sandbox', statementId: null, known: [] } as const
      const parts = await findBegun(tx, [told!.accountId])
      const payment = { cents: 1n, bookedOn: told!.bookedOn }
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
    note(`${payment_type}: payers of ${begun.length} parts`, begun.length > 20)
    note(`${payment_type}: ${settled.length} parts that may be the same payment`, settled.length > 0)
    // Whatever was paid before, the next part counts.
    await pay({ deposit: deposit.id, cents: 5 })
    const { body: now } = await shop.get(`/api/v1/requests/deposit/${deposit.id}`)
    assert.equal(now.received_cents, 6)
  }
})

report()
