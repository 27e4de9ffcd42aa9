-- Alarms that were raised and whether the operator was told.
create table operator_alarms (
  kind text not null,
  subject text not null,
  detail text not null,
  raised_at timestamptz not null default inlet_now(),
  tried_until timestamptz not null default '-infinity',
  told_at timestamptz,
  constraint operator_alarm_id primary key (kind, subject)
);
grant select, insert, update, delete on operator_alarms to inlet_runtime;
