-- An account that receives money, and the legal entity that owns it.
create table receiving_accounts (
  id uuid constraint receiving_account_id primary key,
  mode text not null,
  currency text not null,
  merchant_id uuid,
  label text not null,
  owner_legal_name text not null,
  owner_public_name text not null,
  owner_tax_id text not null,
  owner_agreement text not null,
  added_by text not null,
  enabled boolean not null default true,
  created_at timestamptz not null default inlet_now(),
  number text,
  day_cents bigint,
  month_cents bigint,
  open_deposits integer,
  silent_hours integer,
  heard_at timestamptz,
  amount_matching text not null default 'by_kind',
  is_demo boolean not null default false,
  constraint receiving_account_identity unique (id, mode, currency),
  constraint receiving_account_merchant foreign key (merchant_id) references merchants (id),
  constraint receiving_account_amount_matching check (amount_matching in ('by_kind', 'always', 'never')),
  constraint receiving_account_currency check (currency in ('RUB', 'UZS', 'KZT', 'TJS')),
  constraint receiving_account_limits check (day_cents > 0 and month_cents > 0 and open_deposits > 0 and silent_hours > 0),
  constraint receiving_account_mode check (mode in ('live', 'test')),
  constraint receiving_account_owner check (
    char_length(owner_legal_name) between 1 and 160
    and char_length(owner_public_name) between 1 and 160
    and char_length(owner_tax_id) between 1 and 20
    and char_length(owner_agreement) between 1 and 200
  )
);
create index receiving_accounts_of_demo on receiving_accounts (id) where is_demo;
create unique index receiving_account_number on receiving_accounts (mode, number)
  where number is not null;
grant select, insert, update on receiving_accounts to inlet_runtime;

-- What a customer is shown: a card, a phone or an account number of a receiving account.
create table requisites (
  id uuid constraint requisite_id primary key,
  account_id uuid not null,
  mode text not null,
  currency text not null,
  kind text not null,
  number text not null,
  holder text not null,
  bank_name text not null,
  bank_code text,
  bic text,
  corr_account text,
  tax_id text,
  kpp text,
  kbe text,
  knp text,
  min_cents bigint,
  max_cents bigint,
  daily_cents bigint,
  open_deposits integer,
  enabled boolean not null default true,
  created_at timestamptz not null default inlet_now(),
  link text,
  constraint requisite_identity unique (id, account_id),
  constraint requisite_account foreign key (account_id, mode, currency) references receiving_accounts (id, mode, currency),
  constraint requisite_kind check (kind in ('card', 'phone', 'account_ru', 'account_kz', 'account_uz', 'account_tj')),
  constraint requisite_limits check (
    min_cents > 0
    and (max_cents >= coalesce(min_cents, 1))
    and daily_cents > 0
    and open_deposits > 0
  ),
  constraint requisite_link check (char_length(link) between 1 and 512)
);
create index requisites_by_account on requisites (account_id);
create unique index requisite_once on requisites (mode, currency, number, coalesce(bic, ''))
  where kind <> 'phone';
create unique index requisite_phone_once on requisites (mode, currency, number, lower(bank_name))
  where kind = 'phone';
grant select, insert, update on requisites to inlet_runtime;

-- How much each requisite carries now. Apart from requisites, because every create writes it.
create table requisite_loads (
  requisite_id uuid constraint requisite_load_id primary key,
  open_deposits integer not null default 0,
  day date not null default '-infinity',
  day_cents bigint not null default 0,
  month date not null default '-infinity',
  month_cents bigint not null default 0,
  constraint requisite_load_of foreign key (requisite_id) references requisites (id),
  constraint requisite_load_month_not_negative check (month_cents >= 0),
  constraint requisite_load_not_negative check (open_deposits >= 0 and day_cents >= 0)
) with (fillfactor = 50);
grant select, insert, update on requisite_loads to inlet_runtime;

-- Adds deposits to the loads of requisites, which are locked in the order of their ids: each only if it is enabled and takes these amounts within
-- its limits and those of its account. Otherwise the statement fails with IN001, and nothing is written. Where `of_accounts` is
-- not set, the accounts must have no limits.
--
-- A function, because its statements see what others committed while it waited for a lock. Inside a larger statement,
-- PostgreSQL would start the whole plan again after each wait. Its plans are kept: it would plan anew for the lists of each call.
create function add_loads(
  ids uuid[], counts integer[], sums bigint[], smallest bigint[], largest bigint[], of_accounts boolean
) returns boolean language plpgsql strict set plan_cache_mode = force_generic_plan as $$
declare
  present timestamptz := inlet_now();
  changed integer;
begin
  perform
  from requisite_loads
  where requisite_id = any(case
    when of_accounts then array(
      select r.id
      from requisites r
      where r.account_id in (select account_id from requisites where id = any((select ids)::uuid[])))
    else ids
  end)
  order by requisite_id
  for update;
  update requisite_loads l
  set
    open_deposits = l.open_deposits + n.deposits,
    day_cents = n.cents + case when l.day = bank_day(r.currency, present) then l.day_cents else 0 end,
    day = bank_day(r.currency, present),
    month_cents = n.cents + case when l.month = bank_month(r.currency, present) then l.month_cents else 0 end,
    month = bank_month(r.currency, present)
  from unnest(ids, counts, sums, smallest, largest) as n (id, deposits, cents, least, most)
  join requisites r on r.id = n.id
  join receiving_accounts a on a.id = r.account_id
  where l.requisite_id = n.id
    and r.enabled
    and a.enabled
    and (r.min_cents is null or r.min_cents <= n.least)
    and (r.max_cents is null or r.max_cents >= n.most)
    and (r.open_deposits is null or l.open_deposits + n.deposits <= r.open_deposits)
    and (r.daily_cents is null or r.daily_cents
      >= n.cents + case when l.day = bank_day(r.currency, present) then l.day_cents else 0 end)
    and (of_accounts or num_nonnulls(a.open_deposits, a.day_cents, a.month_cents) = 0);
  get diagnostics changed = row_count;
  if changed < cardinality(ids) then
    raise exception 'A requisite has no room for these deposits.' using errcode = 'IN001';
  end if;
  if of_accounts and exists (
    select
    from receiving_accounts a
    cross join lateral (
      select
        sum(l.open_deposits) as open_deposits,
        sum(l.day_cents) filter (where l.day = bank_day(a.currency, present)) as day_cents,
        sum(l.month_cents) filter (where l.month = bank_month(a.currency, present)) as month_cents
      from requisites r
      join requisite_loads l on l.requisite_id = r.id
      where r.account_id = a.id
    ) u
    where a.id in (select account_id from requisites where id = any((select ids)::uuid[]))
      and (u.open_deposits > a.open_deposits or u.day_cents > a.day_cents or u.month_cents > a.month_cents))
  then
    raise exception 'A receiving account has no room for these deposits.' using errcode = 'IN001';
  end if;
  return true;
end
$$;
