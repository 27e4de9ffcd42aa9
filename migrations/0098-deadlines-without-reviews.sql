-- Deposits under review neither expire nor lose their money or details: the indexes of what is due, which are read again and again
-- from their beginning, are without them. Earlier builds ask for the same words and use these indexes too.
-- Serves builds from: 0069
create index concurrently if not exists deposits_to_expire on deposits (expires_at)
  where state in ('builded', 'created') and not labels @> '{review}';
create index concurrently if not exists deposits_with_old_details on deposits (late_until)
  where not holds_reference and details_chunk is null and state not in ('builded', 'created') and not labels @> '{review}';
create index concurrently if not exists deposits_over_with_money on deposits (late_until, id)
  where state = 'expired' and received_cents > 0 and not labels @> '{review}';
drop index concurrently if exists deposits_by_deadline;
drop index concurrently if exists deposits_to_move;
drop index concurrently if exists deposits_short;
