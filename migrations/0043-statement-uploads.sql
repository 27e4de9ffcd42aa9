-- Uploaded files on their way to become statements, for an hour: any process of the machine where the file lies shows,
-- reads, imports and stops them. `place` names that machine and its data folder.
create table statement_uploads (
  id uuid constraint statement_upload_id primary key,
  place text not null,
  state text not null constraint statement_upload_state
    check (state in ('reading', 'unmapped', 'previewed', 'taking', 'stopped', 'taken', 'failed')),
  reading integer not null,
  progress json not null,
  document json not null,
  is_stopping boolean not null default false,
  -- The process that reads or imports it, and until when it counts as alive.
  runner uuid,
  runs_until timestamptz,
  has_turn boolean not null default false,
  uploaded_at timestamptz not null default now()
);
-- An import loads the whole database: one at a time.
create unique index statement_upload_turn on statement_uploads (has_turn) where has_turn;
grant select, insert, update, delete on statement_uploads to inlet_runtime;
