-- The last peer that forwarded a request for another client in production without being a trusted proxy.
-- Serves builds from: 0106
alter table heartbeat
  add column forwarded_by text,
  add column forwarded_at timestamptz;
