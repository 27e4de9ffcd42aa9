/** The audit record at the desk: what stands in it, what cannot be done to it, and what is found when it was. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { verifyAudit } from '../../src/domain/audit/verify-audit.ts'
import type { CsvMapping } from '../../src/domain/statements/formats/csv-mapping.ts'
import { saveMapping } from '../../src/domain/statements/store.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { until } from '../support/delivery.ts'
import { during } from '../support/during.ts'
import { openShop, startGateway, type TestGateway } from '../support/gateway.ts'
import { untilWaiting } from '../support/held-account.ts'
import { changePerson } from '../support/office.ts'
import { joined, PersonsBrowser } from '../support/person.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let admin: Worker
let auditor: Worker
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  await openShop(gateway)
  admin = await joined(gateway, { operatorRole: 'admin' })
  auditor = await joined(gateway, { operatorRole: 'auditor' })
})

const acts = async () =>
  (await gateway.db.query<{ act: string }>(sql`select act from audit_entries order by place`)).map(
    (entry) => entry.act,
  )

test('a merchant is made, changed, and its keys are shown once', async () => {
  const made = await admin.browser.post('/operator/merchants/create', {
    name: 'New <i>shop</i>',
    mode: 'test',
    callback: '',
  })
  assert.equal(made.status, 200)
  const secret = /sk_test_[\w-]+/.exec(made.text)![0]
  const id = /\/operator\/merchants\/([0-9a-f-]{36})/.exec(made.text)![1]!
  assert.match(made.text, /whsec_/)
  const page = await admin.browser.get(`/operator/merchants/${id}`)
  assert.match(page.text, /New &lt;i&gt;shop/)
  assert.equal(page.text.includes(secret), false)
  const save = (act: string, fields: Record<string, string>) =>
    admin.browser.post(`/operator/merchants/${id}/${act}`, { reason: 'As agreed', ...fields })
  assert.equal((await save('times', { paymentMinutes: '1' })).status, 422)
  assert.equal((await save('everything', {})).status, 404)
  // An act changes what is its own, whatever else the form says; one that changes nothing has no entry.
  const changes = { paymentMinutes: '45', language: 'en', latePolicy: 'review' }
  for (const act of ['times', 'page', 'differences', 'limits'])
    assert.equal((await save(act, changes)).location, `/operator/merchants/${id}?done=${act}`)
  const lines = await gateway.db.query<{ before: string; after: string }>(
    sql`select before, after from audit_entries where act = 'merchant_change' order by place`,
  )
  assert.deepEqual(
    lines.map(({ before, after }) => [JSON.parse(before), JSON.parse(after)]),
    [
      [{ paymentMinutes: 30 }, { paymentMinutes: 45 }],
      [{ language: null }, { language: 'en' }],
      [{ latePolicy: 'confirm' }, { latePolicy: 'review' }],
    ],
  )
  // Nothing secret is in the record.
  const all = await gateway.db.query<{ text: string }>(sql`select before || after as text from audit_entries`)
  assert.equal(
    all.some(({ text }) => /sk_test_|whsec_|bank_/.test(text)),
    false,
  )
})

test('an act whose line in the record cannot be written does not happen', async () => {
  const { owner } = gateway.database
  await owner.script(`
    create function refuse_line() returns trigger language plpgsql as $$
      begin raise exception 'no line'; end $$;
    create trigger refuse_line before insert on audit_entries for each row execute function refuse_line()`)
  const { id } = await owner.one<{ id: string }>(sql`select id from merchants order by created_at limit 1`)
  const name = () => owner.one<{ name: string }>(sql`select name from merchants where id = ${id}`)
  const before = await name()
  const renamed = { name: 'Renamed', language: '', reason: 'As agreed' }
  const answer = await admin.browser.post(`/operator/merchants/${id}/page`, renamed)
  await owner.script('drop trigger refuse_line on audit_entries; drop function refuse_line')
  assert.equal(answer.status, 500)
  assert.deepEqual(await name(), before)
  await admin.browser.post(`/operator/merchants/${id}/page`, renamed)
  assert.deepEqual(await name(), { name: 'Renamed' })
})

test('a bank source shows its token once; a merchant’s person is reset and disabled', async () => {
  const { id: account } = await gateway.db.one<{ id: string }>(
    sql`select id from receiving_accounts where mode = 'test' and number = '40702810300000000042'`,
  )
  const fields = { name: 'Bank', account, networks: '', reason: 'The agreement' }
  const source = await admin.browser.post('/operator/sources/add', fields)
  assert.match(source.text, /bank_[\w-]{43}/)
  const list = await admin.browser.get('/operator/sources')
  const id = /href="\/operator\/sources\/([0-9a-f-]{36})"/.exec(list.text)![1]!
  assert.doesNotMatch(list.text, /bank_[\w-]{43}/)
  assert.equal((await admin.browser.post(`/operator/sources/${id}/disable`)).status, 303)
  assert.deepEqual((await acts()).slice(-2), ['source_add', 'source_disable'])

  const { merchant } = await openShop(gateway)
  const member = await joined(gateway, { merchantId: merchant, role: 'owner' })
  const { email } = await joined(gateway, { operatorRole: 'operator' })
  assert.equal((await changePerson(admin, 'role', { email, role: 'auditor' })).status, 303)
  for (const role of ['boss', ''])
    assert.equal((await changePerson(admin, 'role', { email, role })).status, 422, role)
  const reason = 'Left the desk'
  assert.equal((await changePerson(admin, 'leave', { email, reason })).status, 303)
  const reset = await changePerson(admin, 'reset', { email: member.email })
  const link = /\/join\/[\w-]{43}/.exec(reset.text)![0]
  assert.equal((await new PersonsBrowser(gateway).get(link)).status, 200)
  assert.equal((await changePerson(admin, 'disable', { email, reason })).status, 303)
  const given = await gateway.db.query<{ act: string }>(
    sql`select act from audit_entries where reason = ${reason} order by place`,
  )
  assert.deepEqual(
    given.map(({ act }) => act),
    ['person_role', 'person_disable'],
  )
  for (const act of ['disable', 'role', 'leave', 'reset', 'invite'])
    assert.equal(
      (await changePerson(admin, act, { email: admin.email, name: 'Me', role: 'auditor' })).status,
      409,
      act,
    )
  assert.deepEqual((await acts()).slice(-4), ['person_role', 'person_role', 'person_reset', 'person_disable'])
})

test('exports, sign-outs and repeated stops are audited', async () => {
  const { browser, person } = await joined(gateway, { operatorRole: 'operator' })
  const [account] = await gateway.db.query<{ id: string }>(sql`select id from receiving_accounts limit 1`)
  const stop = () => browser.post(`/operator/accounts/${account!.id}/stop`)
  for (const path of [
    '/operator/audit/export.csv?subject=audit&guard=on',
    '/operator/refunds/export.csv?mode=test',
  ])
    assert.equal((await browser.get(path)).status, 200)
  assert.deepEqual([(await stop()).status, (await stop()).status], [303, 303])
  await browser.post('/account/sessions/end', { id: person.id })
  await browser.post('/sign-out')
  const lines = await gateway.db.query<{ act: string; subject: string; before: string; after: string }>(sql`
    select act, subject, before, after
    from audit_entries
    where person_id = ${person.id}
    order by place desc
    limit 5`)
  assert.deepEqual(
    lines.toReversed().map(({ act, subject, before, after }) => [act, subject, before, after]),
    [
      ['export', 'audit', 'null', '{"guard":"on"}'],
      ['export', 'refunds', 'null', '{"mode":"test"}'],
      ['emergency_stop', `account:${account!.id}`, '{"enabled":true}', '{"enabled":false}'],
      ['emergency_stop', `account:${account!.id}`, '{"enabled":false}', '{"enabled":false}'],
      ['sign_out', `person:${person.id}`, 'null', '{"ended":1}'],
    ],
  )
  await gateway.database.owner.query(sql`update receiving_accounts set enabled = true`)
})

test('the audit entry of a stop has the setting when it took effect, not when the form arrived', async () => {
  const { browser } = await joined(gateway, { operatorRole: 'operator' })
  const [requisite] = await gateway.db.query<{ id: string; accountId: string }>(sql`
    select id, account_id as "accountId" from requisites limit 1`)
  const { id, accountId } = requisite!
  const source = await addSource(gateway.db, { name: 'A bank', mode: 'test', accounts: [accountId] })
  const cases = [
    {
      subject: `account:${accountId}`,
      enable: sql`update receiving_accounts set enabled = true where id = ${accountId}`,
      stop: () => browser.post(`/operator/accounts/${accountId}/stop`),
    },
    {
      subject: `requisite:${id}`,
      enable: sql`update requisites set enabled = true where id = ${id}`,
      stop: () => browser.post(`/operator/requisites/${id}/stop`),
    },
    {
      subject: `source:${source.id}`,
      enable: sql`update bank_sources set enabled = true where id = ${source.id}`,
      stop: () => admin.browser.post(`/operator/sources/${source.id}/disable`),
    },
  ]
  for (const { subject, enable, stop } of cases) {
    await stop()
    const stopped = await during(gateway, (tx) => tx.query(enable), stop)
    assert.equal(stopped.status, 303, stopped.text)
    const [line] = await gateway.db.query<{ before: string; after: string }>(sql`
      select before, after from audit_entries where subject = ${subject} order by place desc limit 1`)
    assert.deepEqual(line, { before: '{"enabled":true}', after: '{"enabled":false}' }, subject)
    await gateway.database.owner.query(enable)
  }
})

test('the audit entry of a removed mapping has the removed version, also if it was changed a moment before', async () => {
  const mapping: CsvMapping = {
    ...{ encoding: 'utf-8', separator: ';', skipRows: 0, header: ['Date', 'Amount'] },
    ...{ dateFormat: 'dd.mm.yyyy', account: '40702810300000000042', columns: { date: 0, amount: 1 } },
  }
  await saveMapping(gateway.db, 'some-bank', mapping)
  const removed = await during(
    gateway,
    (tx) => saveMapping(tx, 'some-bank', { ...mapping, skipRows: 3 }),
    () => admin.browser.post('/operator/statements/mappings/some-bank/remove'),
  )
  assert.equal(removed.status, 303, removed.text)
  const [line] = await gateway.db.query<{ act: string; before: string }>(sql`
    select act, before from audit_entries where subject = 'mapping:some-bank' order by place desc limit 1`)
  assert.deepEqual([line!.act, JSON.parse(line!.before).skipRows], ['mapping_remove', 3])
})

test('the audit record has the resulting payment type, not the request', async () => {
  const limits = { currency: 'RUB', min: '1500', max: '' }
  assert.equal((await admin.browser.post('/operator/payment-types/any_bank/limits', limits)).status, 303)
  const rename = '/operator/payment-types/any_bank/rename'
  assert.equal((await admin.browser.post(rename, { name: 'Any card' })).status, 303)
  const [line] = await gateway.db.query<{ after: string }>(sql`
    select after from audit_entries where subject = 'payment-type:any_bank' order by place desc limit 1`)
  const { name, bankCode } = JSON.parse(line!.after)
  assert.deepEqual([name, bankCode], ['Any card', null])
  const upsideDown = { currency: 'RUB', min: '1500', max: '1' }
  const refused = await admin.browser.post('/operator/payment-types/any_bank/limits', upsideDown)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /The minimum must not exceed the maximum[\s\S]*?name="max"[^>]*value="1"/)
})

test('a payment type that is stopped while another change of it waits stays stopped', async () => {
  let changed: Promise<unknown> = Promise.resolve()
  await gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`update payment_types set enabled = false where code = 'any_bank'`)
    changed = admin.browser.post('/operator/payment-types/any_bank/rename', { name: 'Card' })
    await untilWaiting(gateway, 1)
  })
  await changed
  const [type] = await gateway.db.query<{ name: string; enabled: boolean }>(
    sql`select name, enabled from payment_types where code = 'any_bank'`,
  )
  assert.deepEqual(type, { name: 'Card', enabled: false })
  const [line] = await gateway.db.query<{ before: string; after: string }>(sql`
    select before, after from audit_entries where subject = 'payment-type:any_bank' order by place desc limit 1`)
  assert.partialDeepStrictEqual(JSON.parse(line!.before), { name: 'Any card', enabled: false })
  assert.partialDeepStrictEqual(JSON.parse(line!.after), { name: 'Card', enabled: false })
  assert.equal((await admin.browser.post('/operator/payment-types/any_bank/start')).status, 303)
  assert.equal((await admin.browser.post('/operator/payment-types/nobody/stop')).status, 404)
})

test('an auditor reads the record, filtered, in pages and as a file, and acts nowhere', async () => {
  const { text } = await auditor.browser.get('/operator/audit')
  assert.match(text, />Merchant created</)
  const mine = await auditor.browser.get(`/operator/audit?person=${admin.person.id}`)
  assert.match(mine.text, /Bank source added/)
  const none = await auditor.browser.get('/operator/audit?subject=deposit:nothing')
  assert.match(none.text, /Nothing found/)
  const csv = await auditor.browser.get(`/operator/audit/export.csv?person=${admin.person.id}`)
  assert.match(csv.headers.get('content-type')!, /text\/csv/)
  const lines = csv.text.trim().split('\r\n')
  const [count] = await gateway.db.query<{ n: number }>(
    sql`select count(*)::int as n from audit_entries where person_id = ${admin.person.id}`,
  )
  assert.equal(lines.length, count!.n + 1)
  for (const path of [
    '/operator/merchants/create',
    '/operator/people/invite',
    '/operator/settings/approvals',
    '/operator/sources/add',
    '/operator/payment-types/any_bank/stop',
    '/operator/requisites/add',
    '/operator/accounts/add',
  ])
    assert.equal((await auditor.browser.post(path, {})).status, 403, path)
})

test('the program itself can neither change nor remove what stands in the record', async () => {
  for (const text of [
    "update audit_entries set actor = 'nobody' where place = 1",
    'delete from audit_entries where place = 1',
    'truncate audit_entries',
  ])
    await assert.rejects(gateway.db.query({ text, name: '', values: [] }), { code: '42501' }, text)
})

const visibly = async () => {
  const { text } = await auditor.browser.get('/operator/audit?check=on')
  const { problem } = await verifyAudit(gateway.db, gateway.vault)
  if (problem) assert.ok(text.includes(problem.text), problem.text)
  else assert.match(text, /The log is intact/)
  return problem?.text ?? null
}

test('concurrent checks of the audit log share one reading of it', async () => {
  const { owner } = gateway.database
  const seen: number[] = []
  await owner.transaction(async (tx) => {
    await tx.run(sql`lock table audit_seals in access exclusive mode`)
    const checks = Array.from({ length: 12 }, () => auditor.browser.get('/operator/audit?check=on'))
    await untilWaiting(gateway, 1)
    for (let look = 0; look < 40; look++) {
      const { count } = await gateway.db.one<{ count: number }>(sql`
        select count(*)::int as count
        from pg_locks
        where relation = 'audit_seals'::regclass and not granted`)
      seen.push(count)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    void Promise.allSettled(checks)
  })
  assert.equal(Math.max(...seen), 1)
  assert.equal((await auditor.browser.get('/operator/audit?check=on')).status, 200)
})

test('a canceled download causes no fault', async () => {
  const reader = await joined(gateway, { operatorRole: 'auditor' })
  const path = '/operator/refunds/export.csv'
  const from = gateway.logged.length
  await gateway.database.owner.transaction(async (tx) => {
    await tx.run(sql`lock table transfers in access exclusive mode`)
    for (let begun = 0; begun < 3; begun++) {
      const cancelled = new AbortController()
      const { signal } = cancelled
      const { body } = await fetch(gateway.url + path, { headers: { cookie: reader.browser.cookie }, signal })
      await body!.getReader().read()
      cancelled.abort()
    }
  })
  await until('all of them have ended', async () => (await reader.browser.get(path)).status === 200)
  const faults = gateway.logged.slice(from).filter((line) => JSON.parse(line).level === 'error')
  assert.deepEqual(faults, [])
})

test('the headers of an export are answered without reading its rows', async () => {
  const reader = await joined(gateway, { operatorRole: 'auditor' })
  const headers = { cookie: reader.browser.cookie }
  await gateway.database.owner.transaction(async (tx) => {
    await tx.run(sql`lock table transfers in access exclusive mode`)
    for (let asked = 0; asked < 3; asked++) {
      const answer = await fetch(`${gateway.url}/operator/refunds/export.csv`, { method: 'HEAD', headers })
      assert.equal(answer.status, 200)
      assert.match(answer.headers.get('content-type')!, /text\/csv/)
      assert.equal(answer.headers.get('content-length'), null)
    }
  })
})

/** The limits that refused some of so many requests. */
async function refusedBy(count: number, ask: () => Promise<{ status: number; headers: Headers }>) {
  const limits = new Set<string | undefined>()
  for (let asked = 0; asked < count; asked++) {
    const { status, headers } = await ask()
    if (status === 429) limits.add(headers.get('ratelimit')?.split(';', 1)[0])
  }
  return [...limits]
}

