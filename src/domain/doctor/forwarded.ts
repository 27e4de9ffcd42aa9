/**
 * A proxy that is not named in INLET_TRUSTED_PROXIES is one client to us: all its clients share the limits of one address. Who
 * forwards requests without being trusted is written down for the doctor, at most once a minute.
 */
import { monotonicMs } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { faultFields, type Log } from '../../platform/log.ts'
import { storeForwarded } from './store.ts'

const noteMs = 60_000

export function noteForwarded(db: Db, log: Log): (peer: string) => void {
  let notedAt = Number.NEGATIVE_INFINITY
  return (peer) => {
    if (monotonicMs() - notedAt < noteMs) return
    notedAt = monotonicMs()
    log.warn('forwarded by a peer that is not in INLET_TRUSTED_PROXIES', { address: peer })
    storeForwarded(db, peer).catch((error) => log.warn('not noted who forwards requests', faultFields(error)))
  }
}
