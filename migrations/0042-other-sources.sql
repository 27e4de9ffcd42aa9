-- One payment told in two ways. With the source in the index, a push is compared with the payments of other sources without
-- a look at all that its own source has told of the same amount and day.
create index concurrently if not exists transfers_by_payment_and_source
  on transfers (account_id, booked_on, cents, channel, (bank_id is null), source_id);
drop index concurrently if exists transfers_by_payment;
