-- Reads the few archives once.
-- Serves builds from: 0069
alter table detail_archives validate constraint detail_archive_file_name;
