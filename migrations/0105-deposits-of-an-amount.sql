-- Which deposits an amount may be for, in any state.
-- Serves builds from: this one
drop index concurrently if exists deposits_confirmed_unpaid;
drop index concurrently if exists deposits_confirmed_by_hand;
drop index concurrently if exists deposits_closed;
drop index concurrently if exists deposits_in_part;
drop index concurrently if exists deposits_paid_by_hand;
create index concurrently if not exists deposits_over on deposits (account_id, amount_cents, late_until) where account_id is not null;
