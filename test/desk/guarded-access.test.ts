/** One admin alone gives nobody back the access of a person of the desk or of a live merchant, whatever happened before. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findPersonByEmail } from '../../src/domain/people/store.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { changePerson } from '../support/office.ts'
import { joined } from '../support/person.ts'

type Worker = Pick<Awaited<ReturnType<typeof joined>>, 'email' | 'browser'>

let gateway: TestGateway
let shop: Shop
let admin: Worker
let approver: Worker
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  admin = await joined(gateway, { operatorRole: 'admin' })
  approver = await joined(gateway, { operatorRole: 'approver' })
})

const change = changePerson
/** The act is done, or waits for a second person. */
const doneOf = ({ location }: { location: string | null }) => location?.split('?done=')[1]
const decide = (who: Worker, id: string, word: string) =>
  who.browser.post(`/operator/approvals/${id}/${word}`, { reason: 'I looked' })
const approve = (who: Worker, id: string) => decide(who, id, 'approve')
const personOf = async (email: string) => (await findPersonByEmail(gateway.db, email))!
async function openAbout(email: string): Promise<string> {
  const subject = `person:${(await personOf(email)).id}`
  const { id } = await gateway.db.one<{ id: string }>(
    sql`select id from proposals where subject = ${subject} and state = 'open'`,
  )
  return id
}

test('an admin cannot reset a live merchant’s viewer alone, and wait until an owner gives them more rights', async () => {
  const live = await openShop(gateway, { mode: 'live' })
  const viewer = await joined(gateway, { merchantId: live.merchant, role: 'viewer' })
  const reset = await change(admin, 'reset', { email: viewer.email })
  assert.deepEqual([doneOf(reset), /\/join\//.test(reset.text)], ['proposed', false])
  assert.equal((await approve(admin, await openAbout(viewer.email))).status, 409)
})

test('an admin cannot take an approver’s role away, and then reset or enable the account alone', async () => {
  const { email } = await joined(gateway, { operatorRole: 'approver' })
  await change(admin, 'leave', { email })
  const reset = await change(admin, 'reset', { email })
  assert.deepEqual([doneOf(reset), /\/join\//.test(reset.text)], ['proposed', false])
  await decide(admin, await openAbout(email), 'withdraw')
  await change(admin, 'disable', { email })
  assert.equal(doneOf(await change(admin, 'enable', { email })), 'proposed')
  assert.notEqual((await personOf(email)).disabledAt, null)
})

for (const [whom, isAtDesk] of [
  ['of the desk', true],
  ['of a live merchant', false],
] as const)
  test(`an admin cannot enable a disabled person ${whom} again alone`, async () => {
    const { merchant } = await openShop(gateway, { mode: 'live' })
    const { email } = await joined(
      gateway,
      isAtDesk ? { operatorRole: 'approver' } : { merchantId: merchant, role: 'owner' },
    )
    await change(admin, 'disable', { email })
    assert.equal(doneOf(await change(admin, 'enable', { email })), 'proposed')
    assert.notEqual((await personOf(email)).disabledAt, null)
    const id = await openAbout(email)
    assert.match((await approver.browser.get(`/operator/approvals/${id}`)).text, /Enable access/)
    assert.equal((await approve(admin, id)).status, 409)
    assert.equal((await approve(approver, id)).status, 303)
    assert.equal((await personOf(email)).disabledAt, null)
  })

test('an admin enables a person of a test merchant again alone; what is so already is no entry', async () => {
  const { email, person } = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  for (const [word, status] of [
    ['enable', 409],
    ['disable', 303],
    ['disable', 409],
    ['enable', 303],
  ] as const)
    assert.equal((await change(admin, word, { email })).status, status, word)
  const acts = await gateway.db.query<{ act: string }>(sql`
    select act from audit_entries where subject = ${`person:${person.id}`} and act like 'person_%able' order by place`)
  assert.deepEqual(
    acts.map(({ act }) => act),
    ['person_disable', 'person_enable'],
  )
})
