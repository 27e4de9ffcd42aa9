-- A file that was imported, and what came of it.
create table statements (
  id uuid constraint statement_id primary key,
  mode text not null,
  digest bytea not null,
  file_name text not null,
  account_ids uuid[] not null,
  format text not null,
  taken_at timestamptz not null default inlet_now(),
  taken_by text not null,
  finished_at timestamptz,
  report jsonb,
  undo_started_at timestamptz,
  undone_by text,
  undo_reason text,
  undo_report jsonb,
  undone_at timestamptz,
  source_id uuid,
  constraint statement_source foreign key (source_id) references bank_sources (id),
  constraint statement_mode check (mode in ('live', 'test')),
  constraint statement_undo check (
    (num_nulls(undo_started_at, undone_by, undo_reason, undo_report) in (0, 4))
    and (undone_at is null or undo_started_at is not null)
  )
);
create index statements_by_time on statements (taken_at, id);
create unique index statement_once on statements (mode, digest)
  where undone_at is null;
grant select, insert, update (
  finished_at, report, undo_started_at, undone_by, undo_reason, undo_report, undone_at
) on statements to inlet_runtime;

-- The days that a file has closed: whatever the booked voice tells of them is told. An undo opens those of its file again.
create table account_days (
  account_id uuid not null,
  day date not null,
  closed_by uuid not null,
  constraint account_day_id primary key (account_id, day, closed_by),
  constraint account_day_account foreign key (account_id) references receiving_accounts (id),
  constraint account_day_statement foreign key (closed_by) references statements (id)
);
create index account_days_by_statement on account_days (closed_by);
grant select, insert, delete on account_days to inlet_runtime;

-- A file that a person is about to import: what it holds and how far it is read. Any process can go on with it; the one that
-- reads or imports it has a lease (runner, runs_until), and one upload at a time has the turn. The document holds what only
-- the desk reads. head: the first rows of a workbook as CSV, which take seconds to read.
create table statement_uploads (
  id uuid constraint statement_upload_id primary key,
  state text not null,
  reading integer not null,
  progress json not null,
  document json not null,
  head bytea,
  is_stopping boolean not null default false,
  runner uuid,
  runs_until timestamptz,
  has_turn boolean not null default false,
  uploaded_at timestamptz not null default now(),
  constraint statement_upload_state check (state in ('arriving', 'reading', 'unmapped', 'previewed', 'taking', 'stopped', 'taken', 'failed'))
);
create unique index statement_upload_turn on statement_uploads (has_turn) where has_turn;
grant select, insert, update, delete on statement_uploads to inlet_runtime;

-- The bytes of an uploaded file, about a megabyte in each part. They are deleted as soon as nobody can read the file again.
-- Not compressed: a workbook is packed already, and the beginning of a part is read without the rest of it.
create table upload_parts (
  upload_id uuid not null,
  number integer not null,
  bytes bytea not null,
  constraint upload_part_id primary key (upload_id, number),
  constraint upload_part_of foreign key (upload_id) references statement_uploads (id) on delete cascade
);
alter table upload_parts alter column bytes set storage external;
grant select, insert, delete on upload_parts to inlet_runtime;

-- Which column of a bank's table means what.
create table csv_mappings (
  name text constraint csv_mapping_id primary key,
  mapping jsonb not null,
  changed_at timestamptz not null default inlet_now(),
  constraint csv_mapping_name check (name ~ '^[a-z0-9][a-z0-9_-]{0,63}$')
);
grant select, insert, update, delete on csv_mappings to inlet_runtime;

-- The file that is being imported into an account: one at a time, and by one run.
alter table receiving_accounts
  add column import_statement_id uuid,
  add column import_run_id uuid,
  add constraint receiving_account_import foreign key (import_statement_id) references statements (id),
  add constraint receiving_account_import_run check ((import_statement_id is null) = (import_run_id is null));
create index receiving_accounts_importing on receiving_accounts (import_statement_id)
  where import_statement_id is not null;

-- Rows of a file before they are taken, what their day is in their account (role), and what the rule of identity says of rows that
-- are not new (outcome): another report of transfer_id, or held because it may be one of held_with. A run deletes its own. Not
-- logged: after a crash of the database its import begins again.
create unlogged table staged_entries (
  run_id uuid not null,
  place integer not null,
  id uuid not null,
  account_id uuid not null,
  booked_on date not null,
  direction text not null,
  cents bigint not null,
  names text[] not null,
  is_sum boolean not null,
  tax_id text not null,
  bank_id text,
  key bytea not null,
  variant bytea not null,
  facts json not null,
  role text not null default 'booked',
  outcome text,
  transfer_id uuid,
  held_with uuid[],
  constraint staged_entry_id primary key (run_id, place),
  constraint staged_entry_held check ((held_with is not null) = coalesce(outcome = 'held', false)),
  constraint staged_entry_outcome check (outcome in ('known', 'paired', 'held')),
  constraint staged_entry_role check (role in ('booked', 'early', 'parked')),
  constraint staged_entry_told check ((transfer_id is not null) = coalesce(outcome <> 'held', false))
);
-- What a file tells itself. New rows are not in it.
create index staged_entries_told on staged_entries (run_id, transfer_id)
  where transfer_id is not null;
grant select, insert, update, delete on staged_entries to inlet_runtime;

-- A row of a file: which payment it told, and what it became (outcome), or, of a day that its file does not close, that it is
-- parked (parked_at). A parked row counts when a file that closes the day tells it (closed_by), or when a person takes it: then it
-- told a payment too. An undo deletes the rows of its file.
create table report_rows (
  statement_id uuid not null,
  place integer not null,
  line integer not null,
  transfer_id uuid,
  origin_id uuid,
  role text,
  outcome text,
  account_id uuid,
  booked_on date,
  cents bigint,
  names text[],
  facts json,
  parked_at timestamptz,
  closed_by uuid,
  constraint report_row_id primary key (statement_id, place),
  constraint report_row_account foreign key (account_id) references receiving_accounts (id),
  constraint report_row_closed_by foreign key (closed_by) references statements (id),
  constraint report_row_statement foreign key (statement_id) references statements (id),
  constraint report_row_transfer foreign key (transfer_id) references transfers (id),
  constraint report_row_outcome check (outcome in ('new', 'paired', 'known', 'held')),
  constraint report_row_role check (role in ('booked', 'early')),
  constraint report_row_told check (
    num_nulls(transfer_id, origin_id, role, outcome) = 0
    or (num_nulls(transfer_id, origin_id, role, outcome) = 4 and parked_at is not null)
  ),
  constraint report_row_parked check (num_nulls(account_id, booked_on, cents, names, facts, parked_at) in (0, 6))
);
create index report_rows_of on report_rows (transfer_id);
create index report_rows_closed on report_rows (closed_by)
  where closed_by is not null;
create index report_rows_parked on report_rows (account_id, booked_on)
  where parked_at is not null and closed_by is null and transfer_id is null;
grant select, insert, update, delete on report_rows to inlet_runtime;
