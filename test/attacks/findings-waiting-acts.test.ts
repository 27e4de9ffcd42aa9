/**
 * Findings of the audit: rights are taken away while an act of the person waits for a lock. Nothing that such an act hands
 * out or decides may count afterwards.
 */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { newId } from '../../src/platform/clock.ts'
import { type Statement, sql } from '../../src/platform/db.ts'
import { attacksOf, behindProxy, fromAnywhere, many } from '../support/attempts.ts'
import { until } from '../support/delivery.ts'
import { openShop, productionTimeouts, startGateway, type TestGateway } from '../support/gateway.ts'
import { changePerson } from '../support/office.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'

const { attack, report } = attacksOf('acting without rights')

let gateway: TestGateway
before(async () => {
  gateway = await startGateway({ environment: behindProxy, timeouts: productionTimeouts })
  await gateway.database.owner.script(
    `update installation set single_operator = false, second_person_above = '{"RUB": "100000"}'`,
  )
})

const admin = async () => (await joined(gateway, { operatorRole: 'admin' })).browser
const disable = async (by: PersonsBrowser, email: string) => {
  const asked = { email, reason: 'Dismissed' }
  assert.equal((await changePerson({ browser: by }, 'disable', asked, fromAnywhere())).status, 303)
}
const count = async (statement: Statement) =>
  (await gateway.database.owner.one<{ count: number }>(statement)).count

