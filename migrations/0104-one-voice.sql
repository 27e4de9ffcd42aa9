-- Every receiving account has, on every day, at most one source that counts (booked) and at most one that tells earlier (early). Nothing was
-- released: what was taken before by the old rules is dropped with its tables.
-- Serves builds from: this one

-- A source is a push, a kind of file (for tables the name of their mapping or layout), the sandbox's bank, or a person.
drop table transfer_repeats, transfer_decisions, staged_entries;
alter table receiving_accounts drop column amount_matching_changed_at;
drop table transfers;
drop function keep_transfer_facts();
truncate statements, bank_source_accounts, bank_sources;
drop index bank_source_of_kind;
alter table bank_sources drop constraint bank_source_kind;
alter table bank_sources add column channel text not null;
alter table bank_sources add constraint bank_source_kind check (kind in ('push', 'file', 'sandbox', 'hand'));
alter table bank_sources add constraint bank_source_channel
  check (channel in ('1c', 'camt', 'csv', 'xlsx', 'mt940', 'push', 'sandbox', 'hand'));
create unique index bank_source_of_files on bank_sources (mode, kind, channel, name) where kind <> 'push';

alter table statements drop column file_digest, drop column numbered_by;
alter table statements add column source_id uuid;
alter table statements add constraint statement_source foreign key (source_id) references bank_sources (id);

-- Which source of an account counts, and which tells early: the newest row at or before a day rules.
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
  constraint account_voice_role check (role in ('booked', 'early')),
  constraint account_voice_ids check (ids in ('lasting', 'daily', 'none'))
);
create index account_voices_by_source on account_voices (source_id);

-- The days that a file has closed: whatever the booked voice tells of them is told. An undo opens those of its file again.
create table account_days (
  account_id uuid not null,
  day date not null,
  closed_by uuid not null,
  constraint account_day_id primary key (account_id, day, closed_by),
  constraint account_day_account foreign key (account_id) references receiving_accounts (id),
  constraint account_day_statement foreign key (closed_by) references statements (id)
);
create index account_days_by_statement on account_days (closed_by);

-- The file that is being imported into an account: one at a time, and by one run.
create table account_imports (
  account_id uuid not null,
  statement_id uuid not null,
  run_id uuid not null,
  constraint account_import_id primary key (account_id),
  constraint account_import_account foreign key (account_id) references receiving_accounts (id),
  constraint account_import_statement foreign key (statement_id) references statements (id)
);

-- One payment, by whatever source it was told.
create table transfers (
  id uuid not null,
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
  raw text not null,
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
  constraint transfers_pkey primary key (id),
  constraint transfer_source foreign key (source_id) references bank_sources (id),
  constraint transfer_account foreign key (account_id) references receiving_accounts (id),
  constraint transfer_duplicate_of foreign key (duplicate_of) references transfers (id),
  constraint transfer_channel check (channel in ('1c', 'camt', 'csv', 'xlsx', 'mt940', 'push', 'sandbox', 'hand')),
  constraint transfer_direction check (direction in ('credit', 'debit')),
  constraint transfer_cents check (cents between 1 and 999999999999999),
  constraint transfer_currency check (currency in ('RUB', 'UZS', 'KZT', 'TJS')),
  constraint transfer_state check (
    state in ('unmatched', 'matched', 'ambiguous', 'held', 'duplicate', 'revoked', 'refunded', 'set_aside', 'debit', 'reversal')),
  constraint transfer_keeps_direction check (
    state in ('revoked', 'duplicate') or (direction = 'debit') = (state in ('debit', 'reversal'))),
  constraint transfer_is_told check (told_early_at is not null or told_booked_at is not null or state in ('revoked', 'duplicate')),
  constraint transfer_is_held check (state = 'held' or held_with = '{}'),
  constraint transfer_is_duplicate check ((state = 'duplicate') = (duplicate_of is not null)),
  constraint transfer_no_copy_of_itself check (duplicate_of <> id),
  constraint transfer_parts check (deposit_cents >= 0 and refund_cents >= 0 and open_cents >= 0),
  constraint transfer_settles check ((state = 'matched') = (deposit_cents > 0)),
  constraint transfer_balances check (
    deposit_cents + refund_cents + open_cents
      = case when state in ('duplicate', 'revoked', 'debit', 'reversal') then 0 else cents end),
  constraint transfer_due check (due_since is null or open_cents > 0)
);
create index transfers_by_state on transfers (state, taken_at, id);
create index transfers_by_account on transfers (account_id, state, taken_at, id);
create index transfers_to_decide on transfers (taken_at, id) where state in ('unmatched', 'ambiguous', 'held', 'reversal');
create index transfers_due on transfers (due_since, id) where due_since is not null;
create index transfers_by_duplicate on transfers (duplicate_of) where duplicate_of is not null;
create index transfers_by_day on transfers (account_id, booked_on, id);
-- What only one of the two has told is what the other is compared with.
create index transfers_only_early on transfers (account_id, booked_on) where told_booked_at is null;
create index transfers_only_booked on transfers (account_id, booked_on) where told_early_at is null and told_booked_at is not null;

