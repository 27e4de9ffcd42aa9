-- Which links ended without being used: withdrawn, or replaced by a newer one. They have given nobody access.
-- Serves builds from: 0069
alter table sign_in_links
  add column ended_unused boolean not null default false,
  add constraint sign_in_link_ended check (used_at is not null or not ended_unused) not valid;
