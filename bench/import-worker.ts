/** Imports one statement in a process of its own, so that its memory is its own, and prints what it took. */
import { createReadStream } from 'node:fs'
import { importStatement } from '../src/domain/statements/import-statement.ts'
import { monotonicMs } from '../src/platform/clock.ts'
import { type Login, openDatabase } from '../src/platform/db.ts'

export type Imported = { ms: number; matched: number; peakMegabytes: number }

const [login, file] = JSON.parse(process.argv[2]!) as [Login, string]
const db = openDatabase(login, { hasNoStatementTimeout: true })
const begin = monotonicMs()
const report = await importStatement(
  { db, publicUrl: 'http://localhost', changed: () => {} },
  {
    file: { name: 'statement.txt', open: () => createReadStream(file) },
    mode: 'test',
    by: 'bench',
    dryRun: false,
    anyway: false,
  },
)
const imported: Imported = {
  ms: monotonicMs() - begin,
  matched: report.taken.matched,
  peakMegabytes: process.resourceUsage().maxRSS / 1024,
}
await db.close()
console.log(JSON.stringify(imported))
