/**
 * npm run screenshots: the pictures that README and guides show, into docs/screenshots/, from a real gateway
 * in a real browser. With SCREENSHOTS=FOLDER every screen and every page of the consoles, into that folder. Runs on the
 * test runner, because that brings the database. Numbers and names in the pictures are invented.
 */
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { openBrowser } from '../test/support/browser.ts'
import { busyInstallation, gatewayOn } from '../test/support/busy.ts'
import { consolePages, deskScenes } from '../test/support/console-scenes.ts'
import { openShop, startGateway } from '../test/support/gateway.ts'
import { payScenes } from '../test/support/pay-scenes.ts'
import { joined } from '../test/support/person.ts'
import { startReceiver } from '../test/support/receiver.ts'

const folder = process.env.SCREENSHOTS ?? fileURLToPath(new URL('screenshots', import.meta.url))
const texts = ['../README.md', 'merchants.md', 'operators.md'].map((name) =>
  readFileSync(new URL(name, import.meta.url), 'utf8'),
)
const isWanted = (file: string): boolean =>
  process.env.SCREENSHOTS !== undefined || texts.some((text) => text.includes(`screenshots/${file}`))
/** A list that goes on says nothing more. */
const tallest = 2_400
const sizes = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 800 } }

type Picture = {
  name: string
  url: string
  size: keyof typeof sizes
} & BrowserContextOptions

async function take(browser: Browser, { name, url, size, ...options }: Picture): Promise<void> {
  const file = `${name}-${size}.webp`
  if (!isWanted(file)) return
  const viewport = sizes[size]
  const context = await browser.newContext({
    viewport,
    colorScheme: 'light',
    locale: 'en',
    ...options,
  })
  const page = await context.newPage()
  await page.goto(url)
  // As tall as the page, so that the bar stands where it ends.
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ ...viewport, height: Math.min(Math.max(height, viewport.height), tallest) })
  // The browser's own protocol: pictures as WebP take a fifth of the space of PNG.
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  await writeFile(`${folder}/${file}`, Buffer.from(data, 'base64'))
  await context.close()
}

const english = { language: 'en', zone: 'Europe/Moscow' }
/** Of the consoles every page at a desk, and what people look up on their way also on a phone. */
const sizesOf = (name: string): (keyof typeof sizes)[] =>
  // Of a busy day, below.
  name === 'overview'
    ? []
    : ['deposits', 'deposit', 'callbacks', 'queue', 'transfer'].includes(name)
      ? bothSizes
      : ['desk']
const bothSizes = Object.keys(sizes) as (keyof typeof sizes)[]

async function withBrowser(work: (browser: Browser) => Promise<void>): Promise<void> {
  const opened = await openBrowser()
  if (!opened) throw new Error('No Chromium here; CHROME_PATH may name one.')
  await mkdir(folder, { recursive: true })
  await work(opened.browser).finally(opened.close)
}

test('every screen of the payment page', () =>
  withBrowser(async (browser) => {
    const gateway = await startGateway()
    const scenes = await payScenes(gateway, await openShop(gateway))
    for (const size of bothSizes) {
      for (const { name, path } of Object.values(scenes))
        await take(browser, { name, url: `${gateway.url}${path}?lang=en`, size })
      const url = `${gateway.url}${scenes['pay-card']!.path}?lang=en`
      await take(browser, { name: 'pay-card-dark', url, size, colorScheme: 'dark' })
    }
    for (const lang of ['ru', 'uz', 'kk', 'tg']) {
      const url = `${gateway.url}${scenes['pay-account']!.path}?lang=${lang}`
      await take(browser, { name: `pay-account-${lang}`, url, size: 'phone' })
    }
  }))

/** A session that somebody has already. */
const signedIn = (url: string, cookie: string): Pick<BrowserContextOptions, 'storageState'> => {
  const [name, value] = cookie.split('=') as [string, string]
  const domain = new URL(url).hostname
  const lasting = { path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const }
  return { storageState: { cookies: [{ name, value, domain, ...lasting }], origins: [] } }
}

test('every page of the merchant’s console', () =>
  withBrowser(async (browser) => {
    const gateway = await startGateway()
    const shop = await openShop(gateway)
    const receiver = await startReceiver()
    const { browser: owner } = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
    const base = `/console/${shop.merchant}`
    await owner.post('/account/preferences', english)
    await owner.post(`${base}/callbacks/address`, { address: receiver.url('/hook') })
    let paid = ''
    for (let number = 1; number <= 12; number++) {
      const { body } = await shop.create({ order_id: `A-${1000 + number}`, cents: 100_000 + number * 7_300 })
      if (number % 3 > 0) await owner.post(`${base}/bank/pay`, { deposit: body.id, play: 'exact' })
      if (number === 11) paid = body.id
    }
    for (let tries = 0; receiver.received.length < 8 && tries < 200; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50))
    const session = signedIn(gateway.url, owner.cookie)
    for (const [name, path] of Object.entries(await consolePages(gateway, shop.merchant, paid)))
      for (const size of sizesOf(name))
        await take(browser, { name: `console-${name}`, url: gateway.url + base + path, size, ...session })
    await take(browser, {
      name: 'console-deposits-dark',
      url: gateway.url + base,
      size: 'desk',
      colorScheme: 'dark',
      ...session,
    })
    await take(browser, { name: 'sign-in', url: `${gateway.url}/sign-in`, size: 'phone' })
    await take(browser, { name: 'account', url: `${gateway.url}/account`, size: 'desk', ...session })
  }))

test('both overviews on a busy day', () =>
  withBrowser(async (browser) => {
    const { gateway, merchant } = await gatewayOn((await busyInstallation(3_000)).database)
    for (const [name, path, { browser: person }] of [
      ['desk', '/operator/overview', await joined(gateway, { operatorRole: 'admin' })],
      [
        'console',
        `/console/${merchant}/overview`,
        await joined(gateway, { merchantId: merchant, role: 'owner' }),
      ],
    ] as const) {
      await person.post('/account/preferences', english)
      const session = signedIn(gateway.url, person.cookie)
      for (const size of bothSizes)
        await take(browser, { name: `${name}-overview`, url: gateway.url + path, size, ...session })
    }
  }))

test('every page of the operator’s desk', () =>
  withBrowser(async (browser) => {
    const gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
    const { admin, pages } = await deskScenes(gateway)
    await admin.browser.post('/account/preferences', english)
    const session = signedIn(gateway.url, admin.browser.cookie)
    for (const [name, path] of Object.entries(pages))
      for (const size of sizesOf(name))
        await take(browser, { name: `desk-${name}`, url: gateway.url + path, size, ...session })
  }))
