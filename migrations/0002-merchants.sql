create table merchants (
  id uuid primary key,
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
  constraint merchant_name_length check (char_length(name) between 1 and 100),
  constraint merchant_mode check (mode in ('live', 'test')),
  constraint merchant_times check (
    choice_minutes between 5 and 1440
    and payment_minutes between 5 and 1440
    and late_grace_hours between 0 and 720
    and late_grace_account_hours between 0 and 720
  ),
  constraint merchant_policies check (
    underpaid_policy in ('wait', 'accept', 'review')
    and underpaid_tolerance_cents >= 0
    and overpaid_policy in ('confirm', 'review')
    and late_policy in ('confirm', 'review')
  ),
  constraint merchant_rates check (rate_per_second between 1 and 1000000 and rate_burst between 1 and 4000000)
);

-- Secrets are sealed with the master key; the seal is bound to the row's id, merchant and purpose.
create table api_keys (
  id text primary key,
  merchant_id uuid not null,
  purpose text not null,
  secret_sealed bytea not null,
  v2_only boolean not null default false,
  created_at timestamptz not null default inlet_now(),
  not_after timestamptz,
  last_used_at timestamptz,
  constraint api_key_merchant foreign key (merchant_id) references merchants (id),
  constraint api_key_purpose check (purpose in ('request', 'callback'))
);
create index api_keys_by_merchant on api_keys (merchant_id, purpose);

grant select, insert, update on merchants, api_keys to inlet_runtime;
