/**
 * The payment page as its visitors see it: one gateway, one shop and one Chromium for a test file, deposits to open,
 * and what is watched and asked of every page. Whatever a page must not do is collected everywhere.
 *
 * `npm test` looks at a slice, languages, sizes and themes going round; `npm run test:browser` at everything.
 */
import assert from 'node:assert/strict'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { type DepositContext, receiveMoney } from '../../src/domain/deposits/change-deposit.ts'
import { changeBrand } from '../../src/domain/merchants/change-brand.ts'
import { logoFrom } from '../../src/domain/merchants/logo.ts'
import { sql } from '../../src/platform/db.ts'
import { type Language, languages } from '../../src/surfaces/web/messages/languages.ts'
import type { Messages } from '../../src/surfaces/web/messages/ru.ts'
import { brokenRules } from './axe.ts'
import { openBrowser } from './browser.ts'
import { atEnd, shared } from './clean-up.ts'
import { type Fields, openShop, startGateway } from './gateway.ts'
import { payScenes } from './pay-scenes.ts'
import { writePicture } from './picture.ts'

export const isWhole = process.env.INLET_BROWSER === 'whole'

const opened = await openBrowser()
const skip = opened ? false : 'no Chromium here; CHROME_PATH may name one'
const browser = opened?.browser as Browser
export const settings = { skip, timeout: isWhole ? 900_000 : 180_000 }

export const gateway = await shared(() =>
  startGateway().finally(() => {
    // Closed before the gateway: a browser keeps connections that the gateway would wait for.
    if (opened) atEnd(opened.close)
  }),
)
export const shop = await openShop(gateway)
/** As wide as a logo can be, so that every screen is seen with the least room. */
const logo = await logoFrom(
  writePicture({ width: 480, height: 120, data: new Uint8Array(480 * 120 * 4).fill(90) }),
  { name: 'test', isKnown: true },
)
await changeBrand(gateway.db, { merchantId: shop.merchant, accent: '#ffdd2d', logo })
/** Wakes nobody: pages learn of these changes as of those that another process makes. */
export const depositContext: DepositContext = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
export const scenes = opened ? await payScenes(gateway, shop) : {}

// ── Languages, sizes and themes ─────────────────────────────────────────────────────────────────────────────

