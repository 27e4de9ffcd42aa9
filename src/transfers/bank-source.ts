/** Banks that push: each has a token of its own, shown once, revocable, good for nothing but its transfers. */
import { createHash } from 'node:crypto'
import type { Mode } from '../merchants/merchant.ts'
import { newId, randomToken } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { Refusal } from '../refusals.ts'
import { insertSource, setSourceEnabled } from './store.ts'

export async function addSource(
  db: Db,
  { name, mode }: { name: string; mode: Mode },
): Promise<{ id: string; token: string }> {
  const id = newId()
  const token = `bank_${randomToken(32)}`
  await db.transaction((tx) => insertSource(tx, { id, name, mode, tokenDigest: tokenDigest(token) }))
  return { id, token }
}

/** A token has 256 random bits, so its plain digest is as good as a slow one. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest()

export const setSource = (db: Db, id: string, enabled: boolean) =>
  db.transaction(async (tx) => {
    if (!(await setSourceEnabled(tx, id, enabled))) {
      throw new Refusal('not_found', { detail: 'There is no bank source with this id.' })
    }
    return { id, enabled }
  })
