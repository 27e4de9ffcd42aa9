-- When it was changed which deposits of an account the amount alone may decide. A payment that it decided before may be reported again
-- with the name of another deposit. Nobody knows it of the accounts that exist: it counts as changed now.
-- Serves builds from: 0069
alter table receiving_accounts add column amount_matching_changed_at timestamptz;
update receiving_accounts set amount_matching_changed_at = now();
