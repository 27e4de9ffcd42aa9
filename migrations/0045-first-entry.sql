-- The first entry of a deposit's history says only what its row says too, so it is read from there. `sent` tells the request
-- that asked for the deposit; deposits of earlier versions have none, and have their first entry in the history.
alter table deposits add column sent jsonb;

create view deposit_timeline with (security_invoker = true) as
  select deposit_id, entry, at, action, from_state, to_state, actor, reason, message, evidence
  from deposit_history
  union all
  select
    id, 1, created_at, flow, null, case flow when 'build' then 'builded' else 'created' end, 'merchant', null, null, sent
  from deposits
  where sent is not null;
grant select on deposit_timeline to inlet_runtime;

create or replace function keep_deposit_promise() returns trigger language plpgsql as $$
begin
  if (new.id, new.merchant_id, new.order_id, new.flow, new.fingerprint, new.amount_cents, new.currency,
      new.page_token, new.created_at, new.sent)
    is distinct from
     (old.id, old.merchant_id, old.order_id, old.flow, old.fingerprint, old.amount_cents, old.currency,
      old.page_token, old.created_at, old.sent)
    or (old.shown is not null
      and (new.shown, new.requisite_id, new.account_id, new.reference, new.payment_type, new.issued_at)
        is distinct from
          (old.shown, old.requisite_id, old.account_id, old.reference, old.payment_type, old.issued_at))
  then
    raise exception 'deposit % keeps what it was created with', old.id
      using errcode = 'check_violation', constraint = 'deposit_keeps_promise';
  end if;
  return new;
end
$$;

-- Adds deposits to the loads of requisites, locked in the order of their ids: each only if the requisite is enabled and takes
-- these amounts within its limits. `account_held`: the caller has locked the account and checked its limits; otherwise
-- the account must have none. Returns the requisites that had room.
--
-- A function, because its statements see what others committed while it waited for a lock. Inside a larger statement,
-- PostgreSQL would start the whole plan again after each wait.
create function add_loads(
  ids uuid[], counts integer[], sums bigint[], smallest bigint[], largest bigint[], account_held boolean[]
) returns uuid[] language plpgsql strict as $$
declare
  present timestamptz := inlet_now();
  loaded uuid[];
begin
  -- Arrays behind a select have no known length, so a plan for any length is as good, and is kept.
  perform from requisite_loads where requisite_id = any((select ids)::uuid[]) order by requisite_id for update;
  with changed as (
    update requisite_loads l
    set
      open_deposits = l.open_deposits + i.deposits,
      day_cents = i.cents + case when l.day = bank_day(r.currency, present) then l.day_cents else 0 end,
      day = bank_day(r.currency, present),
      month_cents = i.cents + case when l.month = bank_month(r.currency, present) then l.month_cents else 0 end,
      month = bank_month(r.currency, present)
    from unnest(
        (select ids), (select counts), (select sums), (select smallest), (select largest), (select account_held))
      as i (requisite_id, deposits, cents, smallest, largest, account_held)
    join requisites r on r.id = i.requisite_id
    join receiving_accounts a on a.id = r.account_id
    where l.requisite_id = i.requisite_id
      and r.enabled
      and a.enabled
      and (r.min_cents is null or r.min_cents <= i.smallest)
      and (r.max_cents is null or r.max_cents >= i.largest)
      and (r.open_deposits is null or l.open_deposits + i.deposits <= r.open_deposits)
      and (r.daily_cents is null
        or r.daily_cents >= i.cents + case when l.day = bank_day(r.currency, present) then l.day_cents else 0 end)
      and (i.account_held or num_nonnulls(a.open_deposits, a.day_cents, a.month_cents) = 0)
    returning l.requisite_id
  )
  select array_agg(requisite_id) into loaded from changed;
  return coalesce(loaded, '{}');
end
$$;
