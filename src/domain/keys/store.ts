/** Sealed values and keyed digests in the database, read and replaced in groups. The names of tables are ours. */
import { type Queryable, type Statement, sql, type Tx } from '../../platform/db.ts'
import type { Seal } from '../audit/audit.ts'
import type { SealedColumn } from './sealed-columns.ts'

/** The text of the statement differs for each column, so it is not prepared. */
const statement = (text: string, values: unknown[]): Statement => ({ text, name: '', values })

type SealedRow = { id: string; sealed: Buffer } & Record<string, string>

/** The next values after an id. With a prefix, only values without this prefix are returned, and their rows are locked. */
export const readSealed = (
  db: Queryable,
  { table, column, id, labelColumns }: SealedColumn,
  { after, otherThan, limit }: { after: string | null; otherThan?: Buffer; limit: number },
): Promise<SealedRow[]> =>
  db.query<SealedRow>(
    statement(
      `select t.${id.column}::text as id, t.${column} as sealed${labelColumns.map((name) => `, t.${name}::text`).join('')}
       from ${table} t
       where t.${column} is not null
         and ($1::${id.type} is null or t.${id.column} > $1::${id.type})
         ${otherThan ? `and substring(t.${column} from 1 for octet_length($3::bytea)) <> $3::bytea` : ''}
       order by t.${id.column}
       limit $2
       ${otherThan ? 'for no key update' : ''}`,
      otherThan ? [after, limit, otherThan] : [after, limit],
    ),
  )

export const writeSealed = (
  tx: Tx,
  { table, column, id }: SealedColumn,
  rows: readonly { id: string; sealed: Buffer }[],
): Promise<void> =>
  tx.run(
    statement(
      `update ${table} t
       set ${column} = n.sealed
       from unnest($1::text[], $2::bytea[]) as n (id, sealed)
       where t.${id.column} = n.id::${id.type}`,
      [rows.map((row) => row.id), rows.map((row) => row.sealed)],
    ),
  )

export async function countSealed(
  db: Queryable,
  { table, column }: SealedColumn,
  otherThan: Buffer,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    statement(
      `select count(*)::int as count
       from ${table} t
       where substring(t.${column} from 1 for octet_length($1::bytea)) <> $1::bytea`,
      [otherThan],
    ),
  )
  return count
}

// ── The key in use ──────────────────────────────────────────────────────────────────────────────────────────────

/** Transactions that are sealing end first, and later ones wait: only this lock excludes theirs. */
export const lockCheck = (tx: Tx) =>
  tx.one<{ check: Buffer | null }>(sql`
    select master_key_check as check from installation for update`)

export const writeCheck = (tx: Tx, check: Buffer) =>
  tx.run(sql`update installation set master_key_check = ${check}`)

type Generation = { keyId: string; nextKeyId: string; recoveryKey: Buffer; headKey: Buffer }

export const insertGeneration = (tx: Tx, generation: number, left: Generation) =>
  tx.run(sql`
    insert into key_generations (generation, key_id, next_key_id, recovery_key_sealed, head_key_sealed)
    values (${generation}, ${left.keyId}, ${left.nextKeyId}, ${left.recoveryKey}, ${left.headKey})`)

export async function countGenerations(db: Queryable): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`select count(*)::int as count from key_generations`)
  return count
}

/** Marks the keys with which nothing is sealed from now on. */
export const endGenerations = (tx: Tx) =>
  tx.query<{ keyId: string }>(sql`
    update key_generations
    set resealed_at = inlet_now()
    where resealed_at is null
    returning key_id as "keyId"`)

/** Processes name their keys with each connection. */
export async function countProcessesWithout(db: Queryable, keyId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*)::int as count
    from pg_stat_activity
    where datname = current_database()
      and application_name like current_schema || '/%'
      and position(${keyId} in application_name) = 0`)
  return count
}

// ── Keyed digests ───────────────────────────────────────────────────────────────────────────────────────────────

export const lockOldCodes = (tx: Tx, generation: number, limit: number) =>
  tx.query<{ personId: string; digests: Buffer[]; generation: number }>(sql`
    select id as "personId", recovery_digests as digests, recovery_generation as generation
    from people
    where recovery_generation < ${generation} and recovery_digests <> '{}'
    limit ${limit}
    for update`)

export async function countOldCodes(db: Queryable, generation: number): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select coalesce(sum(cardinality(recovery_digests)), 0)::int as count
    from people
    where recovery_generation < ${generation}`)
  return count
}

export const readSeals = (db: Queryable, after: bigint, limit: number) =>
  db.query<Seal>(sql`
    select number, place, digest, sealed_at as "sealedAt", mac
    from audit_seals
    where number > ${after}
    order by number
    limit ${limit}`)

/** Only the owner of the schema may do this. */
export const writeSeals = (tx: Tx, seals: readonly { number: bigint; mac: Buffer }[]) =>
  tx.run(sql`
    update audit_seals s
    set mac = n.mac
    from unnest(
      ${seals.map(({ number }) => number)}::bigint[], ${seals.map(({ mac }) => mac)}::bytea[]) as n (number, mac)
    where s.number = n.number`)
