-- What makes little money, or money that names nobody, confirm a live deposit: a merchant's rules, an amount that is enough
-- by itself, and the number by which a bank's statements know an account.
alter table proposals drop constraint proposal_kind;
alter table proposals add constraint proposal_kind check (
  kind in (
    'requisite_add', 'requisite_on', 'requisite_limits', 'account_limits', 'account_matching', 'account_number',
    'confirm', 'match', 'merchant_rules', 'callback_address', 'return_addresses', 'statement_undo', 'source_add',
    'source_account', 'source_networks', 'source_enable', 'approval_settings', 'desk_invitation', 'desk_role',
    'desk_enable', 'desk_reset'
  )
);
drop index proposal_open_once;
create unique index proposal_open_once on proposals (kind, subject)
  where state = 'open'
    and kind in (
      'confirm', 'match', 'merchant_rules', 'requisite_on', 'requisite_limits', 'account_limits', 'account_matching',
      'account_number', 'statement_undo', 'source_networks', 'source_enable', 'approval_settings', 'desk_invitation',
      'desk_role', 'desk_enable', 'desk_reset'
    );
