/** Walks the chain of the audit record from its first entry to its head, and names the first that does not fit. */
import type { Db } from '../platform/db.ts'
import { brokenBy, chainStart, type Link } from './audit.ts'
import { readAuditAfter, readHead } from './store.ts'

const atOnce = 1_000

export type Verdict = { entries: bigint; head: string; problem: string | null }

export async function verifyAudit(db: Db): Promise<Verdict> {
  // Read first: entries that are written meanwhile come after it.
  const head = await readHead(db)
  let last: Link = { place: 0n, digest: chainStart }
  const verdict = (problem: string | null): Verdict => ({
    entries: last.place,
    head: head.digest.toString('hex'),
    problem,
  })
  for (;;) {
    const entries = await readAuditAfter(db, last.place, atOnce)
    for (const entry of entries) {
      const problem = brokenBy(entry, last)
      if (problem) return verdict(problem)
      if (entry.place === head.place && !entry.digest.equals(head.digest))
        return verdict(`Entry ${entry.place} is not the one that was written last.`)
      last = entry
    }
    if (entries.length < atOnce) break
  }
  if (last.place < head.place) return verdict(`Entry ${last.place + 1n} is missing.`)
  return verdict(null)
}
