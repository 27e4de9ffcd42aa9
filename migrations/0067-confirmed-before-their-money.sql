-- Deposits that a person confirmed before a bank told of their money: that money must not be taken for another deposit's.
-- Serves builds from: this one
create index concurrently if not exists deposits_confirmed_unpaid on deposits (account_id, amount_cents, final_at)
  where state = 'confirmed' and labels @> '{manual}' and received_cents < amount_cents;
