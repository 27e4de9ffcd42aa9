-- A looser limit of one requisite is asked for as that of an account is, one at a time.
alter table proposals drop constraint proposal_kind;
alter table proposals add constraint proposal_kind check (
  kind in (
    'requisite_add', 'requisite_on', 'requisite_limits', 'account_limits', 'confirm', 'callback_address',
    'return_addresses'
  )
);
drop index proposal_open_once;
create unique index proposal_open_once on proposals (kind, subject)
  where state = 'open' and kind in ('confirm', 'requisite_on', 'requisite_limits', 'account_limits');
