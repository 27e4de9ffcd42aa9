-- Closed deposits whose details are still in their row, the oldest first.
create index concurrently if not exists deposits_to_move on deposits (late_until)
  where not holds_reference and details_chunk is null;
