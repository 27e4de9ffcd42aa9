-- The number of each merchant's last event: numbers have no gaps.
create table event_counters (
  merchant_id uuid primary key,
  last_sequence bigint not null,
  constraint event_counter_merchant foreign key (merchant_id) references merchants (id)
) with (fillfactor = 50);
grant select, insert, update on event_counters to inlet_runtime;

-- Where a merchant's callbacks go, one row for each origin, and which process sends there now.
create table callback_lanes (
  id bigint primary key generated always as identity,
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
  constraint callback_lane_once unique nulls not distinct (merchant_id, origin),
  constraint callback_lane_merchant foreign key (merchant_id) references merchants (id),
  constraint callback_lane_state check (state in ('active', 'waiting', 'paused'))
) with (fillfactor = 50);
create index callback_lanes_with_problems on callback_lanes (merchant_id, id)
  where state = 'paused' or failing_since is not null;
grant select, insert, update on callback_lanes to inlet_runtime;

-- One event and its rendered body. Written once, kept by day.
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
  constraint callback_id primary key (made_on, id),
  constraint callback_sequence unique (made_on, merchant_id, sequence)
) partition by range (made_on);
create index callbacks_by_deposit on callbacks (deposit_id, sequence);
create index callbacks_by_merchant on callbacks (merchant_id, sequence);
grant select, insert on callbacks to inlet_runtime;

-- Callbacks that are still to be delivered, in the order of each deposit.
create table callback_due (
  lane_id bigint not null,
  deposit_id uuid not null,
  sequence bigint not null,
  callback_id uuid not null,
  made_on date not null,
  due_at timestamptz not null,
  attempts smallint not null default 0,
  holds boolean not null default true,
  constraint callback_due_id primary key (deposit_id, lane_id, sequence),
  constraint callback_due_lane foreign key (lane_id) references callback_lanes (id)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index callback_due_by_callback on callback_due (callback_id);
create index callback_due_by_day on callback_due (made_on);
create index callback_due_by_time on callback_due (lane_id, due_at);
create index callback_due_holding on callback_due (deposit_id, lane_id, sequence)
  where holds and attempts < 5;
grant select, insert, update, delete on callback_due to inlet_runtime;

-- Callbacks that were given up.
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
create index callback_dead_by_day on callback_dead (made_on);
create index callback_dead_by_merchant on callback_dead (merchant_id, died_at);
create index callback_dead_by_sequence on callback_dead (merchant_id, sequence);
create index callback_dead_by_time on callback_dead (died_at);
grant select, insert, update, delete on callback_dead to inlet_runtime;

-- Every attempt to deliver, kept by day.
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
create unique index callback_attempt_once on callback_attempts (made_on, callback_id, at, node);
grant select, insert on callback_attempts to inlet_runtime;