export type Look = {
  name: string
  viewport: { width: number; height: number }
  colorScheme: 'light' | 'dark'
}
export const phone: Look = {
  name: 'phone, light',
  viewport: { width: 360, height: 740 },
  colorScheme: 'light',
}
export const desk: Look = { name: 'desk, dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }

/** Looks go round in twos and languages in fives: ten in a row see every language in every look. */
export const lookOf = (place: number): Look => (place % 2 === 0 ? phone : desk)
export const languageOf = (place: number): Language => languages[place % languages.length]!

// ── Visits ──────────────────────────────────────────────────────────────────────────────────────────────────

type Visit = BrowserContextOptions & {
  /** What the browser may say here, because the test brings it about. */
  expected?: RegExp
  prepare?: (context: BrowserContext) => Promise<unknown>
}

export const notFound = /^console: Failed to load resource: the server responded with a status of 404/
export const noScript = /^console: Failed to load resource: net::ERR_FAILED/

/** A browser of its own that notes everything a page must not do, handed over and closed. */
export async function visit(
  options: Visit,
  look: (page: Page, context: BrowserContext) => Promise<unknown>,
): Promise<void> {
  const { page, context, complaints } = await newVisitor(options)
  try {
    await look(page, context)
    assert.deepEqual(complaints, [])
  } finally {
    await context.close()
  }
}

/** `npm test` runs another file beside this one; the whole matrix has the machine for itself. */
const visitors = isWhole ? 2 : 1

/**
 * Many short visits. A visitor keeps its tab and forgets its cookies between two, because a new one costs Chromium
 * as much as five pages. What the tab itself remembers belongs to the path of one deposit.
 */
export async function inTurns<Job extends { name: string; look?: Look }>(
  options: Visit,
  jobs: readonly Job[],
  work: (page: Page, job: Job) => Promise<unknown>,
): Promise<void> {
  const left = [...jobs]
  const visitor = async () => {
    const { page, context, complaints } = await newVisitor(options)
    try {
      for (let job = left.shift(); job !== undefined; job = left.shift()) {
        try {
          if (job.look) await dress(page, job.look)
          await work(page, job)
          assert.deepEqual(complaints, [])
        } catch (error) {
          throw new Error(`${job.name}: ${(error as Error).message}`, { cause: error })
        }
        await context.clearCookies()
      }
    } finally {
      await context.close()
    }
  }
  await Promise.all(Array.from({ length: visitors }, visitor))
}

async function newVisitor({ expected = /^$/, prepare, ...options }: Visit) {
  const { viewport, colorScheme } = phone
  const context = await browser.newContext({ locale: 'en-GB', viewport, colorScheme, ...options })
  const complaints: string[] = []
  const complain = (text: string) => void (expected.test(text) || complaints.push(text))
  context.setDefaultTimeout(20_000)
  context.on('console', (message) => complain(`console: ${message.text()}`))
  context.on('weberror', (error) => complain(`error: ${error.error().message}`))
  context.on('dialog', (dialog) => {
    complain('dialog')
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${gateway.url}/`) && !url.startsWith('data:')) complain(`elsewhere: ${url}`)
  })
  try {
    await context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) =>
        console.error(`policy: ${event.violatedDirective}`),
      )
    })
    await prepare?.(context)
    return { page: await context.newPage(), context, complaints }
  } catch (error) {
    await context.close()
    throw error
  }
}

async function dress(page: Page, { viewport, colorScheme }: Look): Promise<void> {
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
}

// ── What a visitor does ─────────────────────────────────────────────────────────────────────────────────────

export const open = (page: Page, { path }: { path: string }, query = '?lang=en') =>
  page.goto(gateway.url + path + query)

export const on = (page: Page, screen: string) => page.waitForSelector(`main[data-screen="${screen}"]`)

/** For a page that stays: without a locator, whose first use in a document costs a quarter of the page. */
export const languageNow = (page: Page) => page.evaluate(() => document.documentElement.lang)

export const press = (page: Page, name: string) =>
  page.locator('main, footer').getByRole('button', { name, exact: true }).click()
export const follow = (page: Page, name: string) =>
  page.getByRole('link', { name, exact: true }).first().click()

export async function choose(page: Page, words: Messages, method: keyof Messages['methods']): Promise<void> {
  await on(page, 'choose')
  await page.getByText(words.methods[method]).click()
  await press(page, words.choose.next)
  await on(page, 'pay')
}

/** What the buttons for copying hold, from the top. */
export const copies = (page: Page): Promise<(string | null)[]> =>
  page.locator('.copy').evaluateAll((buttons) => buttons.map((button) => button.getAttribute('data-copy')))

// ── Deposits ────────────────────────────────────────────────────────────────────────────────────────────────

export type Made = { id: string; path: string; cents: bigint; number: string }
let amount = 4_000_000
/** Amounts differ, so that no two deposits want the same slot. */
export async function made(isBuild: boolean, fields: Fields = {}): Promise<Made> {
  amount += 100
  const cents = amount
  const back = {
    success_url: 'https://shop.example/paid?cart=7',
    reject_url: 'https://shop.example/basket#x',
  }
  const order = { cents, currency: 'RUB', ...back, ...fields }
  const { status, body } = await (isBuild
    ? shop.build(order)
    : shop.create({ payment_type: 'any_bank', ...order }))
  assert.equal(status, 201, JSON.stringify(body))
  const { pathname: path } = new URL(body.payment_data.url)
  return { id: body.id ?? body.uuid, path, cents: BigInt(cents), number: body.payment_data.number }
}
export const created = (fields?: Fields) => made(false, fields)
export const builded = (fields?: Fields) => made(true, fields)

export const by = (depositId: string) => ({ depositId, actor: 'operator:test', reason: 'test' })
export const pay = ({ id, cents }: Made) => receiveMoney(depositContext, { ...by(id), cents })

/** Moves the end of one deposit's time, and of its grace, to so much from now. */
export const endsIn = ({ id }: Made, time: string, grace = '1 hour') =>
  gateway.database.owner.query(sql`
    update deposits
    set expires_at = greatest(inlet_now() + ${time}::interval, created_at + interval '1 millisecond'),
      late_until = greatest(inlet_now() + ${time}::interval + ${grace}::interval,
        created_at + interval '1 millisecond')
    where id = ${id}`)

// ── What is asked of every page ─────────────────────────────────────────────────────────────────────────────

export async function fits(page: Page, widths: readonly number[], name: string): Promise<void> {
  for (const width of widths) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 740 })
    assert.deepEqual(await page.evaluate(sideways), [], `${name} at ${width}`)
  }
}

/** What stands out of the window to the right, by its class; nothing when the page fits. */
const sideways = () => {
  const wide = document.documentElement.scrollWidth
  if (wide <= innerWidth) return []
  const out = [...document.querySelectorAll('body *')].filter((element) => {
    const { right } = element.getBoundingClientRect()
    return right > innerWidth + 0.5
  })
  return [
    `${wide} of ${innerWidth}`,
    ...out.slice(0, 5).map((element) => `${element.tagName}.${element.className}`),
  ]
}

/** In a window as tall as the page, and left so: the bar then stands where the page ends, and covers nothing. */
export async function axe(page: Page, name: string): Promise<void> {
  const { width, height } = page.viewportSize()!
  const whole = await page.evaluate(() => document.documentElement.scrollHeight)
  if (whole > height) await page.setViewportSize({ width, height: whole })
  assert.deepEqual(await brokenRules(page), [], name)
}