create function keep_transfer_facts() returns trigger language plpgsql as $$
begin
  if (new.id, new.source_id, new.account_id, new.direction, new.cents, new.currency, new.paid_on, new.taken_at, new.raw)
    is distinct from
     (old.id, old.source_id, old.account_id, old.direction, old.cents, old.currency, old.paid_on, old.taken_at, old.raw)
  then
    raise exception 'transfer % keeps what the bank wrote', old.id
      using errcode = 'check_violation', constraint = 'transfer_keeps_facts';
  end if;
  return new;
end
$$;
create trigger transfer_keeps_facts before update on transfers
  for each row execute function keep_transfer_facts();

-- Which deposits have which part of a transfer. `kept_cents`: a surplus that a person decided to keep.
create table allocations (
  transfer_id uuid not null,
  deposit_id uuid not null,
  cents bigint not null,
  kept_cents bigint not null default 0,
  constraint allocation_id primary key (transfer_id, deposit_id),
  constraint allocation_transfer foreign key (transfer_id) references transfers (id),
  constraint allocation_deposit foreign key (deposit_id) references deposits (id),
  constraint allocation_cents check (cents > 0),
  constraint allocation_kept check (kept_cents between 0 and cents)
);
create index allocations_by_deposit on allocations (deposit_id);

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

-- By which keys of which source a transfer is known. The variant tells apart what has one key: the text under one id of a bank, or the
-- number among equal rows.
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

-- Which file told what. `outcome`: what the row became.
create table report_rows (
  statement_id uuid not null,
  place integer not null,
  line integer not null,
  transfer_id uuid not null,
  origin_id uuid not null,
  role text not null,
  outcome text not null,
  constraint report_row_id primary key (statement_id, place),
  constraint report_row_statement foreign key (statement_id) references statements (id),
  constraint report_row_transfer foreign key (transfer_id) references transfers (id),
  constraint report_row_role check (role in ('booked', 'early')),
  constraint report_row_outcome check (outcome in ('new', 'paired', 'known', 'held'))
);
create index report_rows_of on report_rows (transfer_id);

-- Booked rows of days that their file does not close. They count when a file that closes the day tells them, or when a person takes them.
create table parked_rows (
  statement_id uuid not null,
  place integer not null,
  line integer not null,
  account_id uuid not null,
  booked_on date not null,
  cents bigint not null,
  names text[] not null,
  facts json not null,
  parked_at timestamptz not null default inlet_now(),
  -- The file that closed the day, or the person who took it.
  closed_by uuid,
  transfer_id uuid,
  constraint parked_row_id primary key (statement_id, place),
  constraint parked_row_statement foreign key (statement_id) references statements (id),
  constraint parked_row_account foreign key (account_id) references receiving_accounts (id),
  constraint parked_row_closed_by foreign key (closed_by) references statements (id),
  constraint parked_row_transfer foreign key (transfer_id) references transfers (id)
);
create index parked_rows_waiting on parked_rows (account_id, booked_on) where closed_by is null and transfer_id is null;
create index parked_rows_closed on parked_rows (closed_by) where closed_by is not null;

