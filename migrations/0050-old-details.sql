-- What only a reader of one old deposit needs leaves its row: what was shown, addresses, the phone number and the history. A
-- chunk holds the details of some deposits of one month, so that PostgreSQL compresses them together. The row of
-- the deposit stays for ever: it keeps the order unique, and lists, sums and transfers need it.
--
-- The first digits of a chunk's number are the month of its deposits (202601…), and each month is a partition.
create table deposit_details (
  chunk bigint not null,
  details jsonb not null,
  constraint deposit_details_chunk primary key (chunk)
) partition by range (chunk);
create sequence deposit_details_number;
grant select on deposit_details to inlet_runtime;

-- Where the details are, and the number of the last entry of the history that went with them.
alter table deposits add column details_chunk bigint;
alter table deposits add column details_entries integer;

-- Validated by the next migration: rows that are there hold the stricter rules of before.
alter table deposits drop constraint deposit_shown_whole;
alter table deposits add constraint deposit_shown_whole
  check (details_chunk is not null or num_nulls(requisite_id, account_id, shown, reference) in (0, 4)) not valid;
alter table deposits drop constraint deposit_created_is_shown;
alter table deposits add constraint deposit_created_is_shown
  check (details_chunk is not null or state not in ('created', 'confirmed', 'reversed') or shown is not null) not valid;
alter table deposits drop constraint deposit_issued_is_shown;
alter table deposits add constraint deposit_issued_is_shown
  check (details_chunk is not null or (shown is null) = (issued_at is null)) not valid;
alter table deposits add constraint deposit_moved_whole check (
  (details_chunk is null) = (details_entries is null)
  and (details_chunk is null
    or num_nonnulls(shown, sent, customer_phone_number, callback_url, success_url, reject_url) = 0)) not valid;

-- The details of a deposit whose row still has them. An entry of the history is an array, to be short.
create function deposit_details_of(deposit deposits) returns jsonb language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object(
      'customer_phone_number', deposit.customer_phone_number, 'callback_url', deposit.callback_url,
      'success_url', deposit.success_url, 'reject_url', deposit.reject_url))
    || jsonb_build_object('shown', deposit.shown, 'history', (
      select jsonb_agg(
        jsonb_build_array(entry, at, action, from_state, to_state, actor, reason, message, evidence) order by entry)
      from deposit_timeline
      where deposit_id = deposit.id))
$$;

-- Entries of the history that moved, of deposits from an id on: for the doctor. Chunks are read once each.
create function moved_entries(from_id uuid) returns table (
  deposit_id uuid, entry integer, at timestamptz, action text, from_state text, to_state text, actor text, reason text
) language sql stable as $$
  with moved as materialized (
    select id, details_chunk from deposits where id >= from_id and details_chunk is not null
  )
  select m.id, (h.line ->> 0)::int, (h.line ->> 1)::timestamptz, h.line ->> 2, h.line ->> 3, h.line ->> 4, h.line ->> 5,
    h.line ->> 6
  from (select distinct details_chunk as chunk from moved) k
  join deposit_details c on c.chunk = k.chunk
  cross join lateral jsonb_each(c.details) as d (id, details)
  join moved m on m.id = d.id::uuid and m.details_chunk = c.chunk
  cross join lateral jsonb_array_elements(d.details -> 'history') as h (line)
$$;

-- A deposit keeps its promise in its row or in its details: details leave the row only when the chunk that it names has
-- exactly the same, and then it names that chunk for ever.
create or replace function keep_deposit_promise() returns trigger language plpgsql as $$
declare
  moves boolean := old.details_chunk is null and new.details_chunk is not null;
begin
  if (new.id, new.merchant_id, new.order_id, new.flow, new.fingerprint, new.amount_cents, new.currency,
      new.page_token, new.created_at)
    is distinct from
     (old.id, old.merchant_id, old.order_id, old.flow, old.fingerprint, old.amount_cents, old.currency,
      old.page_token, old.created_at)
    or ((old.shown is not null or old.details_chunk is not null)
      and (new.requisite_id, new.account_id, new.reference, new.payment_type, new.issued_at)
        is distinct from
          (old.requisite_id, old.account_id, old.reference, old.payment_type, old.issued_at))
    or (not moves
      and (new.sent is distinct from old.sent or (old.shown is not null and new.shown is distinct from old.shown)))
    or (old.details_chunk is not null
      and (new.details_chunk, new.details_entries) is distinct from (old.details_chunk, old.details_entries))
  then
    raise exception 'deposit % keeps what it was created with', old.id
      using errcode = 'check_violation', constraint = 'deposit_keeps_promise';
  end if;
  if moves then
    if deposit_details_of(old) is distinct from (
      select c.details -> old.id::text from deposit_details c where c.chunk = new.details_chunk)
    then
      raise exception 'the details of deposit % are not in chunk %', old.id, new.details_chunk
        using errcode = 'check_violation', constraint = 'deposit_keeps_promise';
    end if;
  end if;
  return new;
end
$$;

-- Moves the details of deposits that the caller has locked, all created in one month, into one chunk. Only the owner may:
-- the program itself deletes no history.
create function move_deposit_details(month integer, ids uuid[]) returns bigint language plpgsql as $$
declare
  new_chunk bigint := month * 10000000000 + nextval('deposit_details_number');
begin
  insert into deposit_details (chunk, details)
  select new_chunk, jsonb_object_agg(d.id, deposit_details_of(d))
  from deposits d
  where d.id = any(ids);
  update deposits d
  set
    details_chunk = new_chunk,
    details_entries = (select max(t.entry) from deposit_timeline t where t.deposit_id = d.id),
    shown = null,
    sent = null,
    customer_phone_number = null,
    callback_url = null,
    success_url = null,
    reject_url = null
  where d.id = any(ids);
  -- Who confirmed without a transfer is read by the books of that month, whenever they are made.
  delete from deposit_history h
  where h.deposit_id = any(ids)
    and (h.action <> 'confirm' or exists (select from transfers t where t.deposit_id = h.deposit_id));
  return new_chunk;
end
$$;
revoke execute on function move_deposit_details from public;
