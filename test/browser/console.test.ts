/**
 * The merchant's console in a real browser: its pages fit a phone and a desk, in light and dark, in both languages, and
 * break no policy and no rule of accessibility; what a merchant does on its first day works with scripts and without.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { confirmDeposit } from '../../src/domain/deposits/change-deposit.ts'
import { clipboardText } from '../support/browser.ts'
import { atEnd } from '../support/clean-up.ts'
import { consolePages } from '../support/console-scenes.ts'
import {
  cutShort,
  desk,
  faultsOf,
  follow,
  isWhole,
  opened,
  phone,
  press,
  settings,
  visit as visitAs,
} from '../support/console-visits.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { unopenedPages } from '../support/staff-pages.ts'

/**
 * Phone and desk, light and dark, and both languages occur once each. In npm test each page is opened in one of the looks, in
 * turn, and every fourth with axe; npm run test:browser opens each page in all of them.
 */
const looks = [
  { ...phone, language: 'ru' },
  { ...desk, language: 'en' },
]

let gateway: TestGateway
let shop: Shop
let receiver: Receiver
let owner: Awaited<ReturnType<typeof joined>>
let first: string
let pages: string[]
before(async () => {
  gateway = await startGateway().finally(() => {
    if (opened) atEnd(opened.close)
  })
  receiver = await startReceiver()
  shop = await openShop(gateway)
  owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  first = (await shop.create({ order_id: 'A-1', cents: 150_000 })).body.id
  pages = Object.values(await consolePages(gateway, shop.merchant, first))
})

const at = (path = '') => `${gateway.url}/console/${shop.merchant}${path}`

const visit = (options: BrowserContextOptions, look: (page: Page) => Promise<unknown>) =>
  visitAs(gateway, { ...options, cookie: owner.browser.cookie }, look)

test(
  `address, test call, money, callback, sending it again: ${isWhole ? 'with scripts and ' : ''}without`,
  settings,
  async () => {
    for (const [place, javaScriptEnabled] of (isWhole ? [true, false] : [false]).entries()) {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(at('/settings/callback'))
        await page.getByLabel('Callback URL').fill(receiver.url(`/hook-${place}`))
        await press(page, 'Change the callback URL')
        await page.getByText('Callback URL saved.').waitFor()
        await page.goto(at('/callbacks'))
        await follow(page, 'Send test callback')
        await press(page, 'Send test callback')
        await page.getByText('This is what your server did.').waitFor()
        const { body } = await shop.create({ order_id: `W-${place}`, cents: 160_000 + place * 1_000 })
        await follow(page, 'Test bank')
        await page.getByLabel('Deposit ID or order ID').fill(`W-${place}`)
        await press(page, 'Run scenario')
        await page.getByText('Fulfil the order').waitFor()
        assert.ok(page.url().includes(body.id))
        await page.getByRole('link', { name: /^deposit\.confirmed/ }).click()
        await press(page, 'Send again')
        await page.getByText('Sending again.').waitFor()
        for (let tries = 0; receiver.of(`/hook-${place}`).length < 3 && tries < 600; tries++)
          await page.waitForTimeout(100)
        // The test call, the callback, and the callback once more.
        assert.equal(receiver.of(`/hook-${place}`).length, 3)
      })
    }
  },
)

test('a key is renewed in the browser, and copied', settings, async () => {
  await visit({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    await page.goto(at('/keys'))
    await follow(page, 'Create new key')
    await press(page, 'Create new key')
    await page
      .locator('.copied-id', { hasText: /sk_test_/ })
      .getByRole('button', { name: 'Copy', exact: true })
      .click()
    await page.getByText('Copied').waitFor()
    assert.match(await clipboardText(page), /^sk_test_/)
  })
})

test(
  'the merchant’s id can be copied on the first page and in the settings, also after a live update',
  settings,
  async () => {
    await visit({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      for (const path of ['', '/settings']) {
        await page.goto(at(path))
        if (path === '') {
          const { body } = await shop.create({ order_id: `ID-${Date.now()}` })
          await page.locator(`a[href$="/deposits/${body.id}"]`).waitFor()
        }
        await page.locator('main').getByRole('button', { name: 'Copy', exact: true }).first().click()
        await page.getByText('Copied').waitFor()
        assert.equal(await clipboardText(page), shop.merchant)
      }
    })
  },
)

