-- Numbers for references: each process takes a thousand at a time, and draws their references in a secret order.
create sequence deposit_reference_block increment by 1000;
grant usage on sequence deposit_reference_block to inlet_runtime;

-- A request for money and what became of it. The row stays for ever: it keeps its order unique, and lists, sums and
-- transfers need it. Its id is a UUID of version 7 (src/domain/deposits/page-token.ts), so ids are in order of time.
create table deposits (
  id uuid not null,
  merchant_id uuid not null,
  order_id text collate "C" not null,
  flow text not null,
  -- A digest of the values that were sent: whether a repeated order is the same request (src/domain/deposits/order.ts).
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
  -- The requisite as the customer was shown it. Later changes of the requisite do not matter here.
  shown jsonb,
  -- The short code in the purpose of the payment. There are nine million: when it has long been over for one deposit of
  -- the account, it may be drawn for another, whose turn is the next number (src/domain/deposits/reference-store.ts).
  reference text,
  reference_turn smallint not null default 0,
  -- What opens the payment page. The id is made from it and leads nowhere back.
  page_token text collate "C" not null,
  -- The sum of its shares of transfers, so far.
  received_cents bigint not null default 0,
  labels text[] not null default '{}',
  -- When the customer said that the money is on its way. Near the deadline that moves it, once (`extended`).
  claimed_at timestamptz,
  extended boolean not null default false,
  created_at timestamptz not null,
  -- When the customer got the requisites: at once, or with the choice of a method. Money seen earlier cannot be for this
  -- deposit, and the day's sum of the requisite is that of this day.
  issued_at timestamptz,
  expires_at timestamptz not null,
  -- Until then late money confirms it.
  late_until timestamptz not null,
  -- Null while it can change. An expired one becomes final by time alone.
  final_at timestamptz,
  -- The part of a surplus that a person decided to keep.
  surplus_kept_cents bigint not null default 0,
  -- The request that created it: its id, its key and its signature scheme. The first entry of its history is read from here.
  sent jsonb not null,
  constraint deposit_id primary key (id),
  constraint deposit_order_once unique (merchant_id, order_id),
  constraint deposit_merchant foreign key (merchant_id) references merchants (id),
  constraint deposit_requisite foreign key (requisite_id, account_id) references requisites (id, account_id),
  constraint deposit_amount check (amount_cents between 1 and 999999999999999),
  constraint deposit_currency check (currency in ('RUB', 'UZS', 'KZT', 'TJS')),
  constraint deposit_flow check (flow in ('create', 'build')),
  constraint deposit_received check (received_cents >= 0),
  constraint deposit_reference_form check (reference ~ '^KT[1-9][0-9]{7}$'),
  constraint deposit_state check (state in ('builded', 'created', 'confirmed', 'rejected', 'expired', 'canceled', 'reversed')),
  constraint deposit_surplus_kept check (surplus_kept_cents >= 0),
  constraint deposit_times check (created_at < expires_at and expires_at <= late_until),
  -- Every state but `builded`, and what follows straight from it, has shown requisites to the customer.
  constraint deposit_shown_whole check (num_nulls(requisite_id, account_id, shown, reference, issued_at) in (0, 5)),
  constraint deposit_created_is_shown check (shown is not null or state not in ('created', 'confirmed', 'reversed'))
);

-- A create writes the keys above and the first five below; each further index costs every create, so what only some deposits
-- need stands in a partial index. Searches by currency, payment type or digits read a bounded part of these.

-- A reference names one deposit of its account in each turn.
create unique index deposit_reference_once on deposits (reference, account_id, reference_turn)
  where reference is not null;
-- A merchant's list, newest first.
create index deposits_by_merchant on deposits (merchant_id, created_at, id);
-- An exact amount finds old deposits too.
create index deposits_by_amount on deposits (merchant_id, amount_cents, created_at, id);
-- The deposits of a customer. What counts against its limits stands apart: a customer who asks and cancels all day must not
-- make the next look longer for everybody whose deposits are made in the same transaction.
create index deposits_of_customer on deposits
  (merchant_id, customer, (state in ('builded', 'created', 'confirmed', 'reversed')), created_at)
  where customer is not null;
-- Which deposits an amount on an account may be for, in any state.
create index deposits_of_account on deposits (account_id, amount_cents, late_until)
  where account_id is not null;
-- Open deposits, and of each merchant what is due. Those under review do not expire: they stand apart, so that no sweep
-- reads them again and again.
create index deposits_open on deposits (merchant_id, (labels @> '{review}'), expires_at)
  where state in ('builded', 'created');
-- Lists of one state, also of one that is rare.
create index deposits_closed on deposits (merchant_id, state, created_at, id)
  where state not in ('builded', 'created');
-- What was confirmed in a period, for books and charts.
create index deposits_by_confirmation on deposits (final_at, id)
  where state = 'confirmed';
-- Deposits with a part of their money: who sent it may send the rest. When they are over their money is released, but not
-- of those under review.
create index deposits_begun on deposits (account_id, (labels @> '{review}'), late_until)
  where state in ('created', 'expired') and received_cents > 0;
-- Customers who say that they have paid, while no money is seen.
create index deposits_claimed on deposits (late_until, claimed_at, id)
  where claimed_at is not null and received_cents = 0 and state in ('created', 'expired');
-- What a person has to decide: a review, which has no final time yet, or a surplus to pay back.
create index deposits_to_decide on deposits (final_at, id)
  where labels @> '{review}' or (state = 'confirmed' and received_cents - amount_cents > surplus_kept_cents);
grant select, insert, update on deposits to inlet_runtime;

-- Where no reference tells deposits apart, an amount on an account belongs to one deposit at a time. A row of its own, so
-- that it can be freed without changing the deposit: `free_at` says when.
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

-- What happened to a deposit, who did it and why. Appended to, never changed. Its creation is in the deposit's own row.
-- `message`: the reason as a code with values, so that it can be read in another language; what a person wrote has none.
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

-- The only paths a deposit can take: the transition table of src/domain/deposits/deposit.ts, once more.
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
      and (new.shown, new.requisite_id, new.account_id, new.reference, new.reference_turn, new.payment_type, new.issued_at)
        is distinct from
          (old.shown, old.requisite_id, old.account_id, old.reference, old.reference_turn, old.payment_type, old.issued_at))
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
