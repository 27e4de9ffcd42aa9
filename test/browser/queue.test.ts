/**
 * Work at the queue in a real browser, on a phone and at a desk: a filter, ten items, a usual reason, one action; and a
 * payment that was reported twice, beside the first report.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '../../src/platform/db.ts'
import { presetText } from '../../src/surfaces/desk/queue/presets.ts'
import { accountOf, transferTo } from '../support/bank.ts'
import { atEnd } from '../support/clean-up.ts'
import { desk, faultsOf, type Look, opened, settings, visit } from '../support/console-visits.ts'
import { openShop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'
import { suspectedOn } from '../support/suspects.ts'

const looks: [name: string, look: Look][] = [
  ['a phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['a desk', desk],
]

let gateway: TestGateway
let accountId: string
let admin: Awaited<ReturnType<typeof joined>>
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } }).finally(() => {
    if (opened) atEnd(opened.close)
  })
  const shop = await openShop(gateway)
  admin = await joined(gateway, { operatorRole: 'admin' })
  await joined(gateway, { operatorRole: 'operator' })
  const { body } = await shop.create({ payment_type: 'account_number', cents: 250_000 })
  accountId = await accountOf(gateway, body.id)
})

const pictures = process.env.INLET_PICTURES
let amount = 40_000n
const purpose = 'Комиссия за ведение счёта по договору 17 от 03.11.2026, НДС не облагается'

for (const [name, look] of looks) {
  test(`filter, select ten, a usual reason, one action, on ${name}`, settings, async () => {
    const payerName = `ПАО «Банк» ${name}`
    const ids: string[] = []
    for (let count = 0; count < 10; count++)
      ids.push(await transferTo(gateway, accountId, { cents: ++amount, payerName, purpose }))
    const other = await transferTo(gateway, accountId, { cents: ++amount, payerName: 'ИВАНОВ ИВАН' })
    await visit(gateway, { ...look, cookie: admin.browser.cookie }, async (page) => {
      const picture = async (what: string) => {
        if (pictures) await page.screenshot({ path: `${pictures}/${what}-${look.viewport!.width}.png` })
      }
      await page.goto(`${gateway.url}/operator`)
      await page.keyboard.press('/')
      assert.ok(await page.locator('#payer').evaluate((field) => field === document.activeElement))
      await page.locator('#payer').fill(`банк» ${name}`)
      await page.locator('summary[data-key="f"]').click()
      await page.locator('#amount').fill('400–900')
      await picture('form')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: /^Remove filter Amount/ }).waitFor()
      assert.equal(await page.locator('tbody tr').count(), 10)
      assert.equal(await page.getByText(purpose).first().isVisible(), true)
      assert.equal(await page.getByText(payerName, { exact: true }).first().isVisible(), true)
      assert.deepEqual(await faultsOf(page), [])
      await picture('queue')

      await page.keyboard.press('j')
      await page.keyboard.press('x')
      assert.equal(await page.locator('.pick:checked').count(), 1)
      // Shortcut keys work after a click on a checkbox, but not inside a text field.
      await page.locator('.pick').nth(2).check()
      await page.keyboard.press('2')
      assert.equal(await page.locator('#reason').inputValue(), presetText('set_aside-2', 'en'))
      await page.locator('#reason').fill('')
      await page.keyboard.press('3')
      assert.equal(await page.locator('#reason').inputValue(), '3')
      await page.locator('#reason').fill('')
      await page.getByRole('button', { name: 'Select all shown' }).click()
      assert.equal(await page.locator('.pick:checked').count(), 10)
      await picture('selected')
      // A live update must not clear the checkboxes.
      await transferTo(gateway, accountId, { cents: ++amount, payerName, purpose: 'Позже' })
      await page.waitForTimeout(3_000)
      assert.equal(await page.locator('.pick:checked').count(), 10)
      await page.getByRole('link', { name: /^Continue with selected · 10/ }).click()
      // An action without a reason moves the focus to the reason.
      await page.getByRole('button', { name: 'Set aside', exact: true }).click()
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'reason')
      await page.locator('#reason').blur()
      await page.keyboard.press('1')
      assert.equal(await page.locator('#reason').inputValue(), presetText('set_aside-1', 'en'))
      await picture('several')
      assert.deepEqual(await faultsOf(page), [])
      await page.getByRole('button', { name: 'Set aside', exact: true }).click()
      await page.getByText('Done: 10 of 10.').waitFor()
      assert.deepEqual(await faultsOf(page), [])
      await picture('result')
      await page.getByRole('link', { name: 'Back to the queue' }).click()
      assert.equal(await page.locator('tbody tr').count(), 1)
    })
    const states = await gateway.db.query<{ id: string; state: string }>(
      sql`select id, state from transfers where id = any(${[...ids, other]}::uuid[])`,
    )
    for (const { id, state } of states) assert.equal(state, id === other ? 'unmatched' : 'set_aside')
  })

  test(
    `a payment that was reported twice is compared with the first report and decided, on ${name}`,
    settings,
    async () => {
      const facts = {
        cents: ++amount,
        payerName: 'ПЕТРОВ ПЁТР ПЕТРОВИЧ',
        payerAccount: '4081…0777',
        payerBank: 'ПАО Сбербанк',
        purpose: 'Оплата по счёту 117',
      }
      const { known, suspected } = await suspectedOn(gateway, accountId, facts)
      await visit(gateway, { ...look, cookie: admin.browser.cookie }, async (page) => {
        await page.goto(`${gateway.url}/operator/transfers/${suspected}`)
        await page.keyboard.press('t')
        await page.getByText('The item is assigned to you').waitFor()
        const [mine, other] = await page.locator('.side').all()
        const boxes = [await mine!.boundingBox(), await other!.boundingBox()] as const
        if (look.viewport!.width < 768) assert.ok(boxes[1]!.y >= boxes[0]!.y + boxes[0]!.height)
        else assert.equal(boxes[0]!.y, boxes[1]!.y)
        assert.ok(boxes[0]!.y < look.viewport!.height)
        if (pictures)
          for (const fullPage of [false, true])
            await page.screenshot({
              path: `${pictures}/sides-${look.viewport!.width}${fullPage ? '-full' : ''}.png`,
              fullPage,
            })
        assert.deepEqual(await faultsOf(page), [])
        await page.keyboard.press('1')
        assert.equal(await page.locator('#reason').inputValue(), presetText('duplicate-1', 'en'))
        // Two keys in a row: one for the reason, one for the action.
        await page.keyboard.press('d')
        await page.getByText('marked as a duplicate').waitFor()
        assert.deepEqual(await faultsOf(page), [])
      })
      const [row] = await gateway.db.query<{ state: string; duplicate_of: string }>(
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
    await page.keyboard.press('j')
    await Promise.all([page.waitForURL('**/operator/transfers/*'), page.keyboard.press('Enter')])
    for (let turn = 0; turn < 3; turn++) {
      const here = page.url()
      seen.push(new URL(here).pathname.split('/').at(-1)!)
      assert.equal(new URL(here).searchParams.get('queue'), 'payer=nur')
      await Promise.all([page.waitForURL((url) => url.href !== here), page.keyboard.press('n')])
    }
    assert.deepEqual(seen.sort(), ids.sort())
  })
})

test(
  'a row opens beside its list where there is room, and on its own page at the second press',
  settings,
  async () => {
    const payerName = 'Beside the list'
    for (let count = 0; count < 2; count++)
      await transferTo(gateway, accountId, { cents: ++amount, payerName })
    const wide = { ...desk, viewport: { width: 1600, height: 900 } }
    await visit(gateway, { ...wide, cookie: admin.browser.cookie }, async (page) => {
      await page.goto(`${gateway.url}/operator?payer=beside`)
      const preview = page.getByRole('complementary', { name: 'Row preview' })
      const [first, second] = [page.locator('tbody th a').nth(0), page.locator('tbody th a').nth(1)]
      await first.click()
      await preview.getByRole('heading', { level: 1 }).waitFor()
      assert.match(await preview.innerText(), /Beside the list/)
      // The preview is read-only: money is decided on the page of the item.
      assert.equal(await preview.locator('form').count(), 0)
      assert.deepEqual(await faultsOf(page), [])
      const shown = await preview.getByRole('heading', { level: 1 }).innerText()
      await page.keyboard.press('j')
      await page.waitForFunction(
        (before) => document.querySelector('.preview h1')?.textContent !== before,
        shown,
      )
      await page.getByRole('button', { name: 'Close preview' }).click()
      assert.equal(await preview.count(), 0)
      await second.click()
      await preview.waitFor()
      await second.click()
      await page.waitForURL(/\/operator\/transfers\//)
    })
  },
)

test('filter, select and decide without scripts', settings, async () => {
  const payerName = 'Without scripts'
  const ids = [
    await transferTo(gateway, accountId, { cents: ++amount, payerName }),
    await transferTo(gateway, accountId, { cents: ++amount, payerName }),
  ]
  await visit(gateway, { ...desk, javaScriptEnabled: false, cookie: admin.browser.cookie }, async (page) => {
    await page.goto(`${gateway.url}/operator`)
    await page.locator('#payer').fill('without')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    assert.equal(await page.locator('tbody tr').count(), 2)
    for (const id of ids) await page.locator(`input[name="transfer:${id}"]`).check()
    await page.getByLabel('Bank fee or interest.').check()
    await page.getByRole('button', { name: 'Set aside', exact: true }).click()
    assert.equal(await page.getByText('Done: 2 of 2.').count(), 1)
  })
})
