-- The number under which the bank's statements know the account.
alter table receiving_accounts add column number text;
update receiving_accounts a
set number = (
  select min(r.number) from requisites r where r.account_id = a.id and r.kind like 'account%' having count(*) = 1);
create unique index receiving_account_number on receiving_accounts (mode, number) where number is not null;

-- Where transfers come from. A push has a token of its own; only its digest is kept.
create table bank_sources (
  id uuid primary key,
  name text not null,
  mode text not null,
  kind text not null,
  token_digest bytea,
  enabled boolean not null default true,
  created_at timestamptz not null default inlet_now(),
  last_used_at timestamptz,
  constraint bank_source_mode check (mode in ('live', 'test')),
  constraint bank_source_kind check (kind in ('push', 'statement', 'sandbox')),
  constraint bank_source_name check (char_length(name) between 1 and 100),
  constraint bank_source_token check ((kind = 'push') = (token_digest is not null))
);
create unique index bank_source_token_once on bank_sources (token_digest);
create unique index bank_source_of_kind on bank_sources (mode, kind) where kind <> 'push';

-- A file as it was taken. The same bytes are taken once.
create table statements (
  id uuid primary key,
  mode text not null,
  digest bytea not null,
  file_name text not null,
  format text not null,
  taken_at timestamptz not null default inlet_now(),
  taken_by text not null,
  -- Null while its rows are being taken; begun again, what was taken before is known.
  finished_at timestamptz,
  report jsonb,
  constraint statement_mode check (mode in ('live', 'test')),
  constraint statement_once unique (mode, digest)
);

-- How a bank's CSV is read.
create table csv_mappings (
  name text primary key,
  mapping jsonb not null,
  changed_at timestamptz not null default inlet_now(),
  constraint csv_mapping_name check (name ~ '^[a-z0-9][a-z0-9_-]{0,63}$')
);

-- One entry of a bank, as the bank wrote it. Its facts never change; its state is the last of its decisions.
create table transfers (
  id uuid primary key,
  source_id uuid not null,
  account_id uuid not null,
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
  fingerprint bytea not null,
  occurrence integer not null,
  statement_id uuid,
  line integer,
  raw text not null,
  taken_at timestamptz not null,
  state text not null,
  deposit_id uuid,
  -- The same money, told by another source before; told twice by one source it would be two.
  duplicate_of uuid,
  -- Where every coin of it is: with its deposit, given back, or still open.
  deposit_cents bigint not null default 0,
  refund_cents bigint not null default 0,
  open_cents bigint not null default 0,
  constraint transfer_source foreign key (source_id) references bank_sources (id),
  constraint transfer_account foreign key (account_id) references receiving_accounts (id),
  constraint transfer_statement foreign key (statement_id) references statements (id),
  constraint transfer_deposit foreign key (deposit_id) references deposits (id),
  constraint transfer_duplicate_of foreign key (duplicate_of) references transfers (id),
  constraint transfer_is_duplicate check ((state = 'duplicate') = (duplicate_of is not null)),
  constraint transfer_direction check (direction in ('credit', 'debit')),
  constraint transfer_cents check (cents between 1 and 999999999999999),
  constraint transfer_currency check (currency in ('RUB', 'UZS', 'KZT', 'TJS')),
  constraint transfer_state check (
    state in ('unmatched', 'matched', 'ambiguous', 'duplicate', 'revoked', 'refunded', 'set_aside', 'debit')
  ),
  -- One transfer settles at most one deposit, and a matched one settles exactly one.
  constraint transfer_settles_one check (
    (state = 'matched') = (deposit_id is not null) and (deposit_cents > 0) = (deposit_id is not null)
  ),
  constraint transfer_parts check (deposit_cents >= 0 and refund_cents >= 0 and open_cents >= 0),
  -- A credit that is neither a duplicate nor revoked equals the sum of its parts; the others have none.
  constraint transfer_balances check (
    deposit_cents + refund_cents + open_cents
      = case when state in ('duplicate', 'revoked', 'debit') then 0 else cents end
  )
);
-- The n-th of equal rows, where the bank gives its entries no ids.
create unique index transfer_once on transfers (account_id, fingerprint, occurrence) where bank_id is null;
-- A bank may give one number to a payment and to its reversal.
create unique index transfer_bank_id_once on transfers (account_id, source_id, bank_id, direction)
  where bank_id is not null;
-- Each kind of telling repeats a payment once.
create unique index transfer_duplicate_once on transfers (duplicate_of, source_id, (bank_id is null));
create index transfers_by_deposit on transfers (deposit_id) where deposit_id is not null;
-- What people have to look at, oldest first; and the list of all, newest first.
create index transfers_to_decide on transfers (taken_at, id) where state in ('unmatched', 'ambiguous');
create index transfers_by_time on transfers (taken_at, id);
-- One payment told by two sources.
create index transfers_by_payment on transfers (account_id, booked_on, cents, document_number);

-- The rows of a file on their way in. Nothing that is only here has been taken.
create unlogged table staged_entries (
  statement_id uuid not null,
  place integer not null,
  facts jsonb not null,
  fingerprint bytea not null,
  occurrence integer,
  constraint staged_entry_id primary key (statement_id, place)
);

-- Every decision about a transfer, with who made it, by which rule and on what evidence. Appended to, never changed.
create table transfer_decisions (
  transfer_id uuid not null,
  entry integer not null,
  at timestamptz not null,
  state text not null,
  deposit_id uuid,
  actor text not null,
  rule text not null,
  reason text not null,
  evidence jsonb not null,
  constraint transfer_decision_id primary key (transfer_id, entry),
  constraint transfer_decision_of foreign key (transfer_id) references transfers (id)
);

-- The facts of a transfer are the bank's.
create function keep_transfer_facts() returns trigger language plpgsql as $$
begin
  if (new.id, new.source_id, new.account_id, new.direction, new.cents, new.currency, new.booked_on, new.booked_at,
      new.paid_on, new.payer_name, new.payer_account, new.purpose, new.bank_id, new.fingerprint, new.occurrence,
      new.taken_at)
    is distinct from
     (old.id, old.source_id, old.account_id, old.direction, old.cents, old.currency, old.booked_on, old.booked_at,
      old.paid_on, old.payer_name, old.payer_account, old.purpose, old.bank_id, old.fingerprint, old.occurrence,
      old.taken_at)
  then
    raise exception 'transfer % keeps what the bank wrote', old.id
      using errcode = 'check_violation', constraint = 'transfer_keeps_facts';
  end if;
  return new;
end
$$;
create trigger transfer_keeps_facts before update on transfers
  for each row execute function keep_transfer_facts();

-- A reference is looked up wherever it belongs; an amount among the deposits of its account that wait for money.
drop index deposit_reference_once;
create unique index deposit_reference_once on deposits (reference, account_id) where holds_reference;
create index deposits_listening on deposits (account_id, amount_cents, late_until)
  where state in ('created', 'expired');

grant select, insert, update on bank_sources, csv_mappings to inlet_runtime;
grant select, insert on statements, transfer_decisions to inlet_runtime;
grant update (finished_at, report) on statements to inlet_runtime;
grant select, insert on transfers to inlet_runtime;
grant select, insert, update, delete on staged_entries to inlet_runtime;
grant update (state, deposit_id, duplicate_of, version, deposit_cents, refund_cents, open_cents) on transfers to inlet_runtime;