/** A small burst of each rate and nothing after it: otherwise a slow machine would never reach it. */
async function withoutRefill(work: () => Promise<void>): Promise<void> {
  const { addressRate, pageRate, csvRate, actRate } = bounds
  const once = { perSecond: 0.001, burst: 10 }
  const endless = { perSecond: 1_000_000, burst: 1_000_000 }
  Object.assign(bounds, {
    addressRate: endless,
    pageRate: { ...once, burst: 30 },
    csvRate: once,
    actRate: once,
  })
  await work().finally(() => Object.assign(bounds, { addressRate, pageRate, csvRate, actRate }))
}

test('pages have a rate for each person, from however many networks they are opened', () =>
  withoutRefill(async () => {
    const reader = await joined(gateway, { operatorRole: 'auditor' })
    const opened = () => reader.browser.get('/operator/deposits')
    assert.deepEqual(await refusedBy(bounds.pageRate.burst + 2, opened), ['"pages"'])
    const other = await joined(gateway, { operatorRole: 'auditor' })
    assert.equal((await other.browser.get('/operator/deposits')).status, 200)
  }))

test('nobody can fill the audit log: exports, and forms that anybody may send, have a rate for each person', () =>
  withoutRefill(async () => {
    const reader = await joined(gateway, { operatorRole: 'auditor' })
    const exported = () => reader.browser.get('/operator/audit/export.csv?subject=nothing')
    assert.deepEqual(await refusedBy(bounds.csvRate.burst + 2, exported), ['"csv"'])
    await reader.browser.get('/account')
    const saved = () => reader.browser.post('/account/preferences', { language: 'en', zone: 'UTC' })
    assert.equal((await saved()).status, 303)
    assert.deepEqual(await refusedBy(bounds.actRate.burst + 2, saved), ['"acts"'])
  }))

