/** A merchant brands its payment page in a real browser, and customers see it, in light and dark. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { contrast, shadesOf } from '../../src/surfaces/web/accent.ts'
import { atEnd } from '../support/clean-up.ts'
import { desk, faultsOf, follow, opened, phone, press, settings, visit } from '../support/console-visits.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'
import { writePicture } from '../support/picture.ts'

let gateway: TestGateway
let shop: Shop
let cookie: string
let page: string
before(async () => {
  gateway = await startGateway().finally(() => {
    if (opened) atEnd(opened.close)
  })
  shop = await openShop(gateway)
  cookie = (await joined(gateway, { merchantId: shop.merchant, role: 'owner' })).browser.cookie
  page = (await shop.create({})).body.payment_data.url
})

/** Black letters on nothing, as wide as a logo may be. */
const rgba = new Uint8Array(480 * 120 * 4)
for (let at = 0; at < rgba.length; at += 16) rgba.set([0, 0, 0, 255], at)
const logo = {
  name: 'logo.png',
  mimeType: 'image/png',
  buffer: writePicture({ width: 480, height: 120, data: rgba }),
}
const settingsAt = () => `${gateway.url}/console/${shop.merchant}/settings`

const coloursOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { backgroundColor, color, borderTopColor, borderTopWidth } = getComputedStyle(element)
      return { backgroundColor, color, borderTopColor, borderTopWidth }
    })
const rgb = (colour: string) =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)).join(', ')})`

test('the preview follows colour and logo at once; what is saved is what it showed', settings, async () => {
  await visit(gateway, { ...desk, cookie }, async (page) => {
    await page.goto(settingsAt())
    await follow(page, 'Branding')
    const button = (theme: string) => page.locator(`[data-preview="${theme}"] [data-stroke]`)
    assert.equal(await button('light').getAttribute('fill'), '#0a5c55')
    // The preview follows by a script.
    await page.waitForLoadState()
    await page.getByLabel('Colour', { exact: true }).fill('#0a1a4a')
    const { light, dark } = shadesOf('#0a1a4a')
    assert.equal(await button('light').getAttribute('fill'), light.fill)
    assert.equal(await button('dark').getAttribute('fill'), dark.fill)
    assert.ok(contrast(dark.edge, '#101513') >= 3)
    await page.getByLabel('Choose colour').fill('#ffdd2d')
    assert.equal(await page.getByLabel('Colour', { exact: true }).inputValue(), '#ffdd2d')
    assert.equal(await button('light').getAttribute('stroke'), shadesOf('#ffdd2d').light.edge)
    await page.getByLabel('Logo', { exact: true }).setInputFiles(logo)
    await page.locator('[data-preview="dark"] image[href^="data:image/png"]').waitFor()
    assert.equal(
      await page.locator('[data-preview="dark"] [data-plate]').getAttribute('visibility'),
      'visible',
    )
    assert.equal(
      await page.locator('[data-preview="light"] [data-plate]').getAttribute('visibility'),
      'hidden',
    )
    assert.deepEqual(await faultsOf(page), [])
    await press(page, 'Save')
    await page.getByText('The payment page has the new look.').waitFor()
    // Without a script the server draws the same.
    assert.equal(
      await page.locator('[data-preview="dark"] [data-plate]').getAttribute('visibility'),
      'visible',
    )
    assert.equal(await page.locator('[data-preview="light"] image').getAttribute('width'), '160')
  })
})

for (const look of [phone, desk])
  test(
    `customers see logo and colour: ${look.colorScheme}, ${look.viewport!.width} pixels`,
    settings,
    async () => {
      await visit(gateway, look, async (browsed) => {
        const shade = shadesOf('#ffdd2d')[look.colorScheme as 'light' | 'dark']
        await browsed.goto(page)
        const { backgroundColor, color, borderTopColor } = await coloursOf(browsed, '.button.primary')
        assert.deepEqual(
          { backgroundColor, color, borderTopColor },
          { backgroundColor: rgb(shade.fill), color: rgb(shade.text), borderTopColor: rgb(shade.edge) },
        )
        const rule = await coloursOf(browsed, 'body')
        assert.deepEqual([rule.borderTopWidth, rule.borderTopColor], ['4px', rgb(shade.edge)])
        const image = browsed.locator('.shop img')
        assert.deepEqual(
          await image.evaluate((element: HTMLImageElement) => [
            element.complete,
            element.naturalWidth,
            element.alt,
          ]),
          [true, 480, ''],
        )
        // A dark logo stands on a plate in the dark.
        const { backgroundColor: plate } = await coloursOf(browsed, '.shop img')
        assert.equal(plate, look.colorScheme === 'dark' ? 'rgb(255, 255, 255)' : 'rgba(0, 0, 0, 0)')
        assert.deepEqual(await faultsOf(browsed), [])
      })
    },
  )

test('without scripts a logo is sent and removed', settings, async () => {
  await visit(gateway, { ...phone, cookie, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${settingsAt()}/branding`)
    assert.equal(await page.getByLabel('Choose colour').isVisible(), false)
    await page.getByLabel('Logo', { exact: true }).setInputFiles(logo)
    assert.deepEqual(await faultsOf(page), [])
    await page.getByLabel('Colour', { exact: true }).fill('')
    await press(page, 'Save')
    await page.getByText('The payment page has the new look.').waitFor()
    await press(page, 'Remove logo')
    await page.getByText('Logo removed from the payment page.').waitFor()
    assert.equal(await page.locator('image[href]').count(), 0)
  })
})
