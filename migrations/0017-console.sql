-- What the merchants' consoles look for. Every list is read newest first, a page at a time, from an index that has it
-- in that order; whatever is filtered by stands before the time.
create index deposits_by_kind on deposits (merchant_id, state, currency, payment_type, created_at, id);
create index deposits_by_amount on deposits (merchant_id, amount_cents, created_at, id);
-- By the last four digits that a customer reads out.
create index deposits_by_digits on deposits (merchant_id, "right"(shown ->> 'number', 4), created_at, id)
  where shown is not null;

create index callbacks_by_merchant on callbacks (merchant_id, sequence);
create index callbacks_by_deposit on callbacks (deposit_id, sequence);
create index callback_dead_by_sequence on callback_dead (merchant_id, sequence);
