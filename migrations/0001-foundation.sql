-- Two roles: the owner of the schema migrates; inlet_runtime does the work and can change no structure.
do $$
begin
  create role inlet_runtime nologin;
exception when duplicate_object or unique_violation then
  null; -- Made by another database of this cluster, or by a start at the same moment.
end
$$;

do $$
begin
  if not pg_has_role(current_user, 'inlet_runtime', 'member') then
    grant inlet_runtime to current_user;
  end if;
exception when insufficient_privilege then
  null; -- Somebody else made the role: the program then has a login of its own for it.
end
$$;

do $$
begin
  execute format('grant usage on schema %I to inlet_runtime', current_schema);
end
$$;

-- What holds for the whole installation, in one row.
create table installation (
  only_row boolean constraint installation_id primary key default true,
  created_at timestamptz not null default now(),
  -- How far the clock of a test is moved: only the owner can write it.
  shift interval not null default '0',
  -- A value that a wrong master key cannot open, so that a wrong key is found at start.
  master_key_check bytea,
  sealing_since timestamptz not null default now(),
  -- The secret order in which payment references are drawn. A payer who knew it could write the reference of a deposit
  -- that is yet to come into the purpose of a payment.
  reference_seed bytea not null default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'),
  -- The last entry of the audit log: the next one locks this row.
  audit_place bigint not null default 0,
  audit_digest bytea not null default decode(repeat('00', 32), 'hex'),
  single_operator boolean not null default false,
  second_person_above jsonb not null default '{}',
  constraint installation_one_row check (only_row),
  constraint installation_reference_seed check (length(reference_seed) = 32)
);
grant select, update (master_key_check, audit_place, audit_digest, single_operator, second_person_above)
  on installation to inlet_runtime;
insert into installation default values;

-- Time is the database's, in whole milliseconds: what the program reads it can write back unchanged.
create function inlet_now() returns timestamptz
  language sql stable
  return date_trunc('milliseconds', now() + (select shift from installation));

-- A day of a daily limit is the bank's: it begins at midnight where the currency lives.
create function bank_day(currency text, at timestamptz) returns date
  language sql immutable
  return (at at time zone case currency
    when 'RUB' then 'Europe/Moscow'
    when 'UZS' then 'Asia/Tashkent'
    when 'KZT' then 'Asia/Almaty'
    when 'TJS' then 'Asia/Dushanbe'
  end)::date;

-- The end of a bank's day: until then a statement may still show a confirmed deposit's twin.
create function bank_day_end(currency text, at timestamptz) returns timestamptz
  language sql immutable
  return (bank_day(currency, at) + 1)::timestamp at time zone case currency
    when 'RUB' then 'Europe/Moscow'
    when 'UZS' then 'Asia/Tashkent'
    when 'KZT' then 'Asia/Almaty'
    when 'TJS' then 'Asia/Dushanbe'
  end;

-- Midnight of a day where the currency lives.
create function bank_midnight(currency text, day date) returns timestamptz
  language sql immutable
  return day::timestamp at time zone case currency
    when 'RUB' then 'Europe/Moscow'
    when 'UZS' then 'Asia/Tashkent'
    when 'KZT' then 'Asia/Almaty'
    when 'TJS' then 'Asia/Dushanbe'
  end;

-- The first day of the bank's month.
create function bank_month(currency text, at timestamptz) returns date
  language sql immutable
  return date_trunc('month', bank_day(currency, at)::timestamp)::date;

-- What the running processes noted last, in one row.
create table upkeep (
  only_row boolean constraint upkeep_id primary key default true,
  -- Until when the installation was running, so that deposits do not expire in an outage.
  last_beat timestamptz not null default '-infinity',
  expiry_from timestamptz not null default '-infinity',
  -- Who last forwarded a request without being a trusted proxy.
  forwarded_by text,
  forwarded_at timestamptz,
  -- The last backup, the last drill, and what is wrong with them.
  backups_on boolean not null default false,
  backups_missing boolean not null default false,
  backup_every_hours integer not null default 24,
  full_backup_at timestamptz,
  full_backup_bytes bigint,
  full_backup_problem text,
  wal_stored_at timestamptz,
  wal_problem text,
  drill_at timestamptz,
  drill_ok boolean,
  drill_loss_seconds double precision,
  drill_seconds double precision,
  drill_problem text,
  constraint upkeep_one_row check (only_row)
);
grant select, update on upkeep to inlet_runtime;
insert into upkeep default values;

-- Each master key there was, and the keys that it sealed, so that values of an older key can be found and sealed
-- again.
create table key_generations (
  generation integer constraint key_generation_id primary key,
  key_id text not null,
  next_key_id text not null,
  recovery_key_sealed bytea not null,
  head_key_sealed bytea not null,
  left_at timestamptz not null default inlet_now(),
  resealed_at timestamptz,
  constraint key_generation_ids check ((key_id ~ '^[0-9a-f]{8}$') and (next_key_id ~ '^[0-9a-f]{8}$')),
  constraint key_generation_number check (generation >= 0)
);
grant select on key_generations to inlet_runtime;
