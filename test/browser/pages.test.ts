/**
 * The documents and the bill in a real browser: they fit a small phone and a desk, in light and dark, break no
 * policy, ask no other origin for anything, and print hostile text as text. The payment page has pay-*.test.ts.
 * Screenshots go to the temp folder, for people to look at.
 */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { html, render } from '../../src/surfaces/web/html.ts'
import { openBrowser } from '../support/browser.ts'
import { atEnd } from '../support/clean-up.ts'
import { call, openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

const opened = await openBrowser()
const skip = opened ? false : 'no Chromium here; CHROME_PATH may name one'
const browser = opened?.browser as Browser

const shots = join(tmpdir(), `inlet-screenshots-${userInfo().uid}`)
const sizes = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 800 } }
const schemes = ['light', 'dark'] as const
/** In npm test a phone in the dark and a desk in the light; npm run test:browser sees all of them. */
const isWhole = process.env.INLET_BROWSER === 'whole'

let gateway: TestGateway
let shop: Shop
before(async () => {
  await mkdir(shots, { recursive: true })
  gateway = await startGateway().finally(() => {
    // Closed before the gateway: a browser keeps connections that the gateway would wait for.
    if (opened) atEnd(opened.close)
  })
  shop = await openShop(gateway)
})

/** Opens an address, watches everything a page must not do, and hands it over. */
async function visit(path: string, options: BrowserContextOptions, look: (page: Page) => Promise<void>) {
  const context = await browser.newContext(options)
  try {
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(`console: ${message.text()}`))
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(`${gateway.url}/`) && !url.startsWith('data:'))
        complaints.push('request to another origin')
    })
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) =>
        console.error(`policy: ${event.violatedDirective}`),
      )
    })
    await page.goto(gateway.url + path)
    await look(page)
    assert.deepEqual(complaints, [])
  } finally {
    await context.close()
  }
}

const isWiderThanScreen = () => document.documentElement.scrollWidth > innerWidth

/** Words that are drawn left of the window, where nobody can scroll to; the link that skips to the text waits there. */
const outside = () =>
  [...document.querySelectorAll('main a, main td, main li')]
    .filter((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return [...range.getClientRects()].some(({ left, width }) => width > 0 && left < -1)
    })
    .map((element) => element.textContent)

async function checkEverywhere(name: string, path: string) {
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of schemes) {
      if (!isWhole && (size === 'phone') !== (colorScheme === 'dark')) continue
      await visit(path, { viewport, colorScheme }, async (page) => {
        assert.equal(await page.evaluate(isWiderThanScreen), false, `${name}, ${size}: scrolls sideways`)
        assert.deepEqual(await page.evaluate(outside), [], `${name}, ${size}`)
        await page.screenshot({ path: join(shots, `${name}-${size}-${colorScheme}.png`) })
      })
    }
  }
}

test('the reference and the errors fit every screen', { skip }, async () => {
  await checkEverywhere('docs', '/docs')
  await checkEverywhere('guide', '/docs/guides/operators')
  if (isWhole) await checkEverywhere('errors', '/docs/errors#order_id_reused')
})

test('the front page leads on, and a wrong address leads back to it, in the language of the browser', {
  skip,
}, async () => {
  await checkEverywhere('front', '/')
  const context = await browser.newContext({ viewport: sizes.phone, locale: 'ru-RU' })
  const page = await context.newPage()
  const lost = await page.goto(`${gateway.url}/operator/nowhere/`)
  assert.equal(lost?.status(), 404)
  assert.equal(await page.locator('h1').textContent(), 'Страница не найдена')
  assert.equal(await page.evaluate(isWiderThanScreen), false)
  await page.screenshot({ path: join(shots, 'nowhere-phone.png') })
  await page.getByRole('link', { name: 'Кабинет мерчанта' }).click()
  await page.waitForURL(`${gateway.url}/sign-in?to=%2Fconsole`)
  await context.close()
})

