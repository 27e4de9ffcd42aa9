/** The desk at 500 items a day: a part of the queue, several items at once, usual reasons, and rows reported twice. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setApprovalSettings } from '../../src/domain/approvals/change-settings.ts'
import { claimPayment } from '../../src/domain/deposits/change-deposit.ts'
import { writeOneC } from '../../src/domain/statements/writers/one-c.ts'
import { readTransfer } from '../../src/domain/transfers/store.ts'
import { sql } from '../../src/platform/db.ts'
import { queueKinds } from '../../src/surfaces/desk/queue/queue.ts'
import { countQueue } from '../../src/surfaces/desk/queue/store.ts'
import {
  accountOf,
  bankDay,
  depositContextOf,
  importBytes,
  requisiteOf,
  today,
  transferTo,
} from '../support/bank.ts'
import {
  openShop,
  productionTimeouts,
  type Shop,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { askAs, officeContextOf } from '../support/office.ts'
import { joined } from '../support/person.ts'
import { suspectedOn } from '../support/suspects.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let anna: Worker
let accountId: string
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' }, timeouts: productionTimeouts })
  shop = await openShop(gateway)
  anna = await joined(gateway, { operatorRole: 'operator' })
  accountId = await accountOf(gateway, await created())
})

let amount = 300_000
const created = async (cents = ++amount): Promise<string> =>
  (await shop.create({ payment_type: 'account_number', cents })).body.id
const unmatched = (facts: { payerName?: string; cents?: bigint } = {}) =>
  transferTo(gateway, accountId, { cents: BigInt(++amount), ...facts })
const stateOf = async (id: string) => (await readTransfer(gateway.db, id))!.transfer.state
const itemsIn = (text: string): string[] =>
  [...text.matchAll(/<li><a href="\/operator\/(?:queue\/\w+|approvals|statements)\/([0-9a-f-]{36})/g)].map(
    ([, id]) => id!,
  )
const itemsAt = async (path: string, { browser }: Worker = anna): Promise<string[]> =>
  itemsIn((await browser.get(path)).text)
const plain = (text: string): string => text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
const auditOf = (subject: string) =>
  gateway.db.query<{ act: string; actor: string; reason: string; after: string }>(
    sql`select act, actor, reason, after from audit_entries where subject = ${subject} order by place`,
  )

test('every kind of the queue is counted as it is listed, the reversals too', async () => {
  const cents = ++amount
  const [first] = [await created(cents), await created(cents)]
  await transferTo(gateway, accountId, { cents: BigInt(cents) })
  await unmatched()
  await transferTo(gateway, accountId, { cents: BigInt(++amount), direction: 'debit', isReversal: true })
  const claimed = await created()
  await claimPayment(depositContextOf(gateway), { depositId: claimed, actor: 'customer' })
  await gateway.database.owner.script(`update deposits set labels = '{review}' where id = '${first}'`)
  await setApprovalSettings(gateway.db, {})
  await askAs(officeContextOf(gateway), anna, 'deposit.confirm', claimed)
  await suspectedOn(gateway, accountId, { cents: BigInt(++amount) })
  // Told early, and not in the file that closes the day; then a file of a day that is not over.
  const { body: paid } = await shop.create({ payment_type: 'account_number', cents: ++amount })
  const purpose = paid.payment_data.payment_reason
  await transferTo(gateway, accountId, { cents: BigInt(amount), purpose })
  await importOneC(bankDay(0), { isComplete: true })
  await importOneC(bankDay(1))
  const { kinds } = await countQueue(gateway.db)
  let all = 0
  for (const kind of queueKinds) {
    const { text } = await anna.browser.get(`/operator?kind=${kind}`)
    const listed = itemsIn(text).length
    assert.ok(listed > 0, `nothing of ${kind}`)
    assert.equal(kinds[kind], listed, kind)
    assert.equal(/aria-current="page">[^<·]+· ([^<]+)<\/a>/.exec(text)?.[1], String(listed), kind)
    all += listed
  }
  assert.match(
    (await anna.browser.get('/operator')).text,
    new RegExp(`Queue</span> <span class="count">${all}<`),
  )
  await setApprovalSettings(gateway.db, { RUB: '100000000' })
  // Its days are open again.
  await gateway.database.owner.script('delete from account_days; delete from report_rows')
})

/** A file of one day and one payment of nobody. */
async function importOneC(day: string, options: { isComplete?: boolean } = {}) {
  const { number: account } = await gateway.database.owner.one<{ number: string }>(
    sql`select number from receiving_accounts where id = ${accountId}`,
  )
  const payer = { payerName: 'Nobody', payerAccount: '40817810000000000001', payerTaxId: '', payerBank: '' }
  const entry = {
    ...({ direction: 'credit', cents: 12_345_678n, bookedOn: day, bookedAt: null, paidOn: null } as const),
    ...{ documentNumber: day, purpose: 'Перевод', bankId: null, ...payer },
  }
  const bytes = writeOneC(
    [{ account, currency: 'RUB', from: day, to: day, entries: [entry] }],
    `${today()}T00:00:00`,
  )
  await importBytes(depositContextOf(gateway), bytes, options)
}

