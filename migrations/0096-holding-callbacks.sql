-- The callbacks that hold back later ones of their deposit: a deposit may have hundreds of others that wait, and do not.
-- Serves builds from: 0069
create index concurrently if not exists callback_due_holding on callback_due (deposit_id, lane_id, sequence)
  where holds and attempts < 5;
