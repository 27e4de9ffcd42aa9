/**
 * A signed request that must not be repeated is accepted once. Its signature is stored in the same transaction as what the
 * request does, for as long as its timestamp is accepted: of ten equal requests one is accepted, and
 * one that was refused or rolled back can be sent again.
 */
import { bounds } from './bounds.ts'
import { type Queryable, sql, type Tx } from './db.ts'
import { Refusal } from './refusals.ts'

/** `digest`: of the signed text and the id of the key. `validUntil`: after this time the request's timestamp is too old. */
export type SignatureUse = { digest: Buffer; validUntil: Date }

export async function useSignature(tx: Tx, { digest, validUntil }: SignatureUse): Promise<void> {
  const isFirstUse = await tx.has(sql`
    insert into used_signatures (digest, expires_at)
    values (${digest}, ${validUntil})
    on conflict do nothing
    returning digest`)
  if (!isFirstUse) throw new Refusal('request_repeated', { retryAfterSeconds: 1 })
}

/** Deletes signatures a minute after they have expired, because clocks differ. */
export async function deleteExpiredSignatures(db: Queryable): Promise<void> {
  const deleteGroup = () =>
    db.query(sql`
      delete from used_signatures
      where digest = any(array(
        select digest
        from used_signatures
        where expires_at < inlet_now() - interval '1 minute'
        order by expires_at
        limit ${bounds.sweepGroup}
        for update skip locked))
      returning true`)
  while ((await deleteGroup()).length === bounds.sweepGroup);
}
