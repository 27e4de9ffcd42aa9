-- The people who sign in. One person may work for the operator, for merchants, or for both.
create table people (
  id uuid primary key,
  email text not null,
  name text not null,
  -- argon2id with its parameters; null until the invitation is accepted.
  password text,
  -- Sealed, bound to this row. The last step a code was taken for: a code works once.
  totp_sealed bytea,
  totp_step bigint not null default 0,
  operator_role text,
  language text,
  time_zone text not null default 'UTC',
  created_at timestamptz not null default inlet_now(),
  disabled_at timestamptz,
  constraint person_email check (email = lower(email) and email ~ '^[^\s@]+@[^\s@]+$' and char_length(email) <= 254),
  constraint person_name check (char_length(name) between 1 and 100),
  constraint person_operator_role check (operator_role in ('operator', 'approver', 'auditor', 'admin')),
  constraint person_language check (language in ('ru', 'en')),
  constraint person_time_zone check (char_length(time_zone) between 1 and 64)
);
create unique index person_email_once on people (email);

create table memberships (
  person_id uuid not null,
  merchant_id uuid not null,
  role text not null,
  constraint membership_id primary key (person_id, merchant_id),
  constraint membership_person foreign key (person_id) references people (id),
  constraint membership_merchant foreign key (merchant_id) references merchants (id),
  constraint membership_role check (role in ('owner', 'developer', 'viewer'))
);
create index memberships_of_merchant on memberships (merchant_id, person_id);

-- Keys that a person's devices hold (WebAuthn).
create table passkeys (
  id text primary key,
  person_id uuid not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null default inlet_now(),
  last_used_at timestamptz,
  constraint passkey_person foreign key (person_id) references people (id),
  constraint passkey_name check (char_length(name) between 1 and 100),
  constraint passkey_counter check (counter >= 0)
);
create index passkeys_of_person on passkeys (person_id, created_at);

-- For the day the phone is lost. Each works once; only digests are kept.
create table recovery_codes (
  person_id uuid not null,
  digest bytea not null,
  used_at timestamptz,
  constraint recovery_code_id primary key (person_id, digest),
  constraint recovery_code_person foreign key (person_id) references people (id)
);

-- One-time links: to join, to begin again, and the demo's way in. Only digests are kept.
create table sign_in_links (
  digest bytea primary key,
  person_id uuid not null,
  purpose text not null,
  made_by text not null,
  made_at timestamptz not null default inlet_now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint sign_in_link_person foreign key (person_id) references people (id),
  constraint sign_in_link_purpose check (purpose in ('invitation', 'reset', 'demo')),
  constraint sign_in_link_time check (expires_at > made_at)
);
create index sign_in_links_of_person on sign_in_links (person_id) where used_at is null;

-- A browser that signed in. Its cookie is a secret; the row knows only its digest.
create table sessions (
  digest bytea primary key,
  id uuid not null,
  person_id uuid not null,
  -- With a password alone a session can do nothing but show a second factor.
  strength text not null,
  made_at timestamptz not null default inlet_now(),
  seen_at timestamptz not null default inlet_now(),
  -- The last time a factor was shown: dangerous acts want a recent one.
  proved_at timestamptz not null default inlet_now(),
  ends_at timestamptz not null,
  ended_at timestamptz,
  network text not null,
  browser text not null,
  constraint session_id_once unique (id),
  constraint session_person foreign key (person_id) references people (id),
  constraint session_strength check (strength in ('password', 'full')),
  constraint session_texts check (char_length(network) <= 64 and char_length(browser) <= 200)
);
create index sessions_of_person on sessions (person_id, made_at) where ended_at is null;

-- A question that a passkey answers. It is asked once.
create table passkey_challenges (
  challenge text primary key,
  -- Null: whoever has a passkey may sign in with it.
  person_id uuid,
  made_at timestamptz not null default inlet_now(),
  constraint passkey_challenge_person foreign key (person_id) references people (id)
);

-- Wrong passwords and codes, by account and by network: the next try waits longer, nobody is locked out.
create table sign_in_failures (
  key text primary key,
  failures integer not null,
  last_at timestamptz not null,
  constraint sign_in_failure_count check (failures >= 0)
);

-- What people did, each row chained to the one before it by its digest. Nobody changes it, the program included.
create table audit_entries (
  place bigint primary key,
  at timestamptz not null,
  person_id uuid,
  actor text not null,
  act text not null,
  subject text not null,
  merchant_id uuid,
  reason text not null,
  -- JSON as it was written: its very bytes are in the digest.
  before text not null,
  after text not null,
  request_id text,
  previous bytea not null,
  digest bytea not null,
  constraint audit_entry_person foreign key (person_id) references people (id),
  constraint audit_entry_merchant foreign key (merchant_id) references merchants (id),
  constraint audit_entry_digest check (octet_length(digest) = 32 and octet_length(previous) = 32)
);
create index audit_entries_of_merchant on audit_entries (merchant_id, place) where merchant_id is not null;
create index audit_entries_of_subject on audit_entries (subject, place);
create index audit_entries_of_person on audit_entries (person_id, place) where person_id is not null;
-- The end of the chain: rows missing at the end are missed too.
create table audit_head (
  only_row boolean primary key default true,
  place bigint not null,
  digest bytea not null,
  constraint audit_head_one_row check (only_row)
);
insert into audit_head (place, digest) values (0, '\x0000000000000000000000000000000000000000000000000000000000000000');

-- What one person asked for and a second one decides.
create table proposals (
  id uuid primary key,
  kind text not null,
  subject text not null,
  merchant_id uuid,
  asked jsonb not null,
  reason text not null,
  proposed_by uuid not null,
  proposed_at timestamptz not null default inlet_now(),
  state text not null default 'open',
  decided_by uuid,
  decided_at timestamptz,
  decided_reason text,
  constraint proposal_kind check (kind in ('requisite_add', 'requisite_on', 'confirm', 'callback_address')),
  constraint proposal_merchant foreign key (merchant_id) references merchants (id),
  constraint proposal_proposer foreign key (proposed_by) references people (id),
  constraint proposal_decider foreign key (decided_by) references people (id),
  constraint proposal_state check (state in ('open', 'approved', 'refused', 'withdrawn')),
  constraint proposal_decided check (num_nulls(decided_by, decided_at) = case when state = 'open' then 2 else 0 end),
  -- Nobody approves what they asked for. (An installation of one operator says so in its settings.)
  constraint proposal_second_person check (state <> 'approved' or decided_by <> proposed_by or asked ? 'single_operator'),
  constraint proposal_reason check (char_length(reason) between 1 and 500)
);
create index proposals_of_subject on proposals (subject, proposed_at);
create index proposals_open on proposals (proposed_at, id) where state = 'open';

-- Who works on what, so that two do not.
create table work_claims (
  item text primary key,
  person_id uuid not null,
  until timestamptz not null,
  constraint work_claim_person foreign key (person_id) references people (id)
);

-- One person may run the installation alone, if it says so; above this sum a manual confirmation needs a second one.
alter table installation add column single_operator boolean not null default false;
alter table installation add column second_person_above jsonb not null default '{}';

grant select, insert, update on people, passkeys, recovery_codes, sign_in_links, sessions, audit_head, proposals
  to inlet_runtime;
grant select, insert, update, delete on memberships, passkey_challenges, sign_in_failures, work_claims
  to inlet_runtime;
grant delete on passkeys, recovery_codes to inlet_runtime;
grant select, insert on audit_entries to inlet_runtime;
grant update (single_operator, second_person_above) on installation to inlet_runtime;
