-- Blocks of numbers for references: each process takes a thousand at a time.
create sequence deposit_reference_block increment by 1000;
grant usage on sequence deposit_reference_block to inlet_runtime;

-- A request for money and what became of it.
create table deposits (
  id uuid primary key,
  merchant_id uuid not null,
  order_id text collate "C" not null,
  flow text not null,
  fingerprint bytea not null,
  state text not null,
  amount_cents bigint not null,
  currency text not null,
  payment_type text not null,
  customer text,
  customer_phone_number text,
  callback_url text,
  success_url text,
  reject_url text,
  requisite_id uuid,
  account_id uuid,
  shown jsonb,
  reference text,
  holds_reference boolean not null default true,
  page_token text collate "C" not null,
  received_cents bigint not null default 0,
  labels text[] not null default '{}',
  claimed_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  late_until timestamptz not null,
  final_at timestamptz,
  extended boolean not null default false,
  issued_at timestamptz,
  surplus_kept_cents bigint not null default 0,
  sent jsonb,
  details_chunk bigint,
  details_entries integer,
  constraint deposit_order_once unique (merchant_id, order_id),
  constraint deposit_page_token unique (page_token),
  constraint deposit_merchant foreign key (merchant_id) references merchants (id),
  constraint deposit_requisite foreign key (requisite_id, account_id) references requisites (id, account_id),
  constraint deposit_amount check (amount_cents between 1 and 999999999999999),
  constraint deposit_created_is_shown check (
    details_chunk is not null
    or (state not in ('created', 'confirmed', 'reversed'))
    or shown is not null
  ),
  constraint deposit_currency check (currency in ('RUB', 'UZS', 'KZT', 'TJS')),
  constraint deposit_flow check (flow in ('create', 'build')),
  constraint deposit_issued_is_shown check (details_chunk is not null or ((shown is null) = (issued_at is null))),
  constraint deposit_moved_whole check (
    ((details_chunk is null) = (details_entries is null))
    and (details_chunk is null or (num_nonnulls(shown, sent, customer_phone_number, callback_url, success_url, reject_url) = 0))
  ),
  constraint deposit_received check (received_cents >= 0),
  constraint deposit_reference_form check (reference ~ '^KT[1-9][0-9]{7}$'),
  constraint deposit_shown_whole check (
    details_chunk is not null
    or (num_nulls(requisite_id, account_id, shown, reference) in (0, 4))
  ),
  constraint deposit_state check (state in ('builded', 'created', 'confirmed', 'rejected', 'expired', 'canceled', 'reversed')),
  constraint deposit_surplus_kept check (surplus_kept_cents >= 0),
  constraint deposit_times check (created_at < expires_at and expires_at <= late_until)
);
create index deposits_begun on deposits (account_id, late_until)
  where (state in ('created', 'expired')) and received_cents > 0;
create index deposits_by_amount on deposits (merchant_id, amount_cents, created_at, id);
create index deposits_by_confirmation on deposits (final_at, id)
  where state = 'confirmed';
create index deposits_by_digits on deposits (merchant_id, right((shown ->> 'number'), 4), created_at, id)
  where shown is not null;
create index deposits_by_freed_reference on deposits (reference)
  where (not holds_reference) and reference is not null;
create index deposits_by_kind on deposits (merchant_id, state, currency, payment_type, created_at, id);
create index deposits_by_merchant on deposits (merchant_id, created_at, id);
create index deposits_by_reference_age on deposits (late_until)
  where holds_reference and (state not in ('builded', 'created'));
create index deposits_claimed on deposits (late_until, claimed_at, id)
  where claimed_at is not null and received_cents = 0 and (state in ('created', 'expired'));
create index deposits_for_review on deposits (created_at, id)
  where labels @> '{review}';
create index deposits_listening on deposits (account_id, amount_cents, late_until)
  where state in ('created', 'expired');
create index deposits_of_customer on deposits (merchant_id, customer, created_at)
  where customer is not null and (state in ('builded', 'created', 'confirmed', 'reversed'));
create index deposits_of_customer_unpaid on deposits (merchant_id, customer, created_at)
  where customer is not null and (state in ('rejected', 'expired', 'canceled'));
create index deposits_over on deposits (account_id, amount_cents, late_until)
  where account_id is not null;
create index deposits_over_with_money on deposits (late_until, id)
  where state = 'expired' and received_cents > 0 and (not (labels @> '{review}'));
create index deposits_overpaid on deposits (final_at, id)
  where state = 'confirmed' and ((received_cents - amount_cents) > surplus_kept_cents);
create index deposits_to_expire on deposits (expires_at)
  where (state in ('builded', 'created')) and (not (labels @> '{review}'));
create index deposits_to_expire_of_merchant on deposits (merchant_id, expires_at)
  where (state in ('builded', 'created')) and (not (labels @> '{review}'));
