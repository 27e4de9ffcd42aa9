-- What is known about the backups of this database: one row.
-- Serves builds from: this one
create table backup_state (
  one boolean constraint backup_state_id primary key default true,
  -- A server copies WAL and makes full backups.
  is_on boolean not null default false,
  -- Production on the embedded PostgreSQL, and no place for backups is set.
  is_missing boolean not null default false,
  every_hours integer not null default 24,
  full_at timestamptz,
  full_name text,
  full_bytes bigint,
  -- Everything committed until then is stored.
  wal_at timestamptz,
  -- Why the last copy or backup failed; null when it went well.
  problem text,
  drill_at timestamptz,
  drill_ok boolean,
  drill_loss_seconds float8,
  drill_seconds float8,
  drill_problem text,
  constraint backup_state_one check (one)
);
insert into backup_state (one) values (true);
grant select, update on backup_state to inlet_runtime;

-- This database came from a backup: each time it did.
create table restores (
  number bigint generated always as identity constraint restore_number primary key,
  restored_at timestamptz not null default now(),
  backup text not null,
  asked_until timestamptz,
  newest_commit timestamptz
);

-- Numbers of a merchant's events that are never given again, because a restore may have lost events that had them.
create table event_gaps (
  merchant_id uuid not null,
  after_sequence bigint not null,
  next_sequence bigint not null,
  restore bigint not null,
  constraint event_gap_id primary key (merchant_id, after_sequence),
  constraint event_gap_merchant foreign key (merchant_id) references merchants (id),
  constraint event_gap_restore foreign key (restore) references restores (number),
  constraint event_gap_is_one check (next_sequence > after_sequence + 1)
);
grant select on restores, event_gaps to inlet_runtime;
