/** The keys of a merchant as a list: current and former ones, without their secrets. */
import { type Queryable, sql } from '../../platform/db.ts'
import { type ApiKey, usesV2Alone } from './api-key.ts'
import type { MerchantId } from './merchant.ts'

export type KeyRow = Omit<ApiKey, 'secret' | 'merchantId' | 'lastUsedAt'> & {
  /** All of its recent requests were signed with v2. */
  usedOnlyV2: boolean
  /** The key has not expired. */
  isValid: boolean
}

/** The newest of each purpose, newest first. */
export async function listKeys(db: Queryable, merchantId: MerchantId): Promise<KeyRow[]> {
  const rows = await db.query<Omit<KeyRow, 'usedOnlyV2'> & { now: Date }>(sql`
    select k.id, k.purpose, k."createdAt", k."literalUsedAt", k."v2UsedAt", k."notAfter", k."v2Only", k."isValid", k.now
    from (values ('request'), ('callback')) purposes (purpose)
    cross join lateral (
      select id, purpose, created_at as "createdAt", literal_used_at as "literalUsedAt", v2_used_at as "v2UsedAt",
        not_after as "notAfter", v2_only as "v2Only", not_after is null or not_after > inlet_now() as "isValid",
        inlet_now() as now
      from api_keys
      where merchant_id = ${merchantId} and purpose = purposes.purpose
      order by created_at desc, id desc
      limit 50
    ) k
    order by k.purpose desc, k."createdAt" desc, k.id desc`)
  return rows.map(({ now, ...key }) => ({ ...key, usedOnlyV2: usesV2Alone(key, now) }))
}

/** Callback secrets, current and former, newest first, still sealed. */
export const readSealedSecrets = (db: Queryable, merchantId: MerchantId) =>
  db.query<{ id: string; sealed: Buffer; createdAt: Date; notAfter: Date | null }>(sql`
    select id, secret_sealed as sealed, created_at as "createdAt", not_after as "notAfter"
    from api_keys
    where merchant_id = ${merchantId} and purpose = 'callback'
    order by created_at desc, id desc
    limit 50`)
