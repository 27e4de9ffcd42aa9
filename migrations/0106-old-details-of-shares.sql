-- Whether money confirmed a deposit is seen from its shares of transfers, now that a transfer can have several.
-- Serves builds from: this one
create or replace function move_deposit_details(month integer, ids uuid[]) returns bigint language plpgsql as $$
declare
  new_chunk bigint;
  chunk_ids uuid[];
begin
  for chunk_ids in
    select array_agg(id)
    from (
      select id, div(sum(bytes) over (order by id) - bytes, 131072) as part
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
      and (h.action <> 'confirm' or exists (select from allocations s where s.deposit_id = h.deposit_id));
  end loop;
  return new_chunk;
end
$$;
