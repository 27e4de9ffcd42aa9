-- An attempt is one sending of one node at one moment. Where the answer to a write was lost, the same result is
-- written again: the second time it is known, and neither logged nor counted.
create temporary table written_again on commit drop as
  select made_on, callback_id, at, node, min(ctid::text) as kept, tableoid as part
  from callback_attempts
  group by made_on, callback_id, at, node, tableoid
  having count(*) > 1;
delete from callback_attempts a
using written_again w
where a.tableoid = w.part and a.made_on = w.made_on and a.callback_id = w.callback_id and a.at = w.at
  and a.node = w.node and a.ctid::text <> w.kept;
create unique index callback_attempt_once on callback_attempts (made_on, callback_id, at, node);
drop index callback_attempts_by_callback;
