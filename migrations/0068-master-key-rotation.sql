-- Each change of the master key leaves the key before. What that one had digested cannot be computed anew from the digests,
-- so the keys of those digests stay, sealed with the master key in use: one generation for each change, from 0.
-- Serves builds from: this one
create table key_generations (
  generation integer constraint key_generation_id primary key,
  -- Names of the key that was left and of the one that followed; neither says anything about its key.
  key_id text not null,
  next_key_id text not null,
  recovery_key_sealed bytea not null,
  head_key_sealed bytea not null,
  left_at timestamptz not null default inlet_now(),
  -- When nothing was sealed with it any more.
  resealed_at timestamptz,
  constraint key_generation_number check (generation >= 0),
  constraint key_generation_ids check (key_id ~ '^[0-9a-f]{8}$' and next_key_id ~ '^[0-9a-f]{8}$')
);
grant select on key_generations to inlet_runtime;

-- How many master keys a digest has gone through, less one.
alter table recovery_codes add column generation integer not null default 0;
