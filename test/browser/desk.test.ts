/**
 * The operator's desk in a real browser: its pages fit a phone and a desk in light and dark, break no policy and no
 * rule of accessibility, and an item is worked off with the keyboard alone.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readTimeline } from '../../src/deposits/store.ts'
import { sql } from '../../src/platform/db.ts'
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
import { startGateway, type TestGateway } from '../support/gateway.ts'

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

test('the queue is worked off with the keyboard alone', settings, async () => {
  const { operator, transfer, deposits } = scenes
  await visit(gateway, { ...desk, cookie: operator.browser.cookie }, async (page) => {
    await page.goto(`${gateway.url}/operator?kind=ambiguous`)
    await page.keyboard.press('j')
    await Promise.all([page.waitForURL(`**/operator/transfers/${transfer}`), page.keyboard.press('Enter')])
    await Promise.all([page.waitForURL('**?notice=taken'), page.keyboard.press('t')])
    await page.locator(`#candidate-${deposits[1]}`).focus()
    await page.keyboard.press('Space')
    // The key of an act asks for its reason first.
    await page.locator('h1').click()
    await page.keyboard.press('m')
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'reason')
    await page.keyboard.type('The customer sent the receipt')
    await Promise.all([page.waitForURL('**?notice=matched'), page.keyboard.press('Enter')])
    await Promise.all([page.waitForURL((url) => !url.pathname.includes(transfer)), page.keyboard.press('n')])
  })
  assert.equal((await readTimeline(gateway.db, deposits[1]!))!.deposit.state, 'confirmed')
  const [line] = await gateway.db.query<{ reason: string }>(
    sql`select reason from audit_entries where subject = ${`transfer:${transfer}`}`,
  )
  assert.equal(line!.reason, 'The customer sent the receipt')
})
