-- Who reports money: a bank's push, a kind of file (for tables the name of their mapping), the sandbox's bank, or a
-- person. account_ids: the accounts that a push may report; null: every account of its mode.
create table bank_sources (
  id uuid constraint bank_source_id primary key,
  name text not null,
  mode text not null,
  kind text not null,
  token_digest bytea,
  enabled boolean not null default true,
  created_at timestamptz not null default inlet_now(),
  last_used_at timestamptz,
  account_ids uuid[],
  networks cidr[] not null default '{}',
  channel text not null,
  constraint bank_source_accounts check (account_ids is null or kind = 'push'),
  constraint bank_source_channel check (channel in ('1c', 'camt', 'csv', 'xlsx', 'mt940', 'push', 'sandbox', 'hand')),
  constraint bank_source_kind check (kind in ('push', 'file', 'sandbox', 'hand')),
  constraint bank_source_mode check (mode in ('live', 'test')),
  constraint bank_source_name check (char_length(name) between 1 and 100),
  constraint bank_source_token check ((kind = 'push') = (token_digest is not null))
);
create unique index bank_source_of_files on bank_sources (mode, kind, channel, name)
  where kind <> 'push';
create unique index bank_source_token_once on bank_sources (token_digest);
grant select, insert, update on bank_sources to inlet_runtime;

-- Which source of an account counts (booked), and which tells earlier (early): the newest row at or before a day rules, so on
-- every day there is at most one of each.
create table account_voices (
  account_id uuid not null,
  role text not null,
  from_day date not null,
  source_id uuid not null,
  ids text not null,
  changed_at timestamptz not null default inlet_now(),
  changed_by text not null,
  constraint account_voice_id primary key (account_id, role, from_day),
  constraint account_voice_account foreign key (account_id) references receiving_accounts (id),
  constraint account_voice_source foreign key (source_id) references bank_sources (id),
  constraint account_voice_ids check (ids in ('lasting', 'daily', 'none')),
  constraint account_voice_role check (role in ('booked', 'early'))
);
create index account_voices_by_source on account_voices (source_id);
grant select, insert, update on account_voices to inlet_runtime;

-- One payment, by whatever source it was told. What the bank wrote is kept; a trigger holds it.
create table transfers (
  id uuid constraint transfer_id primary key,
  source_id uuid not null,
  account_id uuid not null,
  channel text not null,
  direction text not null,
  cents bigint not null,
  currency text not null,
  booked_on date not null,
  booked_at timestamptz,
  paid_on date,
  document_number text not null,
  payer_name text not null,
  payer_account text not null,
  payer_tax_id text not null,
  payer_bank text not null,
  purpose text not null,
  bank_id text,
  version bigint not null default 0,
  -- One sum for several payments.
  is_sum boolean not null,
  -- The valid references in its text.
  names text[] not null,
  taken_at timestamptz not null,
  -- When a source told it early, and when the booked voice told it.
  told_early_at timestamptz,
  told_booked_at timestamptz,
  state text not null,
  -- What a held one may be.
  held_with uuid[] not null default '{}',
  duplicate_of uuid,
  -- Where every coin of it is: with deposits (the sum of its allocations), given back, or open.
  deposit_cents bigint not null default 0,
  refund_cents bigint not null default 0,
  open_cents bigint not null default 0,
  due_since timestamptz,
  constraint transfer_account foreign key (account_id) references receiving_accounts (id),
  constraint transfer_duplicate_of foreign key (duplicate_of) references transfers (id),
  constraint transfer_source foreign key (source_id) references bank_sources (id),
  constraint transfer_balances check (((deposit_cents + refund_cents) + open_cents) = case when (state in ('duplicate', 'revoked', 'debit', 'reversal')) then 0 else cents end),
  constraint transfer_cents check (cents between 1 and 999999999999999),
  constraint transfer_channel check (channel in ('1c', 'camt', 'csv', 'xlsx', 'mt940', 'push', 'sandbox', 'hand')),
  constraint transfer_currency check (currency in ('RUB', 'UZS', 'KZT', 'TJS')),
  constraint transfer_direction check (direction in ('credit', 'debit')),
  constraint transfer_due check (due_since is null or open_cents > 0),
  constraint transfer_is_duplicate check ((state = 'duplicate') = (duplicate_of is not null)),
  constraint transfer_is_held check (state = 'held' or (held_with = '{}')),
  constraint transfer_is_told check (
    told_early_at is not null
    or told_booked_at is not null
    or (state in ('revoked', 'duplicate'))
  ),
  constraint transfer_keeps_direction check (
    (state in ('revoked', 'duplicate'))
    or ((direction = 'debit') = (state in ('debit', 'reversal')))
  ),
  constraint transfer_no_copy_of_itself check (duplicate_of <> id),
  constraint transfer_parts check (deposit_cents >= 0 and refund_cents >= 0 and open_cents >= 0),
  constraint transfer_settles check ((state = 'matched') = (deposit_cents > 0)),
  constraint transfer_state check (
    state in ('unmatched', 'matched', 'ambiguous', 'held', 'duplicate', 'revoked', 'refunded', 'set_aside', 'debit', 'reversal')
  )
);
create index transfers_by_account on transfers (account_id, state, taken_at, id);
create index transfers_by_day on transfers (account_id, booked_on, id);
create index transfers_by_duplicate on transfers (duplicate_of)
  where duplicate_of is not null;