/** Until so many forms wait for a lock. */
const waits = (forms: number) =>
  until('the form waits for the row', async () => {
    const waiting = await count(
      sql`select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return waiting >= forms
  })

/** Sends a form while the row is locked, as any change of it locks it; `meanwhile` runs before it gets the row. */
async function whileLocked<Answer>(
  row: Statement,
  send: () => Promise<Answer>,
  meanwhile: () => Promise<void>,
  waiting = 1,
): Promise<Answer> {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = gateway.database.owner.transaction(async (tx) => {
    await tx.query(row)
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const sent = send()
  try {
    await waits(waiting)
    await meanwhile()
  } finally {
    released.resolve()
    await holding
  }
  return sent
}

const lockedMerchant = (id: string) => sql`select id from merchants where id = ${id} for no key update`
const openLinksOf = (personId: string) =>
  count(
    sql`select count(*)::int as count from sign_in_links where made_by_person = ${personId} and used_at is null`,
  )

attack('an owner who is disabled while an invitation waits has invited nobody', async (note) => {
  const [by, shop] = [await admin(), await openShop(gateway, { mode: 'live' })]
  for (let n = 0; n < many(10, 2); n++) {
    const owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
    const invited = { email: `puppet-${newId()}@example.com`, name: 'Puppet', role: 'owner' }
    const { text } = await whileLocked(
      lockedMerchant(shop.merchant),
      () => owner.browser.post(`/console/${shop.merchant}/people/invite`, invited, fromAnywhere()),
      () => disable(by, owner.email),
    )
    note(`link ${n}`, /\/join\/[\w-]{43}/.test(text) || (await openLinksOf(owner.person.id)) > 0)
  }
})

attack('of a burst of invitations around the disabling of their owner no link stays open', async (note) => {
  for (let n = 0; n < many(5, 1); n++) {
    const [by, shop] = [await admin(), await openShop(gateway, { mode: 'live' })]
    const owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
    const burst = Array.from({ length: 60 }, (_, place) =>
      owner.browser.post(
        `/console/${shop.merchant}/people/invite`,
        { email: `puppet-${n}-${place}-${newId()}@example.com`, name: 'Puppet', role: 'owner' },
        { 'x-forwarded-for': '198.51.100.7' },
      ),
    )
    await Promise.race(burst)
    await disable(by, owner.email)
    await Promise.all(burst)
    note(`burst ${n}`, (await openLinksOf(owner.person.id)) > 0)
  }
})

attack('an owner who is made a viewer while an invitation waits has invited nobody', async (note) => {
  const shop = await openShop(gateway, { mode: 'live' })
  const first = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const second = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const invite = (email: string, role: string, by = first) =>
    by.browser.post(
      `/console/${shop.merchant}/people/invite`,
      { email, name: 'Somebody', role },
      { 'x-forwarded-for': by === first ? '198.51.100.8' : '198.51.100.9' },
    )
  // The first waits for the merchant, and the second behind it.
  let lowering: Promise<unknown> = Promise.resolve()
  const { text } = await whileLocked(
    lockedMerchant(shop.merchant),
    async () => {
      lowering = invite(second.email, 'viewer')
      await waits(1)
      return invite(`puppet-${newId()}@example.com`, 'owner', second)
    },
    async () => {},
    2,
  )
  await lowering
  const role = await gateway.database.owner.one<{ role: string }>(
    sql`select role from memberships where merchant_id = ${shop.merchant} and person_id = ${second.person.id}`,
  )
  assert.equal(role.role, 'viewer')
  note('link', /\/join\/[\w-]{43}/.test(text) || (await openLinksOf(second.person.id)) > 0)
})

attack('a developer who is removed while a rotation waits gets no key', async (note) => {
  const shop = await openShop(gateway, { mode: 'live' })
  const owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const developer = await joined(gateway, { merchantId: shop.merchant, role: 'developer' })
  let removing: Promise<{ status: number }> | undefined
  const { status } = await whileLocked(
    lockedMerchant(shop.merchant),
    async () => {
      removing = owner.browser.post(
        `/console/${shop.merchant}/people/${developer.person.id}/end`,
        {},
        fromAnywhere(),
      )
      await waits(1)
      return developer.browser.post(`/console/${shop.merchant}/keys/rotate`, { days: '0' }, fromAnywhere())
    },
    async () => {},
    2,
  )
  assert.equal((await removing!).status, 303)
  const keys = await count(
    sql`select count(*)::int as count from audit_entries where act = 'request_key_rotate' and person_id = ${developer.person.id}`,
  )
  note('key', status === 200 || keys > 0)
})

for (const who of ['approver', 'proposer'] as const)
  attack(`an approval that waits while its ${who} is disabled confirms nothing`, async (note) => {
    const by = await admin()
    const approver = await joined(gateway, { operatorRole: 'approver' })
    const operator = await joined(gateway, { operatorRole: 'operator' })
    const shop = await openShop(gateway)
    const { id } = (await shop.create({ cents: 900_000 })).body
    await operator.browser.post(`/operator/deposits/${id}/take`, {}, fromAnywhere())
    await operator.browser.post(`/operator/deposits/${id}/confirm`, { reason: 'Seen' }, fromAnywhere())
    const proposal = await gateway.database.owner.one<{ id: string }>(
      sql`select id from proposals where subject = ${`deposit:${id}`}`,
    )
    await whileLocked(
      sql`select id from deposits where id = ${id} for update`,
      () =>
        approver.browser.post(
          `/operator/approvals/${proposal.id}/approve`,
          { reason: 'Yes' },
          fromAnywhere(),
        ),
      () => disable(by, who === 'approver' ? approver.email : operator.email),
    )
    const { state } = (await shop.get(`/api/v1/requests/deposit/${id}`)).body
    note('approval', state === 'confirmed')
  })

attack('an operator who is disabled while a decision waits has decided nothing', async (note) => {
  const [by, shop] = [await admin(), await openShop(gateway)]
  const operator = await joined(gateway, { operatorRole: 'operator' })
  const { id } = (await shop.create()).body
  await operator.browser.post(`/operator/deposits/${id}/take`, {}, fromAnywhere())
  await whileLocked(
    sql`select id from deposits where id = ${id} for update`,
    () => operator.browser.post(`/operator/deposits/${id}/reject`, { reason: 'No' }, fromAnywhere()),
    () => disable(by, operator.email),
  )
  const { state } = (await shop.get(`/api/v1/requests/deposit/${id}`)).body
  note('decision', state === 'rejected')
})

report()
