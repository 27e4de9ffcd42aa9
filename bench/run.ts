/**
 * `npm run bench`: the rows of the performance table, each against its reference in the same run.
 *
 *   npm run bench                                all rows
 *   npm run bench -- create replay               some of them
 *   npm run bench -- growth history --deposits 10000000   beside so many old deposits (300,000)
 *   npm run bench -- create --profile /tmp/p     Inlet under node --cpu-prof, the profile written there
 */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { answer } from './answer.ts'
import { bytes } from './bytes.ts'
import { callbacks, callbacksStored } from './callbacks.ts'
import { create } from './create.ts'
import { createCard } from './create-card.ts'
import { fairness } from './fairness.ts'
import { growth, history } from './growth.ts'
import { latency } from './latency.ts'
import { match } from './match.ts'
import { memory } from './memory.ts'

import { createCores, createHttp, createLone, createOutside, createStored } from './outside.ts'
import { page, pageRead } from './page.ts'
import { replay, replayRead } from './replay.ts'
import { createStatus, jsonOf, type Result, tableOf } from './report.ts'
import type { Row } from './row.ts'
import { start } from './start.ts'
import { stock } from './stock.ts'
import { verbRows } from './verbs.ts'
import { openWorld } from './world.ts'

// Growth runs before history, whose Inlets would expire its deposits; memory runs after the rows that it measures; start runs
// last, because it ends everything else.
const rows: Record<string, Row | readonly Row[]> = {
  answer,
  create,
  'create-card': createCard,
  'create-outside': createOutside,
  'create-lone': createLone,
  'create-http': createHttp,
  'create-stored': createStored,
  'create-cores': createCores,
  stock,
  latency,
  replay,
  'replay-read': replayRead,
  page,
  'page-read': pageRead,
  callbacks,
  'callbacks-stored': callbacksStored,
  fairness,
  growth,
  history,
  bytes,
  match,
  verbs: verbRows,
  memory,
  start,
}

const status = createStatus(process.stderr)
let close: (() => Promise<void>) | undefined
let isInterrupted = false

process.exitCode = await run()

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      deposits: { type: 'string', default: '300000' },
      profile: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  })
  const deposits = Number(values.deposits)
  const unknown = positionals.filter((name) => !Object.hasOwn(rows, name))
  if (unknown.length > 0 || !Number.isInteger(deposits) || deposits < 1 || deposits > 100_000_000) {
    console.error(`Rows: ${Object.keys(rows).join(', ')}. --deposits takes 1 to 100000000.`)
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
    const chosen = Object.entries(rows).filter(
      ([name]) => positionals.length === 0 || positionals.includes(name),
    )
    for (const row of chosen.flatMap(([, group]) => group)) {
      if (!row.name.includes(values.only)) continue
      try {
        const measured = await row.measure(world, { deposits })
        results.push({ row, measured })
        status.show(`${row.name}: ${(measured.ratio ?? measured.value).toPrecision(3)}; ${measured.note}`)
      } catch (error) {
        // The rows before it took minutes and stay good.
        if (isInterrupted) throw error
        failures.push(`${row.name} failed: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    await writeFile(
      new URL('./results.json', import.meta.url),
      `${JSON.stringify(jsonOf(results), null, 2)}\n`,
    )
    status.clear()
    console.log(tableOf(results))
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

/** Ctrl-C: whatever is being measured is left, what was started is ended. */
async function interrupt(): Promise<void> {
  isInterrupted = true
  status.show('interrupted, cleaning up')
  await close?.().catch((error) => console.error(error))
  process.exit(130)
}
