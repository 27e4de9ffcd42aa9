-- A bank that pushes may speak for the accounts that are listed for it, and call from its networks. `is_bound` is false for
-- those that were added before accounts could be named: they speak for every account of their mode, until one is named.
alter table bank_sources add column is_bound boolean not null default false;
-- None: it may call from anywhere.
alter table bank_sources add column networks cidr[] not null default '{}';

create table bank_source_accounts (
  source_id uuid not null,
  account_id uuid not null,
  constraint bank_source_account_once primary key (source_id, account_id),
  constraint bank_source_account_source foreign key (source_id) references bank_sources (id),
  constraint bank_source_account_account foreign key (account_id) references receiving_accounts (id)
);
create index bank_source_accounts_by_account on bank_source_accounts (account_id);
grant select, insert, delete on bank_source_accounts to inlet_runtime;
