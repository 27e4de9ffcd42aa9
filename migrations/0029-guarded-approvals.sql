-- Who gave a person their access, and when it counted from: for a day the two are not each other's second person.
alter table people add column if not exists admitted_by uuid constraint person_admitter references people (id);
alter table people add column if not exists admitted_at timestamptz;

-- Since when a person has been somebody who may decide. It stays when the role is taken away: where a second person has
-- ever been, nobody decides alone by waiting.
alter table people add column decides_since timestamptz;
update people p
set decides_since = p.created_at
where p.operator_role in ('approver', 'admin')
  or (
    exists (
      select
      from audit_entries e
      where e.subject = 'person:' || p.id
        and e.act in ('person_invite', 'person_role')
        and e.after::jsonb ->> 'operatorRole' in ('approver', 'admin')
    )
    and exists (select from audit_entries e where e.subject = 'person:' || p.id and e.act = 'person_join')
  );

create function person_decides_since() returns trigger
  language plpgsql as
$$
begin
  if tg_op = 'UPDATE' and old.decides_since is not null then
    new.decides_since := old.decides_since;
  elsif new.operator_role in ('approver', 'admin') then
    new.decides_since := inlet_now();
  end if;
  return new;
end
$$;
create trigger person_decides_since before insert or update on people
  for each row execute function person_decides_since();
create index people_who_decided on people (id) where decides_since is not null;

alter table proposals drop constraint proposal_kind;
alter table proposals add constraint proposal_kind check (
  kind in (
    'requisite_add', 'requisite_on', 'requisite_limits', 'account_limits', 'confirm', 'callback_address',
    'return_addresses', 'statement_undo', 'source_add', 'source_account', 'source_networks', 'source_enable',
    'approval_settings', 'desk_invitation', 'desk_role', 'desk_enable', 'desk_reset'
  )
);
drop index proposal_open_once;
create unique index proposal_open_once on proposals (kind, subject)
  where state = 'open'
    and kind in (
      'confirm', 'requisite_on', 'requisite_limits', 'account_limits', 'statement_undo', 'source_networks',
      'source_enable', 'approval_settings', 'desk_invitation', 'desk_role', 'desk_enable', 'desk_reset'
    );

-- Nobody approves what they asked for. An installation of one operator says so in its settings; what guards the
-- approvals themselves is not opened by that, but by a whole day of waiting, where nobody else has ever decided.
alter table proposals drop constraint proposal_second_person;
alter table proposals add constraint proposal_second_person check (
  state <> 'approved'
  or decided_by <> proposed_by
  or case
    when kind in ('approval_settings', 'desk_invitation', 'desk_role', 'desk_enable', 'desk_reset')
      then asked ? 'delayed' and decided_at - proposed_at >= interval '24 hours'
    else asked ? 'single_operator'
  end
);

-- The acts of the last day that the operator is told of.
create index audit_entries_of_act on audit_entries (act, at);
