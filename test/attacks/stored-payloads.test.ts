/**
 * Stored payloads: scripts, formulas, commands to terminals, marks that turn the reading around, lines for headers, in
 * every field that a merchant, its customer, a bank, a file or a member can fill; read back on every page, in every
 * export, in the log and on the command line. The whole suite reads the pages in a real browser.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { attacksOf, behindProxy, fromAnywhere, inTurns, isWhole } from '../support/attempts.ts'
import { openBrowser } from '../support/browser.ts'
import { atEnd } from '../support/clean-up.ts'
import { commandsOn, inlet } from '../support/command.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { type PayloadWorld, plant } from '../support/payload-world.ts'
import { commandsOfTerminals, formulasIn, injected, payloadNames, payloads } from '../support/payloads.ts'

const { attack, report } = attacksOf('stored payloads')

let gateway: TestGateway
let world: PayloadWorld
before(async () => {
  gateway = await startGateway({ environment: behindProxy })
  world = await plant(gateway, isWhole ? payloadNames : ['mixed'])
})

/** Everything that was read, to look for the marks: a payload that nobody shows proves nothing. */
let seen = ''

const read = async (path: string, cookie: string) => {
  const headers = { cookie, 'accept-encoding': 'identity', 'accept-language': 'en', ...fromAnywhere() }
  const response = await fetch(gateway.url + path, { headers, redirect: 'manual' })
  const text = await response.text()
  seen += text
  return { status: response.status, headers: response.headers, text }
}

attack('markup on the pages of console, desk, payment page and bill', async (note) => {
  const pages = world.pages.filter((_, place) => isWhole || place % 5 === 0)
  await inTurns(pages, async ({ path, cookie }) => {
    const { status, headers, text } = await read(path, cookie)
    assert.ok(status < 500 && status !== 429, `${path}: ${status}`)
    note(`${path}: ${injected(text)}`, injected(text) !== null)
    note(
      `a header of ${path}`,
      [...headers].some(([, value]) => value.includes('canary')),
    )
  })
  // Every text that was sent is an attempt, whether it was accepted or refused.
  for (const { field, payload } of world.planted) note(`${payload} in ${field}`, false)
})

test('control: most of the texts were taken, and every field of them is shown somewhere', async () => {
  for (const path of [`${world.base}/deposits/export.csv`]) await read(path, world.owner.browser.cookie)
  const taken = world.planted.filter(({ taken }) => taken)
  assert.ok(taken.length > world.planted.length / 3, `${taken.length} of ${world.planted.length} were taken`)
  const fields = new Set(taken.map(({ field }) => field))
  // Numbers of accounts and tax are kept masked or not shown; ids of a bank are for machines.
  for (const hidden of [
    'push payer_account',
    'push payer_tax_id',
    'push id',
    'callback_url',
    'reject_url',
    'push payer_bank',
    'push document_number',
  ])
    fields.delete(hidden)
  const unseen = [...fields].filter(
    (field) => !taken.some((payload) => payload.field === field && seen.includes(payload.mark)),
  )
  // The slice reads every fifth page.
  assert.deepEqual(isWhole ? unseen : unseen.slice(0, -8), [])
})

attack('formulas in every export', async (note) => {
  const exports: [path: string, cookie: string][] = [
    [`${world.base}/deposits/export.csv`, world.owner.browser.cookie],
    ['/operator/refunds/export.csv', world.admin.browser.cookie],
    ['/operator/audit/export.csv', world.admin.browser.cookie],
  ]
  for (const [path, cookie] of exports)
    for (const language of ['en', 'ru']) {
      const headers = { cookie, 'accept-language': language, ...fromAnywhere() }
      const response = await fetch(gateway.url + path, { headers })
      const text = (await response.text()).replace(/^\ufeff/, '')
      assert.equal(response.status, 200)
      assert.ok(text.split('\n').length > 3, `${path} is not empty`)
      for (const separator of [',', ';'] as const)
        note(
          `${path} in ${language} read with "${separator}": ${formulasIn(text, separator)[0]}`,
          formulasIn(text, separator).length > 0,
        )
    }
})

