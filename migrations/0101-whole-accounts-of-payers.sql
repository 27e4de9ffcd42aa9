-- Whether the bank wrote the payer's account in full, before it was masked. The mask of a card may begin like that of an account, so a
-- number that may be a card's proves no second payer. Nobody knows it of the transfers that exist: they prove none.
-- Serves builds from: 0069
alter table transfers add column payer_account_is_whole boolean not null default false;
