/** As many deposits and callbacks of one merchant as a test of plans needs, made by the database itself. */
import type { Db } from '../../src/platform/db.ts'

/** Of every 1,000 there are some of each state; a reversed one is rare. */
export async function fillDeposits(
  gateway: { database: { owner: Db } },
  merchantId: string,
  {
    deposits,
    callbacks,
    days = 90,
    isAnalyzed = true,
  }: { deposits: number; callbacks: number; days?: number; isAnalyzed?: boolean },
): Promise<void> {
  const { owner } = gateway.database
  const inOne = 50_000
  for (let from = 0; from < deposits; from += inOne) {
    await owner.script(`
      insert into deposits
        (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type, customer,
         requisite_id, account_id, shown, reference, page_token, sent, received_cents, created_at, issued_at, expires_at,
         late_until, final_at)
      select (lpad(to_hex((extract(epoch from t.at) * 1000)::bigint), 12, '0') || '7' ||
          substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid,
        '${merchantId}', 'O-' || n, 'create', '\\x00',
        case when n % 50000 = 7 then 'reversed' when n % 100 < 70 then 'confirmed' when n % 100 < 95 then 'expired'
          when n % 100 < 98 then 'rejected' else 'canceled' end,
        100000 + (n % 5000) * 100, case when n % 10 < 7 then 'RUB' else 'UZS' end,
        (array['any_bank', 'sbp', 'account_number'])[1 + n % 3], 'customer-' || (n % 20000),
        r.id, r.account_id, jsonb_build_object('kind', r.kind, 'number', '40702810900000' || lpad((n % 1000000)::text, 6, '0')),
        'KT' || (10000000 + n), 't' || n, '{}', 0, t.at, t.at, t.at + interval '30 minutes', t.at + interval '1 day',
        t.at + interval '1 minute' * (1 + n % 20)
      from generate_series(${from + 1}, ${Math.min(from + inOne, deposits)}) as n
      cross join lateral (
        select date_trunc('milliseconds', now() - interval '${days} days' * ((${deposits} - n)::float8 / ${deposits})) as at
      ) t
      cross join (select id, account_id, kind from requisites order by id limit 1) r`)
  }
  for (let from = 0; from < callbacks; from += inOne) {
    await owner.script(`
      insert into events
        (made_on, id, merchant_id, sequence, deposit_id, type, body, made_at)
      select current_date + (n * 10 / ${callbacks + 1})::int, gen_random_uuid(), '${merchantId}', n, gen_random_uuid(),
        'deposit.confirmed', '{}', now()
      from generate_series(${from + 1}, ${Math.min(from + inOne, callbacks)}) as n`)
  }
  await owner.script(`
    create temporary table own as
      select id from endpoints where merchant_id = '${merchantId}' and origin is null;
    insert into deliveries
      (event_id, made_on, merchant_id, endpoint_id, deposit_id, sequence, state, due_at, died_at, reason)
    select e.id, made_on, merchant_id, own.id, deposit_id, sequence, 'dead', 'infinity', now(), 'attempts_used'
    from events e, own
    where merchant_id = '${merchantId}' and sequence % 100000 = 5;
    insert into delivery_attempts (made_on, event_id, endpoint_id, at, ms, outcome, status, node)
    select made_on, e.id, own.id, made_at, 1, case when sequence % 100000 = 5 then 'dead' else 'ok' end,
      case when sequence % 100000 = 5 then 500 else 200 end, merchant_id
    from events e, own
    where merchant_id = '${merchantId}';
    drop table own;
    insert into event_counters (merchant_id, last_sequence) values ('${merchantId}', ${callbacks})
    on conflict (merchant_id) do update set last_sequence = excluded.last_sequence`)
  if (isAnalyzed)
    await owner.script('analyze deposits; analyze events; analyze delivery_attempts; analyze deliveries')
}
