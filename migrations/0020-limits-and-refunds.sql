-- How a bank writes its CSV is corrected and removed at the desk.
grant delete on csv_mappings to inlet_runtime;

-- The bytes of a CSV file alone, without how they were read: corrected and taken again, its rows may count twice.
alter table statements add column file_digest bytea;
create index statements_by_file on statements (mode, file_digest) where file_digest is not null;

-- A higher limit of a receiving account is asked for, one at a time.
alter table proposals drop constraint proposal_kind;
alter table proposals add constraint proposal_kind check (
  kind in ('requisite_add', 'requisite_on', 'account_limits', 'confirm', 'callback_address', 'return_addresses')
);
drop index proposal_open_once;
create unique index proposal_open_once on proposals (kind, subject)
  where state = 'open' and kind in ('confirm', 'requisite_on', 'account_limits');

-- The lists at the desk, newest first.
create index list_entries_by_time on list_entries (added_at, id);

-- Money that has to be paid back: since when somebody is owed what is open of a transfer. Set aside by a person, or left by
-- a deposit that has ended; not our own money, which is set aside by itself.
alter table transfers add column due_since timestamptz;
update transfers t
set due_since = x.at
from (
  select distinct on (transfer_id) transfer_id, at, rule
  from transfer_decisions
  where transfer_id in (select id from transfers where state in ('set_aside', 'unmatched', 'ambiguous'))
    and rule not in ('refund', 'new_version')
  order by transfer_id, entry desc
) x
where x.transfer_id = t.id
  and t.open_cents > 0
  and ((t.state = 'set_aside' and x.rule = 'by_hand') or x.rule = 'deposit_ended');
alter table transfers add constraint transfer_due check (due_since is null or open_cents > 0) not valid;
create index transfers_due on transfers (due_since, id) where due_since is not null;

-- What a confirmed deposit has beyond its amount is owed to the last who paid, but for what a person said is nobody's claim.
-- That is said of a payment, and goes with it; the deposit has the sum, so that an index finds what is still owed.
alter table transfers add column kept_cents bigint not null default 0;
alter table transfers add constraint transfer_kept check (kept_cents between 0 and deposit_cents) not valid;
alter table deposits add column surplus_kept_cents bigint not null default 0;
alter table deposits add constraint deposit_surplus_kept check (surplus_kept_cents >= 0) not valid;
create index deposits_overpaid on deposits (final_at, id)
  where state = 'confirmed' and received_cents - amount_cents > surplus_kept_cents;

grant update (due_since, kept_cents) on transfers to inlet_runtime;
