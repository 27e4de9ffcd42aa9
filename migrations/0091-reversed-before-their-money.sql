-- Deposits that were reversed: their money may be reported later, or booked again, and must not be taken for another deposit's.
-- Serves builds from: 0069
create index concurrently if not exists deposits_reversed_unpaid on deposits (account_id, amount_cents, final_at)
  where state = 'reversed';