test('the keyboard finds the search box, and the sheet of its keys', settings, async () => {
  await visit({}, async (page) => {
    await page.goto(at('/deposits'))
    await page.keyboard.press('/')
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'q')
    await page.keyboard.type('A-1')
    await page.keyboard.press('Enter')
    await page.getByText('A-1', { exact: true }).waitFor()
    await page.locator('#q').blur()
    await page.keyboard.press('?')
    assert.equal(await page.locator('dialog#keys').isVisible(), true)
    assert.deepEqual(await faultsOf(page), [])
  })
})

test('a live list keeps the focus, and stops updating while it is paused', settings, async () => {
  await visit({}, async (page) => {
    await page.goto(at('/deposits?q=customer-live'))
    const rows = page.locator('tbody tr')
    const make = (order_id: string) => shop.create({ order_id, customer: 'customer-live', cents: 170_000 })
    await make('L-1')
    await rows.nth(0).waitFor()
    await rows.nth(0).locator('a').first().focus()
    const reached = await page.evaluate(() => document.activeElement?.getAttribute('href'))
    await make('L-2')
    await rows.nth(1).waitFor()
    assert.deepEqual(await rows.locator('bdi').allTextContents(), ['L-2', 'L-1'])
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('href')), reached)
    // The list is not updated while a person types, but afterwards.
    await page.locator('#q').fill('customer')
    const { body } = await make('L-3')
    await page.waitForTimeout(2_500)
    assert.equal(await rows.count(), 2)
    assert.equal(await page.locator('#q').inputValue(), 'customer')
    await page.locator('#q').blur()
    await rows.nth(2).waitFor()
    await press(page, 'Updates by itself')
    const context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
    await confirmDeposit(context, { depositId: body.id, actor: 'operator:test', reason: 'test' })
    await page.waitForTimeout(2_500)
    assert.equal(await rows.nth(0).getByText('confirmed').count(), 0)
    await press(page, 'Updates by itself')
    await rows.nth(0).getByText('confirmed').waitFor()
  })
})

test('a page whose session has ended shows that it is no longer live', settings, async () => {
  const { browser } = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  await visitAs(gateway, { cookie: browser.cookie }, async (page) => {
    await page.goto(at())
    const live = page.getByRole('button', { name: 'Updates by itself', exact: true })
    assert.equal(await live.getAttribute('aria-pressed'), 'true')
    await browser.post('/sign-out')
    await page.locator('[data-live][aria-pressed="false"]').waitFor()
  })
})

test('every page of the console is opened by these tests', settings, () => {
  const addresses = pages.map((path) => `/console/${shop.merchant}${path}`)
  const missing = unopenedPages(gateway.policies, '/console', addresses)
  assert.deepEqual(missing, [], 'Add an address of each to `consolePages` in test/support/console-scenes.ts.')
})

test('at 1280 px nothing that can be chosen is cut short, in both languages', settings, async () => {
  const wrong: string[] = []
  for (const [turn, language] of ['ru', 'en'].entries()) {
    await owner.browser.post('/account/preferences', { language, zone: 'Asia/Tashkent' })
    await visit(desk, async (page) => {
      for (const [place, path] of pages.entries()) {
        if (!isWhole && place % 2 !== turn) continue
        await page.goto(at(path))
        wrong.push(...(await cutShort(page)).map((text) => `${language} ${text}`))
      }
    })
  }
  assert.deepEqual(wrong, [])
})

test('every page fits, and breaks no rule of accessibility', settings, async () => {
  const wrong: string[] = []
  for (const [turn, { language, ...look }] of looks.entries()) {
    await owner.browser.post('/account/preferences', { language, zone: 'Asia/Tashkent' })
    await visit(look, async (page) => {
      for (const [place, path] of pages.entries()) {
        if (!isWhole && place % looks.length !== turn) continue
        await page.goto(at(path))
        wrong.push(...(await faultsOf(page, { withAxe: isWhole || place % 8 < looks.length })))
      }
    })
  }
  assert.deepEqual(wrong, [])
})
