-- Few payments are decided by people, and those of a common amount are many.
-- Serves builds from: 0069
create index concurrently if not exists transfers_decided on transfers (account_id, cents, booked_on)
  where is_decided;