test('a changed, removed, moved or truncated audit entry is found and named', async () => {
  assert.equal(await visibly(), null)
  const { owner } = gateway.database
  const hands: [script: string, undo: string, problem: string][] = [
    [
      "update audit_entries set reason = reason || '!' where place = 3",
      'update audit_entries set reason = left(reason, -1) where place = 3',
      'Entry 3 was changed.',
    ],
    [
      'create table kept as table audit_entries; delete from audit_entries where place = 4',
      'insert into audit_entries table kept on conflict do nothing; drop table kept',
      'Entry 4 is missing.',
    ],
    [
      'update audit_entries set place = case place when 5 then -6 when 6 then -5 end where place in (5, 6); update audit_entries set place = -place where place < 0',
      'update audit_entries set place = case place when 5 then -6 when 6 then -5 end where place in (5, 6); update audit_entries set place = -place where place < 0',
      'Entry 5 does not follow the one before it.',
    ],
    [
      'create table kept as table audit_entries; delete from audit_entries where place = (select max(place) from audit_entries)',
      'insert into audit_entries table kept on conflict do nothing; drop table kept',
      `Entry ${(await verifyAudit(gateway.db, gateway.vault)).entries} is missing.`,
    ],
  ]
  for (const [script, undo, problem] of hands) {
    await owner.script(script)
    assert.equal(await visibly(), problem)
    await owner.script(undo)
    assert.equal(await visibly(), null)
  }
})
