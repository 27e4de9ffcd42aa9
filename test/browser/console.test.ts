/**
 * The merchant's console in a real browser: its pages fit a phone and a desk, in light and dark, in both languages, and
 * break no policy and no rule of accessibility; what a merchant does on its first day works with scripts and without.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { atEnd } from '../support/clean-up.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

const opened = await openBrowser()
const skip = opened ? false : 'no Chromium here; CHROME_PATH may name one'
const chromium = opened?.browser as Browser
const settings = { skip, timeout: 600_000 }
/** In npm test each page is seen in one look, in turn, and every other with axe; npm run test:browser sees all. */
const isWhole = process.env.INLET_BROWSER === 'whole'

/** Each of a phone and a desk, light and dark, and the two languages once. */
const looks = [
  { viewport: { width: 360, height: 740 }, colorScheme: 'dark', language: 'ru' },
  { viewport: { width: 1280, height: 800 }, colorScheme: 'light', language: 'en' },
] as const

let gateway: TestGateway
let shop: Shop
let receiver: Receiver
let owner: Awaited<ReturnType<typeof joined>>
let first: string
before(async () => {
  gateway = await startGateway().finally(() => {
    if (opened) atEnd(opened.close)
  })
  receiver = await startReceiver()
  shop = await openShop(gateway)
  owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  first = (await shop.create({ order_id: 'A-1', cents: 150_000 })).body.id
})

const at = (path = '') => `${gateway.url}/console/${shop.merchant}${path}`

/** A browser that is signed in as the owner, and notes whatever a page must not do. */
async function visit(options: BrowserContextOptions, look: (page: Page) => Promise<unknown>): Promise<void> {
  const context = await chromium.newContext({ locale: 'en-GB', ...options })
  const complaints: string[] = []
  const [name, value] = owner.browser.cookie.split('=') as [string, string]
  await context.addCookies([{ name, value, url: gateway.url }])
  context.setDefaultTimeout(20_000)
  context.on('console', (message) => complaints.push(`console: ${message.text()}`))
  context.on('weberror', (error) => complaints.push(`error: ${error.error().message}`))
  context.on('request', (request) => {
    if (!request.url().startsWith(`${gateway.url}/`) && !request.url().startsWith('data:'))
      complaints.push(`elsewhere: ${request.url()}`)
  })
  try {
    await look(await context.newPage())
    assert.deepEqual(complaints, [])
  } finally {
    await context.close()
  }
}

const press = (page: Page, name: string) =>
  page.locator('main').getByRole('button', { name, exact: true }).click()
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()

test(
  'address, test call, money, callback, sending it again: with scripts and without',
  settings,
  async () => {
    for (const [place, javaScriptEnabled] of [true, false].entries()) {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(at())
        await follow(page, 'Callbacks')
        await follow(page, 'Change the address')
        await page.getByLabel('Callback address').fill(receiver.url(`/hook-${place}`))
        await press(page, 'Save')
        await page.getByText('The new address counts from now on.').waitFor()
        await press(page, 'Send a test')
        await page.getByText('The address answered 200').waitFor()
        const { body } = await shop.create({ order_id: `W-${place}`, cents: 160_000 + place * 1_000 })
        await follow(page, 'Test bank')
        await page.getByLabel('Our id or your order id').fill(`W-${place}`)
        await press(page, 'Do it')
        await page.getByText('deliver the order').waitFor()
        assert.ok(page.url().includes(body.id))
        await page.getByRole('link', { name: /^deposit\.confirmed/ }).click()
        await press(page, 'Send again')
        await page.getByText('It goes out again now.').waitFor()
        for (let tries = 0; receiver.of(`/hook-${place}`).length < 3 && tries < 100; tries++)
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
    await follow(page, 'Make a new key')
    await press(page, 'Make a new key')
    await press(page, 'Copy')
    await page.getByText('Copied').waitFor()
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^sk_test_/)
  })
})

test('the keyboard finds the search box, the rows and the sections', settings, async () => {
  await visit({}, async (page) => {
    await page.goto(at())
    await page.keyboard.press('/')
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'q')
    await page.keyboard.type('A-1')
    await page.keyboard.press('Enter')
    await page.getByText('A-1', { exact: true }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/deposits/${first}`)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('limit')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/limits')
  })
})

test('every page fits, and breaks no rule of accessibility', settings, async () => {
  const pages = [
    '',
    '?q=none',
    `/deposits/${first}`,
    '/charts',
    '/callbacks',
    '/callbacks/1',
    '/callbacks/address',
    '/callbacks/secret',
    '/events',
    '/keys',
    '/keys/new',
    '/limits',
    '/signature',
    '/bank',
    '/settings',
  ]
  const wrong: string[] = []
  for (const [turn, { language, ...look }] of looks.entries()) {
    await owner.browser.post('/account/preferences', { language, zone: 'Asia/Tashkent' })
    await visit(look, async (page) => {
      for (const [place, path] of pages.entries()) {
        if (!isWhole && place % looks.length !== turn) continue
        await page.goto(at(path))
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        if (width > look.viewport.width) wrong.push(`${path}: ${width} px of ${look.viewport.width}`)
        if (!isWhole && place % 4 >= looks.length) continue
        const { violations } = await new AxeBuilder({ page })
          .setLegacyMode(true)
          .options({
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
            resultTypes: ['violations'],
          })
          .analyze()
        for (const { id, nodes } of violations)
          wrong.push(`${path} ${look.viewport.width} ${look.colorScheme}: ${id} ${nodes[0]!.target}`)
      }
    })
  }
  assert.deepEqual(wrong, [])
})
