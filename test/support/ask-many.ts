/** Asks the database of the login that it is given twelve thousand questions, sixteen at once, and prints how often V8 collected the whole heap. */
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { openDatabase, sql } from '../../src/platform/db.ts'

const db = openDatabase(JSON.parse(process.argv[2]!))
const ask = async (count: number) => {
  for (let number = 0; number < count; number++)
    await db.query(sql`select length(${JSON.stringify(['ж'.repeat(10_000), number])}) as length`)
}
const askAll = (count: number) => Promise.all(Array.from({ length: 16 }, () => ask(count / 16)))

await askAll(1_600)
let collections = 0
const observer = new PerformanceObserver((list) => {
  const entries = list.getEntries() as (PerformanceEntry & { detail: { kind: number } })[]
  for (const { detail } of entries) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++
})
observer.observe({ entryTypes: ['gc'] })
await askAll(12_000)
await new Promise((resolve) => setTimeout(resolve, 100))
console.log(collections)
await db.close()
