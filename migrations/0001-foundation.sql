-- Two roles: the owner of this schema migrates; inlet_runtime does the work and can change no structure.
do $$
begin
  create role inlet_runtime nologin;
exception when duplicate_object or unique_violation then
  null; -- Made by an earlier database of this cluster, or by a start at the same moment.
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

grant usage on schema inlet to inlet_runtime;

-- Time is the database's. The shift stays zero outside tests: only the owner can write it.
create table clock (
  only_row boolean primary key default true,
  shift interval not null default '0',
  constraint clock_one_row check (only_row)
);
insert into clock default values;
grant select on clock to inlet_runtime;

-- Whole milliseconds: what the program reads it can write back unchanged.
create function inlet_now() returns timestamptz
  language sql stable
  return date_trunc('milliseconds', now() + (select shift from inlet.clock));

-- One row that a wrong master key cannot open, so that a wrong key is found at start.
create table installation (
  only_row boolean primary key default true,
  created_at timestamptz not null default now(),
  master_key_check bytea,
  constraint installation_one_row check (only_row)
);
insert into installation default values;
grant select, update (master_key_check) on installation to inlet_runtime;
