/**
 * The record of what people did. Each entry holds the digest of the one before it, so that whatever was altered,
 * removed or put in another order shows. It holds people's acts only: a chain over every deposit would be one row
 * that everybody waits for.
 */
import { createHash } from 'node:crypto'

export type AuditDraft = {
  personId: string | null
  /** Who it was, in words that stay when the person is gone. */
  actor: string
  act: string
  /** What it was done to: `deposit:…`, `requisite:…`, `person:…`. */
  subject: string
  merchantId: string | null
  reason: string
  before: unknown
  after: unknown
  requestId: string | null
}

export type AuditEntry = Omit<AuditDraft, 'before' | 'after'> & {
  place: bigint
  at: Date
  /** JSON, as it was written. */
  before: string
  after: string
  previous: Buffer
  digest: Buffer
}

export const chainStart = Buffer.alloc(32)

export type Unsealed = Omit<AuditEntry, 'digest'>

export function digestOf(entry: Unsealed): Buffer {
  const { place, at, personId, actor, act, subject, merchantId, reason, before, after, requestId } = entry
  const text = JSON.stringify([
    place.toString(),
    at.toISOString(),
    personId,
    actor,
    act,
    subject,
    merchantId,
    reason,
    before,
    after,
    requestId,
  ])
  return createHash('sha256').update(entry.previous).update(text).digest()
}

export type Link = { place: bigint; digest: Buffer }

/** What is wrong with the next entry of a chain; null when it fits. */
export function brokenBy(entry: AuditEntry, last: Link): string | null {
  if (entry.place !== last.place + 1n) return `Entry ${last.place + 1n} is missing.`
  if (!entry.previous.equals(last.digest)) return `Entry ${entry.place} does not follow the one before it.`
  if (!digestOf(entry).equals(entry.digest)) return `Entry ${entry.place} was altered.`
  return null
}
