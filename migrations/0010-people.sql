-- People who sign in: to the operator's desk, to merchants' consoles, or to both.
create table people (
  id uuid primary key,
  email text not null,
  name text not null,
  password text,
  totp_sealed bytea,
  totp_step bigint not null default 0,
  -- Codes for the day the phone is lost: each works once, and only keyed digests are kept. The generation says under
  -- which master key they were made.
  recovery_digests bytea[] not null default '{}',
  recovery_generation integer not null default 0,
  operator_role text,
  language text,
  time_zone text not null default 'UTC',
  created_at timestamptz not null default inlet_now(),
  disabled_at timestamptz,
  desk_since timestamptz,
  decides_since timestamptz,
  is_demo boolean not null default false,
  constraint person_email check ((email = lower(email)) and (email ~ '^[^\s@]+@[^\s@]+$') and (char_length(email) <= 254)),
  constraint person_language check (language in ('ru', 'en')),
  constraint person_name check (char_length(name) between 1 and 100),
  constraint person_operator_role check (operator_role in ('operator', 'approver', 'auditor', 'admin')),
  constraint person_password_format check (password ~~ '$argon2id$v=19$m=%'),
  constraint person_time_zone check (char_length(time_zone) between 1 and 64)
);
create index people_of_demo on people (id) where is_demo;
create index people_who_decided on people (id)
  where decides_since is not null;
create unique index person_email_once on people (email);
grant select, insert, update on people to inlet_runtime;

-- Which merchants a person works for.
create table memberships (
  person_id uuid not null,
  merchant_id uuid not null,
  role text not null,
  constraint membership_id primary key (person_id, merchant_id),
  constraint membership_merchant foreign key (merchant_id) references merchants (id),
  constraint membership_person foreign key (person_id) references people (id),
  constraint membership_role check (role in ('owner', 'developer', 'viewer'))
);
create index memberships_of_merchant on memberships (merchant_id, person_id);
grant select, insert, update, delete on memberships to inlet_runtime;

-- Passkeys of people.
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
  constraint passkey_counter check (counter >= 0),
  constraint passkey_name check (char_length(name) between 1 and 100)
);
create index passkeys_of_person on passkeys (person_id, created_at);
grant select, insert, update, delete on passkeys to inlet_runtime;

-- Invitations and resets: links that work once.
create table sign_in_links (
  digest bytea primary key,
  person_id uuid not null,
  purpose text not null,
  made_by text not null,
  made_at timestamptz not null default inlet_now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  id uuid not null,
  name text,
  merchant_id uuid,
  merchant_role text,
  operator_role text,
  made_by_person uuid,
  ended_unused boolean not null default false,
  constraint sign_in_link_id_once unique (id),
  constraint sign_in_link_maker foreign key (made_by_person) references people (id),
  constraint sign_in_link_merchant foreign key (merchant_id) references merchants (id),
  constraint sign_in_link_person foreign key (person_id) references people (id),
  constraint sign_in_link_ended check (used_at is not null or (not ended_unused)),
  constraint sign_in_link_merchant_role check (merchant_role in ('owner', 'developer', 'viewer')),
  constraint sign_in_link_name check (char_length(name) between 1 and 100),
  constraint sign_in_link_operator_role check (operator_role in ('operator', 'approver', 'auditor', 'admin')),
  constraint sign_in_link_place check ((num_nonnulls(merchant_id, operator_role) = case when purpose = 'invitation' then 1 else 0 end) and ((merchant_id is null) = (merchant_role is null)) and ((name is null) = (purpose <> 'invitation'))),
  constraint sign_in_link_purpose check (purpose in ('invitation', 'reset', 'demo')),
  constraint sign_in_link_time check (expires_at > made_at)
);
create index sign_in_links_by_merchant on sign_in_links (merchant_id, made_at)
  where merchant_id is not null;
create index sign_in_links_made_by on sign_in_links (made_by_person, used_at)
  where used_at is not null;
create index sign_in_links_of_merchant on sign_in_links (merchant_id)
  where used_at is null and merchant_id is not null;
create index sign_in_links_of_person on sign_in_links (person_id)
  where used_at is null;
grant select, insert, update on sign_in_links to inlet_runtime;

