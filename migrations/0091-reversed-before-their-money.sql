-- Deposits that a person confirmed, or noted the money of, and that were reversed before a bank reported it: that money must not be taken
-- for another deposit's.
-- Serves builds from: 0069
create index concurrently if not exists deposits_reversed_by_hand on deposits (account_id, amount_cents, final_at)
  where state = 'reversed' and labels @> '{manual}';
