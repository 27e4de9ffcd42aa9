/** Records when a key was last used and by which signing rule. */
import type { Db } from '../../platform/db.ts'
import { faultFields, type Log } from '../../platform/log.ts'
import type { SigningRule } from './api-key.ts'
import { noteKeyUse } from './store.ts'
import { createUseRecorder } from './use-recorder.ts'

export type NoteUse = (keyId: string, rule: SigningRule) => void

export function keyUse(db: Db, log: Log): NoteUse {
  const record = createUseRecorder((error) => log.warn('last use of a key not noted', faultFields(error)))
  return (keyId, rule) => record(`${rule} ${keyId}`, () => noteKeyUse(db, keyId, rule))
}
