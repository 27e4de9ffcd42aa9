/**
 * Seals the head of the audit chain with the master key, and logs it: every hour, and when a worker stops. The entries
 * since the last seal are verified first; a broken chain is logged as an error and not sealed.
 */
import type { Db } from '../../platform/db.ts'
import type { Log } from '../../platform/log.ts'
import { type Message, message } from '../messages/message.ts'
import { chainStart, headText, type Mac, type Seal, sealMac } from './audit.ts'
import { insertSeal, readHead, readLastSeal } from './store.ts'
import { walkChain } from './verify-audit.ts'

export async function sealAudit(db: Db, { mac }: { mac: Mac }, log: Log): Promise<void> {
  const head = await readHead(db)
  if (head.place === 0n) return
  const { last, now } = await readLastSeal(db)
  const problem = last && !sealMac(mac, last).equals(last.mac) ? sealForged(last) : null
  const found = problem ?? (await walkChain(db, last ?? { place: 0n, digest: chainStart }, head)).problem
  if (found) {
    log.error('audit record damaged', { error: found.text })
    return
  }
  if (head.place > (last?.place ?? 0n)) {
    const seal = { ...head, number: (last?.number ?? 0n) + 1n, sealedAt: now }
    await insertSeal(db, { ...seal, mac: sealMac(mac, seal) })
  }
  log.info('audit head', { head: headText(mac, head) })
}

const sealForged = ({ number }: Seal): Message => message('audit_seal_of_another_key', { number })
