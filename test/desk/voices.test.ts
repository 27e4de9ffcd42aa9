/** Which source of an account counts, at the desk: who may change it, who approves, and what the pages say of open days. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addAccount } from '../../src/domain/requisites/add-requisite.ts'
import { sourceOf } from '../../src/domain/transfers/source-store.ts'
import { readVoices } from '../../src/domain/transfers/voice-store.ts'
import { sql } from '../../src/platform/db.ts'
import { accountOf, bankDay, pushSource, transferTo } from '../support/bank.ts'
import { importDay } from '../support/booked-day.ts'
import { openShop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'
import { misprintsOf } from '../support/staff-pages.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let accountId: string
let [operator, admin, approver]: Worker[] = []
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  const shop = await openShop(gateway)
  const { body } = await shop.create({ cents: 9_999_900, payment_type: 'account_number' })
  accountId = await accountOf(gateway, body.id)
  operator = await joined(gateway, { operatorRole: 'operator' })
  admin = await joined(gateway, { operatorRole: 'admin' })
  approver = await joined(gateway, { operatorRole: 'approver' })
})

const pageOf = (id: string) => `/operator/accounts/${id}`
const today = bankDay(0)
const change = ({ browser }: Worker, id: string, fields: Record<string, string>) =>
  browser.post(`${pageOf(id)}/voice`, {
    ...{ role: 'booked', source: '1c', from: today, reason: 'The bank sends 1C files now' },
    ...fields,
  })
const voices = async (id = accountId) =>
  (await readVoices(gateway.db, [id])).map(({ role, fromDay, source, ids }) => [
    role,
    fromDay,
    source.name,
    ids,
  ])

test('an admin changes the source of an account from a day on; the history stays', async () => {
  const day = bankDay(-3)
  await transferTo(gateway, accountId, { cents: 10_000n, bookedOn: day })
  await importDay(gateway, accountId, [{ cents: 20_000n }], { day })
  const before = await voices()
  assert.deepEqual(
    before.map(([role, , name]) => [role, name]),
    [
      ['booked', 'camt'],
      ['early', 'sandbox'],
    ],
  )
  assert.equal((await change(operator!, accountId, {})).status, 403)
  const done = await change(admin!, accountId, {})
  assert.match(done.location!, /done=voice/)
  assert.deepEqual(await voices(), [before[0], ['booked', today, '1c', 'none'], before[1]])
  const line = await gateway.db.one<{ act: string; subject: string; reason: string; after: string }>(
    sql`select act, subject, reason, after from audit_entries order by place desc limit 1`,
  )
  assert.deepEqual(
    [line.act, line.subject, line.reason],
    ['account_voice', `account:${accountId}`, 'The bank sends 1C files now'],
  )
  const { text } = await admin!.browser.get(pageOf(accountId))
  assert.match(text, />camt\.053[\s\S]*>1C</)
  assert.deepEqual(misprintsOf(text), [])
  assert.doesNotMatch((await operator!.browser.get(pageOf(accountId))).text, /\/voice"/)
})

test('a change that is impossible says why, and the form keeps what was typed', async () => {
  const push = await pushSource(gateway)
  for (const [fields, status, sentence] of [
    [{ source: push.id }, 422, /Only files can be the source that counts/],
    [{ from: bankDay(-2) }, 409, /later change/],
    [{ source: 'csv:nobody' }, 422, /id="voice-source-error">Choose one of the list/],
    [{ from: 'soon' }, 422, /id="voice-from-error">Enter a day/],
  ] as const) {
    const refused = await change(admin!, accountId, { ...fields, reason: 'What was typed' })
    assert.deepEqual([fields, refused.status], [fields, status])
    assert.match(refused.text, sentence)
    assert.match(refused.text, /name="reason"[^>]*value="What was typed"/)
    assert.match(refused.text, /<option value="booked" selected>/)
  }
})

test('in live mode a change of the source waits for a second person, who sees both', async () => {
  const live = await addAccount(gateway.db, {
    ...{ mode: 'live', currency: 'RUB', merchantId: null, label: 'Live' },
    ...{ ownerLegalName: 'ООО "Пример"', ownerPublicName: 'Пример', ownerTaxId: '7700000009' },
    ...{ ownerAgreement: 'No. 1', addedBy: 'test' },
  })
  await gateway.db.transaction((tx) => sourceOf(tx, { mode: 'live', kind: 'file', channel: 'mt940' }))
  const asked = await change(admin!, live.id, { source: 'mt940' })
  assert.match(asked.location!, /done=proposed/)
  assert.deepEqual(await voices(live.id), [])
  const proposal = await gateway.db.one<{ id: string }>(
    sql`select id from proposals where kind = 'account.voice'`,
  )
  const page = `/operator/approvals/${proposal.id}`
  const { text } = await approver!.browser.get(page)
  assert.match(text, />MT940/)
  assert.deepEqual(misprintsOf(text), [])
  assert.equal((await admin!.browser.post(`${page}/approve`, { reason: 'Mine' })).status, 409)
  assert.equal((await approver!.browser.post(`${page}/approve`, { reason: 'I called' })).status, 303)
  assert.deepEqual(await voices(live.id), [['booked', today, 'mt940', 'daily']])

  // Asked twice, approved once: the second would change what nobody has seen.
  await change(admin!, live.id, { source: '1c' })
  const second = await gateway.db.one<{ id: string }>(
    sql`select id from proposals where kind = 'account.voice' and state = 'open'`,
  )
  await gateway.database.owner.query(
    sql`update account_voices set ids = 'none' where account_id = ${live.id}`,
  )
  const late = await approver!.browser.post(`/operator/approvals/${second.id}/approve`, { reason: 'Yes' })
  assert.equal(late.status, 409)
  assert.match(late.text, /has changed since/)
})

test('an account whose days no file closes is named on the overview and on its page', async () => {
  const { label } = await gateway.db.one<{ label: string }>(
    sql`select label from receiving_accounts where id = ${accountId}`,
  )
  // The file closed its day three days ago, and none came since.
  const overview = (await operator!.browser.get('/operator/overview?mode=test')).text
  assert.ok(overview.includes(`Days of ${label} are not closed`))
  const page = (await operator!.browser.get(pageOf(accountId))).text
  assert.match(page, /No file of 1C has closed the days/)
})
