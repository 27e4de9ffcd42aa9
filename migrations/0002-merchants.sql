-- A shop: its mode, its times, what it does with too little, too much or too late, and its limits.
create table merchants (
  id uuid constraint merchant_id primary key,
  name text not null,
  mode text not null,
  enabled boolean not null default true,
  callback_url text,
  choice_minutes integer not null default 30,
  payment_minutes integer not null default 30,
  late_grace_hours integer not null default 24,
  late_grace_account_hours integer not null default 120,
  underpaid_policy text not null default 'wait',
  underpaid_tolerance_cents bigint not null default 0,
  overpaid_policy text not null default 'confirm',
  late_policy text not null default 'confirm',
  rate_per_second integer not null default 100,
  rate_burst integer not null default 400,
  created_at timestamptz not null default inlet_now(),
  optional_events text[] not null default '{}',
  language text,
  customer_open_deposits integer,
  customer_day_cents bigint,
  customer_month_cents bigint,
  success_url text,
  reject_url text,
  is_demo boolean not null default false,
  -- How the payment page looks. The logo is the picture as we drew it anew, never the bytes that somebody sent.
  accent text,
  logo bytea,
  logo_digest text,
  logo_width integer,
  logo_height integer,
  logo_tone text,
  constraint merchant_brand_accent check (accent ~ '^#[0-9a-f]{6}$'),
  constraint merchant_brand_digest check (logo_digest ~ '^[A-Za-z0-9_-]{22}$'),
  constraint merchant_brand_height check (logo_height between 1 and 512),
  constraint merchant_brand_logo check (octet_length(logo) <= 65536),
  constraint merchant_brand_tone check (logo_tone in ('any', 'dark', 'light')),
  constraint merchant_brand_whole_logo check (num_nulls(logo, logo_digest, logo_width, logo_height, logo_tone) in (0, 5)),
  constraint merchant_brand_width check (logo_width between 1 and 512),
  constraint merchant_customer_limits check (customer_open_deposits > 0 and customer_day_cents > 0 and customer_month_cents > 0),
  constraint merchant_language check (language in ('ru', 'uz', 'kk', 'tg', 'en')),
  constraint merchant_mode check (mode in ('live', 'test')),
  constraint merchant_name_length check (char_length(name) between 1 and 100),
  constraint merchant_optional_events check (optional_events <@ ARRAY['deposit.method_selected', 'deposit.claimed']),
  constraint merchant_policies check (
    (underpaid_policy in ('wait', 'accept', 'review'))
    and underpaid_tolerance_cents >= 0
    and (overpaid_policy in ('confirm', 'review'))
    and (late_policy in ('confirm', 'review'))
  ),
  constraint merchant_rates check (rate_per_second between 1 and 1000000 and rate_burst between 1 and 4000000),
  constraint merchant_times check (
    choice_minutes between 5 and 1440
    and payment_minutes between 5 and 1440
    and late_grace_hours between 0 and 720
    and late_grace_account_hours between 0 and 720
  )
);
-- Pages name a logo by its digest. Two merchants may have the same one.
create index merchants_by_logo on merchants (logo_digest)
  where logo is not null;
create index merchants_of_demo on merchants (id) where is_demo;
grant select, insert, update on merchants to inlet_runtime;

-- Keys that sign requests and callbacks. The secret is sealed with the master key.
create table api_keys (
  id text constraint api_key_id primary key,
  merchant_id uuid not null,
  purpose text not null,
  secret_sealed bytea not null,
  v2_only boolean not null default false,
  created_at timestamptz not null default inlet_now(),
  not_after timestamptz,
  last_used_at timestamptz,
  literal_used_at timestamptz,
  v2_used_at timestamptz,
  constraint api_key_merchant foreign key (merchant_id) references merchants (id),
  constraint api_key_purpose check (purpose in ('request', 'callback'))
);
create index api_keys_by_merchant on api_keys (merchant_id, purpose);
grant select, insert, update on api_keys to inlet_runtime;

-- What is accepted once: signatures of requests that must not be repeated, answers of passkeys.
create table used_once (
  digest bytea constraint used_once_id primary key,
  expires_at timestamptz not null
);
create index used_once_by_end on used_once (expires_at);
grant select, insert, update, delete on used_once to inlet_runtime;

