-- Whose money a transfer is, said by hand: above the sum that one person may confirm, a second one decides that too.
alter table proposals drop constraint proposal_kind;
alter table proposals add constraint proposal_kind check (
  kind in (
    'requisite_add', 'requisite_on', 'requisite_limits', 'account_limits', 'confirm', 'match', 'callback_address',
    'return_addresses', 'statement_undo', 'source_add', 'source_account', 'source_networks', 'source_enable',
    'approval_settings', 'desk_invitation', 'desk_role', 'desk_enable', 'desk_reset'
  )
);
drop index proposal_open_once;
create unique index proposal_open_once on proposals (kind, subject)
  where state = 'open'
    and kind in (
      'confirm', 'match', 'requisite_on', 'requisite_limits', 'account_limits', 'statement_undo', 'source_networks',
      'source_enable', 'approval_settings', 'desk_invitation', 'desk_role', 'desk_enable', 'desk_reset'
    );
