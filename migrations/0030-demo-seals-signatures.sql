-- What the demo made is marked, so that a start in production can refuse it, whatever it is called by then.
alter table merchants add column is_demo boolean not null default false;
alter table people add column is_demo boolean not null default false;
alter table receiving_accounts add column is_demo boolean not null default false;

-- The demo's accounts of before have its words; its merchant was made in the same transaction, or has its first name.
update receiving_accounts
set is_demo = true
where mode = 'test' and added_by = 'demo' and owner_agreement = 'Demo data, no agreement';
update merchants m
set is_demo = true
where m.mode = 'test'
  and exists (
    select from receiving_accounts a where a.is_demo and (a.created_at = m.created_at or m.name = 'Demo shop'));
update people
set is_demo = true
where email in ('owner@demo.example', 'operator@demo.example')
  or id in (select person_id from sign_in_links where purpose = 'demo');

-- Few rows, looked for at every start in production.
create index merchants_of_demo on merchants (id) where is_demo;
create index people_of_demo on people (id) where is_demo;
create index receiving_accounts_of_demo on receiving_accounts (id) where is_demo;

-- The end of the audit chain, written down every hour under the master key: whoever rewrites the whole chain in the
-- database cannot write these anew.
create table audit_seals (
  number bigint primary key,
  place bigint not null,
  digest bytea not null,
  sealed_at timestamptz not null,
  mac bytea not null,
  constraint audit_seal_number check (number > 0),
  constraint audit_seal_sizes check (octet_length(digest) = 32 and octet_length(mac) = 32)
);
create index audit_seals_by_place on audit_seals (place);
grant select, insert on audit_seals to inlet_runtime;
-- Entries from before this time have waited for their first seal, and nobody is to blame.
alter table installation add column sealing_since timestamptz not null default inlet_now();

-- Requests that would do something twice when repeated: each signature is taken once, for as long as it is valid.
create table used_signatures (
  digest bytea not null,
  expires_at timestamptz not null,
  constraint used_signature_once primary key (digest)
);
create index used_signatures_by_end on used_signatures (expires_at);
-- Update: whoever forgets old ones locks them first.
grant select, insert, update, delete on used_signatures to inlet_runtime;

-- By which rule a key's requests were signed last. Which one it was before was not noted: the weaker is assumed.
alter table api_keys add column literal_used_at timestamptz;
alter table api_keys add column v2_used_at timestamptz;
update api_keys
set literal_used_at = last_used_at
where purpose = 'request' and not v2_only;
update api_keys
set v2_used_at = last_used_at
where purpose = 'request' and v2_only;
