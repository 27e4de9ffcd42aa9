/**
 * Rebuilds the headers of a past attempt from its time and the secrets that were live then. Expired secrets are kept,
 * so this works for as long as attempts are kept.
 */

import type { Db } from '../../platform/db.ts'
import type { Vault } from '../../platform/vault.ts'
import { sealLabel } from '../merchants/api-key.ts'
import { readSealedSecrets } from '../merchants/key-store.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { signedHeaders } from './signed-headers.ts'

export async function sentHeaders(
  { db, vault }: { db: Db; vault: Vault },
  merchantId: MerchantId,
  { id, body }: { id: string; body: string },
): Promise<(at: Date) => Record<string, string>> {
  const keys = (await readSealedSecrets(db, merchantId)).flatMap(({ sealed, ...key }) => {
    try {
      const label = sealLabel({ id: key.id, merchantId, purpose: 'callback' })
      return [{ ...key, secret: vault.open(sealed, label) }]
    } catch {
      // A secret that cannot be opened signed nothing at the time either.
      return []
    }
  })
  return (at) => {
    const live = keys.filter((key) => key.createdAt <= at && (key.notAfter === null || key.notAfter > at))
    const timestamp = Math.floor(at.getTime() / 1000)
    return live.length === 0
      ? {}
      : signedHeaders({ secrets: live.map((key) => key.secret), id, timestamp, body })
  }
}
