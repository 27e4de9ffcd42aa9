-- Lanes with problems, for the alarms, in the order in which they are told.
create index callback_lanes_with_problems on callback_lanes (merchant_id, id)
  where state = 'paused' or failing_since is not null;
