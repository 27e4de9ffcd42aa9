/** What must hold of the database itself: its clock, settings, rules, backups, keys and audit log. */
import { type Queryable, sql } from '../../platform/db.ts'
import { blindSpotOf, lossRiskOf, type Replication, readReplication } from '../../platform/replication.ts'
import { verifyAudit, verifySeals } from '../audit/verify-audit.ts'
import { findOldKey } from '../keys/reseal.ts'
import type { Examined, Invariant, Offender } from './invariant.ts'
import { findHarmfulSettings, findSealedKeys } from './store.ts'

/** After how long unstored WAL counts as late. */
const walMinutes = 15

export const installationInvariants: readonly Invariant[] = [
  {
    name: 'clock-is-true',
    invariant: 'time',
    says: "Inlet's clock is the database's clock.",
    advice: 'The shift is for tests. As the owner of the schema set clock.shift to 0.',
    query: () => sql`
      select 'clock' as id, 'shifted by ' || shift as detail
      from installation
      where shift <> '0'`,
  },
  {
    name: 'server-keeps-its-word',
    invariant: 'D1',
    says: 'PostgreSQL keeps what it has acknowledged when the machine loses power.',
    advice: 'Switch these settings on in postgresql.conf, reload PostgreSQL, and start Inlet again.',
    query: () => sql`
      select name as id, 'is ' || setting as detail
      from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
      union all
      select 'server_version', 'PostgreSQL is older than 15'
      where current_setting('server_version_num')::int < 150000`,
  },
  {
    name: 'standby-has-what-was-acknowledged',
    invariant: 'D1',
    says: 'When the primary is lost, a standby has every deposit that was acknowledged.',
    advice:
      'Make replication synchronous, for every login of Inlet: see docs/operate.md. Where a loss is acceptable, INLET_ACCEPT_LOSS=async says so.',
    isWarning: ({ acceptsLoss = false }) => acceptsLoss,
    find: (db, _scope, { asOwner }) => findFromLogins(lossRiskOf, db, asOwner),
  },
  {
    name: 'replication-can-be-seen',
    invariant: 'D1',
    says: 'Inlet sees which of the servers that follow PostgreSQL are standbys.',
    advice: 'Run the grant as a superuser.',
    isWarning: () => true,
    find: (db, _scope, { asOwner }) => findFromLogins(blindSpotOf, db, asOwner),
  },
  {
    name: 'server-settings-are-usual',
    invariant: 'speed',
    says: 'PostgreSQL has no setting that makes Inlet slow or writes personal data to its log.',
    advice:
      'Change these settings in postgresql.conf, or ask the person who runs the server, and reload PostgreSQL.',
    isWarning: () => true,
    find: findHarmfulSettings,
  },
  {
    name: 'rules-are-in-force',
    invariant: 'all',
    says: 'The constraints and triggers that hold the invariants exist and are switched on.',
    advice:
      'Somebody changed the schema manually. Restore it as in migrations/, then run "inlet doctor --all".',
    // Rules of the schema by name, and rights that the program must not have.
    query: () => sql`
      select name as id, 'this constraint is missing or not validated' as detail
      from unnest('{
        deposit_order_once, deposit_state, deposit_amount, deposit_received, deposit_times,
        deposit_shown_whole, deposit_created_is_shown, deposit_slot_once, deposit_slot_of_deposit,
        deposit_slot_deposit, deposit_history_id, deposit_history_deposit, requisite_account,
        requisite_load_not_negative, receiving_account_owner, event_id, event_sequence, delivery_id,
        endpoint_once, transfer_balances, transfer_settles, transfer_is_told, transfer_is_held,
        allocation_id, allocation_cents, allocation_kept, transfer_key_id, report_row_id,
        account_voice_id, transfer_is_duplicate, transfer_decision_id, used_once_id}'::text[]) as name
      where not exists (
        select from pg_constraint c
        where c.connamespace = current_schema::regnamespace and c.conname = name and c.convalidated)
      union all
      select name, 'this trigger is missing or disabled'
      from unnest('{
        deposit_keeps_promise, deposit_path, transfer_keeps_facts, transfer_is_its_allocations,
        allocation_is_of_its_transfer}'::text[]) as name
      where not exists (
        select from pg_trigger t
        join pg_class c on c.oid = t.tgrelid
        where c.relnamespace = current_schema::regnamespace and t.tgname = name and t.tgenabled in ('O', 'A'))
      union all
      select name, 'this index is missing or not valid'
      from unnest('{
        deposit_reference_once, delivery_attempt_once, statement_once}'::text[]) as name
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
      where has_column_privilege('inlet_runtime', 'installation', 'shift', 'update')`,
  },
  {
    name: 'backup-is-recent',
    invariant: 'backup',
    says: 'In production the embedded PostgreSQL is backed up: WAL within minutes, whole within twice the time set for it, and a restore of it was tried lately.',
    advice:
      'Set INLET_BACKUP_TO, or see why the place set there cannot be written: the log has lines "storing WAL failed" and "inlet backup failed". Then try "inlet backup drill". See docs/operate.md.',
    isWarning: () => true,
    needsServer: true,
    query: () => sql`
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
      where f.is_so`,
  },
  {
    name: 'proxy-is-trusted',
    invariant: 'proxy',
    says: 'In production only trusted proxies forward requests of others.',
    advice:
      'Add the address to INLET_TRUSTED_PROXIES if it is your proxy: without it all clients share the limits of one address. Otherwise close the port: only the proxy may reach it. It is asked about the last hour.',
    needsServer: true,
    // Of the last hour.
    query: () => sql`
      select forwarded_by as id, 'forwarded requests at ' || to_char(forwarded_at, 'HH24:MI') || ' UTC' as detail
      from upkeep
      where forwarded_at > inlet_now() - interval '1 hour'`,
  },
  {
    name: 'secrets-open',
    invariant: 'keys',
    says: 'The master key decrypts every active key of every merchant.',
    advice:
      'Restore the original master key of this installation. A single key may be damaged: rotate it with "inlet key rotate --merchant ID".',
    find: (db, scope, { vault }) => findSealedKeys(db, vault, scope),
  },
  {
    name: 'one-master-key',
    invariant: 'keys',
    says: 'Everything is sealed with the current master key, and no old one is set.',
    advice: 'Change of the master key: see docs/operate.md.',
    isWarning: () => true,
    find: (db, _scope, { vault }) => findOldKey(db, vault),
  },
  {
    name: 'audit-record-is-whole',
    invariant: 'audit',
    says: 'Each entry of the audit log follows the one before it, and every seal matches its entry.',
    advice:
      'Somebody changed the audit log manually. Keep the database and the logs as they are; the lines "audit head" of the log show up to where it is intact ("inlet audit verify --head PLACE:MAC").',
    async find(db, _scope, { vault }) {
      const { problem } = await verifyAudit(db, vault)
      return problem ? [{ id: 'audit', detail: problem.text }] : []
    },
  },
  {
    name: 'audit-record-is-sealed',
    invariant: 'audit',
    says: 'Entries of the audit log are sealed within two hours.',
    advice:
      'Was Inlet stopped at that time? Otherwise compare with the lines "audit head" of the log: "inlet audit verify --head PLACE:MAC".',
    isWarning: () => true,
    async find(db, _scope, { vault }) {
      const { gaps } = await verifySeals(db, vault)
      return gaps.map(({ text }) => ({ id: 'audit', detail: text }))
    },
  },
]

/** The findings about the server from both logins that write, without repetitions. */
async function findFromLogins(
  problemOf: (replication: Replication) => string | undefined,
  runtime: Queryable,
  asOwner: Examined['asOwner'],
): Promise<Offender[]> {
  const seen = [await readReplication(runtime), ...(asOwner ? [await asOwner(readReplication)] : [])]
  const problems = seen.flatMap((replication) => problemOf(replication) ?? [])
  return [...new Set(problems)].map((detail) => ({ id: 'replication', detail }))
}
