-- Passwords in the PHC string format. They stood as argon2id$memory$passes$lanes$salt$hash, in padded base64.
update people
set password = format(
  '$argon2id$v=19$m=%s,t=%s,p=%s$%s$%s',
  split_part(password, '$', 2),
  split_part(password, '$', 3),
  split_part(password, '$', 4),
  rtrim(split_part(password, '$', 5), '='),
  rtrim(split_part(password, '$', 6), '='))
where password like 'argon2id$%';

alter table people
  add constraint person_password_format check (password like '$argon2id$v=19$m=%');

-- A question for a passkey carries its own proof now, and is no row: anybody may ask. What was answered rightly is kept
-- until its question is too old to be answered, so that it is answered once.
drop table passkey_challenges;
create table passkey_answers (
  nonce bytea primary key,
  answered_at timestamptz not null default inlet_now()
);
create index passkey_answers_by_time on passkey_answers (answered_at);
grant select, insert, update, delete on passkey_answers to inlet_runtime;