-- Failed attempts to sign in, for the wait before the next one.
create table sign_in_failures (
  key text primary key,
  failures integer not null,
  last_at timestamptz not null,
  constraint sign_in_failure_count check (failures >= 0)
);
create index sign_in_failures_by_time on sign_in_failures (last_at);
grant select, insert, update, delete on sign_in_failures to inlet_runtime;

-- Who is signed in, from where.
create table sessions (
  digest bytea primary key,
  id uuid not null,
  person_id uuid not null,
  strength text not null,
  made_at timestamptz not null default inlet_now(),
  seen_at timestamptz not null default inlet_now(),
  proved_at timestamptz not null default inlet_now(),
  ends_at timestamptz not null,
  ended_at timestamptz,
  network text not null,
  browser text not null,
  mark bytea,
  constraint session_id_once unique (id),
  constraint session_person foreign key (person_id) references people (id),
  constraint session_strength check (strength in ('password', 'full')),
  constraint session_texts check ((char_length(network) <= 64) and (char_length(browser) <= 200))
);
create index sessions_by_mark on sessions (person_id, mark)
  where mark is not null;
create index sessions_by_seen on sessions (person_id, seen_at);
create index sessions_of_person on sessions (person_id, made_at)
  where ended_at is null;
grant select, insert, update on sessions to inlet_runtime;

-- Filters of a list that a person named.
create table saved_views (
  id uuid primary key,
  person_id uuid not null,
  place text not null,
  merchant_id uuid,
  name text not null,
  query text not null,
  saved_at timestamptz not null default inlet_now(),
  constraint saved_view_once unique nulls not distinct (person_id, place, merchant_id, name),
  constraint saved_view_merchant foreign key (merchant_id) references merchants (id),
  constraint saved_view_person foreign key (person_id) references people (id),
  constraint saved_view_name check (char_length(name) between 1 and 60),
  constraint saved_view_place check (place in ('console_deposits', 'desk_deposits', 'desk_transfers')),
  constraint saved_view_query check (char_length(query) between 1 and 2000),
  constraint saved_view_whose check ((merchant_id is not null) = (place = 'console_deposits'))
);
grant select, insert, delete, update (query) on saved_views to inlet_runtime;

-- Which person works on which item of the queue.
create table work_claims (
  item text primary key,
  person_id uuid not null,
  until timestamptz not null,
  constraint work_claim_person foreign key (person_id) references people (id)
);
grant select, insert, update, delete on work_claims to inlet_runtime;

-- Acts of one person that wait for a second one.
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
  message jsonb,
  -- It changes who decides, or how many do.
  is_guard boolean not null,
  constraint proposal_decider foreign key (decided_by) references people (id),
  constraint proposal_merchant foreign key (merchant_id) references merchants (id),
  constraint proposal_proposer foreign key (proposed_by) references people (id),
  constraint proposal_decided check (num_nulls(decided_by, decided_at) = case when state = 'open' then 2 else 0 end),
  constraint proposal_reason check (char_length(reason) between 1 and 500),
  constraint proposal_second_person check (state <> 'approved' or decided_by <> proposed_by or case when is_guard then ((asked ? 'delayed') and ((decided_at - proposed_at) >= '24:00:00'::interval)) else (asked ? 'single_operator') end),
  constraint proposal_state check (state in ('open', 'approved', 'refused', 'withdrawn'))
);
create index proposals_decided on proposals (decided_at, id)
  where state <> 'open';
create index proposals_of_subject on proposals (subject, proposed_at);
create index proposals_open on proposals (proposed_at, id)
  where state = 'open';
create unique index proposal_open_once on proposals (kind, subject)
  where state = 'open' and kind not in ('callback_address', 'return_addresses');
grant select, insert, update on proposals to inlet_runtime;

create function person_decides_since() returns trigger
  language plpgsql as
$$
begin
  if tg_op = 'UPDATE' and old.decides_since is not null then
    new.decides_since := old.decides_since;
  elsif new.operator_role in ('approver', 'admin') then
    new.decides_since := inlet_now();
  end if;
  return new;
end
$$;

create trigger person_decides_since
  before insert or update on people
  for each row execute function person_decides_since();
