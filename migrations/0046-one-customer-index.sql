-- The deposits of a customer stand in one of two indexes: what counts against its limits (`deposits_of_customer`), or the rest.
-- A create then writes one of them. Both are at random places of a large index, so each is a page of the write-ahead log.
create index concurrently if not exists deposits_of_customer_unpaid on deposits (merchant_id, customer, created_at)
  where customer is not null and state in ('rejected', 'expired', 'canceled');
drop index concurrently if exists deposits_by_customer;
