-- Deposits that a person confirmed, or noted the money of, before a bank told of it: also those that have all of their money by such
-- a note. Their money must not be taken for another deposit's.
-- Serves builds from: 0069
create index concurrently if not exists deposits_confirmed_by_hand on deposits (account_id, amount_cents, final_at)
  where state = 'confirmed' and labels @> '{manual}';
