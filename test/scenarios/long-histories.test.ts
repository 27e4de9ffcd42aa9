/** A deposit with very many entries: its page reads the newest, and who does not show its history does not read it. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { claimPayment, type DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { readDepositHistory } from '../../src/domain/deposits/history-store.ts'
import { findDepositsByToken } from '../../src/domain/deposits/read-store.ts'
import { rejectDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

const entries = 6_000

let gateway: TestGateway
let shop: Shop
let context: DepositContext

before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,pay' } })
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})

/** A deposit that is rejected after so many entries. */
async function madeLong(): Promise<{ id: string; token: string }> {
  const { body, status } = await shop.create(shop.order({ payment_type: 'any_bank', cents: 300_000 }))
  assert.equal(status, 201)
  await claimPayment(context, { depositId: body.id, actor: 'customer' })
  await gateway.database.owner.script(`
    insert into deposit_history (deposit_id, entry, at, action, from_state, to_state, actor)
    select deposit_id, entry + n, at, action, from_state, to_state, actor
    from deposit_history, generate_series(1, ${entries}) n
    where deposit_id = '${body.id}'`)
  await rejectDeposit(context, { depositId: body.id, actor: 'operator:anna', reason: 'no money came' })
  return { id: body.id, token: new URL(body.payment_data.url).pathname.slice('/pay/'.length) }
}

test('of a very long history the newest thousand entries are shown, and the page asks the newest who rejected', async () => {
  const { id, token } = await madeLong()
  const mine = await madeLong()
  await gateway.database.owner.script(`
    update deposit_history set actor = 'customer' where deposit_id = '${mine.id}' and action = 'reject'`)
  await gateway.database.owner.script('analyze deposit_history')
  const history = await readDepositHistory(gateway.db, { id, merchantId: shop.merchant })
  assert.deepEqual([history.length, history[0]!.action, history.at(-1)!.action], [1_000, 'claim', 'reject'])
  assert.deepEqual(await readDepositHistory(gateway.db, { id, merchantId: id }), [])
  const pages = await gateway.db.transaction(async (tx) => {
    const read = async () => {
      const { rows } = await tx.one<{ rows: number }>(sql`
        select sum(idx_tup_fetch + coalesce(seq_tup_read, 0))::int as rows
        from pg_stat_xact_user_tables
        where relname = 'deposit_history'`)
      return rows
    }
    const before = await read()
    const pages = await findDepositsByToken(tx, [token, mine.token])
    const rows = (await read()) - before
    assert.ok(rows <= 10, `${rows} rows of the history were read`)
    return pages
  })
  assert.deepEqual([pages.get(token)!.gaveUp, pages.get(mine.token)!.gaveUp], [false, true])
})
