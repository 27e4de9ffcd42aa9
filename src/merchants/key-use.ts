/** Notes when a key was last used, at most once a minute for each key, without holding up the request. */
import { bounds } from '../bounds.ts'
import { monotonicMs } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { faultFields, type Log } from '../platform/log.ts'
import { noteKeyUse } from './store.ts'

export function keyUse(db: Db, log: Log): (keyId: string) => void {
  const noted = new Map<string, number>()
  return (keyId) => {
    const now = monotonicMs()
    if (now - (noted.get(keyId) ?? -Infinity) < bounds.keyUseWriteMs) return
    noted.delete(keyId)
    noted.set(keyId, now)
    if (noted.size > bounds.merchantCacheEntries) noted.delete(noted.keys().next().value!)
    noteKeyUse(db, keyId).catch((error) => log.warn('last use of a key not noted', faultFields(error)))
  }
}
