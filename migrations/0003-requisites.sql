-- A receiving account is where money appears: the account whose statement shows it. It cannot exist
-- without an owner on record. Several requisites (a card, a phone) may settle on one account.
create table receiving_accounts (
  id uuid primary key,
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
  constraint receiving_account_mode check (mode in ('live', 'test')),
  constraint receiving_account_currency check (currency in ('RUB', 'UZS', 'KZT', 'TJS')),
  constraint receiving_account_merchant foreign key (merchant_id) references merchants (id),
  constraint receiving_account_owner check (
    char_length(owner_legal_name) between 1 and 160
    and char_length(owner_public_name) between 1 and 160
    and char_length(owner_tax_id) between 1 and 20
    and char_length(owner_agreement) between 1 and 200
  ),
  constraint receiving_account_identity unique (id, mode, currency)
);

create table requisites (
  id uuid primary key,
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
  constraint requisite_account foreign key (account_id, mode, currency)
    references receiving_accounts (id, mode, currency),
  constraint requisite_kind check (
    kind in ('card', 'phone', 'account_ru', 'account_kz', 'account_uz', 'account_tj')
  ),
  constraint requisite_limits check (
    min_cents > 0 and max_cents >= coalesce(min_cents, 1) and daily_cents > 0 and open_deposits > 0
  ),
  constraint requisite_identity unique (id, account_id)
);
create index requisites_by_account on requisites (account_id);
-- One card or account is one place where money appears, whatever its bank is called; a phone may lead to several
-- banks. Two rows for one card would hide from each other that an amount is taken.
create unique index requisite_once on requisites (mode, currency, number, coalesce(bic, ''))
  where kind <> 'phone';
create unique index requisite_phone_once on requisites (mode, currency, number, lower(bank_name))
  where kind = 'phone';

-- A day of a daily limit is the bank's: it begins at midnight where the currency lives.
create function bank_day(currency text, at timestamptz) returns date
  language sql immutable
  return (at at time zone case currency
    when 'RUB' then 'Europe/Moscow'
    when 'UZS' then 'Asia/Tashkent'
    when 'KZT' then 'Asia/Almaty'
    when 'TJS' then 'Asia/Dushanbe'
  end)::date;

-- What each requisite carries now. Changed with every deposit, so it lives apart from the requisite.
create table requisite_loads (
  requisite_id uuid primary key,
  open_deposits integer not null default 0,
  day date not null default '-infinity',
  day_cents bigint not null default 0,
  constraint requisite_load_of foreign key (requisite_id) references requisites (id),
  constraint requisite_load_not_negative check (open_deposits >= 0 and day_cents >= 0)
) with (fillfactor = 50);

grant select, insert, update on receiving_accounts, requisites, requisite_loads to inlet_runtime;
