-- Deposits by the rest that they lack, and those with money that a person confirmed or noted: what is still reported of them must not
-- be taken for another deposit's.
-- Serves builds from: 0069
create index concurrently if not exists deposits_in_part
  on deposits (account_id, (amount_cents - received_cents), (coalesce(final_at, late_until)))
  where received_cents > 0 and received_cents < amount_cents;
create index concurrently if not exists deposits_paid_by_hand on deposits (account_id, (coalesce(final_at, late_until)), issued_at)
  where labels @> '{manual}' and received_cents > 0;