create index transfers_by_state on transfers (state, taken_at, id);
-- All payments of one payer, by whatever a bank says of it.
create index transfers_of_payer on transfers using gin ((array[payer_name, payer_account, payer_tax_id]));
create index transfers_due on transfers (due_since, id)
  where due_since is not null;
-- What only one of the two has told is what the other is compared with.
create index transfers_only_booked on transfers (account_id, booked_on)
  where told_early_at is null and told_booked_at is not null;
create index transfers_only_early on transfers (account_id, booked_on)
  where told_booked_at is null;
create index transfers_to_decide on transfers (taken_at, id)
  where state in ('unmatched', 'ambiguous', 'held', 'reversal');
grant select, insert, update (
  booked_on, booked_at, document_number, payer_name, payer_account, payer_tax_id, payer_bank, purpose, bank_id,
  version, names, told_early_at, told_booked_at, state, held_with, duplicate_of, deposit_cents, refund_cents,
  open_cents, due_since
) on transfers to inlet_runtime;

-- By which keys of which source a payment is known, so that the same report again leads to the same row. The variant tells apart
-- what has one key: the text under one id of a bank, or the number among equal rows.
create table transfer_keys (
  account_id uuid not null,
  source_id uuid not null,
  role text not null,
  key bytea not null,
  variant bytea not null,
  transfer_id uuid not null,
  -- The transfer that it was first the key of, before a person called two the same payment.
  origin_id uuid not null,
  constraint transfer_key_id primary key (account_id, source_id, role, key, variant),
  constraint transfer_key_transfer foreign key (transfer_id) references transfers (id),
  constraint transfer_key_role check (role in ('booked', 'early'))
);
create index transfer_keys_of on transfer_keys (transfer_id);
grant select, insert, update, delete on transfer_keys to inlet_runtime;

-- What was decided about a payment, in order.
create table transfer_decisions (
  transfer_id uuid not null,
  entry integer not null,
  at timestamptz not null,
  state text not null,
  deposit_ids uuid[] not null default '{}',
  actor text not null,
  rule text not null,
  reason text not null,
  message jsonb,
  evidence jsonb not null,
  constraint transfer_decision_id primary key (transfer_id, entry),
  constraint transfer_decision_of foreign key (transfer_id) references transfers (id)
);
grant select, insert on transfer_decisions to inlet_runtime;

-- Which deposits have which part of a payment. kept_cents: a surplus that a person decided to keep.
create table allocations (
  transfer_id uuid not null,
  deposit_id uuid not null,
  cents bigint not null,
  kept_cents bigint not null default 0,
  constraint allocation_id primary key (transfer_id, deposit_id),
  constraint allocation_deposit foreign key (deposit_id) references deposits (id),
  constraint allocation_transfer foreign key (transfer_id) references transfers (id),
  constraint allocation_cents check (cents > 0),
  constraint allocation_kept check (kept_cents >= 0 and kept_cents <= cents)
);
create index allocations_by_deposit on allocations (deposit_id);
grant select, insert, update, delete on allocations to inlet_runtime;

create function keep_transfer_facts() returns trigger language plpgsql as $$
begin
  if (new.id, new.source_id, new.account_id, new.direction, new.cents, new.currency, new.paid_on, new.taken_at)
    is distinct from
     (old.id, old.source_id, old.account_id, old.direction, old.cents, old.currency, old.paid_on, old.taken_at)
  then
    raise exception 'transfer % keeps what the bank wrote', old.id
      using errcode = 'check_violation', constraint = 'transfer_keeps_facts';
  end if;
  return new;
end
$$;

-- A transfer with deposits has exactly what its allocations say, when the transaction ends.
create function check_sum_of_transfer() returns trigger language plpgsql as $$
begin
  if new.deposit_cents <> (select coalesce(sum(cents), 0) from allocations where transfer_id = new.id)
    and exists (select from transfers where id = new.id and deposit_cents = new.deposit_cents)
  then
    raise exception 'transfer % is not the sum of its allocations', new.id
      using errcode = 'check_violation', constraint = 'transfer_is_its_allocations';
  end if;
  return null;
end
$$;

create function check_sum_of_allocation() returns trigger language plpgsql as $$
begin
  if (select deposit_cents from transfers where id = old.transfer_id)
    <> (select coalesce(sum(cents), 0) from allocations where transfer_id = old.transfer_id)
  then
    raise exception 'transfer % is not the sum of its allocations', old.transfer_id
      using errcode = 'check_violation', constraint = 'transfer_is_its_allocations';
  end if;
  return null;
end
$$;

create function check_added_allocations() returns trigger language plpgsql as $$
declare
  checked uuid;
begin
  select t.id into checked
  from (select transfer_id from added group by transfer_id) n
  join transfers t on t.id = n.transfer_id
  where t.deposit_cents < (select sum(cents) from allocations where transfer_id = n.transfer_id)
  limit 1;
  if found then
    raise exception 'transfer % is not the sum of its allocations', checked
      using errcode = 'check_violation', constraint = 'transfer_is_its_allocations';
  end if;
  return null;
end
$$;

create trigger transfer_keeps_facts
  before update on transfers
  for each row execute function keep_transfer_facts();
create constraint trigger transfer_is_its_allocations
  after insert or update of deposit_cents on transfers
  deferrable initially deferred for each row when (new.deposit_cents > 0) execute function check_sum_of_transfer();
create constraint trigger allocation_is_of_its_transfer
  after delete or update on allocations
  deferrable initially deferred for each row execute function check_sum_of_allocation();
create trigger allocations_are_of_their_transfers
  after insert on allocations
  referencing new table as added for each statement execute function check_added_allocations();
