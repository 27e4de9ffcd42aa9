-- What people gave back, set aside or matched by hand, what a bank took back, and what was matched by its payer: another report of
-- such a payment may name a deposit that its money is not there for.
-- Serves builds from: this one
create index concurrently if not exists transfer_decisions_without_name on transfer_decisions (at)
  where rule in ('by_hand', 'payer_rest', 'refund', 'revoked', 'set_aside_suspected');
