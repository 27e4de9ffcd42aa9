/** The accessibility rules that a page breaks, as axe reports them. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type axeCore from 'axe-core'
import type { Page } from 'playwright-core'

/** The short form: every document gets the whole text again, and the long one has 1.5 MB. */
const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']

/** One line for each rule, with the elements that break it. */
export async function brokenRules(page: Page): Promise<string[]> {
  await page.evaluate(source)
  return page.evaluate(violations, rules)
}

/**
 * Between its steps axe waits for a timer. None ever comes where JavaScript is off, and elsewhere the page's own
 * would come too: promises come everywhere, and let nothing change meanwhile.
 */
async function violations(runOnly: string[]): Promise<string[]> {
  const { axe } = globalThis as unknown as { axe: typeof axeCore }
  const timer = globalThis.setTimeout
  const soon = (work: () => void) => void Promise.resolve().then(work)
  Object.assign(globalThis, { setTimeout: soon })
  try {
    const results = await axe.run(document, { runOnly, resultTypes: ['violations'], preload: false })
    return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
  } finally {
    Object.assign(globalThis, { setTimeout: timer })
  }
}
