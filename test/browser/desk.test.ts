/**
 * The operator's desk in a real browser: its pages fit a phone and a desk in light and dark, break no policy and no
 * rule of accessibility. first-day.test.ts works there.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { atEnd } from '../support/clean-up.ts'
import { type DeskScenes, deskScenes } from '../support/console-scenes.ts'
import {
  desk,
  faultsOf,
  isWhole,
  type Look,
  opened,
  phone,
  settings,
  visit,
} from '../support/console-visits.ts'
import { openShop, startGateway, type TestGateway } from '../support/gateway.ts'

/** In npm test each page is seen in one look, in turn, and every other with axe; npm run test:browser sees all. */
const looks: [name: string, look: Look][] = [
  ['phone-light', { ...phone, colorScheme: 'light' }],
  ['phone-dark', phone],
  ['desk-light', desk],
  ['desk-dark', { ...desk, colorScheme: 'dark' }],
]

let gateway: TestGateway
let scenes: DeskScenes
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } }).finally(() => {
    if (opened) atEnd(opened.close)
  })
  scenes = await deskScenes(gateway)
})

test('the sheet of keys has those of the page, as its buttons have them', settings, async () => {
  const { admin, pages } = scenes
  await visit(gateway, { ...desk, cookie: admin.browser.cookie }, async (page) => {
    const sheet = async (path: string) => {
      await page.goto(gateway.url + path)
      await page.keyboard.press('?')
      assert.equal(await page.locator('dialog#keys').isVisible(), true)
      return page.locator('#own-keys:not([hidden]) + dl > div').allInnerTexts()
    }
    const texts = (await sheet(pages.deposit!)).map((text) => text.replace(/\s+/g, ' '))
    // Reverse is there too, and cannot be pressed: nothing has been confirmed.
    assert.deepEqual(texts, ['N Next item', 'C Confirm', 'R Reject'])
    assert.deepEqual(await faultsOf(page), [])
    assert.deepEqual(await sheet(pages.settings!), [])
  })
})

for (const [turn, [name, look]] of looks.entries()) {
  test(`pages fit ${name}, break no policy and no rule of axe`, settings, async () => {
    const { admin, pages } = scenes
    await visit(gateway, { ...look, cookie: admin.browser.cookie }, async (page) => {
      const wrong: string[] = []
      for (const [place, path] of Object.values(pages).entries()) {
        if (!isWhole && place % looks.length !== turn) continue
        await page.goto(gateway.url + path)
        const withAxe = isWhole || place % (2 * looks.length) < looks.length
        wrong.push(...(await faultsOf(page, { withAxe })))
      }
      assert.deepEqual(wrong, [])
    })
  })
}

test('the flow is drawn from its table, and drawn again when something happens', settings, async () => {
  const shop = await openShop(gateway)
  await visit(gateway, { ...desk, cookie: scenes.admin.browser.cookie }, async (page) => {
    await page.goto(`${gateway.url}/operator/metrics`)
    await page.locator('.uplot canvas').waitFor()
    assert.equal(await page.locator('.chart .plot').isVisible(), false)
    const made = () =>
      page
        .locator('[data-flow] details tbody tr td:nth-child(2)')
        .evaluateAll((cells) => cells.reduce((sum, cell) => sum + Number(cell.textContent), 0))
    const before = await made()
    await shop.create()
    for (let tries = 0; (await made()) === before && tries < 100; tries++) await page.waitForTimeout(100)
    assert.equal(await made(), before + 1)
    assert.equal(await page.locator('.uplot').count(), 1)
  })
})
