-- What was not done beside a full backup that is stored and whole, such as old ones that the store does not let go.
-- Serves builds from: 0069
alter table backup_state add column warning text;