attack('commands to a terminal in the log and on the command line', async (note) => {
  for (const line of gateway.logged) {
    if (commandsOfTerminals(line.trimEnd()).length > 0) note(`log: ${JSON.stringify(line)}`, true)
    if (line.trimEnd().includes('\n')) note(`a line in a line of the log: ${line}`, true)
  }
  note(
    'the log',
    world.planted.some(({ mark }) => gateway.logged.some((line) => line.includes(`canary('${mark}`))),
  )
  await commandsOn(gateway)
  const commands = [
    ...[
      `deposit list --merchant ${world.shop.merchant}`,
      `deposit show ${world.deposits[0]}`,
      'transfer list',
      'refund list',
      'list show',
    ],
    ...[
      'merchant list',
      'account list',
      'requisite list',
      'source list',
      'person list',
      'audit list',
      'statement list',
    ],
    ...[
      `callback list --merchant ${world.shop.merchant}`,
      'payment-type list',
      `key list --merchant ${world.shop.merchant}`,
    ],
  ]
  let worked = 0
  const chosen = isWhole ? commands : commands.slice(0, 3)
  for (const command of chosen)
    for (const words of [command.split(' '), [...command.split(' '), '--json']]) {
      const { code, stdout, stderr } = await inlet(...words)
      if (code === 0) worked++
      const found = commandsOfTerminals(stdout + stderr)
      note(`inlet ${words.join(' ')}: ${found[0]}`, found.length > 0)
    }
  assert.ok(worked >= chosen.length, `${worked} commands worked`)
})

const browserNeeded = isWhole ? false : 'in npm run test:attacks'

attack(
  'scripts, in a real browser',
  async (note) => {
    const opened = await openBrowser()
    assert.ok(opened, 'Chromium is needed: CHROME_PATH may name one')
    atEnd(opened.close)
    const fired: string[] = []
    const visitor = async (cookie: string) => {
      const context = await (opened.browser as Browser).newContext({ locale: 'en-GB' })
      context.setDefaultTimeout(20_000)
      await context.exposeFunction('canary', (mark: string) => void fired.push(`ran ${mark}`))
      context.on('request', (request) => {
        if (!request.url().startsWith(gateway.url) && !request.url().startsWith('data:'))
          fired.push(`asked ${request.url()}`)
      })
      context.on('dialog', (dialog) => {
        fired.push(`dialog ${dialog.message()}`)
        void dialog.dismiss()
      })
      if (cookie) {
        const [name, value] = cookie.split('=') as [string, string]
        await context.addCookies([{ name, value, url: gateway.url }])
      }
      return { context, page: await context.newPage() }
    }
    const control = await visitor('')
    await control.page.setContent(payloads.image('control'))
    await control.page.waitForFunction(() => document.querySelector('[data-canary]') !== null)
    await control.page.waitForTimeout(200)
    assert.ok(fired.includes('ran control'), 'control: where a payload is markup, the canary sings')
    await control.context.close()
    const cookies = new Set(world.pages.map(({ cookie }) => cookie))
    for (const cookie of cookies) {
      const { context, page } = await visitor(cookie)
      for (const { path } of world.pages.filter((page) => page.cookie === cookie)) {
        fired.length = 0
        await page.goto(gateway.url + path, { waitUntil: 'load' })
        const elements = await page.locator('[data-canary], [onerror], [onload], [onfocus]').count()
        note(`${path}: ${fired[0] ?? `${elements} elements`}`, fired.length > 0 || elements > 0)
        const turned = await page.evaluate(turnedTexts)
        note(`${path}: the reading is turned around: ${turned[0]}`, turned.length > 0)
      }
      await context.close()
    }
  },
  { skip: browserNeeded },
)

/** In the page: texts with marks that turn the reading, which reach beyond their own box. */
function turnedTexts(): string[] {
  const found: string[] = []
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent ?? ''
    if (!/[\u202a-\u202e\u2066-\u2069]/.test(text)) continue
    let box = node.parentElement!
    while (
      getComputedStyle(box).display === 'inline' &&
      !getComputedStyle(box).unicodeBidi.includes('isolate') &&
      box.parentElement
    )
      box = box.parentElement
    // A box of its own ends every mark; other text in it would be turned as well.
    if ((box.textContent ?? '').trim() !== text.trim()) found.push(box.outerHTML.slice(0, 300))
  }
  return found
}

report()