-- Rows of a file before they are taken, what its days are in each account, and what the rule of identity says of rows that are not new.
create unlogged table staged_entries (
  run_id uuid not null,
  place integer not null,
  id uuid not null,
  account_id uuid not null,
  booked_on date not null,
  direction text not null,
  cents bigint not null,
  names text[] not null,
  is_sum boolean not null,
  tax_id text not null,
  bank_id text,
  key bytea not null,
  variant bytea not null,
  facts json not null,
  constraint staged_entry_id primary key (run_id, place)
);
create unlogged table staged_days (
  run_id uuid not null,
  account_id uuid not null,
  day date not null,
  role text not null,
  constraint staged_day_id primary key (run_id, account_id, day),
  constraint staged_day_role check (role in ('booked', 'early', 'parked'))
);
create unlogged table staged_outcomes (
  run_id uuid not null,
  place integer not null,
  outcome text not null,
  transfer_id uuid,
  held_with uuid[] not null default '{}',
  constraint staged_outcome_id primary key (run_id, place),
  constraint staged_outcome_kind check (outcome in ('known', 'paired', 'held'))
);

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

alter table proposals drop constraint proposal_kind;
alter table proposals add constraint proposal_kind check (
  kind in (
    'requisite_add', 'requisite_on', 'requisite_limits', 'account_limits', 'account_matching', 'account_number',
    'confirm', 'match', 'split', 'match_several', 'merchant_rules', 'callback_address', 'return_addresses',
    'statement_undo', 'source_add', 'source_account', 'source_networks', 'source_enable', 'account_voice',
    'approval_settings', 'desk_invitation', 'desk_role', 'desk_enable', 'desk_reset'
  )
);
drop index proposal_open_once;
create unique index proposal_open_once on proposals (kind, subject)
  where state = 'open'
    and kind in (
      'confirm', 'match', 'split', 'match_several', 'merchant_rules', 'requisite_on', 'requisite_limits', 'account_limits',
      'account_matching', 'account_number', 'statement_undo', 'source_networks', 'source_enable', 'account_voice',
      'approval_settings', 'desk_invitation', 'desk_role', 'desk_enable', 'desk_reset'
    );

create constraint trigger transfer_is_its_allocations after insert or update of deposit_cents on transfers
  deferrable initially deferred for each row when (new.deposit_cents > 0) execute function check_sum_of_transfer();
create constraint trigger allocation_is_of_its_transfer after update or delete on allocations
  deferrable initially deferred for each row execute function check_sum_of_allocation();
create trigger allocations_are_of_their_transfers after insert on allocations
  referencing new table as added for each statement execute function check_added_allocations();

grant select, insert, update on bank_sources to inlet_runtime;
grant select, insert, update on account_voices to inlet_runtime;
grant select, insert, delete on account_days to inlet_runtime;
grant select, insert, update, delete on report_rows to inlet_runtime;
grant select, insert, update, delete on account_imports, allocations, transfer_keys, parked_rows, staged_entries, staged_days,
  staged_outcomes to inlet_runtime;
grant select, insert on transfers, transfer_decisions to inlet_runtime;
grant update (booked_on, booked_at, payer_name, payer_account, payer_tax_id, payer_bank, purpose, document_number, bank_id, version, names,
  told_early_at, told_booked_at, state, held_with, duplicate_of, deposit_cents, refund_cents, open_cents, due_since)
  on transfers to inlet_runtime;
