/** A payment that names its deposit in an unusual way is nobody else's money, although another deposit waits for its amount. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '../../src/platform/db.ts'
import { accountOf, today, transferTo } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let other: Shop
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  ;[shop, other] = [await openShop(gateway), await openShop(gateway)]
  // One account with an account number, whose customers are shown a reference, and with a card, whose customers are not.
  const accountId = await accountOf(gateway, await create(shop, 'account_number', 100_000))
  await gateway.database.owner.query(sql`
    update requisites set account_id = ${accountId}
    where id = (
      select min(r.id::text)::uuid from requisites r join receiving_accounts a on a.id = r.account_id
      where r.kind = 'card' and a.currency = 'RUB' and a.mode = 'test')`)
  await gateway.database.owner.query(
    sql`update requisites set enabled = false where kind = 'card' and account_id <> ${accountId}`,
  )
})

const create = async (of: Shop, paymentType: string, cents: number) => {
  const { status, body } = await of.create({ payment_type: paymentType, currency: 'RUB', cents })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id as string
}

for (const [place, write] of [
  (digits: string) => `KT:${digits}`,
  (digits: string) => `Оплата по счёту ${digits}`,
  (digits: string) => `оплатаKT${digits}`,
  (digits: string) => `KT ${digits.slice(0, 4)}/${digits.slice(4)}`,
  (digits: string) => `KT${digits.slice(0, 4)},${digits.slice(4)}`,
  (digits: string) => `KT${digits}18112026`,
].entries())
  test(`"${write('12345678')}" names its deposit, or nobody's`, async () => {
    const cents = 500_000 + 100 * place
    const named = await create(shop, 'account_number', 2 * cents)
    const accountId = await accountOf(gateway, named)
    const waits = await create(other, 'any_bank', cents)
    assert.equal(await accountOf(gateway, waits), accountId)
    const { owner } = gateway.database
    const [row] = await owner.query<{ reference: string }>(
      sql`select reference from deposits where id = ${named}`,
    )
    const purpose = write(row!.reference.slice(2))
    const id = await transferTo(gateway, accountId, { cents: BigInt(cents), bookedOn: today(), purpose })
    const [paid] = await owner.query<{ state: string }>(sql`select state from transfers where id = ${id}`)
    assert.equal(paid!.state, 'ambiguous')
  })
