/**
 * The operator's desk in a real browser: its pages fit a phone and a desk in light and dark, break no policy and no
 * rule of accessibility. first-day.test.ts works there.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cancelDeposit, claimPayment } from '../../src/domain/deposits/change-deposit.ts'
import { rejectDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { sql } from '../../src/platform/db.ts'
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
        assert.ok((await page.locator('tbody tr, .items li').count()) > 0, `${path} is empty`)
        assert.deepEqual(await page.evaluate(overlaps), [], path)
      }
    })
  },
)

test('on a phone a row of a list takes four lines at most', settings, async () => {
  await visit(gateway, { ...phone, cookie: scenes.admin.browser.cookie }, async (page) => {
    const lists = ['/merchants', '/people', '/approvals', '/statements']
    for (const path of lists) {
      await page.goto(`${gateway.url}/operator${path}`)
      const lines = await page.locator('.rows').first().evaluate(linesOfRows)
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
  const rows = [...document.querySelectorAll('.rows tbody tr, .items a')].flatMap((row) => {
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
    await page.goto(`${gateway.url}/operator/statements/upload`)
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

test(
  'what a person has begun to write is sent as they wrote it, whatever happens meanwhile',
  settings,
  async () => {
    const shop = await openShop(gateway)
    const { admin } = scenes
    const [a, b] = await Promise.all(
      ['A', 'B'].map(
        async (order_id) => (await shop.create({ order_id, cents: 1_500_050 })).body.id as string,
      ),
    )
    const accountId = await accountOf(gateway, a!)
    const transfer = await transferTo(gateway, accountId, { cents: 1_500_050n, purpose: 'Перевод' })
    await admin.browser.post(`/operator/transfers/${transfer}/take`)
    await visit(gateway, { ...desk, cookie: admin.browser.cookie }, async (page) => {
      const path = `/operator/queue/transfers/${transfer}`
      await page.goto(gateway.url + path)
      await page.locator(`#reason-${b}`).fill('The payer says B')
      await page.locator(`#reason-${b}`).blur()
      // Another page of the same person shows when the change has reached the browser.
      const other = await page.context().newPage()
      await other.goto(gateway.url + path)
      await cancelDeposit(depositContextOf(gateway), {
        depositId: a!,
        merchantId: shop.merchant,
        actor: 'merchant',
      })
      await other.getByText('Canceled', { exact: true }).first().waitFor()
      assert.equal(await page.locator(`#reason-${b}`).inputValue(), 'The payer says B')
      const card = page.locator('form', { has: page.locator(`input[value="${b}"]`) })
      await card.getByRole('button', { name: 'Match', exact: true }).click()
      await page.waitForURL('**done=match**')
    })
    const matched = await gateway.db.one<{ deposit: string }>(
      sql`select deposit_id as deposit from allocations where transfer_id = ${transfer}`,
    )
    assert.equal(matched.deposit, b)
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
      const row = (id: string) => page.locator(`.items a[href*="/deposits/${id}"]`)
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
      assert.equal(await page.getByRole('button', { name: 'Updates by itself', exact: true }).count(), 1)
    })
  },
)
