/**
 * The operator's desk in a real browser: its pages fit a phone and a desk in light and dark, break no policy and no
 * rule of accessibility, and an item is worked off with the keyboard alone.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { propose } from '../../src/approvals/propose.ts'
import { claimPayment } from '../../src/deposits/change-deposit.ts'
import { readTimeline } from '../../src/deposits/store.ts'
import { sql } from '../../src/platform/db.ts'
import { accountOf, ledgerOf, transferTo } from '../support/bank.ts'
import { openBrowser } from '../support/browser.ts'
import { atEnd } from '../support/clean-up.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'

const opened = await openBrowser()
const skip = opened ? false : 'no Chromium here; CHROME_PATH may name one'
const chromium = opened?.browser as Browser

/** In npm test each page is seen in one look, in turn, and every other with axe; npm run test:browser sees all. */
const isWhole = process.env.INLET_BROWSER === 'whole'
const looks = [
  ['phone-light', { viewport: { width: 360, height: 740 }, colorScheme: 'light' }],
  ['phone-dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
  ['desk-light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['desk-dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
] as const

type Worker = Awaited<ReturnType<typeof joined>>
let gateway: TestGateway
let shop: Shop
let admin: Worker
let operator: Worker
let pages: Record<string, string>
let transfer: string
let deposits: string[]
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } }).finally(() => {
    if (opened) atEnd(opened.close)
  })
  shop = await openShop(gateway)
  admin = await joined(gateway, { operatorRole: 'admin' })
  operator = await joined(gateway, { operatorRole: 'operator' })
  const created = async (cents: number, customer: string) =>
    (await shop.create({ cents, customer })).body.id as string
  deposits = [await created(1_500_050, 'Иванов Иван'), await created(1_500_050, 'customer-17')]
  const accountId = await accountOf(gateway, deposits[0]!)
  const facts = {
    cents: 1_500_050n,
    payerName: 'ИВАНОВ ИВАН ИВАНОВИЧ',
    purpose: 'Перевод по договору 17 от 03.11.2026, НДС не облагается',
    payerBank: 'ПАО Сбербанк',
  }
  transfer = await transferTo(gateway, accountId, { ...facts, payerName: 'ПЕТРОВ П. П.' })
  await transferTo(gateway, accountId, { cents: 77_700n, purpose: 'Возврат долга' })
  const claimed = await created(250_000, 'Ольга')
  await claimPayment(ledgerOf(gateway), { depositId: claimed, actor: 'customer' })
  const by = { personId: operator.person.id, email: operator.email, requestId: null }
  const card = {
    kind: 'card',
    number: '4111111111111111',
    holder: 'PETROVA OLGA',
    bankName: 'Bank X',
  } as const
  const limits = { minCents: 10_000n, maxCents: 30_000_000n, dailyCents: 100_000_000n, openDeposits: 40 }
  const add = { accountId, draft: card, bankCode: 'bankx', limits, confirmed: true }
  const { id: proposal } = await propose(gateway.db, {
    ask: { kind: 'requisite_add', add },
    by,
    reason: 'The old cards are full by noon',
  })
  await propose(gateway.db, {
    ask: { kind: 'confirm', depositId: claimed },
    by,
    reason: 'Seen in the bank’s app',
  })
  const done = await created(99_000, 'Пётр')
  await admin.browser.post('/operator/settings/save', {
    'above-RUB': '10000.00',
    reason: 'Two eyes for small sums',
  })
  await admin.browser.post(`/operator/deposits/${done}/take`)
  await admin.browser.post(`/operator/deposits/${done}/confirm`, { reason: 'The bank’s letter of today' })
  await admin.browser.post(`/operator/deposits/${deposits[0]}/take`)
  const sent = await admin.browser.upload(
    '/operator/statements/upload',
    { mode: 'test' },
    new Blob(['no statement']),
    'mail.txt',
  )
  pages = {
    queue: '/operator',
    transfer: `/operator/transfers/${transfer}`,
    deposit: `/operator/deposits/${deposits[0]}`,
    'deposit-done': `/operator/deposits/${done}`,
    approvals: '/operator/approvals',
    proposal: `/operator/approvals/${proposal}`,
    deposits: '/operator/deposits',
    transfers: '/operator/transfers',
    statements: '/operator/statements',
    upload: sent.location!,
    requisites: '/operator/requisites',
    account: `/operator/requisites/${accountId}`,
    merchants: '/operator/merchants',
    merchant: `/operator/merchants/${shop.merchant}`,
    types: '/operator/payment-types',
    sources: '/operator/sources',
    people: '/operator/people',
    settings: '/operator/settings',
    audit: '/operator/audit?check=yes',
    metrics: '/operator/metrics',
  }
})

/** A browser with somebody's session, which notes whatever a page must not do. */
async function signedIn(worker: Worker, options: BrowserContextOptions) {
  const context = await chromium.newContext({ locale: 'en', ...options })
  const [name, value] = worker.browser.cookie.split('=') as [string, string]
  await context.addCookies([{ name, value, url: gateway.url }])
  const complaints: string[] = []
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective}`),
    )
  })
  context.on('console', (message) => complaints.push(`console: ${message.text()}`))
  context.on('weberror', (error) => complaints.push(`error: ${error.error().message}`))
  return { context, complaints }
}

async function inaccessible(page: Page, name: string): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
    })
    .analyze()
  return violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}

async function closing(context: BrowserContext, work: () => Promise<void>): Promise<void> {
  await work().finally(() => context.close())
}

for (const [turn, [look, options]] of looks.entries()) {
  test(`pages fit ${look}, break no policy and no rule of axe`, { skip }, async () => {
    const { context, complaints } = await signedIn(admin, options)
    await closing(context, async () => {
      const page = await context.newPage()
      for (const [place, [name, path]] of Object.entries(pages).entries()) {
        if (!isWhole && place % looks.length !== turn) continue
        await page.goto(gateway.url + path)
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
        if (isWide) complaints.push(`${name}: scrolls sideways`)
        if (isWhole || place % (2 * looks.length) < looks.length)
          complaints.push(...(await inaccessible(page, name)))
      }
      assert.deepEqual(complaints, [])
    })
  })
}

test('the queue is worked off with the keyboard alone', { skip }, async () => {
  const { context, complaints } = await signedIn(operator, { viewport: { width: 1280, height: 800 } })
  await closing(context, async () => {
    const page = await context.newPage()
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
    assert.deepEqual(complaints, [])
  })
  assert.equal((await readTimeline(gateway.db, deposits[1]!))!.deposit.state, 'confirmed')
  const [line] = await gateway.db.query<{ reason: string }>(
    sql`select reason from audit_entries where subject = ${`transfer:${transfer}`}`,
  )
  assert.equal(line!.reason, 'The customer sent the receipt')
})
