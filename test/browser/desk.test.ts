/**
 * The operator's desk in a real browser: its pages fit a phone and a desk in light and dark, break no policy and no
 * rule of accessibility. first-day.test.ts works there.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cancelDeposit, claimPayment } from '../../src/domain/deposits/change-deposit.ts'
import { rejectDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { sql } from '../../src/platform/db.ts'
import { presetsOf } from '../../src/surfaces/desk/queue/presets.ts'
import { accountOf, depositContextOf, transferTo } from '../support/bank.ts'
import { atEnd } from '../support/clean-up.ts'
import { type DeskScenes, deskScenes } from '../support/console-scenes.ts'
import {
  cutShort,
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
import { unopenedPages } from '../support/staff-pages.ts'

/** In npm test each page is seen in one look, in turn, and every fourth with axe; npm run test:browser sees all. */
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

test('every page of the desk is among the scenes', settings, () => {
  const missing = unopenedPages(gateway.policies, '/operator', Object.values(scenes.pages))
  assert.deepEqual(missing, [], 'Add an address of each to `pages` in test/support/console-scenes.ts.')
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
    const reasons = presetsOf(['confirm', 'reject'], 'en').map(({ key, text }) => `${key} ${text}`)
    // Reverse is there too, and cannot be pressed: nothing has been confirmed.
    assert.deepEqual(texts, ['N Next item', ...reasons, 'C Confirm deposit', 'R Reject deposit'])
    assert.deepEqual(await faultsOf(page), [])
    assert.deepEqual(await sheet(pages.settings!), [])
  })
})

test('at 1280 px nothing that can be chosen is cut short, in both languages', settings, async () => {
  const { admin, pages } = scenes
  const wrong: string[] = []
  for (const [turn, language] of ['ru', 'en'].entries()) {
    await admin.browser.post('/account/preferences', { language, zone: 'Asia/Tashkent' })
    await visit(gateway, { ...desk, cookie: admin.browser.cookie }, async (page) => {
      for (const [place, path] of Object.values(pages).entries()) {
        if (!isWhole && place % 2 !== turn) continue
        await page.goto(gateway.url + path)
        wrong.push(...(await cutShort(page)).map((text) => `${language} ${text}`))
      }
    })
  }
  assert.deepEqual(wrong, [])
})