test('the bill is a well-formed picture, also inside a page of a shop', { skip }, async () => {
  const { body } = await shop.create({
    payment_type: 'account_number',
    customer: 'x',
    order_id: `<b>&"${'я'.repeat(60)}`,
  })
  const context = await browser.newContext({ viewport: { width: 520, height: 700 } })
  const page = await context.newPage()
  await page.goto(body.payment_bill_url.replace(/png$/, 'svg'))
  assert.equal(await page.evaluate(() => document.documentElement.nodeName), 'svg')
  assert.equal(await page.evaluate(() => document.querySelectorAll('parsererror, b').length), 0)
  await page.screenshot({ path: join(shots, 'bill.png') })
  const other = createServer((_request, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end(`<img src="${body.payment_bill_url}"><img src="${body.payment_bill_url.replace(/png$/, 'svg')}">`),
  )
  await new Promise<void>((resolve) => other.listen(0, 'localhost', resolve))
  await page.goto(`http://localhost:${(other.address() as { port: number }).port}/`)
  assert.deepEqual(
    await page.evaluate(() => [...document.images].map((image) => image.naturalWidth)),
    [960, 480],
  )
  await context.close()
  other.closeAllConnections()
  other.close()
})

test('addresses of documents and pictures answer with their policies', async () => {
  const { body } = await shop.create({ payment_type: 'account_number', cents: 1_234_300 })
  const bill = await call(gateway.url, new URL(body.payment_bill_url).pathname)
  assert.equal(bill.headers.get('content-type'), 'image/png')
  assert.equal(bill.headers.get('content-security-policy'), "default-src 'none'; style-src 'none'")
  assert.equal((await call(gateway.url, '/bill/AAAAAAAAAAAAAAAAAAAAAA.svg')).body.code, 'not_found')
  for (const path of ['/docs', '/docs/errors', '/openapi.json']) {
    const { status, headers } = await call(gateway.url, path)
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'public, max-age=300')
  }
})

test('what the html tag printed is read by a browser as text, in every place', { skip }, async () => {
  const attacks = [
    '<script>hit()</script>',
    '"><script>hit()</script>',
    "'><img src=x onerror=hit()>",
    '" autofocus onfocus="hit()',
    '</title><script>hit()</script>',
    '</textarea><svg onload=hit()>',
    '--><script>hit()</script>',
    '&#60;script&#62;hit()&#60;/script&#62;',
    '&quot; onfocus=hit() autofocus x=&quot;',
    '\0<scr\0ipt>hit()</script>',
    'javascript:hit()',
    '../../evil',
    '//evil.example',
  ]
  const body = attacks.map(
    (attack) => html`<section title="${attack}" data-a="x ${attack}"><p>${attack}</p>
<textarea>${attack}</textarea><a href="/pay/${attack}?q=${attack}#${attack}">x</a>
<svg><title>${attack}</title><text>${attack}</text></svg></section>`,
  )
  const page = await browser.newPage()
  await page.addInitScript(() => {
    Object.assign(globalThis, { hits: 0, hit: () => (globalThis as unknown as { hits: number }).hits++ })
  })
  await page.goto(`${gateway.url}/health/live`)
  await page.setContent(
    render(
      html`<!doctype html><html lang="en"><head><title>${attacks}</title></head><body>${body}</body></html>`,
    ),
  )
  const read = await page.evaluate(() => ({
    hits: (globalThis as unknown as { hits: number }).hits,
    title: document.title.length,
    elements: document.body.querySelectorAll('section *').length,
    texts: [...document.querySelectorAll('section')].map((section) => [
      section.title,
      section.querySelector('p')!.textContent,
      section.querySelector('textarea')!.value,
      section.querySelector('text')!.textContent,
    ]),
    links: [...document.querySelectorAll('a')].map((link) => [link.origin, link.pathname.split('/').length]),
    origin: location.origin,
  }))
  const mended = attacks.map((attack) => attack.replaceAll('\0', '\ufffd'))
  assert.equal(read.hits, 0)
  assert.ok(read.title > 0)
  assert.equal(read.elements, attacks.length * 6)
  assert.deepEqual(
    read.texts,
    mended.map((attack) => [attack, attack, attack, attack]),
  )
  assert.deepEqual(
    read.links,
    attacks.map(() => [read.origin, 3]),
  )
  await page.close()
})
