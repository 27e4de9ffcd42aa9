-- What counts against a customer's limits, and nothing else: a customer who asks and cancels all day must not make the next
-- look at it longer, for everybody whose deposits are made in the same transaction.
create index deposits_of_customer on deposits (merchant_id, customer, created_at)
  where customer is not null and state in ('builded', 'created', 'confirmed', 'reversed');
