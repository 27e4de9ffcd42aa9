-- The counter of a merchant's events. Locked last in a transaction, so numbers are given in order of commit.
create table event_counters (
  merchant_id uuid primary key,
  last_sequence bigint not null,
  constraint event_counter_merchant foreign key (merchant_id) references merchants (id)
) with (fillfactor = 50);

-- One event and its callback: what the merchant is told, stored once, byte for byte. Also the feed of events.
-- Partitions are made and dropped by day, by the owner.
create table callbacks (
  made_on date not null,
  id uuid not null,
  merchant_id uuid not null,
  sequence bigint not null,
  deposit_id uuid not null,
  type text not null,
  lane_id bigint not null,
  url text,
  body text not null,
  made_at timestamptz not null,
  attempts smallint not null default 0,
  last_status smallint,
  acked_at timestamptz,
  constraint callback_id primary key (made_on, id),
  constraint callback_sequence unique (made_on, merchant_id, sequence)
) partition by range (made_on);

-- One endpoint's queue: the merchant's own address (origin null, looked up when sending), or one per origin of
-- callback_url. Ownership is taken on lanes, never on callbacks.
create table callback_lanes (
  id bigint generated always as identity primary key,
  merchant_id uuid not null,
  origin text,
  state text not null default 'active',
  reason text,
  owner uuid,
  epoch bigint not null default 0,
  owner_until timestamptz not null default '-infinity',
  open_until timestamptz not null default '-infinity',
  window_size smallint not null default 4,
  trips integer not null default 0,
  failing_since timestamptz,
  alarmed_at timestamptz,
  constraint callback_lane_merchant foreign key (merchant_id) references merchants (id),
  constraint callback_lane_once unique nulls not distinct (merchant_id, origin),
  -- waiting: the merchant has no address yet. paused: by a 410, by days of failure, or by hand.
  constraint callback_lane_state check (state in ('active', 'waiting', 'paused'))
) with (fillfactor = 50);

-- Every merchant has the lane of its own address from the beginning, with or without an address.
insert into callback_lanes (merchant_id, origin, state)
select id, null, case when callback_url is null then 'waiting' else 'active' end from merchants;

-- One narrow row for each callback that is not delivered yet.
create table callback_due (
  lane_id bigint not null,
  deposit_id uuid not null,
  sequence bigint not null,
  callback_id uuid not null,
  made_on date not null,
  due_at timestamptz not null,
  attempts smallint not null default 0,
  -- False for a replay: it never holds back its successors.
  holds boolean not null default true,
  constraint callback_due_id primary key (lane_id, deposit_id, sequence),
  constraint callback_due_lane foreign key (lane_id) references callback_lanes (id)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0
);
create index callback_due_by_time on callback_due (lane_id, due_at);
create index callback_due_by_callback on callback_due (callback_id);

-- Callbacks that were given up: visible, and replayable.
create table callback_dead (
  callback_id uuid primary key,
  made_on date not null,
  merchant_id uuid not null,
  lane_id bigint not null,
  deposit_id uuid not null,
  sequence bigint not null,
  died_at timestamptz not null,
  reason text not null,
  constraint callback_dead_merchant foreign key (merchant_id) references merchants (id)
);
create index callback_dead_by_merchant on callback_dead (merchant_id, died_at);
create index callback_dead_by_time on callback_dead (died_at);

-- Every attempt, as it went. Appended to, never changed; leaves with its partition.
create table callback_attempts (
  made_on date not null,
  callback_id uuid not null,
  at timestamptz not null,
  ms integer not null,
  outcome text not null,
  status smallint,
  error text,
  answer text,
  address text,
  node uuid not null,
  constraint callback_attempt_outcome check (outcome in ('ok', 'retry', 'dead', 'probe'))
) partition by range (made_on);
create index callback_attempts_by_callback on callback_attempts (made_on, callback_id, at);

grant select, insert, update on event_counters, callbacks, callback_lanes to inlet_runtime;
grant select, insert, update, delete on callback_due, callback_dead to inlet_runtime;
grant select, insert on callback_attempts to inlet_runtime;

-- What the operator has been told and is not over yet: of several processes one tells it, once.
create table operator_alarms (
  kind text not null,
  subject text not null,
  detail text not null,
  raised_at timestamptz not null default inlet_now(),
  tried_until timestamptz not null default '-infinity',
  told_at timestamptz,
  constraint operator_alarm_id primary key (kind, subject)
);
grant select, insert, update, delete on operator_alarms to inlet_runtime;
