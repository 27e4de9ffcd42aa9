-- In which form a payment was told: the format of its file, a push, or the bank of test mode. Two payments that are told in
-- one form are two; told in two forms they may be one.
alter table transfers add column channel text;
-- The bank's entry that a payment is all or a part of, and the amount of that whole entry.
alter table transfers add column entry_reference text;
alter table transfers add column entry_cents bigint;
update transfers t
set channel = coalesce((select s.format from statements s where s.id = t.statement_id), b.kind)
from bank_sources b
where b.id = t.source_id;
alter table transfers alter column channel set not null;
-- Readers numbered the payments of one entry `X/1`, `X/2`; a push tells of whole entries.
update transfers t
set entry_reference = e.reference, entry_cents = e.cents
from (
  select
    id,
    reference,
    sum(cents) over (partition by account_id, source_id, direction, version, statement_id, reference) as cents
  from (
    select
      t.id, t.account_id, t.source_id, t.direction, t.version, t.statement_id, t.cents,
      case when b.kind = 'statement' then regexp_replace(t.bank_id, '/[0-9]+$', '') else t.bank_id end as reference
    from transfers t
    join bank_sources b on b.id = t.source_id
    where t.bank_id is not null and b.kind <> 'sandbox'
  ) named
) e
where e.id = t.id;
alter table transfers add constraint transfer_entry check (
  (entry_reference is null) = (entry_cents is null) and (entry_cents is null or entry_cents >= cents)
);
create index transfers_by_entry on transfers (account_id, entry_reference) where entry_reference is not null;

-- A person may say of several rows that they are one payment, and an entry that was told whole may be told again in parts.
drop index transfer_duplicate_once;
create index transfers_by_duplicate on transfers (duplicate_of) where duplicate_of is not null;
alter table transfers add constraint transfer_no_copy_of_itself check (duplicate_of <> id);

-- Whether money without a reference may be matched by its amount alone, where the deposits carry references. `by_kind`: for
-- cards and phones, whose transfers have no purpose, and not for accounts.
alter table receiving_accounts add column amount_matching text not null default 'by_kind';
alter table receiving_accounts add constraint receiving_account_amount_matching check (
  amount_matching in ('by_kind', 'always', 'never')
);

-- The same document of one payer on one day, written with another amount or purpose.
create index transfers_by_document on transfers (account_id, booked_on, document_number) where document_number <> '';

-- An id of the bank is also looked for among what other sources told.
drop index transfer_bank_id_once;
create unique index transfer_bank_id_once
  on transfers (account_id, bank_id, direction, source_id, version, occurrence) where bank_id is not null;

-- Deposits that have a part of their money: who sent it may send the rest.
create index deposits_begun on deposits (account_id, late_until)
  where state in ('created', 'expired') and received_cents > 0;

-- One payment told in two ways: of an amount and a day, by the way it was told, so that the rows of one file are not read
-- again for each other.
drop index transfers_by_payment;
create index transfers_by_payment on transfers (account_id, booked_on, cents, channel, (bank_id is null));
