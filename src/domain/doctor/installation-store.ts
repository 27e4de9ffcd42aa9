/** What the doctor asks about the database itself: its clock, settings, rules, partitions and keys. */
import { type Queryable, sql } from '../../platform/db.ts'
import type { Vault } from '../../platform/vault.ts'
import { type KeyPurpose, sealLabel } from '../merchants/api-key.ts'
import type { Offender, Scope } from './store.ts'

export const findShiftedClock = (db: Queryable) =>
  db.query<Offender>(sql`
    select 'clock' as id, 'shifted by ' || shift as detail
    from installation
    where shift <> '0'`)

export const findUnsafeSettings = (db: Queryable) =>
  db.query<Offender>(sql`
    select name as id, 'is ' || setting as detail
    from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
    union all
    select 'server_version', 'PostgreSQL is older than 15'
    where current_setting('server_version_num')::int < 150000`)

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

export const findMissingPartitions = (db: Queryable, tables: readonly string[], days: number) =>
  db.query<Offender>(sql`
    select parent || '_' || to_char(day, 'YYYYMMDD') as id, 'there is no partition for ' || day::date as detail
    from unnest(${tables}::text[]) as parent
    cross join generate_series(
      (inlet_now() at time zone 'UTC')::date, (inlet_now() at time zone 'UTC')::date + ${days}::int, interval '1 day')
      as day
    where not exists (
      select from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = parent::regclass and c.relname = parent || '_' || to_char(day, 'YYYYMMDD'))
    order by day, parent`)

export const findMissingBackups = (db: Queryable, walMinutes: number) =>
  db.query<Offender>(sql`
    select f.id, f.detail
    from upkeep s
    cross join lateral (values
      (s.backups_missing, 'off', 'no backup is made of this installation'),
      (s.backups_on and s.full_backup_at is null, 'full', 'there is no full backup yet'),
      (s.backups_on and s.full_backup_at < now() - make_interval(hours => 2 * s.backup_every_hours), 'full',
        'no full backup for ' || round(extract(epoch from now() - s.full_backup_at) / 3600) || ' hours'),
      (s.backups_on and s.wal_stored_at < now() - make_interval(mins => ${walMinutes}), 'wal',
        'no WAL was stored for ' || round(extract(epoch from now() - s.wal_stored_at) / 60) || ' minutes'),
      (s.backups_on and s.wal_problem is not null, 'last', s.wal_problem),
      (s.backups_on and s.full_backup_problem is not null, 'beside', s.full_backup_problem),
      (s.drill_ok = false, 'drill', 'the last drill failed: ' || s.drill_problem)
    ) as f (is_so, id, detail)
    where f.is_so`)

export const storeForwarded = (db: Queryable, peer: string) =>
  db.run(sql`update upkeep set forwarded_by = ${peer}, forwarded_at = inlet_now()`)

/** Of the last hour. */
export const findForwarded = (db: Queryable) =>
  db.query<Offender>(sql`
    select forwarded_by as id, 'forwarded requests at ' || to_char(forwarded_at, 'HH24:MI') || ' UTC' as detail
    from upkeep
    where forwarded_at > inlet_now() - interval '1 hour'`)

/** Rules of the schema by name, and rights that the program must not have. */
export const findRulesOff = (
  db: Queryable,
  { constraints, triggers, indexes }: Record<'constraints' | 'triggers' | 'indexes', readonly string[]>,
) =>
  db.query<Offender>(sql`
    select name as id, 'this constraint is missing or not validated' as detail
    from unnest(${constraints}::text[]) as name
    where not exists (
      select from pg_constraint c
      where c.connamespace = current_schema::regnamespace and c.conname = name and c.convalidated)
    union all
    select name, 'this trigger is missing or disabled'
    from unnest(${triggers}::text[]) as name
    where not exists (
      select from pg_trigger t
      join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = current_schema::regnamespace and t.tgname = name and t.tgenabled in ('O', 'A'))
    union all
    select name, 'this index is missing or not valid'
    from unnest(${indexes}::text[]) as name
    where not exists (
      select from pg_index i
      join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = current_schema::regnamespace and c.relname = name and i.indisvalid and i.indisunique)
    union all
    select relation || ' ' || privilege, 'the role inlet_runtime must not have this right'
    from (values
      ('deposit_history', 'update'), ('deposit_history', 'delete'), ('deposits', 'delete'),
      ('delivery_attempts', 'update'), ('delivery_attempts', 'delete'), ('events', 'update'),
      ('events', 'delete'),
      ('transfer_decisions', 'update'), ('transfer_decisions', 'delete'), ('transfers', 'update'),
      ('transfers', 'delete'),
      ('audit_entries', 'update'), ('audit_entries', 'delete'), ('audit_seals', 'update'), ('audit_seals', 'delete'),
      ('installation', 'update')) as forbidden (relation, privilege)
    where has_table_privilege('inlet_runtime', relation, privilege)
    union all
    select 'installation.shift update', 'the role inlet_runtime must not have this right'
    where has_column_privilege('inlet_runtime', 'installation', 'shift', 'update')`)

/** Live keys whose seal does not open: made under another master key, or damaged. */
export async function findSealedKeys(db: Queryable, vault: Vault, { most }: Scope): Promise<Offender[]> {
  const rows = await db.query<{
    id: string
    merchant_id: string
    purpose: KeyPurpose
    secret_sealed: Buffer
  }>(sql`
    select id, merchant_id, purpose, secret_sealed
    from api_keys
    where not_after is null or not_after > inlet_now()`)
  return rows
    .filter((row) => {
      try {
        vault.open(
          row.secret_sealed,
          sealLabel({ id: row.id, merchantId: row.merchant_id, purpose: row.purpose }),
        )
        return false
      } catch {
        return true
      }
    })
    .slice(0, most)
    .map((row) => ({ id: row.id, detail: `a ${row.purpose} key of merchant ${row.merchant_id}` }))
}
