/**
 * npm run screenshots: pictures of every screen into docs/screenshots/, from a real gateway in a real browser. Runs
 * on the test runner, because that brings the database. Numbers and names in the pictures are invented.
 */
import { mkdir } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../test/support/browser.ts'
import { openShop, startGateway } from '../test/support/gateway.ts'
import { payScenes } from '../test/support/pay-scenes.ts'

const folder = process.env.SCREENSHOTS ?? fileURLToPath(new URL('screenshots', import.meta.url))
const sizes = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 800 } }

test('every screen of the payment page', async () => {
  const opened = await openBrowser()
  if (!opened) throw new Error('No Chromium here; CHROME_PATH may name one.')
  await mkdir(folder, { recursive: true })
  const gateway = await startGateway()
  const scenes = await payScenes(gateway, await openShop(gateway))
  const looks = [
    ...Object.values(scenes).map((scene) => ({ ...scene, lang: 'en', colorScheme: 'light' as const })),
    { ...scenes['pay-card']!, name: 'pay-card-dark', lang: 'en', colorScheme: 'dark' as const },
    ...['ru', 'uz', 'kk', 'tg'].map((lang) => ({
      ...scenes['pay-account']!,
      name: `pay-account-${lang}`,
      lang,
      colorScheme: 'light' as const,
    })),
  ]
  try {
    for (const [size, viewport] of Object.entries(sizes)) {
      for (const { name, path, lang, colorScheme } of looks) {
        if (size === 'desk' && lang !== 'en') continue
        const context = await opened.browser.newContext({ viewport, colorScheme, deviceScaleFactor: 1 })
        const page = await context.newPage()
        await page.goto(`${gateway.url}${path}?lang=${lang}`)
        // As tall as the page, so that the bar stands where it ends.
        const height = await page.evaluate(() => document.documentElement.scrollHeight)
        await page.setViewportSize({ ...viewport, height: Math.max(height, viewport.height) })
        await page.screenshot({ path: `${folder}/${name}-${size}.png` })
        await context.close()
      }
    }
  } finally {
    await opened.close()
  }
})
