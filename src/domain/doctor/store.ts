/** What is looked at, what an operator's settings do, and what else the doctor reads and writes. */
import { type Queryable, sql } from '../../platform/db.ts'
import type { Vault } from '../../platform/vault.ts'
import { type KeyPurpose, sealLabel } from '../merchants/api-key.ts'
import type { Offender, Scope } from './invariant.ts'

/** `days` null: everything. Callbacks older than their retention are not checked. */
export async function readScope(
  db: Queryable,
  { days, keptDays, most }: { days: number | null; keptDays: number; most: number },
): Promise<Scope> {
  // Ids carry the real time of the node that made them, whatever a test does to inlet_now().
  const [row] = await db.query<Pick<Scope, 'fromId' | 'fromDay'>>(sql`
    select
      case
        when ${days}::int is null then '00000000-0000-0000-0000-000000000000'::uuid
        else rpad(lpad(to_hex(floor(extract(epoch from now() - make_interval(days => ${days})) * 1000)::bigint),
          12, '0'), 32, '0')::uuid
      end as "fromId",
      ((inlet_now() at time zone 'UTC')::date - coalesce(${days}::int, ${keptDays}::int - 1))::text as "fromDay"`)
  return { ...row!, most }
}

export const writeNothing = (tx: Queryable): Promise<unknown> => tx.query(sql`set transaction read only`)

/**
 * Settings with which everything works, but slowly, or with personal data in the server's log. Each is asked by its name:
 * pg_settings would compute all four hundred, at each command.
 */
export const findHarmfulSettings = (db: Queryable) =>
  db.query<Offender>(sql`
    select name as id, 'is ' || setting || ': ' || reason as detail
    from (values
      ('autovacuum', 'deleted rows and old statistics stay; switch it on'),
      ('shared_buffers', 'pages are read from disk again and again; give it at least 128MB'),
      ('max_wal_size', 'under load checkpoints follow each other; give it at least 1GB'),
      ('checkpoint_timeout', 'every checkpoint makes the next writes larger; give it at least 1min'),
      ('default_transaction_isolation', 'transactions fail and are repeated; leave it at read committed'),
      ('log_statement', 'every statement goes to the log of PostgreSQL; set it to none or ddl'),
      ('log_min_duration_statement', 'every statement goes to the log of PostgreSQL, with names and phones; give it at least 100ms')
    ) as harm (name, reason)
    cross join lateral current_setting(name) as setting
    where case name
      when 'autovacuum' then setting = 'off'
      when 'shared_buffers' then pg_size_bytes(setting) < 128 * 1024 * 1024
      when 'max_wal_size' then pg_size_bytes(setting) < 1024 * 1024 * 1024
      when 'checkpoint_timeout' then setting::interval < interval '1 minute'
      when 'default_transaction_isolation' then setting <> 'read committed'
      when 'log_statement' then setting in ('mod', 'all')
      when 'log_min_duration_statement' then setting::interval >= interval '0' and setting::interval < interval '100 milliseconds'
    end
    order by name`)

export const storeForwarded = (db: Queryable, peer: string) =>
  db.run(sql`update upkeep set forwarded_by = ${peer}, forwarded_at = inlet_now()`)

/** Live keys whose seal does not open: made under another master key, or damaged. */
export async function findSealedKeys(db: Queryable, vault: Vault, { most }: Scope): Promise<Offender[]> {
  const rows = await db.query<{ id: string; merchantId: string; purpose: KeyPurpose; sealed: Buffer }>(sql`
    select id, merchant_id as "merchantId", purpose, secret_sealed as sealed
    from api_keys
    where not_after is null or not_after > inlet_now()`)
  return rows
    .filter(({ sealed, ...key }) => !opens(() => vault.open(sealed, sealLabel(key))))
    .slice(0, most)
    .map(({ id, merchantId, purpose }) => ({ id, detail: `a ${purpose} key of merchant ${merchantId}` }))
}

function opens(open: () => unknown): boolean {
  try {
    open()
    return true
  } catch {
    return false
  }
}
