-- An invitation is a link that offers one place: a role at a merchant, or a role at the desk. The place counts when its
-- person takes it; until then `memberships` and `people.operator_role` know nothing of it.
alter table sign_in_links
  add column id uuid not null default gen_random_uuid(),
  -- What whoever invites calls the person; their account may have another name.
  add column name text,
  add column merchant_id uuid,
  add column merchant_role text,
  add column operator_role text,
  add column made_by_person uuid,
  add constraint sign_in_link_id_once unique (id),
  add constraint sign_in_link_name check (char_length(name) between 1 and 100),
  add constraint sign_in_link_merchant foreign key (merchant_id) references merchants (id),
  add constraint sign_in_link_merchant_role check (merchant_role in ('owner', 'developer', 'viewer')),
  add constraint sign_in_link_operator_role check (operator_role in ('operator', 'approver', 'auditor', 'admin')),
  add constraint sign_in_link_maker foreign key (made_by_person) references people (id);

alter table people
  -- Who is behind this account's present beginning at the desk, or its last reset; null where it was the command line.
  add column admitted_by uuid,
  add column admitted_at timestamptz,
  -- When this person first had a place at the desk; it is never taken back.
  add column desk_since timestamptz,
  add constraint person_admitted_by foreign key (admitted_by) references people (id);

-- Whoever has not joined has taken no place. Where they were offered exactly one and their link still works, the link
-- offers it from now on; otherwise they are invited again. The demo's people come by links of their own.
create temporary table not_joined on commit drop as
select p.id,
  (p.operator_role is not null)::int + (select count(*) from memberships m where m.person_id = p.id) as places
from people p
where p.password is null
  and not exists (select from passkeys k where k.person_id = p.id)
  and not exists (select from sign_in_links l where l.person_id = p.id and l.purpose = 'demo');

update sign_in_links l
set operator_role = p.operator_role, merchant_id = m.merchant_id, merchant_role = m.role, name = p.name
from not_joined n
join people p on p.id = n.id
left join memberships m on m.person_id = n.id
where l.person_id = n.id
  and n.places = 1
  and l.purpose = 'invitation'
  and l.used_at is null
  and l.expires_at > inlet_now();

delete from memberships where person_id in (select id from not_joined);
update people set operator_role = null where id in (select id from not_joined);
update people set desk_since = created_at where operator_role is not null;

-- What offers nothing opens nothing: used, expired and ambiguous invitations, and resets of accounts that never began.
delete from sign_in_links where purpose = 'invitation' and num_nonnulls(merchant_id, operator_role) = 0;
delete from sign_in_links where purpose = 'reset' and person_id in (select id from not_joined);

alter table sign_in_links
  alter column id drop default,
  add constraint sign_in_link_place check (
    num_nonnulls(merchant_id, operator_role) = case when purpose = 'invitation' then 1 else 0 end
    and (merchant_id is null) = (merchant_role is null)
    and (name is null) = (purpose <> 'invitation'));
create index sign_in_links_of_merchant on sign_in_links (merchant_id) where used_at is null and merchant_id is not null;

-- Digests of recovery codes are made with the master key. Older ones are carried over when the program starts.
alter table recovery_codes add column is_keyed boolean not null default false;
create index recovery_codes_without_key on recovery_codes (person_id) where not is_keyed;
