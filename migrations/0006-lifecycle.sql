-- Events a merchant may ask for besides the ones everybody gets.
alter table merchants add column optional_events text[] not null default '{}';
alter table merchants add constraint merchant_optional_events
  check (optional_events <@ array['deposit.method_selected', 'deposit.claimed']);

-- A claim near the deadline moves it once.
alter table deposits add column extended boolean not null default false;

-- What the sweeps look for. Closed deposits are in none of these, so a sweep costs the same however many there are.
create index deposits_by_deadline on deposits (expires_at) where state in ('builded', 'created');
create index deposits_by_reference_age on deposits (late_until)
  where holds_reference and state not in ('builded', 'created');

-- A slot says itself when it is free again.
alter table deposit_slots add column free_at timestamptz not null default 'infinity';
create index deposit_slots_by_age on deposit_slots (free_at);
update deposit_slots s set free_at = d.late_until from deposits d where d.id = s.deposit_id;
grant update (free_at) on deposit_slots to inlet_runtime;

-- The end of a bank's day: until then a statement may still show a confirmed deposit's twin.
create function bank_day_end(currency text, at timestamptz) returns timestamptz
  language sql immutable
  return (inlet.bank_day(currency, at) + 1)::timestamp at time zone case currency
    when 'RUB' then 'Europe/Moscow'
    when 'UZS' then 'Asia/Tashkent'
    when 'KZT' then 'Asia/Almaty'
    when 'TJS' then 'Asia/Dushanbe'
  end;

-- The only paths a deposit can take: the transition table of src/deposits/deposit.ts, once more.
create function keep_deposit_path() returns trigger language plpgsql as $$
begin
  if new.state <> old.state and not (case old.state
    when 'builded' then new.state in ('created', 'rejected', 'canceled', 'expired')
    when 'created' then new.state in ('confirmed', 'rejected', 'canceled', 'expired')
    when 'expired' then new.state in ('confirmed', 'rejected')
    when 'confirmed' then new.state = 'reversed'
    else false
  end) then
    raise exception 'a deposit cannot go from % to %', old.state, new.state
      using errcode = 'check_violation', constraint = 'deposit_path';
  end if;
  return new;
end
$$;
create trigger deposit_path before update of state on deposits
  for each row execute function keep_deposit_path();

-- When any process of the installation was last seen. After all of them were away, expiry waits until
-- expiry_from, so that money that arrived meanwhile is seen first.
create table heartbeat (
  only_row boolean primary key default true,
  last_beat timestamptz not null default '-infinity',
  expiry_from timestamptz not null default '-infinity',
  constraint heartbeat_one_row check (only_row)
);
insert into heartbeat default values;
grant select, update on heartbeat to inlet_runtime;
