-- A bank may tell an entry anew with another amount, or give one number to two payments: each is a row of its own.
drop index transfer_bank_id_once;
create unique index transfer_bank_id_once
  on transfers (account_id, source_id, bank_id, direction, version, occurrence) where bank_id is not null;

-- `reversal`: the bank takes money back, and which of our credits it means is for a person to say.
alter table transfers drop constraint transfer_state;
alter table transfers add constraint transfer_state check (
  state in ('unmatched', 'matched', 'ambiguous', 'duplicate', 'revoked', 'refunded', 'set_aside', 'debit', 'reversal')
);
alter table transfers drop constraint transfer_balances;
alter table transfers add constraint transfer_balances check (
  deposit_cents + refund_cents + open_cents
    = case when state in ('duplicate', 'revoked', 'debit', 'reversal') then 0 else cents end
);
-- Money that left settles nothing, whatever became of its entry.
update transfers
set state = 'debit', deposit_id = null, deposit_cents = 0, refund_cents = 0, open_cents = 0
where direction = 'debit' and state not in ('debit', 'revoked');
alter table transfers add constraint transfer_keeps_direction check (
  state = 'revoked' or (direction = 'debit') = (state in ('debit', 'reversal'))
);
drop index transfers_to_decide;
create index transfers_to_decide on transfers (taken_at, id) where state in ('unmatched', 'ambiguous', 'reversal');

-- A row of a file that equals one taken before. Two part-day files can each hold one of two equal payments, so a
-- person may say that it is another payment.
create table transfer_repeats (
  statement_id uuid not null,
  line integer not null,
  transfer_id uuid not null,
  became uuid,
  constraint transfer_repeat_id primary key (statement_id, line, transfer_id),
  constraint transfer_repeat_statement foreign key (statement_id) references statements (id),
  constraint transfer_repeat_of foreign key (transfer_id) references transfers (id),
  constraint transfer_repeat_became foreign key (became) references transfers (id)
);
create index transfer_repeats_of on transfer_repeats (transfer_id);

-- Deposits that ran out of time with a part of their money: at the end of their grace it is nobody's again.
create index deposits_short on deposits (late_until) where state = 'expired' and received_cents > 0;

-- Several runs may stage one file: each has rows of its own.
truncate staged_entries;
alter table staged_entries rename column statement_id to run_id;

grant select, insert on transfer_repeats to inlet_runtime;
grant update (became) on transfer_repeats to inlet_runtime;
