-- Reads all deposits once, and lets everybody write meanwhile.
alter table deposits
  validate constraint deposit_shown_whole,
  validate constraint deposit_created_is_shown,
  validate constraint deposit_issued_is_shown,
  validate constraint deposit_moved_whole;
