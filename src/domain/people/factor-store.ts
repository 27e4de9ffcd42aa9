/** What people sign in with, in the database: passwords, one-time codes, recovery codes, passkeys. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Passkey } from './person.ts'

type Factors = { password: string | null; totpSealed: Buffer | null; totpStep: bigint }

export const readFactors = (db: Queryable, personId: string) =>
  db.one<Factors>(sql`
    select password, totp_sealed as "totpSealed", totp_step as "totpStep"
    from people
    where id = ${personId}`)

export const setPassword = (tx: Tx, personId: string, password: string | null) =>
  tx.run(sql`update people set password = ${password} where id = ${personId}`)

export const setTotp = (
  tx: Tx,
  personId: string,
  { sealed, step }: { sealed: Buffer | null; step: bigint },
) =>
  tx.run(sql`
    update people
    set totp_sealed = ${sealed}, totp_step = ${step}
    where id = ${personId}`)

/** If two requests use one code, only the first succeeds. */
export const useTotpStep = (tx: Tx, personId: string, step: bigint) =>
  tx.has(sql`
    update people
    set totp_step = ${step}
    where id = ${personId} and totp_step < ${step}
    returning id`)

export const replaceRecoveryCodes = (
  tx: Tx,
  personId: string,
  digests: readonly Buffer[],
  generation: number,
) =>
  tx.run(sql`
    update people
    set recovery_digests = ${digests}::bytea[], recovery_generation = ${generation}
    where id = ${personId}`)

/** `digests`: of the code, under each master key. A used code is gone. */
export const useRecoveryCode = (tx: Tx, personId: string, digests: readonly Buffer[]) =>
  tx.has(sql`
    update people
    set recovery_digests = array(select d from unnest(recovery_digests) d where d <> all(${digests}::bytea[]))
    where id = ${personId} and recovery_digests && ${digests}::bytea[]
    returning id`)

export async function countRecoveryCodes(db: Queryable, personId: string): Promise<number> {
  const { left } = await db.one<{ left: number }>(sql`
    select cardinality(recovery_digests) as left from people where id = ${personId}`)
  return left
}

const passkeyColumns = fragment`
  id, person_id as "personId", public_key as "publicKey", counter, transports, name, created_at as "createdAt",
  last_used_at as "lastUsedAt"`

export const listPasskeys = (db: Queryable, personId: string) =>
  db.query<Passkey>(sql`
    select ${passkeyColumns}
    from passkeys
    where person_id = ${personId}
    order by created_at`)

export const lockPasskey = (tx: Tx, id: string) =>
  tx.find<Passkey>(sql`
    select ${passkeyColumns}
    from passkeys
    where id = ${id}
    for update`)

export async function insertPasskey(
  tx: Tx,
  passkey: Pick<Passkey, 'id' | 'personId' | 'publicKey' | 'counter' | 'transports' | 'name'>,
): Promise<boolean> {
  const { id, personId, publicKey, counter, transports, name } = passkey
  return tx.has(sql`
    insert into passkeys (id, person_id, public_key, counter, transports, name)
    values (${id}, ${personId}, ${publicKey}, ${counter}, ${transports}, ${name})
    on conflict do nothing
    returning id`)
}

export const notePasskeyUse = (tx: Tx, id: string, counter: bigint) =>
  tx.run(sql`update passkeys set counter = ${counter}, last_used_at = inlet_now() where id = ${id}`)

export const deletePasskey = (tx: Tx, personId: string, id: string) =>
  tx.has(sql`delete from passkeys where person_id = ${personId} and id = ${id} returning id`)

export async function removeFactors(tx: Tx, personId: string): Promise<void> {
  await tx.query(sql`delete from passkeys where person_id = ${personId}`)
  await replaceRecoveryCodes(tx, personId, [], 0)
  await setPassword(tx, personId, null)
  await setTotp(tx, personId, { sealed: null, step: 0n })
}
