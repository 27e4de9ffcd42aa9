-- Where a merchant's customers return to when its request names no address. Copied into a deposit when it is made.
alter table merchants
  add column success_url text,
  add column reject_url text;

-- A live merchant's return addresses change like its callback address: asked for by one person, decided by another.
alter table proposals drop constraint proposal_kind;
alter table proposals add constraint proposal_kind
  check (kind in ('requisite_add', 'requisite_on', 'confirm', 'callback_address', 'return_addresses'));
