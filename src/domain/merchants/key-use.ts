/** Records when a key was last used and by which signing rule, at most once a minute, without delaying the request. */
import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { faultFields, type Log } from '../../platform/log.ts'
import type { SigningRule } from './api-key.ts'
import { noteKeyUse } from './store.ts'

export type NoteUse = (keyId: string, rule: SigningRule) => void

export function keyUse(db: Db, log: Log): NoteUse {
  const lastWritten = new Map<string, number>()
  return (keyId, rule) => {
    const now = monotonicMs()
    const use = `${rule} ${keyId}`
    if (now - (lastWritten.get(use) ?? -Infinity) < bounds.keyUseWriteMs) return
    lastWritten.delete(use)
    lastWritten.set(use, now)
    if (lastWritten.size > bounds.merchantCacheEntries) lastWritten.delete(lastWritten.keys().next().value!)
    noteKeyUse(db, keyId, rule).catch((error) => log.warn('last use of a key not noted', faultFields(error)))
  }
}
