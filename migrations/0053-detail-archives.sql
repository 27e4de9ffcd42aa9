-- Months of details that are written to files, so that their partitions can go. `writing`: the partition has everything, and
-- nothing is moved into it. `written`: the file has been read back, and the partition may go. `archived`: it is gone.
create table detail_archives (
  file text not null,
  month integer not null,
  folder text not null,
  state text not null default 'writing',
  first_chunk bigint,
  last_chunk bigint,
  deposits bigint,
  bytes bigint,
  digest bytea,
  index_digest bytea,
  began_at timestamptz not null default now(),
  archived_at timestamptz,
  constraint detail_archive_file primary key (file),
  constraint detail_archive_state check (state in ('writing', 'written', 'archived')),
  constraint detail_archive_written check (
    state = 'writing' or num_nulls(first_chunk, last_chunk, deposits, bytes, digest, index_digest) = 0)
);
create unique index detail_archive_under_way on detail_archives (month) where state <> 'archived';
grant select on detail_archives to inlet_runtime;
