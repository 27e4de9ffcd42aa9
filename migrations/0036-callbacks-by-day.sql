-- Callbacks of a day, for dropping old days and giving up old callbacks: without these the whole queue was read each time.
create index callback_due_by_day on callback_due (made_on);
create index callback_dead_by_day on callback_dead (made_on);
