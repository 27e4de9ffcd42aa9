/**
 * A restore to an earlier moment brings back what was open then: sessions that were ended since, and links that were used
 * since. Neither may open anything.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { referenceSpace } from '../src/domain/deposits/reference.ts'
import { sql } from '../src/platform/db.ts'
import { commandsOn, inlet } from './support/command.ts'
import { openShop, startGateway, type TestGateway } from './support/gateway.ts'
import { invited, joined, PersonsBrowser } from './support/person.ts'

let gateway: TestGateway
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  await commandsOn(gateway)
})

test('after a restore everybody must sign in again, and no link that was open then works', async () => {
  const { merchant: merchantId } = await openShop(gateway)
  const { browser } = await joined(gateway, { operatorRole: 'approver' })
  const { token } = await invited(gateway, { merchantId, role: 'owner' })
  const statuses = async () => [
    (await browser.get('/operator/overview')).status,
    (await new PersonsBrowser(gateway).get(`/join/${token}`)).status,
  ]
  assert.deepEqual(await statuses(), [200, 200])
  const { code, stdout, stderr } = await inlet('restore', 'finish')
  assert.equal(code, 0, stderr)
  assert.match(stdout, /Everybody must sign in again, and open links have ended/)
  assert.deepEqual(await statuses(), [303, 410])
})

test('after a restore the operator is warned that money for a lost deposit can confirm another one', async () => {
  const { code, stdout, stderr } = await inlet('restore', 'finish')
  assert.equal(code, 0, stderr)
  assert.match(stdout, /can confirm another deposit of the same amount/)
  assert.match(stdout, /Import the bank statements since then before you start it/)
  assert.match(stdout, /inlet account matching ID --matching never/)
})

test('after a restore event numbers and references go on far ahead, also of a merchant that has no event yet', async () => {
  const { owner } = gateway.database
  const [old, quiet] = [await openShop(gateway), await openShop(gateway)]
  await owner.script(
    `insert into event_counters (merchant_id, last_sequence) values ('${old.merchant}', 7000000123)`,
  )
  const lastReference = async () =>
    (await owner.one<{ last: bigint }>(sql`select last_value as last from deposit_reference_block`)).last
  const before = await lastReference()
  assert.equal((await inlet('restore', 'finish')).code, 0)
  const numbers = await owner.query<{ merchant: string; last: bigint }>(sql`
    select merchant_id as merchant, last_sequence as last
    from event_counters
    where merchant_id in (${old.merchant}, ${quiet.merchant})`)
  assert.deepEqual(
    new Map(numbers.map(({ merchant, last }) => [merchant, last])),
    new Map([
      [old.merchant, 8_000_000_000n],
      [quiet.merchant, 1_000_000_000n],
    ]),
  )
  assert.equal((await lastReference()) - before, BigInt(referenceSpace / 2))
})
