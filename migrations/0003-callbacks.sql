-- The number of each merchant's last event. Locked last in a transaction, so that numbers have no gaps and are in order of commit.
create table event_counters (
  merchant_id uuid constraint event_counter_id primary key,
  last_sequence bigint not null,
  -- Numbers that no event has, because a restore from a backup skipped them: the merchant may have seen them with events that are lost.
  skipped int8multirange not null default '{}',
  constraint event_counter_merchant foreign key (merchant_id) references merchants (id)
) with (fillfactor = 50);
grant select, insert, update on event_counters to inlet_runtime;

-- What merchants are told: each event with its body, rendered once, byte for byte. Also the feed of events. Never changed: what became
-- of it is read from its deliveries and their attempts. The owner makes and drops partitions by day.
create table events (
  made_on date not null,
  id uuid not null,
  merchant_id uuid not null,
  sequence bigint not null,
  deposit_id uuid not null,
  type text not null,
  -- The address that the request named; null: the merchant's own, looked up when sending.
  url text,
  body text not null,
  made_at timestamptz not null,
  constraint event_id primary key (made_on, id),
  -- In this order it also serves the feed and the lists of a merchant.
  constraint event_sequence unique (merchant_id, sequence, made_on)
) partition by range (made_on);
create index events_by_deposit on events (deposit_id, sequence);
grant select, insert on events to inlet_runtime;

-- Where events are sent, with the queue's owner and the health of the address: one row for the merchant's own address (origin null), and
-- one for each origin that requests named. A process owns endpoints, never deliveries: so order, window and breaker are its own
-- plain state, and the backlog of a dead endpoint is read by nobody.
create table endpoints (
  id bigint constraint endpoint_id primary key generated always as identity,
  merchant_id uuid not null,
  origin text,
  -- waiting: the merchant has no address yet. paused: by a 410, by days of failure, or by a person.
  state text not null default 'active',
  reason text,
  -- The process that sends there. Whoever claims it next raises the epoch, and what the one before still writes is refused.
  owner uuid,
  epoch bigint not null default 0,
  owner_until timestamptz not null default '-infinity',
  -- The breaker: open until then, and how often in a row it has opened.
  open_until timestamptz not null default '-infinity',
  window_size smallint not null default 4,
  trips integer not null default 0,
  failing_since timestamptz,
  alarmed_at timestamptz,
  constraint endpoint_once unique nulls not distinct (merchant_id, origin),
  constraint endpoint_merchant foreign key (merchant_id) references merchants (id),
  constraint endpoint_state check (state in ('active', 'waiting', 'paused'))
) with (fillfactor = 50);
-- For the alarms, in the order in which they are told.
create index endpoints_with_problems on endpoints (merchant_id, id)
  where state = 'paused' or failing_since is not null;
grant select, insert, update on endpoints to inlet_runtime;

-- One narrow row for each event that an endpoint has not taken: open while it will be sent, dead when it was given up. It goes when
-- the endpoint takes it. No foreign keys: they would lock the endpoint's row for every event. Endpoints are never deleted, and a day of
-- events is kept while one of them is open.
--
-- The queue is nearly empty whenever it is vacuumed, so the planner takes it for a table of one row, however long it is. So the index
-- that names a row must not begin with the endpoint, what looks up one row writes `endpoint_id + 0`, and no partial index has a
-- condition that such a query fulfills: the planner would read the whole of it. Rows live for
-- milliseconds: vacuum comes after 2,000 of them whatever the size, and without pauses.
create table deliveries (
  event_id uuid not null,
  endpoint_id bigint not null,
  merchant_id uuid not null,
  deposit_id uuid not null,
  sequence bigint not null,
  made_on date not null,
  state text not null default 'open',
  -- Infinity once it is dead: so the queue in order of time needs no partial index.
  due_at timestamptz not null,
  -- Failed attempts of this round: a replay begins at 0.
  attempts smallint not null default 0,
  -- False for a replay: it never holds back later events of its deposit.
  holds boolean not null default true,
  died_at timestamptz,
  reason text,
  constraint delivery_id primary key (event_id, endpoint_id),
  constraint delivery_state check (state in ('open', 'dead')),
  constraint delivery_death check (
    (state = 'dead') = (died_at is not null and reason is not null) and (state = 'dead') = (due_at = 'infinity'))
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index deliveries_by_time on deliveries (endpoint_id, due_at);
-- What holds back later events: a deposit may have hundreds of others that wait and do not.
create index deliveries_holding on deliveries (deposit_id, endpoint_id, sequence)
  where state = 'open' and holds and attempts < 5;
-- For dropping old days and giving up old deliveries, without reading the whole queue.
create index deliveries_by_day on deliveries (made_on);
create index deliveries_dead_by_merchant on deliveries (merchant_id, died_at) where state = 'dead';
create index deliveries_dead_by_sequence on deliveries (merchant_id, sequence) where state = 'dead';
create index deliveries_dead_by_time on deliveries (died_at) where state = 'dead';
grant select, insert, update, delete on deliveries to inlet_runtime;

-- Every request that was sent and what came back. Only appended to, and dropped by day with its event.
create table delivery_attempts (
  made_on date not null,
  event_id uuid not null,
  endpoint_id bigint not null,
  at timestamptz not null,
  ms integer not null,
  -- ok: taken. retry: sent again later. dead: given up. probe: it only tested an endpoint whose breaker was open.
  outcome text not null,
  status smallint,
  error text,
  answer text,
  address text,
  node uuid not null,
  constraint delivery_attempt_outcome check (outcome in ('ok', 'retry', 'dead', 'probe'))
) partition by range (made_on);
-- An attempt is one request of one process at one moment: a result whose first write got no answer is written again, and counted once.
create unique index delivery_attempt_once on delivery_attempts (made_on, event_id, at, node);
grant select, insert on delivery_attempts to inlet_runtime;