test('the palette leads to a section, or to a deposit by its order', settings, async () => {
  const { body } = await scenes.shop.create({ order_id: 'palette-17', cents: 1_818_100 })
  await visit(gateway, { ...desk, cookie: scenes.admin.browser.cookie }, async (page) => {
    await page.goto(`${gateway.url}/operator/merchants`)
    await page.keyboard.press('Control+k')
    await page.locator('#palette-text').fill('refu')
    assert.deepEqual(await page.locator('#palette-list a').allTextContents(), [
      'Refunds',
      'Find deposit “refu”',
    ])
    await page.locator('#palette-text').fill('palette-17')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${gateway.url}/operator/deposits?q=palette-17`)
    assert.equal(await page.locator(`tbody a[href$="/deposits/${body.id}"]`).count(), 1)
  })
})

test('the navigation collapses to icons, and stays so, with scripts and without', settings, async () => {
  const cookie = scenes.admin.browser.cookie
  for (const javaScriptEnabled of [true, false])
    await visit(gateway, { ...desk, javaScriptEnabled, cookie }, async (page) => {
      const width = () => page.locator('.rail').evaluate((rail) => rail.clientWidth)
      const word = page.locator('.rail nav a', { hasText: 'Deposits' }).locator('span')
      await page.goto(`${gateway.url}/operator/deposits?state=created`)
      assert.equal(await width(), 239)
      const press = async (name: string) => {
        const answered = page.waitForResponse(/\/account\/rail$/)
        await page.getByRole('button', { name }).click()
        await answered
      }
      await press('Collapse menu')
      await page.getByRole('button', { name: 'Expand menu' }).waitFor()
      assert.equal(new URL(page.url()).search, '?state=created')
      for (const path of ['/operator/deposits?state=created', '/operator/merchants', '/account']) {
        await page.goto(gateway.url + path)
        assert.equal(await width(), 63)
        if (javaScriptEnabled) assert.deepEqual(await faultsOf(page), [])
      }
      await page.goto(`${gateway.url}/operator/merchants`)
      assert.equal((await word.boundingBox())!.width, 1)
      await page.getByRole('link', { name: 'Deposits', exact: true }).hover()
      assert.ok((await word.boundingBox())!.width > 40, 'the icon that is pointed at has no name')
      await press('Expand menu')
      await page.getByRole('button', { name: 'Collapse menu' }).waitFor()
      assert.equal(await width(), 239)
    })
})

test(
  'on a phone nothing in a row is drawn over anything else, however long the names are',
  settings,
  async () => {
    const { database } = gateway
    const long = 'Чайный дом «Пример» у вокзала'
    await database.owner.query(sql`update merchants set name = ${long} where id = ${scenes.shop.merchant}`)
    await visit(gateway, { ...phone, cookie: scenes.admin.browser.cookie }, async (page) => {
      const briefs = ['/refunds', '/merchants', '/sources', '/people']
      for (const path of ['/deposits', '/transfers', '/requisites', '/accounts', '/audit', '', ...briefs]) {
        await page.goto(`${gateway.url}/operator${path}`)
        assert.ok((await page.locator('tbody tr').count()) > 0, path)
        assert.deepEqual(await page.evaluate(overlaps), [], path)
      }
    })
  },
)

test('on a phone a row of a list of facts takes four lines at most', settings, async () => {
  await visit(gateway, { ...phone, cookie: scenes.admin.browser.cookie }, async (page) => {
    const lists = ['/merchants', '/people', '/approvals', '/statements']
    for (const path of lists) {
      await page.goto(`${gateway.url}/operator${path}`)
      const lines = await page.locator('.facts').first().evaluate(linesOfRows)
      assert.deepEqual(
        lines.filter(([, count]) => count > 4),
        [],
        path,
      )
    }
  })
})

/** How many lines the words of each row are on: what begins within half a line of something is beside it. */
function linesOfRows(list: Element): [text: string, lines: number][] {
  return [...list.querySelectorAll('tbody tr')].map((row) => {
    const words = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    const tops: number[] = []
    while (words.nextNode()) {
      range.selectNodeContents(words.currentNode)
      for (const { top, width, height } of range.getClientRects()) if (width > 1) tops.push(top + height / 2)
    }
    tops.sort((a, b) => a - b)
    const lines = tops.filter((top, place) => place === 0 || top - tops[place - 1]! > 9).length
    return [row.textContent!.replace(/\s+/g, ' ').trim(), lines]
  })
}

/** Cells of a row whose words meet, and lists that are wider than their frame. */
function overlaps(): string[] {
  const rectsOf = (cell: Element) => {
    const range = document.createRange()
    range.selectNodeContents(cell)
    return [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
  }
  const meet = (one: DOMRect, other: DOMRect) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3
  const rows = [...document.querySelectorAll('.list tbody tr')].flatMap((row) => {
    const cells = [...row.children].map((cell) => ({ cell, rects: rectsOf(cell) }))
    return cells.flatMap(({ cell, rects }, place) =>
      cells
        .slice(place + 1)
        .filter((other) => rects.some((one) => other.rects.some((two) => meet(one, two))))
        .map((other) => `${cell.textContent!.trim()} | ${other.cell.textContent!.trim()}`),
    )
  })
  const wide = [...document.querySelectorAll('.scroll')].filter(
    (list) => list.scrollWidth > list.clientWidth + 1,
  )
  return [...rows, ...wide.map((list) => `too wide: ${list.getAttribute('aria-label')}`)]
}

test('a file input is in the language of the page, and shows the name of the file', settings, async () => {
  const { admin } = scenes
  await admin.browser.post('/account/preferences', { language: 'ru', zone: 'Asia/Tashkent' })
  await visit(gateway, { ...desk, cookie: admin.browser.cookie }, async (page) => {
    await page.goto(`${gateway.url}/operator/statements`)
    const face = page.locator('.file-face')
    assert.equal(await face.innerText(), 'Выбрать файл\nФайл не выбран')
    await page
      .locator('#file')
      .setInputFiles({ name: 'november.csv', mimeType: 'text/csv', buffer: Buffer.from('a;b') })
    assert.equal(await face.innerText(), 'Выбрать файл\nnovember.csv')
    assert.deepEqual(await faultsOf(page), [])
  })
  await admin.browser.post('/account/preferences', { language: 'en', zone: 'Asia/Tashkent' })
})

for (const [turn, [name, look]] of looks.entries()) {
  test(`pages fit ${name}, break no policy and no rule of axe`, settings, async () => {
    const { admin, pages } = scenes
    await visit(gateway, { ...look, cookie: admin.browser.cookie }, async (page) => {
      const wrong: string[] = []
      for (const [place, path] of Object.values(pages).entries()) {
        if (!isWhole && place % looks.length !== turn) continue
        await page.goto(gateway.url + path)
        const withAxe = isWhole || place % (4 * looks.length) < looks.length
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
    // The legend says which line is which; the values show while somebody points at the chart.
    assert.equal(await page.locator('.chart .legend').isVisible(), true)
    await page.mouse.move(0, 0)
    assert.equal(await page.locator('.uplot .u-legend').isVisible(), false)
    await page.locator('.uplot .u-over').hover()
    assert.equal(await page.locator('.uplot .u-legend').isVisible(), true)
    const made = () =>
      page
        .locator('[data-flow] details tbody tr td:nth-child(2)')
        .evaluateAll((cells) => cells.reduce((sum, cell) => sum + Number(cell.textContent), 0))
    const before = await made()
    await shop.create()
    for (let tries = 0; (await made()) === before && tries < 600; tries++) await page.waitForTimeout(100)
    assert.equal(await made(), before + 1)
    assert.equal(await page.locator('.uplot').count(), 1)
  })
})

test(
  'what a person has begun to write is sent as they wrote it, whatever happens meanwhile',
  settings,
  async () => {
    const shop = await openShop(gateway)
    const { admin } = scenes
    const [a, b, c] = await Promise.all(
      ['A', 'B', 'C'].map(
        async (order_id) => (await shop.create({ order_id, cents: 1_500_050 })).body.id as string,
      ),
    )
    const accountId = await accountOf(gateway, a!)
    const transfer = await transferTo(gateway, accountId, { cents: 1_500_050n, purpose: 'Перевод' })
    await admin.browser.post(`/operator/transfers/${transfer}/take`)
    await visit(gateway, { ...desk, cookie: admin.browser.cookie }, async (page) => {
      await page.goto(`${gateway.url}/operator/transfers/${transfer}`)
      await page.locator(`#candidate-${b}`).check()
      await page.locator('#reason').fill('The payer says B')
      await page.locator('#reason').blur()
      // Another page of the same person shows when the change has reached the browser.
      const other = await page.context().newPage()
      await other.goto(`${gateway.url}/operator/transfers/${transfer}`)
      await cancelDeposit(depositContextOf(gateway), {
        depositId: a!,
        merchantId: shop.merchant,
        actor: 'merchant',
      })
      await other.locator(`.choice:nth-of-type(1) #candidate-${a}`).waitFor({ state: 'detached' })
      assert.ok(await page.locator(`#candidate-${b}`).isChecked())
      await page.getByRole('button', { name: /^Match/ }).click()
      await page
        .getByText(`…${b!.slice(-8)}`)
        .first()
        .waitFor()
      assert.equal(await page.getByText(`…${c!.slice(-8)}`).count(), 0)
    })
  },
)

