-- Everybody who let a person in or gave them more rights, and when the last time. `people` keeps only the last one of all: two
-- people who raised each other's roles erased who had raised them before. Versions before this one write only `people`.
-- Serves builds from: 0069
create table admissions (
  person_id uuid not null constraint admission_person references people (id),
  admitted_by uuid not null constraint admission_giver references people (id),
  at timestamptz not null,
  constraint admission_pair primary key (person_id, admitted_by)
);
create index admissions_by_time on admissions (at);
grant select, insert, update on admissions to inlet_runtime;

create function note_admission() returns trigger
  language plpgsql as
$$
begin
  insert into admissions as a (person_id, admitted_by, at)
  values (new.id, new.admitted_by, new.admitted_at)
  on conflict (person_id, admitted_by) do update
  set at = greatest(a.at, excluded.at);
  return null;
end
$$;
create trigger person_admission after update of admitted_by, admitted_at on people
  for each row when (new.admitted_by is not null and new.admitted_at is not null)
  execute function note_admission();

insert into admissions (person_id, admitted_by, at)
select id, admitted_by, admitted_at
from people
where admitted_by is not null
  and admitted_at is not null;
