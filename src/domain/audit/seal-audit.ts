/**
 * Seals the head of the audit chain with the master key, and logs it: every hour, and when a worker stops. The entries
 * since the last seal are verified first; a broken chain is logged as an error and not sealed.
 */
import type { Db } from '../../platform/db.ts'
import type { Log } from '../../platform/log.ts'
import { lockSealer } from '../../platform/sealing-key.ts'
import type { Vault } from '../../platform/vault.ts'
import { type Message, message } from '../messages/message.ts'
import { chainStart, headText, isOurSeal, type Seal, sealMac } from './audit.ts'
import { insertSeal, readHead, readLastSeal } from './store.ts'
import { walkChain } from './verify-audit.ts'

export async function sealAudit(db: Db, vault: Vault, log: Log): Promise<void> {
  const head = await readHead(db)
  if (head.place === 0n) return
  const { last, now } = await readLastSeal(db)
  const problem = last && !isOurSeal(vault.isMac, last) ? sealForged(last) : null
  const found = problem ?? (await walkChain(db, last ?? { place: 0n, digest: chainStart }, head)).problem
  if (found) {
    log.error('audit record damaged', { error: found.text })
    return
  }
  const text = await db.transaction(async (tx) => {
    const { mac } = await lockSealer(tx, vault)
    if (head.place > (last?.place ?? 0n)) {
      const seal = { ...head, number: (last?.number ?? 0n) + 1n, sealedAt: now }
      await insertSeal(tx, { ...seal, mac: sealMac(mac, seal) })
    }
    return headText(mac, head)
  })
  log.event('audit head', { head: text })
}

const sealForged = ({ number }: Seal): Message => message('audit_seal_of_another_key', { number })
