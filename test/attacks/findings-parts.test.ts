/**
 * Findings of a reading: a deposit that was paid in very many parts. A test merchant makes one for nothing, and every
 * further payment on that account, of any payer, looks at what was paid before: not at all of it, or others wait.
 */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { signV2 } from '../../sdk/signature.ts'
import { rejectDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { sourceOf } from '../../src/domain/transfers/source-store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { type Db, type Statement, sql } from '../../src/platform/db.ts'
import { attacksOf } from '../support/attempts.ts'
import { accountOf, depositContextOf, entryTo } from '../support/bank.ts'
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

/** As if the fake bank had been asked for this payment so many times more, each time for another payer. */
async function repeat(depositId: string, times: number): Promise<void> {
  const { owner } = gateway.database
  await owner.script(`
    begin;
    create temporary table part on commit drop as
      select gen_random_uuid() as id, a.transfer_id, a.deposit_id, a.cents, n
      from allocations a, generate_series(1, ${times}) as n
      where a.deposit_id = '${depositId}';
    insert into transfers
    select (jsonb_populate_record(t, jsonb_build_object(
      'id', p.id, 'bank_id', t.bank_id || n, 'payer_name', t.payer_name || n, 'payer_account', '4081…' || 1000 + n))).*
    from part p
    join transfers t on t.id = p.transfer_id;
    insert into allocations (transfer_id, deposit_id, cents)
    select id, deposit_id, cents from part;
    commit`)
}

/** A database that notes how much is asked of it within transactions, and the longest answer. */
function measuring({ db }: TestGateway) {
  const measured = { asked: 0, longest: 0 }
  const transaction: Db['transaction'] = (work, timeouts) =>
    db.transaction(
      (tx) =>
        work({
          ...tx,
          async query<Row>(statement: Statement) {
            const rows = await tx.query<Row>(statement)
            measured.asked++
            measured.longest = Math.max(measured.longest, rows.length)
            return rows
          },
          run(statement: Statement) {
            measured.asked++
            return tx.run(statement)
          },
        }),
      timeouts,
    )
  const wrapped = new Proxy(db, {
    get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)),
  })
  return { context: { ...depositContextOf(gateway), db: wrapped }, measured }
}

attack('what one more payment looks at', async (note) => {
  for (const payment_type of ['account_number', 'any_bank']) {
    const { body: deposit } = await shop.create({ cents: 9_000_000, payment_type })
    await pay({ deposit: deposit.id, cents: 1 })
    await repeat(deposit.id, 500)
    const source = await gateway.db.transaction((tx) =>
      sourceOf(tx, { mode: 'test', kind: 'sandbox', channel: 'sandbox' }),
    )
    const accountId = await accountOf(gateway, deposit.id)
    const { context, measured } = measuring(gateway)
    // Of a stranger, and of one of those who paid a part.
    for (const payerAccount of ['4081…9999', '4081…1007']) {
      const { taken } = await takeTransfers(context, [entryTo(accountId, { cents: 77n, payerAccount })], {
        source,
      })
      assert.equal(taken, 1)
    }
    const { longest } = measured
    assert.ok(longest > 0)
    note(`${payment_type}: ${longest} rows at once`, longest > 20)
    // Whatever was paid before, the next part counts.
    await pay({ deposit: deposit.id, cents: 5 })
    const { body: now } = await shop.get(`/api/v1/requests/deposit/${deposit.id}`)
    assert.equal(now.received_cents, 6)
  }
})

attack('the end of a deposit that was paid in very many parts', async (note) => {
  const { context, measured } = measuring(gateway)
  const { body: deposit } = await shop.create({ cents: 9_000_000, payment_type: 'account_number' })
  await pay({ deposit: deposit.id, cents: 1 })
  await repeat(deposit.id, 3_000)
  const more = await call(gateway.url, ...signed({ deposit: deposit.id, cents: 1 }))
  note(`the fake bank pays one part more: ${more.status}`, more.status !== 409)
  await rejectDeposit(context, { depositId: deposit.id, actor: 'test', reason: 'it is over' })
  // Meanwhile its account is locked, and where the clock does it, no deposit of anybody expires.
  assert.ok(measured.asked > 0)
  note(`3,001 parts are let go in ${measured.asked} queries`, measured.asked > 50)
  const states = await gateway.db.query(sql`
    select t.state, (select count(*)::int from allocations a where a.transfer_id = t.id) as shares, t.open_cents::int as open, t.deposit_cents::int as settled,
      t.due_since is not null as due, d.rule, d.state as decided, count(*)::int as count
    from transfers t
    join transfer_decisions d on d.transfer_id = t.id
    where d.evidence ->> 'deposit' = ${deposit.id}
    group by 1, 2, 3, 4, 5, 6, 7`)
  assert.deepEqual(states, [
    {
      ...{ state: 'unmatched', shares: 0, open: 1, settled: 0, due: true },
      ...{ rule: 'deposit_ended', decided: 'unmatched', count: 3_001 },
    },
  ])
})

report()
