/** What is known about backups and drills, and what a restore does to numbers that others may have seen. */

import { type Queryable, sql, type Tx } from '../../platform/db.ts'

type BackupState = {
  is_on: boolean
  full_age_seconds: number | null
  full_bytes: number | null
  wal_age_seconds: number | null
  wal_problem: string | null
  full_problem: string | null
  drill_age_seconds: number | null
  drill_ok: boolean | null
  drill_loss_seconds: number | null
  drill_seconds: number | null
  drill_problem: string | null
  /** How PostgreSQL's archive_command fares, ours or the operator's; null: it never ended well. A quiet database finishes no segment. */
  archives: boolean
  archive_fails: boolean
  archive_age_seconds: number | null
}

export const readBackupState = (db: Queryable) =>
  db.one<BackupState>(sql`
    select
      backups_on as is_on, full_backup_bytes::float8 as full_bytes, full_backup_problem as full_problem, wal_problem,
      drill_ok, drill_loss_seconds, drill_seconds, drill_problem,
      extract(epoch from now() - full_backup_at)::float8 as full_age_seconds,
      extract(epoch from now() - wal_stored_at)::float8 as wal_age_seconds,
      extract(epoch from now() - drill_at)::float8 as drill_age_seconds,
      current_setting('archive_mode') <> 'off' as archives,
      coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as archive_fails,
      extract(epoch from now() - last_archived_time)::float8 as archive_age_seconds
    from upkeep
    cross join pg_stat_archiver`)

export const noteBackupSettings = (
  db: Queryable,
  { isOn, isMissing, everyHours }: { isOn: boolean; isMissing: boolean; everyHours: number },
) =>
  db.run(sql`
    update upkeep
    set backups_on = ${isOn}, backups_missing = ${isMissing}, backup_every_hours = ${everyHours},
      wal_problem = case when ${isOn} then wal_problem end,
      full_backup_problem = case when ${isOn} then full_backup_problem end
    where (backups_on, backups_missing, backup_every_hours) is distinct from (${isOn}, ${isMissing}, ${everyHours})`)

type FullBackup = { storedBytes: number; endedAt: string }

export const noteFull = (db: Queryable, { storedBytes, endedAt }: FullBackup) =>
  db.run(sql`
    update upkeep
    set full_backup_at = ${endedAt}, full_backup_bytes = ${storedBytes}, full_backup_problem = null`)

/** There is no full backup that the WAL stored from now on follows. */
export const noteGap = (db: Queryable) => db.run(sql`update upkeep set full_backup_at = null`)

export const noteFullProblem = (db: Queryable, problem: string) =>
  db.run(sql`update upkeep set full_backup_problem = ${problem.slice(0, 1_000)}`)

/** Without a problem every segment of WAL that PostgreSQL has finished is stored. */
export const noteWal = (db: Queryable, problem: string | null) =>
  db.run(sql`
    update upkeep
    set
      wal_stored_at = case when ${problem}::text is null then now() else wal_stored_at end,
      wal_problem = ${problem?.slice(0, 1_000) ?? null}`)

export type Drill = { ok: boolean; lossSeconds: number | null; seconds: number; problem: string | null }

export const noteDrill = (db: Queryable, { ok, lossSeconds, seconds, problem }: Drill) =>
  db.run(sql`
    update upkeep
    set drill_at = now(), drill_ok = ${ok}, drill_loss_seconds = ${lossSeconds}, drill_seconds = ${seconds},
      drill_problem = ${problem}`)

/** The time of the newest commit that a recovery has replayed. */
export const readNewestReplayed = async (db: Queryable): Promise<Date | null> =>
  (await db.one<{ at: Date | null }>(sql`select pg_last_xact_replay_timestamp() as at`)).at

/**
 * The next event of each merchant gets the first number of the next thousand million. The merchant may have seen the numbers between
 * with events that are lost, so none of them is used again.
 */
export const skipEventNumbers = (tx: Tx) =>
  tx.run(sql`
    with before as (
      select m.id, coalesce(c.last_sequence, 0) as last
      from merchants m
      left join event_counters c on c.merchant_id = m.id
    ), skipped as (
      select id, last, (last / 1000000000 + 1) * 1000000000 as ahead
      from before
    )
    insert into event_counters as c (merchant_id, last_sequence, skipped)
    select id, ahead, int8multirange(int8range(last + 1, ahead + 1))
    from skipped
    on conflict (merchant_id) do update
    set last_sequence = excluded.last_sequence, skipped = c.skipped + excluded.skipped`)

/** Skips `count` references, because customers of lost deposits may still pay with them. */
export const skipReferences = (tx: Tx, count: number) =>
  tx.run(sql`
    select setval('deposit_reference_block', last_value + ${count}::bigint, true)
    from deposit_reference_block`)

/** Clears the state of the earlier cluster, whose backups are not those of this one. */
export const forgetBackups = (tx: Tx) =>
  tx.run(sql`
    update upkeep
    set backups_on = false, backups_missing = false, full_backup_at = null, full_backup_bytes = null,
      full_backup_problem = null, wal_stored_at = null, wal_problem = null, drill_at = null, drill_ok = null, drill_loss_seconds = null, drill_seconds = null,
      drill_problem = null`)

type DueCallback = {
  id: string
  merchant: string
  deposit: string
  order: string
  type: string
  sequence: number
  attempts: number
}

/** Callbacks that are not delivered in this database. Their delivery may be among what was lost. */
export const listDueCallbacks = (db: Queryable, limit: number) =>
  db.query<DueCallback>(sql`
    select c.id, c.merchant_id as merchant, c.deposit_id as deposit, d.order_id as order, c.type,
      c.sequence::float8 as sequence, q.attempts::int as attempts
    from deliveries q
    join events c on c.made_on = q.made_on and c.id = q.event_id
    join deposits d on d.id = c.deposit_id
    where q.state = 'open'
    order by c.merchant_id, c.sequence
    limit ${limit}`)

/** The last event before the newest gap of each merchant: every restore makes one for all. */
export const listLastEvents = (db: Queryable) =>
  db.query<{ merchant: string; name: string; last: number; next: number }>(sql`
    select m.id as merchant, m.name, max(lower(gap) - 1)::float8 as last, max(upper(gap))::float8 as next
    from event_counters c
    join merchants m on m.id = c.merchant_id
    cross join unnest(c.skipped) as gap
    group by m.id
    order by m.created_at, m.id`)
