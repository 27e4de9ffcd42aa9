/** A bank's row as JSON, until it becomes a transfer. Amounts are texts: JSON has no whole numbers of their size. */
import { type Entry, type Prepared, prepare } from './entry.ts'
import type { References } from './purpose-references.ts'

type Stored = Omit<Entry, 'cents' | 'version' | 'bookedAt'> & {
  cents: string
  version: string
  bookedAt: string | null
  /** Found once: a hostile text takes milliseconds. */
  references: References
}

export const factsJson = (facts: Entry, references: References): string =>
  JSON.stringify({ ...facts, cents: facts.cents.toString(), version: facts.version.toString(), references })

export function preparedFrom(stored: object): Prepared {
  const { references, ...facts } = stored as Stored
  const entry = {
    ...facts,
    cents: BigInt(facts.cents),
    version: BigInt(facts.version),
    bookedAt: facts.bookedAt === null ? null : new Date(facts.bookedAt),
  }
  return prepare(entry, references)
}
