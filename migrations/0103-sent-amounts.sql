-- What was sent, where a bank says that it kept a part of it: another report of the payment may have this amount, also a later one. Nobody
-- knows it of the transfers that exist.
-- Serves builds from: 0069
alter table transfers add column sent_cents bigint;
alter table transfers add constraint transfers_sent_cents check (sent_cents > 0) not valid;