test(
  'rows that go leave the focus where it is, and the button that holds the page still',
  settings,
  async () => {
    const shop = await openShop(gateway)
    const ids: string[] = []
    for (const cents of [2_000_000, 2_000_100, 2_000_200]) {
      const { body } = await shop.create({ cents })
      ids.push(body.id)
      await claimPayment(depositContextOf(gateway), { depositId: body.id, actor: 'customer' })
    }
    await visit(gateway, { ...desk, cookie: scenes.admin.browser.cookie }, async (page) => {
      await page.goto(`${gateway.url}/operator?kind=claimed`)
      const row = (id: string) => page.locator(`tbody a[href*="/deposits/${id}"]`)
      await row(ids[2]!).focus()
      await rejectDeposit(depositContextOf(gateway), {
        depositId: ids[0]!,
        actor: 'operator:test',
        reason: 'test',
      })
      await row(ids[0]!).waitFor({ state: 'detached' })
      assert.ok(await row(ids[2]!).evaluate((link) => link === document.activeElement))
      for (const depositId of ids.slice(1))
        await rejectDeposit(depositContextOf(gateway), { depositId, actor: 'operator:test', reason: 'test' })
      await row(ids[2]!).waitFor({ state: 'detached' })
      assert.equal(await page.getByRole('button', { name: 'Live', exact: true }).count(), 1)
    })
  },
)
