-- A file that was taken can be taken back as one act. It begins with a mark: from then on nobody pays a refund of its transfers
-- or matches them by hand. It goes in groups, so the report counts as it goes, and says where the next group begins.
alter table statements add column undo_started_at timestamptz;
alter table statements add column undone_by text;
alter table statements add column undo_reason text;
alter table statements add column undo_report jsonb;
alter table statements add column undone_at timestamptz;
alter table statements add constraint statement_undo check (
  num_nulls(undo_started_at, undone_by, undo_reason, undo_report) in (0, 4)
  and (undone_at is null or undo_started_at is not null)
);

-- The same bytes are taken once, and once more after they were taken back.
alter table statements drop constraint statement_once;
create unique index statement_once on statements (mode, digest) where undone_at is null;

-- What a file added, what it told again, what it took back, and which telling has taken the place of an undone one.
create index transfers_by_statement on transfers (statement_id, id) where statement_id is not null;
create index transfer_repeats_by_statement on transfer_repeats (statement_id, transfer_id);
create index transfer_decisions_revoking on transfer_decisions ((evidence ->> 'statement'), transfer_id)
  where rule = 'revoked' and evidence ->> 'statement' is not null;
create index transfer_decisions_instead on transfer_decisions ((evidence ->> 'instead_of'))
  where rule = 'original_undone';

alter table proposals drop constraint proposal_kind;
alter table proposals add constraint proposal_kind check (
  kind in (
    'requisite_add', 'requisite_on', 'requisite_limits', 'account_limits', 'confirm', 'callback_address',
    'return_addresses', 'statement_undo'
  )
);
drop index proposal_open_once;
create unique index proposal_open_once on proposals (kind, subject)
  where state = 'open'
    and kind in ('confirm', 'requisite_on', 'requisite_limits', 'account_limits', 'statement_undo');

grant update (undo_started_at, undone_by, undo_reason, undo_report, undone_at) on statements to inlet_runtime;
