/**
 * The undo of an import in a real browser, on a phone and at a desk: one person uploads a file, takes it, finds that it was
 * the wrong one and asks for its undo; a second person approves it, and the first one sees that it is over.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { readTimeline } from '../../src/domain/deposits/read-store.ts'
import { atEnd } from '../support/clean-up.ts'
import { desk, faultsOf, isWhole, type Look, opened, settings, visit } from '../support/console-visits.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { oneCOf, type StatementRow, strangers } from '../support/one-c.ts'
import { joined } from '../support/person.ts'

const looks: [name: string, look: Look][] = [
  ['a phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['a desk', desk],
]

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let operator: Worker
let approver: Worker
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } }).finally(() => {
    if (opened) atEnd(opened.close)
  })
  shop = await openShop(gateway)
  operator = await joined(gateway, { operatorRole: 'operator' })
  approver = await joined(gateway, { operatorRole: 'approver' })
})

const pictures = process.env.INLET_PICTURES
let amount = 7_500_000

// In npm test it is walked once, on a phone, and each stop is looked at in the size of a desk too.
for (const [turn, [name, look]] of (isWhole ? looks : looks.slice(0, 1)).entries()) {
  test(`an import is undone by two people, on ${name}`, settings, async () => {
    const { body } = await shop.create({ cents: ++amount })
    const rows: StatementRow[] = [
      { cents: BigInt(amount), purpose: body.payment_data.payment_reason },
      ...strangers(3, 410_000 + turn * 10),
    ]
    // As banks name them: nothing in it where a line may end.
    const fileName = `kl_to_1c_40702810300000000042_2026-11-14_${turn + 1}.txt`
    const stateOf = async () => (await readTimeline(gateway.db, body.id))!.deposit.state

    /** A stop of the walk: nothing is too wide, and no rule of accessibility is broken. */
    const stop = async (page: Page, what: string) => {
      if (pictures)
        await page.screenshot({
          path: `${pictures}/undo-${what}-${look.viewport!.width}.png`,
          fullPage: true,
        })
      assert.deepEqual(await faultsOf(page), [])
      if (isWhole) return
      await page.setViewportSize(desk.viewport!)
      assert.deepEqual(await faultsOf(page, { withAxe: false }), [])
      await page.setViewportSize(look.viewport!)
    }

    let statement = ''
    await visit(gateway, { ...look, cookie: operator.browser.cookie }, async (page) => {
      await page.goto(`${gateway.url}/operator/statements/upload`)
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: fileName, mimeType: 'text/plain', buffer: oneCOf(rows, name) })
      await page.locator('input[type=file]').evaluate((field) => {
        const mode = (field as HTMLInputElement).form!.elements.namedItem('mode') as HTMLSelectElement
        mode.value = 'test'
      })
      await page.locator('form:has(input[type=file]) button[type=submit]').click()
      await page.getByText('Ready to import').first().waitFor()
      await stop(page, 'preview')
      await page.getByRole('button', { name: /^Import/ }).click()
      await page
        .getByText('Import result')
        .first()
        .waitFor()
        .catch(async () => assert.fail(`${page.url()}: ${await page.locator('main').innerText()}`))
      await stop(page, 'taken')
      assert.equal(await stateOf(), 'confirmed')

      await page.locator('main').getByRole('link', { name: 'Open the import report' }).click()
      await page.waitForURL(/\/operator\/statements\/[0-9a-f-]{36}$/)
      statement = page.url()
      await page.getByText('A second person must approve it.').waitFor()
      await stop(page, 'form')
      await page.locator('summary', { hasText: 'Undo import' }).click()
      // Without a reason nothing is sent.
      await page.getByRole('button', { name: 'Undo import' }).click()
      assert.equal(page.url(), statement)
      await page.locator('#undo-reason').fill('It is the file of another day')
      await page.getByRole('button', { name: 'Undo import' }).click()
      await page.waitForURL(/done=proposed/)
      await stop(page, 'asked')
      assert.equal(await stateOf(), 'confirmed')
      // Nobody approves what they have asked for.
      await page.locator('main a[href^="/operator/approvals/"]').first().click()
      await page.waitForURL(/\/operator\/approvals\/./)
      await stop(page, 'own-proposal')
      assert.equal(await page.getByRole('button', { name: /^Approve/ }).count(), 0)
    })
    await visit(gateway, { ...look, cookie: approver.browser.cookie }, async (page) => {
      await page.goto(`${gateway.url}/operator/approvals`)
      await page.locator('main table a').first().click()
      await page.waitForURL(/\/operator\/approvals\/./)
      await page.getByText(fileName).first().waitFor()
      await stop(page, 'proposal')
      await page.locator('#approve-reason').fill('I looked at the bank')
      await page.getByRole('button', { name: /^Approve/ }).click()
      await page.getByText('Approved.', { exact: true }).waitFor()
      await stop(page, 'approved')
    })
    await visit(gateway, { ...look, cookie: operator.browser.cookie }, async (page) => {
      await page.goto(statement)
      await page.getByText('Undone by').waitFor()
      await stop(page, 'over')
    })
    assert.equal(await stateOf(), 'reversed')
  })
}
