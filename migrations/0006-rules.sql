-- Customers, phones and payers that are blocked or watched.
create table list_entries (
  id uuid constraint list_entry_id primary key,
  list text not null,
  kind text not null,
  merchant_id uuid,
  value text not null,
  reason text not null,
  added_by text not null,
  added_at timestamptz not null default inlet_now(),
  removed_at timestamptz,
  removed_by text,
  removed_reason text,
  constraint list_entry_merchant foreign key (merchant_id) references merchants (id),
  constraint list_entry_end check (num_nulls(removed_at, removed_by, removed_reason) in (0, 3)),
  constraint list_entry_kind check (kind in ('customer', 'phone', 'payer')),
  constraint list_entry_list check (list in ('block', 'watch')),
  constraint list_entry_words check (
    char_length(value) between 1 and 512
    and char_length(reason) between 1 and 500
    and char_length(added_by) between 1 and 100
    and char_length(removed_by) between 1 and 100
    and char_length(removed_reason) between 1 and 500
  )
);
create index list_entries_by_time on list_entries (added_at, id);
create index list_entries_in_force on list_entries (merchant_id)
  where removed_at is null and kind <> 'payer';
create unique index list_entry_once
  on list_entries (kind, value, list, coalesce(merchant_id, '00000000-0000-0000-0000-000000000000'::uuid))
  where removed_at is null;
grant select, insert, update (removed_at, removed_by, removed_reason) on list_entries to inlet_runtime;