test('above a thousand the counts say that there are more', async () => {
  await gateway.database.owner.script(`
    insert into transfers
      (id, source_id, account_id, direction, cents, currency, booked_on, document_number, payer_name, payer_account,
       payer_tax_id, payer_bank, purpose, bank_id, is_sum, names, taken_at, told_early_at, state, open_cents, channel)
    select gen_random_uuid(), s.id, '${accountId}', 'credit', 7, 'RUB', current_date, '', 'Crowd', '', '', '', 'x',
      'crowd' || n, false, '{}', inlet_now(), inlet_now(), 'unmatched', 7, 'sandbox'
    from generate_series(1, 1001) as n
    cross join (select id from bank_sources where kind = 'sandbox' limit 1) s`)
  const crowd = '/operator?kind=unmatched&payer=crowd'
  const { text } = await anna.browser.get(crowd)
  assert.match(text, /Unmatched · 1,000\+</)
  assert.match(text, /Queue<\/span> <span class="count">1,00\d\+</)
  assert.match(text, /Showing the oldest 100\./)
  assert.match((await anna.browser.get(crowd, { 'accept-language': 'ru' })).text, /1\u00a0000\+</)
  await gateway.database.owner.script(
    `update transfers set state = 'set_aside' where payer_name = 'Crowd' and bank_id = 'crowd1'`,
  )
  // A thousand is a thousand.
  assert.match((await anna.browser.get(crowd)).text, /Unmatched · 1,000</)
  await gateway.database.owner.script(
    `update transfers set state = 'set_aside' where payer_name = 'Crowd' and state = 'unmatched'`,
  )
})

test('the queue is filtered by account, merchant, amount, payer and age, and the tabs keep the filter', async () => {
  const other = await openShop(gateway)
  const payer = 'СЕМЁНОВ Пётр'
  await gateway.database.shiftClock('-5 hours')
  const small = await unmatched({ payerName: payer, cents: 1_234n })
  await gateway.database.shiftClock('0')
  const large = await unmatched({ payerName: payer, cents: 9_876_500n })
  const found = async (query: string) =>
    (await itemsAt(`/operator?${query}`)).filter((id) => [small, large].includes(id))
  const cases: [query: string, found: string[]][] = [
    ['payer=семенов', [small, large]],
    ['payer=семенов&amount=12.34', [small]],
    ['payer=семенов&amount=98000–99000', [large]],
    ['payer=семенов&amount=–13', [small]],
    ['payer=семенов&kind=unmatched', [small, large]],
    ['payer=семенов&kind=ambiguous', []],
    [`payer=семенов&account=${accountId}`, [small, large]],
    [`payer=семенов&account=${other.merchant}`, []],
    ['payer=.*', []],
    ['payer=семенов&older=1', [small]],
    ['payer=семенов&older=4', [small]],
    ['payer=семенов&older=24', []],
    // What cannot be read shows nothing, rather than everything.
    ['payer=семенов&amount=много', []],
  ]
  for (const [query, expected] of cases) assert.deepEqual(await found(encodeURI(query)), expected, query)
  assert.match((await anna.browser.get('/operator?amount=x')).text, /Enter an amount/)

  const { text } = await anna.browser.get(encodeURI(`/operator?payer=семенов&account=${accountId}`))
  const kept = `payer=${encodeURIComponent('семенов')}`
  assert.ok(text.includes(`href="/operator?kind=unmatched&amp;account=${accountId}&amp;${kept}"`))
  assert.match(plain(text), /Apply filters Account: Demo RUB account · test Clear all/)
  assert.ok(text.includes(`href="/operator/queue/transfers/${small}?account=${accountId}&amp;payer=`))
  for (const [typed, chip] of [
    ['98000–99000', '98,000–99,000'],
    ['–1234.5', '–1,234.50'],
    ['1000-', '1,000–'],
    ['1500', '1,500'],
    ['много', 'много'],
  ] as const) {
    const { text } = await anna.browser.get(encodeURI(`/operator?amount=${typed}`))
    assert.ok(text.includes(`Amount: <bdi>${chip}</bdi>`), `${typed}: ${text}`)
  }
})

