-- A create that nobody has to check by hand is written by one statement. If a requisite has no room left or a slot is taken,
-- the statement undoes everything by raising this error, and the deposits are written one after the other instead.
create function lost_race() returns boolean language plpgsql as $$
begin
  raise exception 'A requisite or a slot was taken meanwhile.' using errcode = 'IN001';
end
$$;
