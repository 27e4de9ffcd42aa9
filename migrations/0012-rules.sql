-- What one customer of a merchant may have open, and ask for in a bank day and in a bank month; null is no limit.
-- Sums are of each currency apart.
alter table merchants add column customer_open_deposits integer;
alter table merchants add column customer_day_cents bigint;
alter table merchants add column customer_month_cents bigint;
alter table merchants add constraint merchant_customer_limits check (
  customer_open_deposits > 0 and customer_day_cents > 0 and customer_month_cents > 0
);
create index deposits_by_customer on deposits (merchant_id, customer, created_at) where customer is not null;

-- What an account may take over all of its requisites, and after how many hours without a word of its bank the
-- operator is told; null is no limit, and no alarm.
alter table receiving_accounts add column day_cents bigint;
alter table receiving_accounts add column month_cents bigint;
alter table receiving_accounts add column open_deposits integer;
alter table receiving_accounts add column silent_hours integer;
alter table receiving_accounts add column heard_at timestamptz;
alter table receiving_accounts add constraint receiving_account_limits check (
  day_cents > 0 and month_cents > 0 and open_deposits > 0 and silent_hours > 0
);
update receiving_accounts a
set heard_at = (select max(t.taken_at) from transfers t where t.account_id = a.id);

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
  return date_trunc('month', inlet.bank_day(currency, at)::timestamp)::date;

-- A load has a month as it has a day: summing the deposits of a month for every create would grow with the month.
alter table requisite_loads add column month date not null default '-infinity';
alter table requisite_loads add column month_cents bigint not null default 0;
alter table requisite_loads add constraint requisite_load_month_not_negative check (month_cents >= 0);
update requisite_loads l
set month = bank_month(s.currency, inlet_now()), month_cents = s.cents
from (
  select d.requisite_id, d.currency, sum(d.amount_cents) as cents
  from deposits d
  where d.state in ('created', 'confirmed', 'reversed')
    and d.issued_at >= bank_midnight(d.currency, bank_month(d.currency, inlet_now()))
  group by d.requisite_id, d.currency
) s
where s.requisite_id = l.requisite_id;

-- Whom the operator does not serve (block) or wants to look at (watch). Values are written as src/rules/listing.ts
-- writes them, so that equal ones are equal. An entry is never changed: it is ended, and the next one is another.
create table list_entries (
  id uuid primary key,
  list text not null,
  kind text not null,
  merchant_id uuid,
  value text not null,
  reason text not null,
  added_by text not null,
  added_at timestamptz not null default inlet_now(),
  removed_at timestamptz,
  removed_by text,
  removed_reason text,
  constraint list_entry_list check (list in ('block', 'watch')),
  constraint list_entry_kind check (kind in ('customer', 'phone', 'payer')),
  constraint list_entry_merchant foreign key (merchant_id) references merchants (id),
  constraint list_entry_words check (
    char_length(value) between 1 and 512
    and char_length(reason) between 1 and 500
    and char_length(added_by) between 1 and 100
    and char_length(removed_by) between 1 and 100
    and char_length(removed_reason) between 1 and 500
  ),
  constraint list_entry_end check (num_nulls(removed_at, removed_by, removed_reason) in (0, 3))
);
create unique index list_entry_once
  on list_entries (kind, value, list, coalesce(merchant_id, '00000000-0000-0000-0000-000000000000'))
  where removed_at is null;
-- Whether a merchant's creates have to ask at all.
create index list_entries_in_force on list_entries (merchant_id) where removed_at is null and kind <> 'payer';

grant select, insert on list_entries to inlet_runtime;
grant update (removed_at, removed_by, removed_reason) on list_entries to inlet_runtime;
