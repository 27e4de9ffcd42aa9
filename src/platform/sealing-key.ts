/**
 * The database says which master key seals, so that all processes change to a new one at the same moment: a process that was
 * started with both uses the old one until `inlet key reseal` begins. Until then a process with only the old key can open
 * everything.
 */
import { type Queryable, sql, type Tx } from './db.ts'
import { ConfigProblem } from './operator-problem.ts'
import { isEqual, type MasterKey, macWith, opened, type Sealer, type Vault } from './vault.ts'

const label = 'installation:master_key_check'

export const sealCheck = (key: MasterKey): Buffer => key.seal('inlet', label)

export const readCheck = (db: Queryable) =>
  db.one<{ check: Buffer | null }>(sql`select master_key_check as check from installation`)

/** For values that are only needed for minutes. */
export const readSealer = (db: Queryable, vault: Vault): Promise<Sealer> =>
  readCheck(db).then(({ check }) => sealerFrom(vault, check))

/**
 * For values that are stored: no other key is activated until this transaction has ended. The weakest lock of a row: the entries
 * of the audit log, which change the same row, go on beside it.
 */
export async function lockSealer(tx: Tx, vault: Vault): Promise<Sealer> {
  const { check } = await tx.one<{ check: Buffer | null }>(sql`
    select master_key_check as check from installation for key share`)
  return sealerFrom(vault, check)
}

function sealerFrom(vault: Vault, check: Buffer | null): Sealer {
  const key = check && keyOfCheck(vault, check)
  if (!key) throw new ConfigProblem(wrongKey)
  return key
}

/** The key in use; undefined where it is none of ours. */
export const keyOfCheck = (vault: Vault, check: Buffer): MasterKey | undefined =>
  [vault.current, vault.old].find((key) => key && opened(key, check, label) !== undefined) ?? undefined

const wrongKey =
  '- The master key is not the one this database is sealed with. Restore the right key; after a rotation that is the new one.'

/**
 * A wrong master key must stop the start, not the first merchant's request; and so must a missing old one, while values are
 * sealed with it. Commands start without it, so that what cannot be opened any more can be given up.
 */
export async function proveVault(db: Queryable, vault: Vault, as: string): Promise<void> {
  // The first start writes the check; a concurrent start keeps it.
  await db.run(sql`
    update installation set master_key_check = ${sealCheck(vault.current)} where master_key_check is null`)
  await readSealer(db, vault)
  const left = as === 'command' ? undefined : await findUnopened(db, vault)
  if (!left) return
  throw new ConfigProblem(
    `- Values are still sealed with the old master key (${left.id}). Set INLET_OLD_MASTER_KEY, or its _FILE, and run "inlet key reseal".`,
  )
}

/** A master key that is in none of our settings, with which values are still sealed. */
export const findUnopened = (db: Queryable, { current, old }: Vault) =>
  db.find<{ id: string }>(sql`
    select key_id as id
    from key_generations
    where resealed_at is null and key_id <> all(${[current.id, old?.id ?? current.id]}::text[])`)

/** Keys derived from an earlier master key stay, because digests made with them cannot be computed again. */
type DerivedKeyPurpose = 'recovery code' | 'inlet audit head'
const derivedKeyColumns = {
  'recovery code': 'recovery_key_sealed',
  'inlet audit head': 'head_key_sealed',
} as const

export const derivedKeyLabel = (purpose: DerivedKeyPurpose, generation: number): string =>
  `key_generations:${generation}:${derivedKeyColumns[purpose]}`

/** The keys of a purpose, from the first master key to the one in use. */
export async function readMacKeys(
  db: Queryable,
  vault: Vault,
  purpose: DerivedKeyPurpose,
  sealer: Pick<Sealer, 'macKey'>,
): Promise<Buffer[]> {
  const rows = await db.query<{
    generation: number
    recovery_key_sealed: Buffer
    head_key_sealed: Buffer
  }>(sql`
    select generation, recovery_key_sealed, head_key_sealed
    from key_generations
    order by generation`)
  const earlier = rows.map((row) =>
    Buffer.from(
      vault.open(row[derivedKeyColumns[purpose]], derivedKeyLabel(purpose, row.generation)),
      'base64',
    ),
  )
  return [...earlier, sealer.macKey(purpose)]
}

/** Each key digests the result of the key before it; returns the result of each. */
export const macChain = (keys: readonly Buffer[], data: Buffer): Buffer[] => {
  const digests: Buffer[] = []
  for (const key of keys) digests.push(macWith(key, digests.at(-1) ?? data))
  return digests
}

export const isMacOfAny = (keys: readonly Buffer[], mac: Buffer, data: Uint8Array): boolean =>
  keys.some((key) => isEqual(macWith(key, data), mac))
