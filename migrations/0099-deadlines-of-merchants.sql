-- The deadlines of each merchant: while many deposits of one merchant are overdue, those of the others are taken in turn.
-- Serves builds from: 0069
create index concurrently if not exists deposits_to_expire_of_merchant on deposits (merchant_id, expires_at)
  where state in ('builded', 'created') and not labels @> '{review}';
