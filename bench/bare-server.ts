/**
 * What no gateway can leave out, and nothing else: a route that answers JSON; one that checks the signature of a create and looks
 * its order up; or one that checks it and stores the deposit in the same table, with all constraints and indexes. Look-ups and
 * inserts of one moment share a statement. No limits, no rules, no refusals.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import fastify from 'fastify'
import { newId, randomToken } from '../src/platform/clock.ts'
import type { Login } from '../src/platform/db.ts'
import type { BareTask } from './bare.ts'
import { createPath } from './orders.ts'
import { connect } from './world.ts'

type Order = { merchant: string; order_id: string; customer: string; cents: number } & Record<string, unknown>

type Work = (orders: Order[]) => Promise<object[]>
type Waiting = { order: Order; resolve: (deposit: object) => void; reject: (fault: unknown) => void }

let waiting: Waiting[] = []
let isWorking = false

/** One group at a time: two or four were slower. */
function grouped(order: Order, work: Work): Promise<object> {
  return new Promise((resolve, reject) => {
    waiting.push({ order, resolve, reject })
    if (!isWorking) setImmediate(workOff, work)
    isWorking = true
  })
}

async function workOff(work: Work): Promise<void> {
  while (waiting.length > 0) {
    const group = waiting
    waiting = []
    try {
      const deposits = await work(group.map(({ order }) => order))
      for (const [place, { resolve }] of group.entries()) resolve(deposits[place]!)
    } catch (fault) {
      for (const { reject } of group) reject(fault)
    }
  }
  isWorking = false
}

async function lookingUp(login: Login): Promise<Work> {
  const client = await connect(login)
  const text = `
    select id, order_id, state, amount_cents, currency, payment_type, customer, reference, page_token, created_at, expires_at
    from deposits
    where merchant_id = $1 and order_id = any($2)`
  return async (orders) => {
    const values = [orders[0]!.merchant, orders.map((order) => order.order_id)]
    const { rows } = await client.query<{ order_id: string }>({ name: 'look-up', text, values })
    const found = new Map(rows.map((deposit) => [deposit.order_id, deposit]))
    return orders.map((order) => found.get(order.order_id)!)
  }
}

/** The values in which deposits differ, by column and type. All others are those of the model. */
const own = {
  id: 'uuid',
  order_id: 'text',
  fingerprint: 'bytea',
  customer: 'text',
  reference: 'text',
  page_token: 'text',
} as const
const times: Record<string, string> = {
  created_at: 'now()',
  issued_at: 'now()',
  expires_at: `now() + interval '30 minutes'`,
  late_until: `now() + interval '1 day'`,
}

async function storing(login: Login, model: string): Promise<Work> {
  const client = await connect(login)
  const { rows } = await client.query<{ name: string }>(`
    select attname as name from pg_attribute
    where attrelid = 'deposits'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`)
  const columns = rows.map(({ name }) => name)
  const ours = Object.entries(own).filter(([name]) => columns.includes(name))
  const sourceOf = (column: string) => (column in own ? `n.${column}` : (times[column] ?? `m.${column}`))
  const text = `
    with loaded as (
      update requisite_loads set open_deposits = open_deposits + cardinality($1::uuid[])
      where requisite_id = (select requisite_id from deposits where id = '${model}')
    )
    insert into deposits (${columns.join(', ')})
    select ${columns.map(sourceOf).join(', ')}
    from unnest(${ours.map(([, type], place) => `$${place + 1}::${type}[]`).join(', ')}) as n (${ours.map(([name]) => name).join(', ')})
    cross join deposits m
    where m.id = '${model}'`
  let stored = 0
  return async (orders) => {
    const deposits = orders.map(({ order_id, customer }) => ({
      id: newId(),
      order_id,
      fingerprint: Buffer.from(order_id.padEnd(32)),
      customer,
      reference: `KT${10_000_000 + stored++}`,
      page_token: randomToken(16),
    }))
    const values = ours.map(([name]) => deposits.map((deposit) => deposit[name as keyof typeof own]))
    await client.query({ name: 'store', text, values })
    return deposits
  }
}

const task = JSON.parse(process.argv[2]!) as BareTask
const app = fastify()
if (task.does === 'json') {
  const answer = { id: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803', state: 'created', kind: 'deposit' }
  app.get('/', async () => answer)
  app.post('/nothing', async () => answer)
} else {
  const work = await (task.does === 'stores' ? storing(task.login, task.model) : lookingUp(task.login))
  const names = ['callback_url', 'cents', 'currency', 'customer', 'merchant', 'order_id', 'payment_type']
  app.post<{ Body: Order }>(createPath, async (request, reply) => {
    const text = names.map((name) => request.body[name]).join('::')
    const expected = createHmac('sha256', task.shop.secret).update(text).digest()
    const sent = Buffer.from(String(request.headers['x-signature']), 'hex')
    if (!timingSafeEqual(expected, sent)) return reply.code(401).send()
    const deposit = await grouped(request.body, work)
    // As many bytes as the answer to a create with a transfer to an account has.
    const answer = JSON.stringify(deposit).padEnd(1_150)
    return reply
      .code(task.does === 'stores' ? 201 : 200)
      .type('application/json')
      .send(answer)
  })
}
process.on('message', () => process.send!(process.cpuUsage()))
process.on('disconnect', () => process.exit())
const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.send!(Number(new URL(address).port))
