/**
 * npm run paint: how soon a customer sees the payment page, and people theirs of the consoles. Lighthouse's mobile profile (fetched when it is run: a
 * hundred packages that nothing else needs), and Chromium behind a slow line. Runs on the test runner, because that
 * brings the database. Prints, asserts nothing: machines are noisy.
 */

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { consoleScript } from '../src/surfaces/staff/assets.ts'
import { openBrowser } from '../test/support/browser.ts'
import { deskScenes } from '../test/support/console-scenes.ts'
import { openShop, startGateway } from '../test/support/gateway.ts'
import { payScenes } from '../test/support/pay-scenes.ts'
import { joined } from '../test/support/person.ts'

const lighthouse = 'lighthouse@13.5.0'
/** 400 ms there and back, 400 kb/s down: a bad day of 3G. */
const slowLine = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const roundTripsOfColdVisit = 3

test('paint', async () => {
  const opened = await openBrowser()
  if (!opened) throw new Error('No Chromium here; CHROME_PATH may name one.')
  const gateway = await startGateway()
  const scenes = await payScenes(gateway, await openShop(gateway))
  try {
    for (const name of ['pay-card', 'pay-account', 'choose']) {
      const url = gateway.url + scenes[name]!.path
      const painted = await medianOf(5, () => slowPaint(opened.browser, url))
      const cold = painted + roundTripsOfColdVisit * slowLine.latency
      console.log(
        `${name}: 400 ms, 400 kb/s: ${painted} ms with a connection, ${cold} ms cold (estimated: three round trips more)`,
      )
    }
    console.log(await lighthouseOf(gateway.url + scenes['pay-card']!.path))
  } finally {
    await opened.close()
  }
})

test('consoles', async () => {
  const gateway = await startGateway()
  const { admin, shop, pages, deposits } = await deskScenes(gateway)
  const { browser: owner } = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const at = `/console/${shop.merchant}`
  for (const [name, path, { cookie }] of [
    ['list', at, owner],
    ['detail', `${at}/deposits/${deposits[0]}`, owner],
    ['queue', pages.queue!, admin.browser],
  ] as const)
    console.log(`${name}: ${await lighthouseOf(gateway.url + path, cookie)}`)
  console.log(`script of the consoles: ${(await consoleScript.answer.body()).gzip.length} bytes gz`)
})

type Browser = NonNullable<Awaited<ReturnType<typeof openBrowser>>>['browser']

async function slowPaint(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'ru-RU' })
  try {
    const page = await context.newPage()
    const protocol = await context.newCDPSession(page)
    await protocol.send('Network.enable')
    await protocol.send('Network.emulateNetworkConditions', slowLine)
    await protocol.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await page.goto(url)
    return await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) => resolve(Math.round(list.getEntries().at(-1)!.startTime))).observe(
            {
              type: 'largest-contentful-paint',
              buffered: true,
            },
          )
        }),
    )
  } finally {
    await context.close()
  }
}

async function medianOf(times: number, measure: () => Promise<number>): Promise<number> {
  const figures: number[] = []
  for (let time = 0; time < times; time++) figures.push(await measure())
  return figures.sort((left, right) => left - right)[times >> 1]!
}

async function lighthouseOf(url: string, cookie = ''): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-lighthouse-'))
  const file = join(folder, 'report.json')
  const headers = `--extra-headers=${JSON.stringify({ cookie })}`
  const words = [url, '--quiet', '--output=json', `--output-path=${file}`, headers]
  const only = '--only-categories=performance,accessibility,best-practices'
  const chrome = '--chrome-flags=--headless --no-sandbox --disable-gpu --disable-background-networking'
  try {
    const npm = ['exec', '--yes', `--package=${lighthouse}`, '--', 'lighthouse', ...words, only, chrome]
    const env = { CHROME_PATH: '/usr/bin/chromium', ...process.env }
    await promisify(execFile)('npm', npm, { env, timeout: 240_000 })
    const { categories, audits } = JSON.parse(await readFile(file, 'utf8'))
    const scores = Object.entries(categories as Record<string, { score: number }>).map(
      ([name, { score }]) => `${name} ${score * 100}`,
    )
    const failed = Object.values(audits as Record<string, { id: string; score: number | null }>)
      .filter(({ score }) => score === 0)
      .map(({ id }) => id)
    const figures = ['first-contentful-paint', 'largest-contentful-paint', 'cumulative-layout-shift'].map(
      (name) => `${name} ${audits[name].displayValue}`,
    )
    const all = [...scores, ...figures, audits['total-byte-weight'].displayValue]
    return `Lighthouse, mobile: ${all.join(', ')}${failed.length > 0 ? `; failed: ${failed.join(', ')}` : ''}`
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
