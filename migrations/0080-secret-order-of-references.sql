-- The order in which this installation draws its payment references. Whoever knew it could write the reference of a deposit that is
-- yet to come into the purpose of a payment.
-- Serves builds from: 0069
create table reference_seed (
  only_row boolean primary key default true,
  seed bytea not null default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'),
  constraint reference_seed_one_row check (only_row),
  constraint reference_seed_length check (length(seed) = 32)
);
insert into reference_seed default values;
grant select on reference_seed to inlet_runtime;
