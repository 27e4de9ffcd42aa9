-- Blocks of numbers for references: each process takes a thousand at a time.
create sequence deposit_reference_block increment by 1000;
grant usage on sequence deposit_reference_block to inlet_runtime;

-- A request for money and what became of it.
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
  extended boolean not null default false,
  issued_at timestamptz,
  surplus_kept_cents bigint not null default 0,
  sent jsonb not null,
  constraint deposit_order_once unique (merchant_id, order_id),
  constraint deposit_page_token unique (page_token),
  constraint deposit_merchant foreign key (merchant_id) references merchants (id),
  constraint deposit_requisite foreign key (requisite_id, account_id) references requisites (id, account_id),
  constraint deposit_amount check (amount_cents between 1 and 999999999999999),
  constraint deposit_created_is_shown check (shown is not null or state not in ('created', 'confirmed', 'reversed')),
  constraint deposit_currency check (currency in ('RUB', 'UZS', 'KZT', 'TJS')),
  constraint deposit_flow check (flow in ('create', 'build')),
  constraint deposit_received check (received_cents >= 0),
  constraint deposit_reference_form check (reference ~ '^KT[1-9][0-9]{7}$'),
  constraint deposit_shown_whole check (num_nulls(requisite_id, account_id, shown, reference, issued_at) in (0, 5)),
  constraint deposit_state check (state in ('builded', 'created', 'confirmed', 'rejected', 'expired', 'canceled', 'reversed')),
  constraint deposit_surplus_kept check (surplus_kept_cents >= 0),
  constraint deposit_times check (created_at < expires_at and expires_at <= late_until)
);
create index deposits_begun on deposits (account_id, late_until)
  where (state in ('created', 'expired')) and received_cents > 0;
create index deposits_by_amount on deposits (merchant_id, amount_cents, created_at, id);
create index deposits_by_confirmation on deposits (final_at, id)
  where state = 'confirmed';
create index deposits_by_digits on deposits (merchant_id, right((shown ->> 'number'), 4), created_at, id)
  where shown is not null;
create index deposits_by_freed_reference on deposits (reference)
  where (not holds_reference) and reference is not null;
create index deposits_by_kind on deposits (merchant_id, state, currency, payment_type, created_at, id);
create index deposits_by_merchant on deposits (merchant_id, created_at, id);
create index deposits_by_reference_age on deposits (late_until)
  where holds_reference and (state not in ('builded', 'created'));
create index deposits_claimed on deposits (late_until, claimed_at, id)
  where claimed_at is not null and received_cents = 0 and (state in ('created', 'expired'));
create index deposits_for_review on deposits (created_at, id)
  where labels @> '{review}';
create index deposits_listening on deposits (account_id, amount_cents, late_until)
  where state in ('created', 'expired');
create index deposits_of_customer on deposits (merchant_id, customer, created_at)
  where customer is not null and (state in ('builded', 'created', 'confirmed', 'reversed'));
create index deposits_of_customer_unpaid on deposits (merchant_id, customer, created_at)
  where customer is not null and (state in ('rejected', 'expired', 'canceled'));
create index deposits_over on deposits (account_id, amount_cents, late_until)
  where account_id is not null;
create index deposits_over_with_money on deposits (late_until, id)
  where state = 'expired' and received_cents > 0 and (not (labels @> '{review}'));
create index deposits_overpaid on deposits (final_at, id)
  where state = 'confirmed' and ((received_cents - amount_cents) > surplus_kept_cents);
create index deposits_to_expire on deposits (expires_at)
  where (state in ('builded', 'created')) and (not (labels @> '{review}'));
create index deposits_to_expire_of_merchant on deposits (merchant_id, expires_at)
  where (state in ('builded', 'created')) and (not (labels @> '{review}'));
create unique index deposit_reference_once on deposits (reference, account_id) where holds_reference;
grant select, insert, update on deposits to inlet_runtime;

-- Amounts that are taken on a receiving account: an exact amount means one deposit.
create table deposit_slots (
  currency text not null,
  amount_cents bigint not null,
  account_id uuid not null,
  deposit_id uuid not null,
  free_at timestamptz not null default 'infinity',
  constraint deposit_slot_once primary key (currency, amount_cents, account_id),
  constraint deposit_slot_of_deposit unique (deposit_id),
  constraint deposit_slot_account foreign key (account_id) references receiving_accounts (id),
  constraint deposit_slot_deposit foreign key (deposit_id) references deposits (id) deferrable initially deferred
);
create index deposit_slots_by_age on deposit_slots (free_at);
grant select, insert, delete, update (free_at) on deposit_slots to inlet_runtime;

-- What happened to a deposit, in order. Its creation is in the deposit's own row.
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
  message jsonb,
  constraint deposit_history_id primary key (deposit_id, entry),
  constraint deposit_history_deposit foreign key (deposit_id) references deposits (id)
);
grant select, insert on deposit_history to inlet_runtime;

-- The history of a deposit with its first entry, which is read from the deposit's own row.
create view deposit_timeline with (security_invoker = true) as
  select deposit_id, entry, at, action, from_state, to_state, actor, reason, message, evidence
  from deposit_history
  union all
  select id, 1, created_at, flow, null, case flow when 'build' then 'builded' else 'created' end, 'merchant', null, null, sent
  from deposits;
grant select on deposit_timeline to inlet_runtime;

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

-- What a deposit was created with and what its customer was shown never change.
create function keep_deposit_promise() returns trigger language plpgsql as $$
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

create trigger deposit_keeps_promise
  before update on deposits
  for each row execute function keep_deposit_promise();
create trigger deposit_path
  before update of state on deposits
  for each row execute function keep_deposit_path();