test('a transfer belongs to the merchant of its account, or to those it may be for', async () => {
  const cents = ++amount
  const other = await openShop(gateway)
  await created(cents)
  await created(cents)
  const transfer = await transferTo(gateway, accountId, { cents: BigInt(cents) })
  const rowOf = async (query: string) => {
    const { text } = await anna.browser.get(`/operator?${query}`)
    return text.split('<li>').find((row) => row.includes(`${transfer}`))
  }
  const [{ name } = { name: '' }] = await gateway.db.query<{ name: string }>(
    sql`select name from merchants where id = ${shop.merchant}`,
  )
  const [{ label } = { label: '' }] = await gateway.db.query<{ label: string }>(
    sql`select label from receiving_accounts where id = ${accountId}`,
  )
  const row = plain((await rowOf(`merchant=${shop.merchant}&kind=ambiguous`))!)
  assert.ok(row.includes(name) && row.includes(label), row)
  assert.equal(await rowOf(`merchant=${other.merchant}&kind=ambiguous`), undefined)
  await gateway.database.owner.script(
    `update receiving_accounts set merchant_id = '${other.merchant}' where id = '${accountId}'`,
  )
  assert.ok(await rowOf(`merchant=${other.merchant}&kind=ambiguous`))
  await gateway.database.owner.script(
    `update receiving_accounts set merchant_id = null where id = '${accountId}'`,
  )
})

test('the next item stays inside the filter, also after a decision', async () => {
  const payerName = 'ООО "Ромашка" [77]'
  const skipped = await unmatched({ payerName: 'ООО "Ромашка" 76' })
  const mine = [await unmatched({ payerName }), await unmatched({ payerName })] as [string, string]
  const query = `${new URLSearchParams({ payer: 'ромашка" [77]' })}`
  const at = (id: string, kept = query) => `/operator/queue/transfers/${id}?${kept}`
  const nextOn = async (path: string) =>
    /href="([^"]+)" data-key="n"/.exec((await anna.browser.get(path)).text)?.[1]?.replaceAll('&amp;', '&')
  assert.equal(await nextOn(`/operator?${query}`), at(mine[0]))
  assert.equal(await nextOn(at(mine[0])), at(mine[1]))
  // The forms of its page remember it.
  const page = `/operator/queue/transfers/${mine[0]}`
  assert.equal((await anna.browser.post(`${page}/take?${query}`)).location, at(mine[0]))
  const action = `${page}/set-aside?${query}`
  const refused = await anna.browser.post(action, { reason: '' })
  assert.equal(refused.status, 422)
  assert.ok(refused.text.includes(`action="${action}"`))
  assert.match(refused.text, /<option value="Unknown payer, waiting for them to contact us\.">/)
  const done = await anna.browser.post(action, { reason: 'Unknown' })
  assert.equal(done.location, `${at(mine[1])}&done=set-aside`)
  // What was passed over comes again only at the end.
  const wider = `${new URLSearchParams({ payer: 'ромашка' })}`
  assert.equal(await nextOn(at(mine[1], wider)), at(skipped, wider))
  const last = await anna.browser.post(`/operator/queue/transfers/${mine[1]}/set-aside?${query}`, {
    reason: 'x',
  })
  assert.equal(last.location, `/operator?${query}&done=set-aside`)
  // What an address remembers is never another address. The switch of the menu leads back to this very page.
  const elsewhere = `queue=${encodeURIComponent('https://evil.example')}`
  const strange = await anna.browser.get(`${page}?${elsewhere}`)
  assert.doesNotMatch(strange.text.replace(`name="to" value="${page}?${elsewhere}"`, ''), /evil/)
})

