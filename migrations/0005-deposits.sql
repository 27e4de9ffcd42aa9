create table deposits (
  id uuid primary key,
  merchant_id uuid not null,
  order_id text collate "C" not null,
  flow text not null,
  fingerprint bytea not null,
  state text not null,
  amount_cents bigint not null,
  currency text not null,
  payment_type text not null,
  customer text,
  customer_phone_number text,
  callback_url text,
  success_url text,
  reject_url text,
  requisite_id uuid,
  account_id uuid,
  shown jsonb,
  reference text,
  holds_reference boolean not null default true,
  page_token text collate "C" not null,
  received_cents bigint not null default 0,
  labels text[] not null default '{}',
  claimed_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  late_until timestamptz not null,
  final_at timestamptz,
  constraint deposit_merchant foreign key (merchant_id) references merchants (id),
  constraint deposit_requisite foreign key (requisite_id, account_id) references requisites (id, account_id),
  constraint deposit_order_once unique (merchant_id, order_id),
  constraint deposit_page_token unique (page_token),
  constraint deposit_flow check (flow in ('create', 'build')),
  constraint deposit_state check (
    state in ('builded', 'created', 'confirmed', 'rejected', 'expired', 'canceled', 'reversed')
  ),
  constraint deposit_currency check (currency in ('RUB', 'UZS', 'KZT', 'TJS')),
  constraint deposit_amount check (amount_cents between 1 and 999999999999999),
  constraint deposit_received check (received_cents >= 0),
  constraint deposit_reference_form check (reference ~ '^KT[1-9][0-9]{7}$'),
  constraint deposit_times check (created_at < expires_at and expires_at <= late_until),
  -- Every state but `builded` and what follows straight from it has shown requisites to the customer.
  constraint deposit_shown_whole check (num_nulls(requisite_id, account_id, shown, reference) in (0, 4)),
  constraint deposit_created_is_shown check (state not in ('created', 'confirmed', 'reversed') or shown is not null)
);
-- A merchant's list, newest first.
create index deposits_by_merchant on deposits (merchant_id, created_at, id);
-- A reference names one deposit of its account while the deposit can still receive money.
create unique index deposit_reference_once on deposits (account_id, reference) where holds_reference;

-- Blocks of numbers for references: each process takes a thousand at a time.
create sequence deposit_reference_block increment by 1000;

-- What a customer was shown, and whom it was promised to, never changes afterwards.
create function keep_deposit_promise() returns trigger language plpgsql as $$
begin
  if (new.id, new.merchant_id, new.order_id, new.flow, new.fingerprint, new.amount_cents, new.currency,
      new.page_token, new.created_at)
    is distinct from
     (old.id, old.merchant_id, old.order_id, old.flow, old.fingerprint, old.amount_cents, old.currency,
      old.page_token, old.created_at)
    or (old.shown is not null
      and (new.shown, new.requisite_id, new.account_id, new.reference, new.payment_type)
        is distinct from (old.shown, old.requisite_id, old.account_id, old.reference, old.payment_type))
  then
    raise exception 'deposit % keeps what it was created with', old.id
      using errcode = 'check_violation', constraint = 'deposit_keeps_promise';
  end if;
  return new;
end
$$;
create trigger deposit_keeps_promise before update on deposits
  for each row execute function keep_deposit_promise();

-- Where no reference tells deposits apart, (account, currency, amount) belongs to one deposit at a time.
create table deposit_slots (
  currency text not null,
  amount_cents bigint not null,
  account_id uuid not null,
  deposit_id uuid not null,
  constraint deposit_slot_once primary key (currency, amount_cents, account_id),
  constraint deposit_slot_of_deposit unique (deposit_id),
  constraint deposit_slot_deposit foreign key (deposit_id) references deposits (id)
    deferrable initially deferred,
  constraint deposit_slot_account foreign key (account_id) references receiving_accounts (id)
);

-- The timeline: every action, who did it and why. Appended to, never changed.
create table deposit_history (
  deposit_id uuid not null,
  entry integer not null,
  at timestamptz not null,
  action text not null,
  from_state text,
  to_state text not null,
  actor text not null,
  reason text,
  evidence jsonb,
  constraint deposit_history_id primary key (deposit_id, entry),
  constraint deposit_history_deposit foreign key (deposit_id) references deposits (id)
);

grant select, insert, update on deposits to inlet_runtime;
grant select, insert, delete on deposit_slots to inlet_runtime;
grant select, insert on deposit_history to inlet_runtime;
grant usage on sequence deposit_reference_block to inlet_runtime;
