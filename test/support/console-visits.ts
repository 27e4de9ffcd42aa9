/** People at the consoles in a real browser, which notes whatever a page must not do. */
import assert from 'node:assert/strict'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { brokenRules } from './axe.ts'
import { openBrowser } from './browser.ts'
import type { TestGateway } from './gateway.ts'

export const opened = await openBrowser()
const skip = opened ? false : 'no Chromium here; CHROME_PATH may name one'

/** npm run test:browser sees everything in every look; npm test sees each page once. */
export const isWhole = process.env.INLET_BROWSER === 'whole'
export const settings = { skip, timeout: 600_000 }

export type Look = Pick<BrowserContextOptions, 'viewport' | 'colorScheme'>
export const phone: Look = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }
export const desk: Look = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }

/** `cookie`: a session that somebody has already; without one the visitor is a stranger. */
export async function visit(
  gateway: TestGateway,
  { cookie, ...options }: BrowserContextOptions & { cookie?: string },
  look: (page: Page, context: BrowserContext) => Promise<unknown>,
): Promise<void> {
  const context = await (opened!.browser as Browser).newContext({ locale: 'en-GB', ...options })
  const complaints: string[] = []
  context.setDefaultTimeout(20_000)
  context.on('console', (message) => {
    // The browser warns when a person types before the page has focused a field; nothing is wrong.
    if (!message.text().startsWith('Autofocus processing was blocked'))
      complaints.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => complaints.push(`error: ${error.error().message}`))
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${gateway.url}/`) && !url.startsWith('data:')) complaints.push(`elsewhere: ${url}`)
  })
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective}`),
    )
  })
  if (cookie) {
    const [name, value] = cookie.split('=') as [string, string]
    await context.addCookies([{ name, value, url: gateway.url }])
  }
  try {
    await look(await context.newPage(), context)
    assert.deepEqual(complaints, [])
  } finally {
    await context.close()
  }
}

export const press = (page: Page, name: string) =>
  page.locator('main').getByRole('button', { name, exact: true }).click()
export const follow = (page: Page, name: string) =>
  page.getByRole('link', { name, exact: true }).first().click()

/** What can be chosen, dated or shows an example but has no room for its own words; 24rem are room enough for anybody's. */
export const cutShort = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('select, input[type="date"], [placeholder]')]
      .filter((element) => element.checkVisibility())
      .flatMap((element) => {
        const free = element.parentNode!.appendChild(element.cloneNode(true)) as HTMLElement
        free.style.cssText = 'position: absolute; visibility: hidden; width: max-content; max-width: none'
        if (free.matches('[placeholder]')) free.style.setProperty('field-sizing', 'content')
        const [has, needs] = [element, free].map((each) => Math.round(each.getBoundingClientRect().width))
        free.remove()
        const name = `${location.pathname}: ${element.getAttribute('name')} has ${has} px of ${needs}`
        return has! + 1 < needs! && has! < 384 ? [name] : []
      }),
  )

/** What is wrong with the page as it stands: too wide, under too much navigation, or against a rule of accessibility. */
export async function faultsOf(page: Page, { withAxe = true } = {}): Promise<string[]> {
  const { pathname } = new URL(page.url())
  const { width, most, bar } = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    most: innerWidth,
    bar: document.querySelector('.rail')?.clientHeight ?? 0,
  }))
  const faults = [
    ...(width > most ? [`${pathname}: ${width} px of ${most}`] : []),
    ...(most < 1024 && bar > 64 ? [`${pathname}: ${bar} px of navigation before the page`] : []),
  ]
  if (!withAxe) return faults
  return [...faults, ...(await brokenRules(page)).map((rule) => `${pathname}: ${rule}`)]
}