test('a payment that may be known stands beside the known one, and what differs is marked', async () => {
  const facts = { cents: BigInt(++amount), payerName: 'Twice', payerAccount: '4081…0777' }
  const { known, suspected } = await suspectedOn(gateway, accountId, facts)
  assert.equal(await stateOf(suspected), 'held')
  const page = `/operator/transfers/${suspected}`
  const { text } = await anna.browser.get(page)
  assert.match(text, /Is it a payment that is known already\?/)
  assert.match(text, new RegExp(`<a href="/operator/transfers/${known}">`))
  assert.match(plain(text), /Booked Differs /)
  assert.match(plain(text), /Payer Twice Twice /)
  assert.equal((await anna.browser.post(`${page}/same`, { of: 'x', reason: 'x' })).status, 422)
  // The only suspect is chosen.
  assert.match(text, new RegExp(`<option value="${known}" selected>`))
  const done = await anna.browser.post(`${page}/same`, { of: known, reason: 'Twice' })
  assert.equal(done.location, `${page}?done=same`)
  assert.equal(await stateOf(suspected), 'duplicate')
  const [line] = await auditOf(`transfer:${suspected}`)
  assert.deepEqual([line?.act, line?.reason], ['transfer_duplicate', 'Twice'])

  // Said too soon: it is a payment of its own, and nobody is asked again whether it is the same.
  assert.match((await anna.browser.get(page)).text, /The same payment as another transfer/)
  const genuine = await anna.browser.post(`${page}/genuine`, { reason: 'Paid twice' })
  assert.equal(genuine.location, `${page}?done=genuine`)
  assert.equal(await stateOf(suspected), 'unmatched')
  assert.doesNotMatch((await anna.browser.get(page)).text, /Is it a payment that is known already/)
  assert.equal((await auditOf(`transfer:${suspected}`)).at(-1)?.act, 'transfer_genuine')
})

test('a known payment names what is held because of it', async () => {
  const { known, suspected } = await suspectedOn(gateway, accountId, { cents: BigInt(++amount) })
  const { text } = await anna.browser.get(`/operator/transfers/${known}`)
  assert.match(text, new RegExp(`On hold because of it[\\s\\S]*href="/operator/transfers/${suspected}"`))
})

test('transfers and deposits of one payer are listed', async () => {
  const cents = ++amount
  const deposit = await created(cents)
  const transfer = await unmatched({ payerName: 'Payer of one', cents: BigInt(cents) })
  await unmatched({ payerName: 'Payer of another' })
  await anna.browser.post(`/operator/transfers/${transfer}/match`, { deposit, reason: 'Theirs' })
  for (const [section, id] of [
    ['transfers', transfer],
    ['deposits', deposit],
  ]) {
    const { text } = await anna.browser.get(`/operator/${section}?payer=Payer+of+one`)
    const found = [...text.matchAll(/<th scope="row"[^>]*><a href="[^"]*\/([0-9a-f-]{36})"/g)].map(
      ([, one]) => one,
    )
    assert.deepEqual(found, [id])
  }
})

test('accounts are found by label, owner, bank, last digits, currency and mode; a requisite is stopped on its page', async () => {
  const requisite = await requisiteOf(gateway, await created())
  const [row] = await gateway.db.query<{
    account_id: string
    number: string
    bank_name: string
    label: string
  }>(sql`
    select r.account_id, r.number, r.bank_name, a.label
    from requisites r
    join receiving_accounts a on a.id = r.account_id
    where r.id = ${requisite}`)
  await gateway.database.owner.script(
    `update receiving_accounts set owner_legal_name = 'ООО «Ёлка»' where id = '${row!.account_id}'`,
  )
  const list = '/operator/accounts'
  const finds = async (search: Record<string, string>) =>
    (await anna.browser.get(`${list}?${new URLSearchParams(search)}`)).text.includes(
      `href="${list}/${row!.account_id}"`,
    )
  const digits = row!.number.slice(-4)
  for (const q of [row!.label.toUpperCase(), 'елка', row!.bank_name.slice(0, 3), digits, `Елка ${digits}`])
    assert.ok(await finds({ q }), q)
  assert.ok(await finds({ q: '', mode: 'test', currency: 'RUB' }))
  for (const search of [
    { q: 'nowhere' },
    { q: `${digits} nowhere` },
    { mode: 'live' },
    { currency: 'KZT' },
    { q: row!.number },
  ])
    assert.equal(await finds(search as Record<string, string>), false, JSON.stringify(search))
  assert.match((await anna.browser.get(`${list}?q=nowhere`)).text, /Nothing found/)

  const page = `/operator/requisites/${requisite}`
  const found = (await anna.browser.get(`/operator/requisites?q=${digits}`)).text
  assert.ok(found.includes(`href="${page}"`))
  const auditor = await joined(gateway, { operatorRole: 'auditor' })
  assert.ok((await anna.browser.get(page)).text.includes(`${page}/stop"`))
  assert.ok(!(await auditor.browser.get(page)).text.includes(`${page}/stop"`))
  assert.equal((await anna.browser.post(`${page}/stop`)).location, `${page}?done=stop`)
  const [line] = await auditOf(`requisite:${requisite}`)
  assert.deepEqual([line?.act, line?.actor], ['emergency_stop', anna.email])
  const [after] = await gateway.db.query<{ enabled: boolean }>(
    sql`select enabled from requisites where id = ${requisite}`,
  )
  assert.equal(after!.enabled, false)
})
