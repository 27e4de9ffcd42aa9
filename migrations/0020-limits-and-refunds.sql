-- How a bank writes its CSV is corrected and removed at the desk.
grant delete on csv_mappings to inlet_runtime;

-- A higher limit of a receiving account is asked for, one at a time.
alter table proposals drop constraint proposal_kind;
alter table proposals add constraint proposal_kind check (
  kind in ('requisite_add', 'requisite_on', 'account_limits', 'confirm', 'callback_address')
);
drop index proposal_open_once;
create unique index proposal_open_once on proposals (kind, subject)
  where state = 'open' and kind in ('confirm', 'requisite_on', 'account_limits');

-- The lists at the desk, newest first.
create index list_entries_by_time on list_entries (added_at, id);
