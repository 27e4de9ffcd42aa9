-- After a write was refused because the disk is full, a readiness check tries one that needs space, and undoes it.
create table disk_probe (bytes bytea not null);
alter table disk_probe alter column bytes set storage external;
grant insert on disk_probe to inlet_runtime;
