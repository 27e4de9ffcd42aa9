-- Who did what, to what and why: a chain of digests.
create table audit_entries (
  place bigint constraint audit_entry_id primary key,
  at timestamptz not null,
  person_id uuid,
  actor text not null,
  act text not null,
  subject text not null,
  merchant_id uuid,
  reason text not null,
  before text not null,
  after text not null,
  request_id text,
  previous bytea not null,
  digest bytea not null,
  constraint audit_entry_merchant foreign key (merchant_id) references merchants (id),
  constraint audit_entry_person foreign key (person_id) references people (id),
  constraint audit_entry_digest check ((octet_length(digest) = 32) and (octet_length(previous) = 32))
);
create index audit_entries_of_act on audit_entries (act, at);
create index audit_entries_of_merchant on audit_entries (merchant_id, place)
  where merchant_id is not null;
create index audit_entries_of_person on audit_entries (person_id, place)
  where person_id is not null;
create index audit_entries_of_subject on audit_entries (subject, place);
grant select, insert on audit_entries to inlet_runtime;

-- Marks over the chain, made with a key that the database does not have.
create table audit_seals (
  number bigint constraint audit_seal_id primary key,
  place bigint not null,
  digest bytea not null,
  sealed_at timestamptz not null,
  mac bytea not null,
  constraint audit_seal_number check (number > 0),
  constraint audit_seal_sizes check ((octet_length(digest) = 32) and (octet_length(mac) = 32))
);
create index audit_seals_by_place on audit_seals (place);
grant select, insert on audit_seals to inlet_runtime;

