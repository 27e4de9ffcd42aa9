-- The payments of the last two months that were decided before they were marked.
-- Serves builds from: 0069
-- Runs in batches
update transfers
set is_decided = true
where id in (
  select t.id
  from transfer_decisions x
  join transfers t on t.id = x.transfer_id
  where x.rule in ('by_hand', 'payer_rest', 'refund', 'revoked', 'set_aside_suspected')
    and x.at > now() - interval '60 days'
    and not t.is_decided
  limit 1000)
returning id;
