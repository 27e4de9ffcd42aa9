/**
 * `npm run bench`: the rows of docs/performance.md, each against its reference in the same run.
 *
 *   npm run bench                                  all rows
 *   npm run bench -- create-outside replay         some of them
 *   npm run bench -- history --deposits 10000000   beside so many old deposits (1,000,000)
 *   npm run bench -- --quick                       so little of each that it only shows that it works; not kept
 *   npm run bench -- page --profile /tmp/p         Inlet under node --cpu-prof, the profile written there
 *   npm run bench -- --markdown                    measures nothing: prints bench/results.json as the table of docs/performance.md
 *   npm run lists                                  each list and search beside old deposits; no row of the table
 */
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { answer } from './answer.ts'
import { bytes } from './bytes.ts'
import { callbacks } from './callbacks.ts'
import { createCard } from './create-card.ts'
import { createLone, createOutside } from './create-outside.ts'
import { createSteady, createStored } from './create-stored.ts'
import { fairness } from './fairness.ts'
import { floods } from './floods.ts'
import { history } from './history.ts'
import { lists } from './lists.ts'
import { match } from './match.ts'
import { memory } from './memory.ts'
import { neighbours } from './neighbours.ts'
import { page } from './page.ts'
import { replay } from './replay.ts'
import { createStatus, markdownOf, type Result, tableOf } from './report.ts'
import type { Row } from './row.ts'
import { quick, settings } from './settings.ts'
import { start } from './start.ts'
import { stock } from './stock.ts'
import { openWorld } from './world.ts'

// In the order of the table. The row memory is measured after those before it; start runs last, because it ends everything else.
const table: readonly Row[] = [
  ...[createOutside, createStored, createLone, createSteady, answer, createCard, stock, history, replay],
  ...[page, callbacks, fairness, match, floods, neighbours, memory, start, bytes],
]
const rows = [...table, lists]
const file = new URL('./results.json', import.meta.url)

const status = createStatus(process.stderr)
let close: (() => Promise<void>) | undefined
let isInterrupted = false

process.exitCode = await run()

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      deposits: { type: 'string' },
      profile: { type: 'string' },
      quick: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
    },
  })
  if (values.markdown) {
    console.log(markdownOf(table, await readResults(), await readBounds()))
    return 0
  }
  if (values.quick) Object.assign(settings, quick)
  settings.deposits = Number(values.deposits ?? settings.deposits)
  const names = rows.map(({ name }) => name)
  const unknown = positionals.filter((name) => !names.includes(name))
  if (unknown.length > 0 || !(settings.deposits >= 1_000 && settings.deposits <= 100_000_000)) {
    console.error(`Rows: ${names.join(', ')}. --deposits takes 1000 to 100000000.`)
    return 1
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void interrupt())
  try {
    const world = await openWorld({
      closing: (how) => {
        close = how
      },
      status: status.show,
      profileDir: values.profile && resolve(values.profile),
    })
    const results: Result[] = []
    const failures: string[] = []
    const chosen = positionals.length === 0 ? table : rows.filter(({ name }) => positionals.includes(name))
    for (const row of chosen.toSorted((one, other) => Number(one === start) - Number(other === start))) {
      try {
        const measured = await row.measure(world)
        results.push({ row: row.name, ...measured })
        const figure = (measured.ratio ?? measured.value)?.toPrecision(3) ?? 'skipped'
        status.show(`${row.name}: ${figure}; ${measured.note}`)
      } catch (error) {
        // The rows before it took minutes and stay good.
        if (isInterrupted) throw error
        failures.push(`${row.name} failed: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    // Rows of earlier runs stay, so that one that went wrong can be measured again.
    const earlier = (await readResults()).filter(({ row }) => !results.some((result) => result.row === row))
    const text = JSON.stringify({ rows: [...earlier, ...results] }, rounded, 2)
    if (!values.quick) await writeFile(file, `${text}\n`)
    status.clear()
    console.log(tableOf(chosen, results))
    for (const failure of failures) console.error(failure)
    return failures.length > 0 ? 1 : 0
  } catch (error) {
    // Errors during the shutdown are expected.
    if (!isInterrupted) throw error
    return 130
  } finally {
    status.show('cleaning up')
    await close?.()
    status.clear()
  }
}

function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}

async function readResults(): Promise<Result[]> {
  const text = await readFile(file, 'utf8').catch(() => '{"rows":[]}')
  return JSON.parse(text).rows
}

/** What bounds each row, as the document says it: written by hand, so it is kept. */
async function readBounds(): Promise<Map<string, string>> {
  const text = await readFile(new URL('../docs/performance.md', import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => line.startsWith('| '))
  return new Map(
    lines.map((line) => {
      const cells = line.split('|').map((cell) => cell.trim())
      return [cells[1]!, cells.at(-2)!]
    }),
  )
}

/** Ctrl-C: whatever is being measured is left, what was started is ended. */
async function interrupt(): Promise<void> {
  isInterrupted = true
  status.show('interrupted, cleaning up')
  await close?.().catch((error) => console.error(error))
  process.exit(130)
}
