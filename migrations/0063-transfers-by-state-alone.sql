-- Lists of transfers are read by state (`transfers_by_state`, `transfers_by_account`). An index by time alone costs as little where
-- nearly all transfers are matched, and then PostgreSQL took it, and read all of them for the newest of a rare state.
drop index concurrently if exists transfers_by_time;
