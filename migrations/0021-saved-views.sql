-- Filters of lists that people keep under a name. A view is its person's alone.
create table saved_views (
  id uuid primary key,
  person_id uuid not null,
  place text not null,
  -- Whose console the list stands in; the lists of the desk are of all merchants.
  merchant_id uuid,
  name text not null,
  -- As it stands in the list's address, after the question mark.
  query text not null,
  saved_at timestamptz not null default inlet_now(),
  constraint saved_view_person foreign key (person_id) references people (id),
  constraint saved_view_merchant foreign key (merchant_id) references merchants (id),
  constraint saved_view_place check (place in ('console_deposits', 'desk_deposits', 'desk_transfers')),
  constraint saved_view_whose check ((merchant_id is not null) = (place = 'console_deposits')),
  constraint saved_view_name check (char_length(name) between 1 and 60),
  constraint saved_view_query check (char_length(query) between 1 and 2000),
  constraint saved_view_once unique nulls not distinct (person_id, place, merchant_id, name)
);
grant select, insert, delete on saved_views to inlet_runtime;
grant update (query) on saved_views to inlet_runtime;
