-- A deposit could have any number of entries, and all of them moved into its chunk, which every reader of the deposit and of its
-- neighbours opens. Of one history so much moves from now on, and a chunk takes so many deposits; the entries after that stay in the
-- table, where readers find them after those that moved.
-- Serves builds from: 0069
create or replace function deposit_details_of(deposit deposits) returns jsonb language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object(
      'customer_phone_number', deposit.customer_phone_number, 'callback_url', deposit.callback_url,
      'success_url', deposit.success_url, 'reject_url', deposit.reject_url))
    || jsonb_build_object('shown', deposit.shown, 'history', (
      select coalesce(jsonb_agg(line order by entry), '[]')
      from (
        select entry, line,
          row_number() over of_deposit as place,
          sum(octet_length(line::text)) over of_deposit as bytes
        from (
          select entry,
            jsonb_build_array(entry, at, action, from_state, to_state, actor, reason, message, evidence) as line
          from deposit_timeline
          where deposit_id = deposit.id
          order by entry
          limit 1000
        ) oldest
        window of_deposit as (order by entry)
      ) counted
      -- The first one may be the row itself, and leaves it.
      where place = 1 or bytes <= 65536))
$$;

-- As before, into as many chunks as it needs: a chunk ends with the deposit that fills its megabyte. Returns the last one.
create or replace function move_deposit_details(month integer, ids uuid[]) returns bigint language plpgsql as $$
declare
  new_chunk bigint;
  chunk_ids uuid[];
begin
  for chunk_ids in
    select array_agg(id)
    from (
      select id, div(sum(bytes) over (order by id) - bytes, 1048576) as part
      from (
        select d.id, octet_length(deposit_details_of(d)::text) as bytes
        from deposits d
        where d.id = any(ids)
      ) sized
    ) parted
    group by part
    order by part
  loop
    new_chunk := month * 10000000000 + nextval('deposit_details_number');
    insert into deposit_details (chunk, details)
    select new_chunk, jsonb_object_agg(d.id, deposit_details_of(d))
    from deposits d
    where d.id = any(chunk_ids);
    update deposits d
    set
      details_chunk = new_chunk,
      details_entries = coalesce((c.details #>> array[d.id::text, 'history', '-1', '0'])::integer, 0),
      shown = null,
      sent = null,
      customer_phone_number = null,
      callback_url = null,
      success_url = null,
      reject_url = null
    from (select details || '{}' as details from deposit_details where chunk = new_chunk offset 0) c
    where d.id = any(chunk_ids);
    -- Who confirmed without a transfer is read by the books of that month, whenever they are made.
    delete from deposit_history h
    using deposits d
    where d.id = any(chunk_ids)
      and h.deposit_id = d.id
      and h.entry <= d.details_entries
      and (h.action <> 'confirm' or exists (select from transfers t where t.deposit_id = h.deposit_id));
  end loop;
  return new_chunk;
end
$$;

-- How often the test bank was asked to pay a deposit: many of its payments are no deposit's, and cost nothing. Without a reference to
-- deposits, which would have to be locked to add it.
create table test_bank_requests (
  deposit_id uuid not null,
  requests integer not null,
  constraint test_bank_requests_deposit primary key (deposit_id)
);
grant select, insert, update on test_bank_requests to inlet_runtime;
