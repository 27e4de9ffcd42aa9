-- An archive is read and restored in its own folder: its name leads nowhere else.
-- Serves builds from: 0069
alter table detail_archives add constraint detail_archive_file_name
  check (file ~ '^deposits-[0-9]{4}-[0-9]{2}(-[0-9]+)?\.jsonl\.gz$') not valid;
