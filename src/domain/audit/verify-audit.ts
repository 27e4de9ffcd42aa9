/**
 * Verifies the audit chain from its first entry to its head, then its seals, and names the first problem. Entries after
 * the last seal could be rewritten by an attacker with write access: a logged head detects that (`--head`).
 */
import { bounds } from '../../platform/bounds.ts'
import type { Queryable } from '../../platform/db.ts'
import { createPause } from '../../platform/in-stretches.ts'
import { isMacOfAny, readMacKeys, readSealer } from '../../platform/sealing-key.ts'
import type { Vault } from '../../platform/vault.ts'
import { type Message, message } from '../messages/message.ts'
import { brokenBy, brokenSeal, chainStart, headData, headText, type Link, type Verdict } from './audit.ts'
import {
  findAuditEntry,
  firstUnsealed,
  readAuditAfter,
  readHead,
  readLastSeal,
  readSealsAfter,
} from './store.ts'

/** How many entries or seals are read at a time. */
const batchSize = 1_000

/** A head from the log: `place:mac`. */
export type LoggedHead = { place: bigint; mac: Buffer }

export async function verifyAudit(
  db: Queryable,
  vault: Vault,
  logged: LoggedHead | null = null,
): Promise<Verdict> {
  // Read first, so that entries written meanwhile come after it.
  const head = await readHead(db)
  const chain = await walkChain(db, { place: 0n, digest: chainStart }, head)
  const seals = await verifySeals(db, vault)
  const problem = chain.problem ?? seals.problem ?? (logged && (await brokenHead(db, vault, logged)))
  return { entries: chain.last, head: head.digest.toString('hex'), problem, gaps: seals.gaps }
}

/** The head as the log has it, to be kept elsewhere. */
export const keyedHead = async (db: Queryable, vault: Vault, head: Link): Promise<string> =>
  headText((await readSealer(db, vault)).mac, head)

/** Verifies from a trusted entry to the head. `last`: the last valid entry. */
export async function walkChain(
  db: Queryable,
  from: Link,
  head: Link,
): Promise<{ last: bigint; problem: Message | null }> {
  let last = from
  const pause = createPause()
  for (;;) {
    const entries = await readAuditAfter(db, last.place, batchSize)
    for (const entry of entries) {
      const problem = brokenBy(entry, last) ?? notWrittenLast(entry, head)
      if (problem) return { last: last.place, problem }
      last = entry
      await pause()
    }
    if (entries.length < batchSize) break
  }
  const problem =
    last.place < head.place
      ? message('audit_entry_missing', { place: last.place + 1n })
      : notWrittenLast(last, head)
  return { last: last.place, problem }
}

const notWrittenLast = ({ place, digest }: Link, head: Link): Message | null =>
  place === head.place && !digest.equals(head.digest) ? message('audit_entry_not_last', { place }) : null

export async function verifySeals(
  db: Queryable,
  { isMac }: Pick<Vault, 'isMac'>,
): Promise<Pick<Verdict, 'problem' | 'gaps'>> {
  const gaps: Message[] = []
  let last = { number: 0n, place: 0n }
  for (;;) {
    const seals = await readSealsAfter(db, last.number, batchSize)
    for (const seal of seals) {
      const problem = brokenSeal(seal, last.number, seal.entry, isMac)
      if (problem) return { problem, gaps }
      const firstAt = seal.number === 1n ? await firstUnsealed(db, 0n) : seal.firstAt
      gaps.push(...gapOf(firstAt, seal.sealedAt))
      last = seal
    }
    if (seals.length < batchSize) break
  }
  const { now } = await readLastSeal(db)
  gaps.push(...gapOf(await firstUnsealed(db, last.place), now))
  return { problem: null, gaps }
}

/** Every hour a worker seals what has come: an entry that waited for much longer is worth a look. */
function gapOf(firstAt: Date | null, until: Date): Message[] {
  if (!firstAt || until.getTime() - firstAt.getTime() <= 2 * bounds.auditSealMs) return []
  return [message('audit_unsealed_time', { first: firstAt.toISOString(), until: until.toISOString() })]
}

async function brokenHead(db: Queryable, vault: Vault, { place, mac }: LoggedHead): Promise<Message | null> {
  const entry = await findAuditEntry(db, place)
  if (!entry) return message('audit_entry_missing_since_log', { place })
  // What was logged under an earlier master key stays comparable.
  const keys = await readMacKeys(db, vault, 'inlet audit head', await readSealer(db, vault))
  return isMacOfAny(keys, mac, headData(entry)) ? null : message('audit_rewritten_since_log', { place })
}
