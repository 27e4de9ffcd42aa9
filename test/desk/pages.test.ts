/** Every page of the desk: it opens in both languages, is valid HTML, and prints hostile text as text. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { claimPayment } from '../../src/domain/deposits/change-deposit.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { addToList } from '../../src/domain/rules/change-list.ts'
import { saveMapping } from '../../src/domain/statements/store.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { sql } from '../../src/platform/db.ts'
import { deskSections } from '../../src/sections/sections.ts'
import { accountOf, depositContextOf, importBytes, requisiteOf, today, transferTo } from '../support/bank.ts'
import { openShop, startGateway, type TestGateway } from '../support/gateway.ts'
import { actAs, askAs, declaredPages, officeContextOf } from '../support/office.ts'
import { oneCOf } from '../support/one-c.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'
import { liftPageRates, misprintsOf, unopenedPages } from '../support/staff-pages.ts'
import { suspectedOn } from '../support/suspects.ts'
import { faultsOfHtml } from '../support/valid-html.ts'

const hostile = '<script>alert(1)</script>"\'&'

let gateway: TestGateway
let browser: PersonsBrowser
let paths: string[]
before(async () => {
  liftPageRates()
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  const shop = await openShop(gateway)
  await changeMerchant(gateway.db, { merchantId: shop.merchant, name: hostile })
  const admin = await joined(gateway, { operatorRole: 'admin' })
  const operator = await joined(gateway, { operatorRole: 'operator' })
  browser = admin.browser
  const ids: string[] = []
  for (const customer of [hostile, 'Второй']) {
    const { body } = await shop.create({ cents: 300_000, order_id: `${hostile} ${customer}`, customer })
    ids.push(body.id)
  }
  const [deposit, claimed] = ids as [string, string]
  await claimPayment(depositContextOf(gateway), { depositId: claimed, actor: 'customer' })
  const accountId = await accountOf(gateway, deposit)
  const requisiteId = await requisiteOf(gateway, deposit)
  const transfer = await transferTo(gateway, accountId, {
    cents: 300_000n,
    payerName: hostile,
    purpose: hostile,
    payerBank: hostile,
  })
  const { suspected } = await suspectedOn(gateway, accountId, {
    ...{ cents: 471_100n, payerName: hostile, payerAccount: hostile, purpose: hostile },
  })
  await browser.post(`/operator/transfers/${suspected}/take`)
  await browser.post(`/operator/transfers/${transfer}/take`)
  await browser.post(`/operator/deposits/${deposit}/take`)
  const _by = { personId: operator.person.id, email: operator.email, requestId: null }
  const proposals: string[] = []
  const context = officeContextOf(gateway)
  proposals.push(await askAs(context, operator, 'deposit.confirm', claimed, {}, hostile))
  const strict = { day: '500', month: '5000', open: '7', silent: '3' }
  await actAs(context, operator, 'account.limits', accountId, strict, hostile)
  await actAs(context, operator, 'requisite.limits', requisiteId, { min: '1', max: '90000' }, hostile)
  proposals.push(await askAs(context, operator, 'account.limits', accountId, { ...strict, day: '' }, hostile))
  proposals.push(
    await askAs(context, operator, 'requisite.limits', requisiteId, { min: '1', max: '' }, hostile),
  )
  const card = { kind: 'card', number: '4111111111111111', holder: hostile, bankName: hostile }
  const added = { account: accountId, ...card, min: '100', open: '3', confirmed: 'on' }
  proposals.push(await askAs(context, operator, 'requisite.add', null, added, hostile))
  const success = `https://shop.example/${hostile.replaceAll(/\s/g, '')}`
  for (const [act, texts] of [
    ['callback', { address: 'https://shop.example/x?a="b"' }],
    ['returns', { success, reject: '' }],
  ] as const)
    proposals.push(await askAs(context, admin, `merchant.${act}`, shop.merchant, texts, hostile))
  await browser.post(`/operator/approvals/${proposals.at(-2)}/refuse`, { reason: hostile })
  const aside = await transferTo(gateway, accountId, {
    ...{ cents: 1_234_567n, payerName: hostile, payerAccount: hostile, purpose: hostile },
  })
  await setAside(depositContextOf(gateway), { transferId: aside, actor: 'operator:test', reason: hostile })
  for (const merchantId of [null, shop.merchant])
    await addToList(gateway.db, {
      ...{ list: 'watch', kind: 'customer', value: hostile, reason: hostile, addedBy: hostile, merchantId },
    })
  const query = new URLSearchParams({ type: 'any_bank', currency: 'RUB', amount: '3000', customer: hostile })
  await saveMapping(gateway.db, 'some-bank', {
    encoding: 'utf-8',
    separator: ';',
    skipRows: 0,
    header: ['Дата', hostile, 'Сумма'],
    dateFormat: 'dd.mm.yyyy',
    account: '40702810300000000042',
    columns: { date: 0, amount: 2, purpose: [1] },
  })
  const csv = new Blob([`Дата;${hostile};\r\n01.02.2026;${hostile};1,00\r\n`])
  const fields = { mode: 'test', mapping: 'some-bank' }
  const { location: upload } = await browser.upload('/operator/statements/upload', fields, csv, hostile)
  const source = await addSource(gateway.db, { name: hostile, mode: 'test', accounts: [accountId] })
  const entry = await gateway.db.one<{ id: string }>(sql`select id from list_entries limit 1`)
  const outgoing = oneCOf([{ cents: 120_000n, purpose: hostile, number: '201', out: true }])
  const { statement } = await importBytes(depositContextOf(gateway), outgoing, { name: hostile, by: hostile })
  const [row] = await gateway.database.owner.query<{ id: string }>(sql`
    insert into report_rows (statement_id, place, line, account_id, booked_on, cents, names, facts, parked_at)
    values (${statement}, 9, 9, ${accountId}, ${today()}, 41000, '{}', '{}', inlet_now())
    returning statement_id || ':' || place as id`)
  const rows = {
    ...{ approval: proposals[0]!, refund: aside, list: entry.id, merchant: shop.merchant },
    ...{ person: admin.person.id, audit: '1', 'payment-type': 'any_bank', source: source.id },
    ...{ account: accountId, requisite: requisiteId, deposit, transfer, mapping: 'some-bank' },
    ...{ day: `${accountId}:${today()}`, statement, parked: row!.id },
  }
  paths = [
    '/operator/overview',
    '/operator/overview?mode=live',
    '/operator',
    '/operator?kind=claimed',
    '/operator?kind=held',
    '/operator/held-days',
    `/operator/held-days/${accountId}:${today()}`,
    '/operator/parked',
    `/operator/parked?account=${accountId}&day=${today()}`,
    `/operator?account=${accountId}&amount=x&older=4&payer=${encodeURIComponent(hostile)}`,
    `/operator?merchant=${shop.merchant}&amount=1${encodeURIComponent('–')}9000`,
    `/operator/transfers/${suspected}`,
    `/operator/queue/transfers/${suspected}?payer=${encodeURIComponent(hostile)}`,
    `/operator/queue/deposits/${claimed}`,
    `/operator/transfers?payer=${encodeURIComponent(hostile)}`,
    `/operator/deposits?payer=${encodeURIComponent(hostile)}`,
    '/operator/deposits',
    '/operator/deposits?q=nothing',
    `/operator/deposits?created=${today()}&until=23:59&mode=test`,
    '/operator/deposits?confirmed=2026-02-28',
    '/operator/deposits?created=2026-02-30&until=25:00&mode=x',
    `/operator/deposits/${deposit}`,
    `/operator/deposits/${claimed}`,
    '/operator/transfers',
    `/operator/transfers?state=ambiguous&account=${accountId}`,
    '/operator/transfers?state=revoked',
    `/operator/transfers?state=money_in&day=${today()}&currency=RUB&mode=test`,
    '/operator/transfers?day=2026-02-30&currency=XXX&mode=x',
    `/operator/transfers/${transfer}`,
    '/operator/refunds?mode=live',
    `/operator/refunds/${aside}`,
    `/operator/lists/${entry!.id}`,
    '/operator/lists/add',
    `/operator/transfers/${suspected}/same`,
    `/operator/queue/transfers/${suspected}/same`,
    `/operator/deposits/${deposit}/note`,
    `/operator/parked/${row!.id}`,
    '/operator/approvals',
    ...proposals.map((id) => `/operator/approvals/${id}`),
    '/operator/reports',
    `/operator/reports?month=${today().slice(0, 7)}&mode=test`,
    '/operator/statements',
    `/operator/statements/${statement}`,
    `/operator/statements/${statement}/undo`,
    `/operator/statements/${statement}/go-on`,
    '/operator/statements/rows',
    `/operator/statements/rows?statement=${statement}`,
    '/operator/statements/upload',
    upload!,
    '/operator/statements/mappings',
    '/operator/statements/mappings/some-bank',
    '/operator/statements/mappings/some-bank/remove',
    `/operator/requisites?q=${encodeURIComponent(hostile)}&mode=test&currency=RUB&account=${accountId}`,
    `/operator/requisites/add?account=${accountId}&kind=phone`,
    `/operator/accounts?q=${encodeURIComponent(hostile)}&mode=test&currency=RUB`,
    '/operator/merchants',
    `/operator/merchants/${shop.merchant}`,
    `/operator/merchants/${shop.merchant}/why`,
    `/operator/merchants/${shop.merchant}/why?${query}`,
    `/operator/lists?q=${encodeURIComponent(hostile)}&ended=on`,
    '/operator/lists?q=nobody',
    '/operator/people',
    '/operator/settings',
    ...declaredPages(deskSections, '/operator', rows),
    '/operator/audit',
    '/operator/audit?check=on',
    '/operator/lists?q=%00',
    '/operator/deposits?q=%00%01',
    '/operator/people?notice=constructor',
    `/operator/refunds?after=2026-01-01T00:00:00.000Z_${'-'.repeat(36)}`,
  ]
})

test('every page of the desk is among these', () => {
  const missing = unopenedPages(gateway.policies, '/operator', paths)
  assert.deepEqual(missing, [], 'Add an address of each to `paths` above.')
})

for (const language of ['en', 'ru'] as const) {
  test(`every page is valid HTML and says something, and that it is live only if its route is, in ${language}`, async () => {
    await gateway.database.owner.query(sql`update people set language = ${language}`)
    const wrong: string[] = []
    for (const [place, path] of paths.entries()) {
      const { status, text } = await browser.get(path)
      assert.equal(status, 200, path)
      assert.deepEqual(misprintsOf(text), [], path)
      assert.doesNotMatch(text, /<script>alert/, path)
      assert.ok(text.includes(`<html lang="${language}">`), path)
      assert.equal(text.match(/<h1/g)?.length, 1, path)
      // The tags are the same in both languages.
      if ((place % 2 === 0) !== (language === 'ru')) continue
      for (const fault of await faultsOfHtml(text)) wrong.push(path + fault)
      const headers = { accept: 'text/event-stream', cookie: browser.cookie }
      const answer = await fetch(gateway.url + path, { headers })
      await answer.body?.cancel()
      const isLiveRoute = answer.headers.get('content-type')!.startsWith('text/event-stream')
      const isLivePage = text.includes('data-live="yes"')
      if (isLiveRoute !== isLivePage)
        wrong.push(isLivePage ? `${path}: make its route with live()` : `${path}: set isLive in its page`)
    }
    assert.deepEqual(wrong, [])
  })
}
