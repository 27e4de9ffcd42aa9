/** Whether old deposits slow down new ones: two databases in turn, one full of closed deposits, one empty. */
import { alternate, openCreates } from './phases.ts'
import type { Row } from './row.ts'
import { connect, type Place, type World } from './world.ts'

export const history: Row = {
  name: 'history',
  must: { least: 0.9 },
  aim: { least: 1 },
  async measure(world, { historyRows }) {
    await fill(world, 'inlet_full', { rows: historyRows, daysAgo: 10, prefix: 'account' })
    world.status('history: warming up')
    const full = await openCreates(world, 'inlet_full', 'account')
    try {
      const empty = await openCreates(world, 'inlet_empty', 'account')
      try {
        const sides = { value: () => full.run(), reference: () => empty.run() }
        const { cpu, ...compared } = await alternate(world, 'history', 'perSecond', sides)
        const note = `${cpu}; ${historyRows.toLocaleString('en')} old deposits against none`
        return { ...compared, unit: '1/s', note }
      } finally {
        await empty.close()
      }
    } finally {
      await full.close()
    }
  },
}

/** `daysAgo`: the end of the newest; `prefix`: of their orders. */
type Filling = { rows: number; daysAgo: number; prefix: string }

const rowsPerBatch = 100_000

/**
 * Closed deposits of the same merchant with two lines of history each, the oldest first, as years of work would
 * have left them. Constraints other than foreign keys are checked as always.
 */
export async function fill(world: World, place: Place, { rows, daysAgo, prefix }: Filling): Promise<void> {
  // Foreign keys are triggers; checking millions of rows against the ones just written shows nothing.
  const client = await connect(
    world.superuser(place),
    '-c synchronous_commit=off -c session_replication_role=replica',
  )
  try {
    for (let from = 0; from < rows; from += rowsPerBatch) {
      world.status(
        `history: ${Math.floor((from / rows) * 100)} % of ${rows.toLocaleString('en')} old deposits`,
      )
      const to = Math.min(from + rowsPerBatch, rows)
      const { requisiteId, accountId } = world.accounts[(from / rowsPerBatch) % world.accounts.length]!
      await client.query(fillText, [
        world.shop.merchant,
        requisiteId,
        accountId,
        from,
        to - 1,
        rows,
        daysAgo,
        prefix,
      ])
    }
    world.status('history: vacuum and checkpoint')
    await client.query('vacuum analyze deposits')
    await client.query('vacuum analyze deposit_history')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

const fillText = `
  with old as (
    select
      n,
      uuidv7((n - $6::int) * interval '3 seconds' - make_interval(days => $7::int)) as id,
      now() + (n - $6::int) * interval '3 seconds' - make_interval(days => $7::int) as at
    from generate_series($4::int, $5::int) as n
  ), added as (
    insert into deposits
      (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type, customer,
       callback_url, requisite_id, account_id, shown, reference, holds_reference, page_token, received_cents,
       sent, created_at, issued_at, expires_at, late_until, final_at)
    select
      id, $1, $8 || '-' || lpad(n::text, 8, '0'), 'create', sha256(n::text::bytea),
      case when n % 3 = 0 then 'expired' else 'confirmed' end, 150000, 'RUB', 'account_number',
      'customer-' || n % 10000, 'https://shop.example/callbacks/deposits', $2, $3,
      jsonb_build_object('kind', 'account_ru', 'number', '40702810300000000042', 'name', 'ООО "Пример"',
        'bank_name', 'Банк "Тест"', 'seller', 'ООО "Пример"', 'bic', '044525999',
        'payment_reason', 'Пополнение KT' || 10000000 + n),
      'KT' || 10000000 + n, false, translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/=', '-_'),
      case when n % 3 = 0 then 0 else 150000 end,
      jsonb_build_object('request', 'req_0123456789abcdef'), at, at, at + interval '30 minutes', at + interval '1 day', at + interval '1 day'
    from old
    order by n
  )
  insert into deposit_history (deposit_id, entry, at, action, from_state, to_state, actor)
  select id, 2, at, 'confirm', 'created', 'confirmed', 'matcher' from old`
