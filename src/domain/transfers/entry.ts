/** A bank's row before it is stored, with what follows from its text alone. Pure. */
import { hash } from 'node:crypto'
import { type ListKey, payerKeys } from '../rules/listing.ts'
import { channelIds, type Ids } from './channel.ts'
import type { Told } from './identity.ts'
import { taxIdOf } from './payer-shapes.ts'
import { type References, referencesIn } from './purpose-references.ts'
import { fingerprint, type TransferFacts } from './transfer.ts'

/**
 * `isReversal`: the bank takes an earlier payment back; of a credit, the one of its id. `isInternal`: our own money moves
 * between our accounts, or a payment of ours came back. `version` grows when a bank reports new data under one id.
 */
export type Entry = TransferFacts & {
  line: number | null
  version: bigint
  isReversal: boolean
  isInternal: boolean
}

export type Prepared = Entry & { references: References; payer: ListKey[] }

export const prepare = (entry: Entry, references = referencesIn(entry)): Prepared => ({
  ...entry,
  references,
  payer: payerKeys(entry),
})

export const toldOf = (
  entry: Pick<
    Prepared,
    'cents' | 'direction' | 'bookedOn' | 'payerTaxId' | 'bankId' | 'channel' | 'hasSeveralPayments'
  > & { references: Pick<References, 'written'> },
): Told => ({
  cents: entry.cents,
  direction: entry.direction,
  day: entry.bookedOn,
  references: entry.references.written,
  taxId: taxIdOf(entry),
  isSum: entry.hasSeveralPayments ?? false,
  lastingId: channelIds[entry.channel] === 'lasting' ? entry.bankId : null,
})

export type Key = { key: Buffer; variant: Buffer }

/**
 * By what a source's next report of the same entry is known: its id, on its day where ids begin anew each day, or the row itself
 * and its number among equal rows. Under one id a bank may report several payments: the variant is the text.
 */
export function keyOf(entry: Entry, ids: Ids): Key {
  const { direction, bankId, bookedOn } = entry
  const print = fingerprint(entry).subarray(0, 16)
  if (ids === 'none' || bankId === null) return { key: print, variant: firstOfEqual }
  return { key: idKey(direction, bankId, ids === 'daily' ? bookedOn : ''), variant: print }
}

export const idKey = (direction: Entry['direction'], bankId: string, day = ''): Buffer =>
  hash('sha256', JSON.stringify([direction, bankId, day]), 'buffer').subarray(0, 16)

/** Rows without an id are numbered among their equals, in four bytes: see `numberRows`. */
const firstOfEqual = Buffer.from([0, 0, 0, 1])

/** A bank's row as JSON, until it becomes a transfer. Amounts are texts: JSON has no whole numbers of their size. */
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