create index deposits_with_old_details on deposits (late_until)
  where (not holds_reference) and details_chunk is null and (state not in ('builded', 'created')) and (not (labels @> '{review}'));
create unique index deposit_reference_once on deposits (reference, account_id) where holds_reference;
grant select, insert, update on deposits to inlet_runtime;

-- Amounts that are taken on a receiving account: an exact amount means one deposit.
create table deposit_slots (
  currency text not null,
  amount_cents bigint not null,
  account_id uuid not null,
  deposit_id uuid not null,
  free_at timestamptz not null default 'infinity',
  constraint deposit_slot_once primary key (currency, amount_cents, account_id),
  constraint deposit_slot_of_deposit unique (deposit_id),
  constraint deposit_slot_account foreign key (account_id) references receiving_accounts (id),
  constraint deposit_slot_deposit foreign key (deposit_id) references deposits (id) deferrable initially deferred
);
create index deposit_slots_by_age on deposit_slots (free_at);
grant select, insert, delete, update (free_at) on deposit_slots to inlet_runtime;

-- What happened to a deposit, in order. Its creation is in the deposit's own row.
create table deposit_history (
  deposit_id uuid not null,
  entry integer not null,
  at timestamptz not null,
  action text not null,
  from_state text,
  to_state text not null,
  actor text not null,
  reason text,
  evidence jsonb,
  message jsonb,
  constraint deposit_history_id primary key (deposit_id, entry),
  constraint deposit_history_deposit foreign key (deposit_id) references deposits (id)
);
grant select, insert on deposit_history to inlet_runtime;

-- Details of old deposits, many in one value.
create table deposit_details (
  chunk bigint constraint deposit_details_chunk primary key,
  details jsonb not null
) partition by range (chunk);
grant select on deposit_details to inlet_runtime;

-- Files that hold details of very old deposits.
create table detail_archives (
  file text constraint detail_archive_file primary key,
  month integer not null,
  folder text not null,
  state text not null default 'writing',
  first_chunk bigint,
  last_chunk bigint,
  deposits bigint,
  bytes bigint,
  digest bytea,
  index_digest bytea,
  began_at timestamptz not null default now(),
  archived_at timestamptz,
  constraint detail_archive_file_name check (file ~ '^deposits-[0-9]{4}-[0-9]{2}(-[0-9]+)?\.jsonl\.gz$'),
  constraint detail_archive_state check (state in ('writing', 'written', 'archived')),
  constraint detail_archive_written check (
    state = 'writing'
    or (num_nulls(first_chunk, last_chunk, deposits, bytes, digest, index_digest) = 0)
  )
);
create unique index detail_archive_under_way on detail_archives (month)
  where state <> 'archived';
grant select on detail_archives to inlet_runtime;

create sequence deposit_details_number;

-- The history of a deposit with its first entry, which is read from the deposit's own row.
create view deposit_timeline with (security_invoker = true) as
  select deposit_id, entry, at, action, from_state, to_state, actor, reason, message, evidence
  from deposit_history
  union all
  select id, 1, created_at, flow, null, case flow when 'build' then 'builded' else 'created' end, 'merchant', null, null, sent
  from deposits
  where sent is not null;
grant select on deposit_timeline to inlet_runtime;

-- A deposit could have any number of entries, and all of them moved into its chunk, which every reader of the deposit and of its
-- neighbours opens. Of one history so much moves from now on, and a chunk takes so many deposits; the entries after that stay in the
-- table, where readers find them after those that moved.
create function deposit_details_of(deposit deposits) returns jsonb language sql stable as $$
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

-- Whether money confirmed a deposit is seen from its shares of transfers, now that a transfer can have several.
create function move_deposit_details(month integer, ids uuid[]) returns bigint language plpgsql as $$
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

revoke execute on function move_deposit_details from public;

-- The only paths a deposit can take: the transition table of src/deposits/deposit.ts, once more.
create function keep_deposit_path() returns trigger language plpgsql as $$
begin
  if new.state <> old.state and not (case old.state
    when 'builded' then new.state in ('created', 'rejected', 'canceled', 'expired')
    when 'created' then new.state in ('confirmed', 'rejected', 'canceled', 'expired')
    when 'expired' then new.state in ('confirmed', 'rejected')
    when 'confirmed' then new.state = 'reversed'
    else false
  end) then
    raise exception 'a deposit cannot go from % to %', old.state, new.state
      using errcode = 'check_violation', constraint = 'deposit_path';
  end if;
  return new;
end
$$;

-- A deposit keeps its promise in its row or in its details: details leave the row only when the chunk that it names has
-- exactly the same, and then it names that chunk for ever.
create function keep_deposit_promise() returns trigger language plpgsql as $$
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

create trigger deposit_keeps_promise
  before update on deposits
  for each row execute function keep_deposit_promise();
create trigger deposit_path
  before update of state on deposits
  for each row execute function keep_deposit_path();
