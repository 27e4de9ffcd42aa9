-- What a merchant may ask for.
create table payment_types (
  code text constraint payment_type_id primary key,
  name text not null,
  requisite_group text not null,
  bank_code text,
  enabled boolean not null default true,
  position integer not null default 100,
  constraint payment_type_code check (code ~ '^[a-z][a-z0-9_]{0,31}$'),
  constraint payment_type_group check (requisite_group in ('card', 'phone', 'account', 'select'))
);
grant select, insert, update on payment_types to inlet_runtime;

-- The smallest and the largest amount of a payment type in each currency. A merchant's own limits stand in place of the
-- general ones.
create table payment_limits (
  payment_type text not null,
  currency text not null,
  merchant_id uuid,
  min_cents bigint not null,
  max_cents bigint not null,
  enabled boolean not null default true,
  constraint payment_limit_once unique nulls not distinct (payment_type, currency, merchant_id),
  constraint payment_limit_type foreign key (payment_type) references payment_types (code),
  constraint payment_limit_merchant foreign key (merchant_id) references merchants (id),
  constraint payment_limit_currency check (currency in ('RUB', 'UZS', 'KZT', 'TJS')),
  constraint payment_limit_range check (min_cents between 1 and max_cents and max_cents <= 999999999999999)
);
grant select, insert, update on payment_limits to inlet_runtime;

insert into payment_types (code, name, requisite_group, bank_code, position) values
  ('any_bank', 'Card of any bank', 'card', null, 10),
  ('sbp', 'Fast payment by phone number', 'phone', null, 20),
  ('bankx', 'Card of Bank X', 'card', 'bankx', 30),
  ('account_number', 'Transfer to a bank account', 'account', null, 40);
-- The fast payment system is Russian, so sbp is offered in RUB only.
insert into payment_limits (payment_type, currency, min_cents, max_cents) values
  ('any_bank', 'RUB', 10000, 30000000),
  ('any_bank', 'UZS', 1000000, 2500000000),
  ('any_bank', 'KZT', 50000, 150000000),
  ('any_bank', 'TJS', 1000, 3000000),
  ('sbp', 'RUB', 10000, 10000000),
  ('bankx', 'RUB', 10000, 30000000),
  ('bankx', 'UZS', 1000000, 2500000000),
  ('bankx', 'KZT', 50000, 150000000),
  ('bankx', 'TJS', 1000, 3000000),
  ('account_number', 'RUB', 10000, 60000000),
  ('account_number', 'UZS', 1000000, 5000000000),
  ('account_number', 'KZT', 50000, 300000000),
  ('account_number', 'TJS', 1000, 6000000);
insert into payment_types (code, name, requisite_group, position)
  values ('uzs_select', 'The customer chooses on the payment page', 'select', 50);
insert into payment_limits (payment_type, currency, min_cents, max_cents) values
  ('uzs_select', 'RUB', 10000, 60000000),
  ('uzs_select', 'UZS', 1000000, 5000000000);
