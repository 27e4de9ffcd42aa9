-- The queue is nearly empty whenever it is vacuumed, so the planner takes it for a table of one row, however long it
-- is. It must then find no index that begins with the lane and looks as good as the one that names the row.
alter table callback_due drop constraint callback_due_id;
alter table callback_due add constraint callback_due_id primary key (deposit_id, lane_id, sequence);
