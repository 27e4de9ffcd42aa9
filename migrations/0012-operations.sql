-- Alarms that were raised and whether the operator was told.
create table operator_alarms (
  kind text not null,
  subject text not null,
  detail text not null,
  raised_at timestamptz not null default inlet_now(),
  tried_until timestamptz not null default '-infinity',
  told_at timestamptz,
  constraint operator_alarm_id primary key (kind, subject)
);
grant select, insert, update, delete on operator_alarms to inlet_runtime;

-- The last backup, the last drill, and what is wrong with them.
create table backup_state (
  one boolean constraint backup_state_id primary key default true,
  is_on boolean not null default false,
  is_missing boolean not null default false,
  every_hours integer not null default 24,
  full_at timestamptz,
  full_name text,
  full_bytes bigint,
  wal_at timestamptz,
  problem text,
  drill_at timestamptz,
  drill_ok boolean,
  drill_loss_seconds double precision,
  drill_seconds double precision,
  drill_problem text,
  warning text,
  constraint backup_state_one check (one)
);
grant select, update on backup_state to inlet_runtime;
insert into backup_state default values;

-- Each time this database came from a backup. Which numbers of events it skipped: event_counters.
create table restores (
  number bigint constraint restore_number primary key generated always as identity,
  restored_at timestamptz not null default now(),
  backup text not null,
  asked_until timestamptz,
  newest_commit timestamptz
);
grant select on restores to inlet_runtime;
