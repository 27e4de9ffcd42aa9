/**
 * What is accepted once: a signed request that must not be repeated, the answer of a passkey. It is stored in the transaction
 * of what it does, for as long as it would be accepted: of ten equal ones one is accepted, and one that was refused or
 * rolled back can be sent again.
 */
import { bounds } from './bounds.ts'
import { type Queryable, sql, type Tx } from './db.ts'
import { Refusal } from './refusals.ts'

/** `digest`: of the signed text and the id of the key, or the challenge. `validUntil`: afterwards it is refused as too old. */
export type Use = { digest: Buffer; validUntil: Date }

/** False: it was used before. */
export const useOnce = (tx: Tx, { digest, validUntil }: Use): Promise<boolean> =>
  tx.has(sql`
    insert into used_once (digest, expires_at)
    values (${digest}, ${validUntil})
    on conflict do nothing
    returning digest`)

export async function useSignature(tx: Tx, signature: Use): Promise<void> {
  if (!(await useOnce(tx, signature))) throw new Refusal('request_repeated', { retryAfterSeconds: 1 })
}

/** A minute after they have expired, because clocks differ. */
export async function deleteExpired(db: Queryable): Promise<void> {
  const deleteGroup = () =>
    db.query(sql`
      delete from used_once
      where digest = any(array(
        select digest
        from used_once
        where expires_at < inlet_now() - interval '1 minute'
        order by expires_at
        limit ${bounds.sweepGroup}
        for update skip locked))
      returning true`)
  while ((await deleteGroup()).length === bounds.sweepGroup);
}
