-- The method-selection flow: a type that names no requisites; the customer chooses one of the others on the page.
alter table payment_types drop constraint payment_type_group;
alter table payment_types add constraint payment_type_group
  check (requisite_group in ('card', 'phone', 'account', 'select'));
insert into payment_types (code, name, requisite_group, position)
  values ('uzs_select', 'The customer chooses on the payment page', 'select', 50);
insert into payment_limits (payment_type, currency, min_cents, max_cents) values
  ('uzs_select', 'RUB', 10000, 60000000),
  ('uzs_select', 'UZS', 1000000, 5000000000);

-- A link or code that the bank itself gave for this requisite. Pasted by the operator, never made by us.
alter table requisites add column link text;
alter table requisites add constraint requisite_link check (char_length(link) between 1 and 512);

-- The payment page's language where the customer's browser names none that we speak.
alter table merchants add column language text;
alter table merchants add constraint merchant_language check (language in ('ru', 'uz', 'kk', 'tg', 'en'));

-- When the customer got the requisites: at once in the direct flow, with the choice in the other. Money seen earlier
-- cannot be for this deposit, and the day's sum of the requisite is that of this day.
alter table deposits add column issued_at timestamptz;
update deposits set issued_at = created_at where shown is not null;
alter table deposits add constraint deposit_issued_is_shown check ((shown is null) = (issued_at is null));
create or replace function keep_deposit_promise() returns trigger language plpgsql as $$
begin
  if (new.id, new.merchant_id, new.order_id, new.flow, new.fingerprint, new.amount_cents, new.currency,
      new.page_token, new.created_at)
    is distinct from
     (old.id, old.merchant_id, old.order_id, old.flow, old.fingerprint, old.amount_cents, old.currency,
      old.page_token, old.created_at)
    or (old.shown is not null
      and (new.shown, new.requisite_id, new.account_id, new.reference, new.payment_type, new.issued_at)
        is distinct from
          (old.shown, old.requisite_id, old.account_id, old.reference, old.payment_type, old.issued_at))
  then
    raise exception 'deposit % keeps what it was created with', old.id
      using errcode = 'check_violation', constraint = 'deposit_keeps_promise';
  end if;
  return new;
end
$$;
