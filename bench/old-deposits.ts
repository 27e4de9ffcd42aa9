/**
 * Old deposits as years of work leave them: closed, most of them paid by a transfer of a statement, with their history
 * and the callbacks of the last weeks. Made by the database itself, in
 * the current schema, which may be that of an earlier version: columns that it does not have are left out.
 */
import { bounds } from '../src/platform/bounds.ts'
import { drawnReference } from './references.ts'
import { connect, type Place, type World } from './world.ts'

/** `first`: the number of the first of them; `days`: the age of the oldest and of the newest. */
type Filling = {
  rows: number
  first?: number
  days: { oldest: number; newest: number }
}

/** The part of the world that is used here. */
type Filled = Pick<World, 'shop' | 'accounts' | 'status' | 'superuser'>

type Client = Awaited<ReturnType<typeof connect>>

const rowsPerBatch = 100_000
/** From this number of rows on, most indexes are dropped before writing and built again afterwards. */
const rowsWithoutIndexes = 200_000

export async function fillOldDeposits(
  world: Filled,
  place: Place,
  { rows, first = 0, days }: Filling,
): Promise<void> {
  // Foreign keys are triggers; checking millions of rows against the ones just written shows nothing.
  const client = await connect(
    world.superuser(place),
    '-c synchronous_commit=off -c session_replication_role=replica -c maintenance_work_mem=1GB -c work_mem=256MB',
  )
  try {
    const schema = await readSchema(client)
    await makeDays(client)
    await client.query(sourceText(schema))
    const indexes = rows >= rowsWithoutIndexes ? await dropIndexes(client) : []
    for (let from = 0; from < rows; from += rowsPerBatch) {
      world.status(`${place}: ${Math.floor((from / rows) * 100)} % of ${rows.toLocaleString('en')} deposits`)
      const to = Math.min(from + rowsPerBatch, rows)
      await client.query('drop table if exists aged')
      await client.query(agedText, [
        first + from,
        Array.from({ length: to - from }, (_, place) => drawnReference(first + from + place)),
        // The ages of the first and of the one behind the last of them.
        days.oldest - ((days.oldest - days.newest) * from) / rows,
        days.oldest - ((days.oldest - days.newest) * to) / rows,
        world.accounts.map(({ requisiteId }) => requisiteId),
        world.accounts.map(({ accountId }) => accountId),
      ])
      for (const { table, columns, from: source } of writings(world.shop.merchant, schema)) {
        const known = Object.entries(columns).filter(([name]) => schema.get(table)?.has(name))
        if (known.length === 0) continue
        await client.query(`
          insert into ${table} (${known.map(([name]) => name).join(', ')})
          select ${known.map(([, value]) => value).join(', ')} from ${source}`)
      }
    }
    for (const [at, index] of indexes.entries()) {
      world.status(`${place}: index ${at + 1} of ${indexes.length}`)
      await client.query(index)
    }
    await client.query(
      `insert into event_counters (merchant_id, last_sequence) values ($1, $2)
       on conflict (merchant_id) do update set last_sequence = $2`,
      [world.shop.merchant, first + rows],
    )
    await client.query(`select setval('deposit_reference_block', $1)`, [first + rows + 1])
    world.status(`${place}: vacuum and checkpoint`)
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

async function readSchema(client: Client): Promise<Map<string, Set<string>>> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(`
    select table_name as table, array_agg(column_name::text) as columns
    from information_schema.columns
    where table_schema = 'inlet'
    group by table_name`)
  return new Map(rows.map(({ table, columns }) => [table, new Set(columns)]))
}

/** Makes the daily partitions of kept callbacks and of the next ones. */
const makeDays = (client: Client) =>
  client.query(`
    do $do$
    declare
      parent text;
      day date;
    begin
      foreach parent in array array['callbacks', 'callback_attempts'] loop
        for day in select generate_series(current_date - ${bounds.callbackKeepDays - 1}, current_date + ${bounds.partitionsAheadDays}, interval '1 day') loop
          if to_regclass(parent || to_char(day, '_YYYYMMDD')) is null then
            execute format('create table %I partition of %I for values from (%L) to (%L)',
              parent || to_char(day, '_YYYYMMDD'), parent, day, day + 1);
          end if;
        end loop;
      end loop;
    end $do$`)

/** Drops all indexes but those of keys, which prevent duplicates. Returns the statements that create them again. */
async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i
    where i.indrelid::regclass::text in
        ('deposits', 'transfers', 'allocations', 'transfer_keys', 'report_rows', 'transfer_decisions')
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`)
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

const sourceText = (schema: Map<string, Set<string>>) =>
  schema.get('bank_sources')!.has('channel')
    ? `insert into bank_sources (id, name, mode, kind, channel)
       values (gen_random_uuid(), '1c', 'test', 'file', '1c')
       on conflict do nothing`
    : `insert into bank_sources (id, name, mode, kind)
       values (gen_random_uuid(), 'statements', 'test', 'statement')
       on conflict do nothing`
const source = `(select id from bank_sources where kind in ('file', 'statement') and mode = 'test' limit 1)`

/** The source of all rows of a batch. Of a hundred deposits, 66 are paid, 25 expire, 6 are rejected and 3 canceled. */
const agedText = `
  create temp table aged as
  select
    n, id, at, at + case state when 'expired' then interval '30 minutes' else interval '5 minutes' end as closed_at, state, requisite_id, account_id, reference, amount_cents,
    case when state = 'confirmed' then uuidv7(shift) end as transfer_id,
    jsonb_build_object('kind', 'account_ru', 'number', '407028103000000' || lpad((n % 100000)::text, 5, '0'),
      'name', 'ООО "Пример"', 'bank_name', 'Банк "Тест"', 'seller', 'ООО "Пример"', 'bic', '044525999',
      'payment_reason', 'Пополнение ' || reference) as shown,
    'Пополнение ' || reference as purpose,
    statement_id
  from (
    select
      $1::bigint + place - 1 as n, uuidv7(shift) as id, now() + shift as at, shift,
      case when place % 100 < 66 then 'confirmed' when place % 100 < 91 then 'expired'
        when place % 100 < 97 then 'rejected' else 'canceled' end as state,
      ($5::uuid[])[1 + place % cardinality($5::uuid[])] as requisite_id,
      ($6::uuid[])[1 + place % cardinality($6::uuid[])] as account_id,
      reference, 100000 + (place * 7 % 200) * 100 as amount_cents, s.statement_id
    from unnest($2::text[]) with ordinality as r (reference, place)
    cross join (select gen_random_uuid() as statement_id) s
    cross join lateral (
      select make_interval(secs =>
        -86400 * ($3::float8 + ($4::float8 - $3::float8) * (place - 1) / cardinality($2::text[]))) as shift) t
  ) drawn`

/** The lines of a deposit's history. */
const linesText = `
  lateral (
    select *
    from (values
      ('confirmed', 1, 'create', null, 'created', 'merchant'),
      ('confirmed', 2, 'receive', 'created', 'created', 'bank:statements'),
      ('confirmed', 3, 'confirm', 'created', 'confirmed', 'bank:statements'),
      ('expired', 1, 'create', null, 'created', 'merchant'),
      ('expired', 2, 'expire', 'created', 'expired', 'clock'),
      ('rejected', 1, 'create', null, 'created', 'merchant'),
      ('rejected', 2, 'reject', 'created', 'rejected', 'customer'),
      ('canceled', 1, 'create', null, 'created', 'merchant'),
      ('canceled', 2, 'cancel', 'created', 'canceled', 'merchant')
    ) as line (of_state, entry, action, from_state, to_state, actor)
    where of_state = a.state) h`
const lineAt = 'case h.entry when 1 then a.at else a.closed_at end'
const evidence = `case h.action when 'receive' then jsonb_build_object('rule', 'reference', 'score', 100, 'booked_on', a.at::date) end`

type Writing = { table: string; columns: Record<string, string>; from: string }

function writings(merchant: string, schema: Map<string, Set<string>>): Writing[] {
  const historyFrom = schema.get('deposits')!.has('sent') ? 2 : 1
  return [
    {
      table: 'deposits',
      columns: {
        id: 'a.id',
        merchant_id: `'${merchant}'`,
        order_id: `'account-' || lpad(a.n::text, 9, '0') || '-old'`,
        flow: `'create'`,
        fingerprint: 'sha256(a.n::text::bytea)',
        state: 'a.state',
        amount_cents: 'a.amount_cents',
        currency: `'RUB'`,
        payment_type: `'account_number'`,
        // One deposit in twenty is from the same frequent customer.
        customer: `case when a.n % 20 = 7 then 'regular' else 'customer-' || a.n % 100000 end`,
        callback_url: `'https://shop.example/callbacks/deposits'`,
        requisite_id: 'a.requisite_id',
        account_id: 'a.account_id',
        shown: 'a.shown',
        reference: 'a.reference',
        holds_reference: `a.at > now() - interval '${bounds.referenceDays - 1} days'`,
        page_token: `translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/=', '-_')`,
        received_cents: `case a.state when 'confirmed' then a.amount_cents else 0 end`,
        sent: `jsonb_build_object('request', 'req_0123456789abcdef')`,
        created_at: 'a.at',
        issued_at: 'a.at',
        expires_at: `a.at + interval '30 minutes'`,
        late_until: `a.at + interval '1 day'`,
        final_at: `case when a.state <> 'expired' then a.closed_at end`,
      },
      from: 'aged a order by a.n',
    },
    {
      table: 'deposit_history',
      columns: {
        deposit_id: 'a.id',
        entry: 'h.entry',
        at: lineAt,
        action: 'h.action',
        from_state: 'h.from_state',
        to_state: 'h.to_state',
        actor: 'h.actor',
        evidence,
      },
      from: `aged a cross join ${linesText} where h.entry >= ${historyFrom} order by a.n, h.entry`,
    },
    {
      table: 'statements',
      columns: {
        id: 'a.statement_id',
        mode: `'test'`,
        digest: 'sha256(a.statement_id::text::bytea)',
        file_name: `'statement.txt'`,
        format: `'1c'`,
        taken_at: 'max(a.at)',
        taken_by: `'bench'`,
        finished_at: 'max(a.at)',
        file_digest: 'sha256(a.statement_id::text::bytea)',
        source_id: source,
      },
      from: 'aged a group by a.statement_id',
    },
    {
      table: 'transfers',
      columns: {
        id: 'a.transfer_id',
        source_id: source,
        account_id: 'a.account_id',
        direction: `'credit'`,
        cents: 'a.amount_cents',
        currency: `'RUB'`,
        booked_on: 'a.at::date',
        document_number: 'a.n::text',
        payer_name: `'Иванов Иван Иванович'`,
        payer_account: `'40817810000000000001'`,
        payer_tax_id: `''`,
        payer_bank: `''`,
        purpose: 'a.purpose',
        fingerprint: `sha256('transfer' || a.n::text::bytea)`,
        occurrence: '1',
        statement_id: 'a.statement_id',
        line: '(row_number() over ())::int',
        raw: `'СекцияДокумент=Платежное поручение Номер=' || a.n || ' Сумма=' || a.amount_cents || ' НазначениеПлатежа=' || a.purpose`,
        taken_at: 'a.closed_at',
        state: `'matched'`,
        deposit_id: 'a.id',
        deposit_cents: 'a.amount_cents',
        channel: `'1c'`,
        is_sum: 'false',
        names: 'array[a.reference]',
        told_booked_at: 'a.closed_at',
      },
      from: 'aged a where a.transfer_id is not null order by a.n',
    },
    {
      table: 'allocations',
      columns: { transfer_id: 'a.transfer_id', deposit_id: 'a.id', cents: 'a.amount_cents' },
      from: 'aged a where a.transfer_id is not null order by a.n',
    },
    {
      table: 'transfer_keys',
      columns: {
        account_id: 'a.account_id',
        source_id: source,
        role: `'booked'`,
        key: `substring(sha256('transfer' || a.n::text::bytea) for 16)`,
        variant: `'\\x00000001'::bytea`,
        transfer_id: 'a.transfer_id',
        origin_id: 'a.transfer_id',
      },
      from: 'aged a where a.transfer_id is not null order by a.n',
    },
    {
      table: 'report_rows',
      columns: {
        statement_id: 'a.statement_id',
        place: '(row_number() over ())::int - 1',
        line: '(row_number() over ())::int',
        transfer_id: 'a.transfer_id',
        origin_id: 'a.transfer_id',
        role: `'booked'`,
        outcome: `'new'`,
      },
      from: 'aged a where a.transfer_id is not null order by a.n',
    },
    {
      table: 'transfer_decisions',
      columns: {
        transfer_id: 'a.transfer_id',
        entry: '1',
        at: 'a.closed_at',
        state: `'matched'`,
        deposit_id: 'a.id',
        deposit_ids: 'array[a.id]',
        actor: `'matcher'`,
        rule: `'reference'`,
        reason: `'The purpose names the reference of this deposit.'`,
        evidence: `jsonb_build_object('score', 100, 'candidates', jsonb_build_array(jsonb_build_object('deposit', a.id, 'verdict', 'reference')))`,
      },
      from: 'aged a where a.transfer_id is not null order by a.n',
    },
    {
      table: 'callbacks',
      columns: {
        made_on: 'a.closed_at::date',
        id: 'a.id',
        merchant_id: `'${merchant}'`,
        sequence: 'a.n + 1',
        deposit_id: 'a.id',
        type: `'deposit.' || a.state`,
        lane_id: `(select id from callback_lanes where merchant_id = '${merchant}' and origin is null)`,
        url: `'https://shop.example/callbacks/deposits'`,
        body: `'{"id":"' || a.id || '","sequence":' || a.n + 1 || ',"data":{"id":"' || a.id || '","state":"' || a.state || '","text":"' || repeat('x', 640) || '"}}'`,
        made_at: 'a.closed_at',
      },
      from: `aged a where a.closed_at >= current_date - ${bounds.callbackKeepDays - 1} order by a.n`,
    },
    {
      table: 'callback_attempts',
      columns: {
        made_on: 'a.closed_at::date',
        callback_id: 'a.id',
        at: 'a.closed_at',
        ms: '20',
        outcome: `'ok'`,
        status: '200',
        node: 'a.id',
      },
      from: `aged a where a.closed_at >= current_date - ${bounds.callbackKeepDays - 1} order by a.n`,
    },
  ]
}
