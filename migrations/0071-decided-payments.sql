-- Marks what people gave back, set aside or matched by hand, what a bank took back, what was matched by its payer or lost its deposit.
-- Another report of such a payment may name a deposit that its money is not there for, also one that was made after the decision.
-- Serves builds from: 0069
alter table transfers add column is_decided boolean not null default false;
grant update (is_decided) on transfers to inlet_runtime;
