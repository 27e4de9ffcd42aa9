-- What a whole sign-in leaves in its browser, as a digest: strangers who guess elsewhere do not make that one wait.
alter table sessions add column mark bytea;
create index sessions_by_mark on sessions (person_id, mark) where mark is not null;

-- Failures are forgotten after a day.
create index sign_in_failures_by_time on sign_in_failures (last_at);
