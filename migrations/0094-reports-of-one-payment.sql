-- When it was changed which deposits of an account the amount alone may decide. A payment that it decided before may be reported again
-- with the name of another deposit. Nobody knows it of the accounts that exist: it counts as changed now.
-- And which equal rows of another file an import has only noted: it has not come to them yet, and may have been stopped before.
-- Serves builds from: 0069
alter table receiving_accounts add column amount_matching_changed_at timestamptz;
update receiving_accounts set amount_matching_changed_at = now();
alter table transfer_repeats add column is_noted boolean not null default false;
grant update (is_noted) on transfer_repeats to inlet_runtime;
