/**
 * The audit record of people's acts. Each entry holds the digest of the one before it, so that a changed, removed or
 * reordered entry is detected. It does not cover every deposit: all requests would compete for the lock of its head.
 * An attacker with write access to the database could rewrite the whole chain, so its head is sealed regularly with a
 * key that the database does not have.
 */
import { createHash } from 'node:crypto'
import { type Message, message } from '../messages/message.ts'

export type AuditDraft = {
  personId: string | null
  /** The name of the actor, which stays when the person is deleted. */
  actor: string
  act: string
  /** What it was done to: `deposit:…`, `requisite:…`, `person:…`. */
  subject: string
  /** The merchant whose console shows it. */
  merchantId?: string | null
  reason?: string
  before?: unknown
  after?: unknown
  requestId: string | null
}

export type AuditEntry = Required<Omit<AuditDraft, 'before' | 'after'>> & {
  place: bigint
  at: Date
  /** JSON text. */
  before: string
  after: string
  previous: Buffer
  digest: Buffer
}

export const chainStart = Buffer.alloc(32)

type EntryWithoutDigest = Omit<AuditEntry, 'digest'>

export function digestOf(entry: EntryWithoutDigest): Buffer {
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

/** One place of the chain: what the next entry must continue. */
export type Link = { place: bigint; digest: Buffer }

/** What is wrong with the next entry of a chain; null when it fits. */
export function brokenBy(entry: AuditEntry, last: Link): Message | null {
  if (entry.place !== last.place + 1n) return message('audit_entry_missing', { place: last.place + 1n })
  if (!entry.previous.equals(last.digest)) return message('audit_entry_out_of_chain', { place: entry.place })
  if (!digestOf(entry).equals(entry.digest)) return message('audit_entry_altered', { place: entry.place })
  return null
}

/** The head of the chain at one time. Seals are numbered without gaps. */
export type Seal = Link & { number: bigint; sealedAt: Date; mac: Buffer }

/** A keyed digest by the master key in use. */
type Mac = (data: Uint8Array, purpose: string) => Buffer

/** Whether a master key of ours made it. */
type IsMac = (mac: Buffer, data: Uint8Array, purpose: string) => boolean

const sealData = ({ number, place, digest, sealedAt }: Omit<Seal, 'mac'>): Buffer =>
  Buffer.from(`${number}:${place}:${digest.toString('hex')}:${sealedAt.toISOString()}`)

export const sealMac = (mac: Mac, seal: Omit<Seal, 'mac'>): Buffer => mac(sealData(seal), 'inlet audit seal')

export const isOurSeal = (isMac: IsMac, seal: Seal): boolean =>
  isMac(seal.mac, sealData(seal), 'inlet audit seal')

/** The keyed digest of a head is logged: it can be compared with the chain even if seals were removed. */
export const headData = ({ place, digest }: Link): Buffer => Buffer.from(`${place}:${digest.toString('hex')}`)

export const headText = (mac: Mac, head: Link): string =>
  `${head.place}:${mac(headData(head), 'inlet audit head').toString('hex')}`

/** What is wrong with the next seal; null when it fits. `entry`: the digest that stands at its place now. */
export function brokenSeal(seal: Seal, last: bigint, entry: Buffer | null, isMac: IsMac): Message | null {
  if (seal.number !== last + 1n) return message('audit_seal_missing', { number: last + 1n })
  if (!isOurSeal(isMac, seal)) return message('audit_seal_of_another_key', { number: seal.number })
  if (!entry) return message('audit_entry_missing_since_seal', { place: seal.place, number: seal.number })
  if (!entry.equals(seal.digest))
    return message('audit_rewritten_since_seal', { place: seal.place, number: seal.number })
  return null
}

/** What a walk through the whole record found. */
export type Verdict = {
  entries: bigint
  head: string
  problem: Message | null
  /** Periods without a seal: no worker ran, or seals were removed. */
  gaps: Message[]
}
