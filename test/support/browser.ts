/**
 * A Chromium for the browser tests: the one that CHROME_PATH names, the one from npm, or one that the machine has.
 * There may be none (npm's runs on x64 Linux only): then the tests that need it say so and are skipped.
 */
import { execFile } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Our own short list: the preset of @sparticuz/chromium switches web security off. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No spare process for a page that may never come: every visitor would pay for one.
  '--renderer-process-limit=2',
]

type OpenBrowser = { browser: Browser; close(): Promise<void> }

export async function openBrowser(): Promise<OpenBrowser | undefined> {
  const found = await findChromium()
  if (!found) return undefined
  const browser = await chromium.launch({
    executablePath: found.path,
    args: flags,
    env: { ...environment(), ...found.env },
  })
  return { browser, close: () => browser.close() }
}

type Found = { path: string; env?: Record<string, string> }

const environment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

async function findChromium(): Promise<Found | undefined> {
  const named = process.env.CHROME_PATH
  if (named) {
    if (!existsSync(named)) throw new Error('CHROME_PATH names no file')
    return { path: named }
  }
  if (process.platform === 'linux' && process.arch === 'x64' && isInstalled('@sparticuz/chromium')) {
    unpacked ??= unpackFromNpm()
    return unpacked
  }
  const path = installed.find(existsSync)
  return path ? { path } : undefined
}

function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== ''
  } catch {
    return false
  }
}

/** The one without windows first: the other draws its bars and tabs also where nobody sees them. */
const installed = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * The package unpacks into the temp folder under fixed names, readable by the user who came first. So a program of its own does
 * it, whose temp folder is a private one, once for all browsers of this process. The libraries and fonts that a bare machine
 * lacks come with it.
 */
let unpacked: Promise<Found> | undefined

async function unpackFromNpm(): Promise<Found> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-chromium-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const program = fileURLToPath(new URL('unpack-chromium.mjs', import.meta.url))
  const env = { ...process.env, TMPDIR: folder }
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env })
  const { path, libraries } = JSON.parse(stdout) as Record<'path' | 'libraries', string>
  if (!path.startsWith(folder)) throw new Error('Chromium was unpacked outside its private folder')
  // The package's own list of fonts names its usual folder: Chromium would find none, and crash at a form field.
  const fonts = join(folder, 'fonts')
  await writeFile(join(fonts, 'fonts.conf'), listOfFonts(fonts))
  return { path, env: { LD_LIBRARY_PATH: join(libraries, 'lib'), FONTCONFIG_PATH: fonts } }
}

/** The package's font lacks the signs of our currencies and some letters of our languages; every usual machine has them. */
const ownFonts = fileURLToPath(new URL('../../src/surfaces/pay/bill/font', import.meta.url))

const listOfFonts = (folder: string) =>
  `<?xml version="1.0"?>
<fontconfig><dir>${folder}</dir><dir>${ownFonts}</dir><cachedir>${join(folder, 'cache')}</cachedir></fontconfig>
`

/** What was copied. Our pages may not read the clipboard, so another address of the same server looks. */
export async function clipboardText(page: Page): Promise<string> {
  const looking = await page.context().newPage()
  try {
    await looking.goto(new URL('/health/live', page.url()).href)
    return await looking.evaluate(() => {
      // A test that takes the clipboard away from pages keeps it under this name.
      const { kept } = globalThis as unknown as { kept?: Clipboard }
      return (kept ?? navigator.clipboard).readText()
    })
  } finally {
    await looking.close()
  }
}
