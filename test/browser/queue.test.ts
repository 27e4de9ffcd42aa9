/**
 * Work at the queue in a real browser, on a phone and at a desk: a filter, an item, a candidate, and the next item; and a
 * payment that was reported twice, beside the first report.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '../../src/platform/db.ts'
import { accountOf, transferTo } from '../support/bank.ts'
import { atEnd } from '../support/clean-up.ts'
import { desk, faultsOf, type Look, opened, settings, visit } from '../support/console-visits.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'
import { suspectedOn } from '../support/suspects.ts'

const looks: [name: string, look: Look][] = [
  ['a phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['a desk', desk],
]

let gateway: TestGateway
let shop: Shop
let accountId: string
let admin: Awaited<ReturnType<typeof joined>>
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } }).finally(() => {
    if (opened) atEnd(opened.close)
  })
  shop = await openShop(gateway)
  admin = await joined(gateway, { operatorRole: 'admin' })
  accountId = await accountOf(gateway, await created(250_000))
})

const created = async (cents: number): Promise<string> =>
  (await shop.create({ payment_type: 'account_number', cents })).body.id
let amount = 40_000n
const purpose = 'Оплата заказа по договору 17 от 03.11.2026'
const stateOf = async (id: string) =>
  (await gateway.db.one<{ state: string }>(sql`select state from transfers where id = ${id}`)).state

for (const [name, look] of looks) {
  test(`filter, open, match in two clicks, and go on to the next, on ${name}`, settings, async () => {
    const payerName = `ПАО «Банк» ${name}`
    const ids: string[] = []
    for (let count = 0; count < 2; count++) {
      for (let twice = 0; twice < 2; twice++) await created(Number(amount + 1n))
      ids.push(await transferTo(gateway, accountId, { cents: ++amount, payerName, purpose }))
    }
    await visit(gateway, { ...look, cookie: admin.browser.cookie }, async (page) => {
      await page.goto(`${gateway.url}/operator`)
      await page.keyboard.press('/')
      assert.ok(await page.locator('#payer').evaluate((field) => field === document.activeElement))
      await page.locator('#payer').fill(`банк» ${name}`)
      await page.keyboard.press('Enter')
      await page.waitForURL('**payer=**')
      assert.equal(await page.locator('.items li').count(), 2)
      assert.deepEqual(await faultsOf(page), [])
      await page.locator('.items a').first().click()
      await page.waitForURL(`**/queue/transfers/${ids[0]}**`)
      assert.deepEqual(await faultsOf(page), [])
      await page.getByRole('button', { name: 'Match', exact: true }).first().click()
      await page.waitForURL(`**/queue/transfers/${ids[1]}**`)
      await page.getByText('Transfer matched to the deposit.').waitFor()
      assert.deepEqual(await faultsOf(page), [])
    })
    assert.deepEqual(await Promise.all(ids.map(stateOf)), ['matched', 'ambiguous'])
  })

  test(
    `a payment that was reported twice is compared with the first report, on ${name}`,
    settings,
    async () => {
      const facts = { cents: ++amount, payerName: 'ПЕТРОВ ПЁТР ПЕТРОВИЧ', payerAccount: '4081…0777' }
      const { known, suspected } = await suspectedOn(gateway, accountId, facts)
      await visit(gateway, { ...look, cookie: admin.browser.cookie }, async (page) => {
        await page.goto(`${gateway.url}/operator/queue/transfers/${suspected}`)
        await page.getByText('Is it a payment that is known already?').first().waitFor()
        assert.deepEqual(await faultsOf(page), [])
        await page.locator('summary', { hasText: 'The same payment' }).click()
        await page.locator('#same-reason').fill('Same payment in another statement.')
        await page.getByRole('button', { name: 'The same payment', exact: true }).click()
        await page.getByText('Marked as the same payment.').waitFor()
      })
      const row = await gateway.db.one<{ state: string; duplicate_of: string }>(
        sql`select state, duplicate_of from transfers where id = ${suspected}`,
      )
      assert.deepEqual(row, { state: 'duplicate', duplicate_of: known })
    },
  )
}

test('N goes from item to item inside the filter, but types a letter in a text field', settings, async () => {
  const payerName = 'ТОО «Nur»'
  const ids: string[] = []
  for (let count = 0; count < 3; count++) {
    ids.push(await transferTo(gateway, accountId, { cents: ++amount, payerName, purpose }))
    await transferTo(gateway, accountId, { cents: ++amount, payerName: 'ИВАНОВ ИВАН', purpose })
  }
  await visit(gateway, { ...desk, cookie: admin.browser.cookie }, async (page) => {
    await page.goto(`${gateway.url}/operator`)
    await page.locator('#payer').pressSequentially('nur')
    assert.equal(await page.locator('#payer').inputValue(), 'nur')
    await Promise.all([page.waitForURL('**payer=nur**'), page.keyboard.press('Enter')])
    const seen: string[] = []
    for (let turn = 0; turn < 3; turn++) {
      const here = page.url()
      await Promise.all([page.waitForURL((url) => url.href !== here), page.keyboard.press('n')])
      const { pathname, searchParams } = new URL(page.url())
      assert.equal(searchParams.get('payer'), 'nur')
      seen.push(pathname.split('/').at(-1)!)
    }
    assert.deepEqual(seen.sort(), ids.sort())
  })
})

test('find a deposit and match it without scripts', settings, async () => {
  const cents = ++amount
  const deposit = await created(Number(cents))
  const transfer = await transferTo(gateway, accountId, { cents: cents - 5n, payerName: 'Without scripts' })
  const { order } = await gateway.db.one<{ order: string }>(
    sql`select order_id as order from deposits where id = ${deposit}`,
  )
  await visit(gateway, { ...desk, javaScriptEnabled: false, cookie: admin.browser.cookie }, async (page) => {
    await page.goto(`${gateway.url}/operator/queue/transfers/${transfer}`)
    await page.locator('#find').fill(order)
    await page.getByRole('button', { name: 'Find another deposit' }).click()
    await page.locator(`#reason-${deposit}`).fill('The customer sent the receipt')
    await page.getByRole('button', { name: 'Match', exact: true }).last().click()
    await page.getByText('Transfer matched to the deposit.').waitFor()
  })
  assert.equal(await stateOf(transfer), 'matched')
})
