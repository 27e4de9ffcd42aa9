/**
 * Updates demo.json when the demo merchant's keys change, so that after a rotation one can go
 * on with the demo shop, with the printed curl and with `inlet sign`. The newest key is used.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Queryable } from '../../platform/db.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { Vault } from '../../platform/vault.ts'
import { findMerchant, liveKeys } from '../merchants/store.ts'
import { type Demo, readDemo, writeDemo } from './demo-file.ts'

type Parts = { db: Queryable; vault: Vault }

/** Undefined where there is no demo: the file may be that of another database. */
export async function updateDemoKeys(
  dataDir: string,
  { db, vault }: Parts,
  baseUrl?: string,
): Promise<Demo | undefined> {
  const known = await readDemo(dataDir)
  if (!known || !isUuid(known.merchant) || !(await findMerchant(db, known.merchant))) return undefined
  const [request] = await liveKeys(db, vault, known.merchant, 'request')
  const [callback] = await liveKeys(db, vault, known.merchant, 'callback')
  const demo: Demo = {
    base_url: baseUrl ?? known.base_url,
    merchant: known.merchant,
    key_id: request?.id ?? known.key_id,
    signing_secret: request?.secret ?? known.signing_secret,
    callback_secret: callback?.secret ?? known.callback_secret,
    ...(request?.v2Only && { v2_only: true }),
  }
  if (!isDeepStrictEqual(demo, known)) await writeDemo(dataDir, demo)
  return demo
}
