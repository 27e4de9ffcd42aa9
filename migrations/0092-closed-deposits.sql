-- Deposits that were canceled, rejected or reversed, also those that had money: what was sent for them may be reported later, or booked
-- again, and must not be taken for another deposit's. One index instead of two.
-- Serves builds from: 0069
create index concurrently if not exists deposits_closed on deposits (account_id, amount_cents, final_at)
  where state in ('canceled', 'rejected', 'reversed');
drop index concurrently if exists deposits_closed_unpaid;
drop index concurrently if exists deposits_reversed_unpaid;
