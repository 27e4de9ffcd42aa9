-- Deposits that were canceled or rejected before a bank reported their money: that money must not be taken for another deposit's.
-- Serves builds from: 0069
create index concurrently if not exists deposits_closed_unpaid on deposits (account_id, amount_cents, final_at)
  where state in ('canceled', 'rejected') and received_cents = 0;
