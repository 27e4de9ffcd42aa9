/**
 * What each verb that repeats costs: processor time of Inlet and of PostgreSQL for each, with one client that waits for
 * its answers and with 64. The rows have no bars; they show where the time of the other rows goes.
 */
import { signLiteral, signV2 } from '../sdk/signature.ts'
import { keepCallbackPartitions } from '../src/domain/callbacks/keep-partitions.ts'
import { expireDeposits } from '../src/domain/deposits/expire-deposits.ts'
import { addSource } from '../src/domain/transfers/bank-source.ts'
import { monotonicMs } from '../src/platform/clock.ts'
import { openDatabase, sql } from '../src/platform/db.ts'
import { openCallbackLoad } from './callback-load.ts'
import { openLoad } from './load.ts'
import { openDeposits } from './match.ts'
import { buildOrders, requestBytes } from './orders.ts'
import { openCreates, phase } from './phases.ts'
import { drawnReference } from './references.ts'
import type { Measured, Row } from './row.ts'
import { readTokens } from './tokens.ts'
import type { World } from './world.ts'

const seconds = 3
/** Fewer with one client, which gets through fewer. */
const countOf = (connections: number) => (connections === 1 ? 1_500 : 8_000)

type Verb = {
  name: string
  expected: number
  /** The same requests again and again, or each once. */
  repeats?: boolean
  requests(world: World, count: number): Promise<Buffer[]>
}

const verbs: readonly Verb[] = [
  {
    name: 'an answer without work',
    expected: 200,
    repeats: true,
    requests: async () => [get('/health/live')],
  },
  { name: 'create', expected: 201, requests: async (world, count) => ordersOf(world, count) },
  {
    name: 'create again',
    expected: 200,
    repeats: true,
    requests: async (world, count) => {
      const orders = ordersOf(world, count)
      await driveOnce(world, orders, 201)
      return orders
    },
  },
  { name: 'build', expected: 201, requests: async (world, count) => buildsOf(world, count) },
  {
    name: 'choice of a method',
    expected: 303,
    requests: async (world, count) => {
      await driveOnce(world, buildsOf(world, count), 201)
      const tokens = await readTokens(world, count, 'builded')
      return tokens.map((token, index) =>
        requestBytes('POST', `/pay/${token}/choose`, 'method=account_number', [
          'Content-Type: application/x-www-form-urlencoded',
          forwardedFor(index),
        ]),
      )
    },
  },
  {
    name: 'status',
    expected: 200,
    repeats: true,
    requests: async (world, count) => {
      await driveOnce(world, ordersOf(world, count), 201)
      return (await readCreated(world, count)).map(({ id }) => statusRequest(world, id))
    },
  },
  {
    name: 'payment page, opened again',
    expected: 200,
    repeats: true,
    requests: async (world, count) => {
      await driveOnce(world, ordersOf(world, count), 201)
      const tokens = await readTokens(world, Math.min(count, 2_000))
      return tokens.map((token, index) =>
        get(`/pay/${token}?lang=ru`, [forwardedFor(index), 'Accept-Encoding: gzip, deflate, br, zstd']),
      )
    },
  },
  { name: 'push that confirms', expected: 200, requests: pushesOf },
]

export const verbRows: readonly Row[] = [
  ...verbs.flatMap((verb) =>
    [1, phase.connections].map((connections) => ({
      name: `verbs: ${verb.name}, ${clients(connections)}`,
      must: null,
      aim: null,
      measure: (world: World) => measureVerb(world, verb, connections),
    })),
  ),
  ...[1, 20].map((lanes) => ({
    name: `verbs: callback, ${lanes === 1 ? 'one lane' : `${lanes} lanes`}`,
    must: null,
    aim: null,
    measure: (world: World) => measureCallbacks(world, lanes),
  })),
  { name: 'verbs: expiry, 500 at once', must: null, aim: null, measure: measureExpiry },
]

function clients(connections: number): string {
  return connections === 1 ? 'one client' : `${connections} clients`
}

async function measureVerb(world: World, verb: Verb, connections: number): Promise<Measured> {
  world.status(`verbs: ${verb.name}, ${clients(connections)}`)
  const { port, lastWords } = await world.inlet('inlet')
  const warm = await openCreates(world, 'inlet', 'account')
  await warm.close()
  const load = openLoad(lastWords)
  try {
    const requests = await verb.requests(world, countOf(connections))
    const warmUp = verb.repeats ? requests : requests.splice(0, requests.length / 8)
    const drive = async (sent: Buffer[]) => {
      await load.prepareRaw(sent)
      const run = { port, connections, seconds, rate: null, replay: verb.repeats === true }
      return load.drive(run, verb.expected)
    }
    await drive(warmUp)
    return await metered(world, () => drive(requests))
  } finally {
    await load.close()
  }
}

/** Stored callbacks to a receiver on this machine. */
async function measureCallbacks(world: World, lanes: number): Promise<Measured> {
  const each = 6_000 / lanes
  await world.inlet('inlet')
  const load = await openCallbackLoad(world)
  try {
    const shops = await Promise.all(
      Array.from({ length: lanes }, (_, lane) => load.addShop(`127.0.0.${lane + 1}`, '/ok')),
    )
    const drain = async () => {
      await load.pauseAll()
      for (const shop of shops) await load.enqueue(shop, each)
      await load.owner.script('vacuum analyze callback_due')
      return metered(world, async () => {
        const began = monotonicMs()
        await load.resume(shops)
        await load.untilDelivered(shops)
        const answered = each * lanes
        return { answered, perSecond: (answered / (monotonicMs() - began)) * 1000 }
      })
    }
    await drain()
    return await drain()
  } finally {
    await load.close()
  }
}

/** In this process, on a database where no Inlet runs: Inlet expires deposits when it likes. */
async function measureExpiry(world: World): Promise<Measured> {
  const count = 8_000
  const owner = openDatabase(world.superuser('inlet_empty'), { connections: 1 })
  await keepCallbackPartitions(owner).finally(() => owner.close())
  const db = openDatabase(world.login('inlet_empty'), { connections: 1, hasNoStatementTimeout: true })
  try {
    const references = Array.from({ length: count }, (_, n) => drawnReference(3_000_000 + n))
    await openDeposits(world, { place: 'inlet_empty', references, hours: -1 })
    const context = { db, publicUrl: 'http://localhost', changed: () => {} }
    await expireDeposits(context)
    const node = process.cpuUsage()
    const measured = await metered(world, async () => {
      const began = monotonicMs()
      let answered = 0
      for (let more = 1; more > 0; answered += more) more = await expireDeposits(context)
      return { answered, perSecond: (answered / (monotonicMs() - began)) * 1000 }
    })
    const { user, system } = process.cpuUsage(node)
    return {
      ...measured,
      note: `${measured.note}; of the process that expires ${perEach((user + system) / 1000, count)}`,
    }
  } finally {
    await db.close()
  }
}

async function metered(
  world: World,
  work: () => Promise<{ answered: number; perSecond: number }>,
): Promise<Measured> {
  const before = await world.cpuByProgram()
  const { answered, perSecond } = await work()
  const after = await world.cpuByProgram()
  const [inlet, postgres] = [after.inlet - before.inlet, after.postgres - before.postgres]
  return {
    value: ((inlet + postgres) / answered) * 1000,
    unit: 'µs',
    reference: null,
    ratio: null,
    note: `Inlet ${perEach(inlet, answered)}, PostgreSQL ${perEach(postgres, answered)}; ${Math.round(perSecond)}/s, ${answered} done`,
  }
}

const perEach = (ms: number, count: number): string => `${Math.round((ms / count) * 1000)} µs`

/** What a verb needs before it is measured. */
async function driveOnce(world: World, requests: Buffer[], expected: number): Promise<void> {
  const { port, lastWords } = await world.inlet('inlet')
  const load = openLoad(lastWords)
  try {
    await load.prepareRaw(requests)
    const { connections } = phase
    await load.drive({ port, connections, seconds: 30, rate: null }, expected)
  } finally {
    await load.close()
  }
}

const ordersOf = (world: World, count: number): Buffer[] =>
  buildOrders({ shop: world.shop, kind: 'account', from: world.draw(count), count })

function buildsOf({ shop: { merchant, secret }, draw }: World, count: number): Buffer[] {
  const from = draw(count)
  return Array.from({ length: count }, (_, index) => {
    const number = from + index
    const fields = {
      merchant,
      order_id: `build-${number}`,
      cents: '150000',
      currency: 'RUB',
      payment_type: 'uzs_select',
      customer: `customer-${number % 10_000}`,
    }
    return requestBytes(
      'POST',
      '/api/v1/requests/deposit/build',
      JSON.stringify({ ...fields, cents: Number(fields.cents) }),
      ['Content-Type: application/json', `X-Signature: ${signLiteral(secret, 'build', fields)}`],
    )
  })
}

function statusRequest({ shop: { keyId, secret } }: World, id: string): Buffer {
  const target = `/api/v1/requests/deposit/${id}`
  const t = Math.floor(Date.now() / 1000)
  const signature = signV2({ secret, kid: keyId, t, method: 'GET', target, body: new Uint8Array() })
  return get(target, [`X-Signature: ${signature}`])
}

/** Each for a deposit of its own, by one source for each account. */
async function pushesOf(world: World, count: number): Promise<Buffer[]> {
  await driveOnce(world, ordersOf(world, count), 201)
  const owner = openDatabase(world.superuser('inlet'), { connections: 1 })
  try {
    // The shop's callback address leads nowhere.
    await owner.script(`update callback_lanes set state = 'paused'`)
    const tokens = new Map<string, string>()
    for (const { accountId } of world.accounts)
      tokens.set(
        accountId,
        (await addSource(owner, { name: `Bench ${accountId}`, mode: 'test', accounts: [accountId] })).token,
      )
    const today = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10)
    return (await readCreated(world, count)).map(({ reference, accountId }, index) => {
      const account = world.accounts.find((known) => known.accountId === accountId)!
      const transfer = {
        id: `bench-${reference}`,
        account: account.draft.number,
        cents: 150_000,
        currency: 'RUB',
        booked_on: today,
        document_number: String(index + 1),
        payer_name: 'Иванов Иван Иванович',
        payer_account: '40817810000000000001',
        purpose: `Пополнение ${reference}`,
      }
      return requestBytes('POST', '/api/v1/bank/transfers', JSON.stringify({ transfers: [transfer] }), [
        'Content-Type: application/json',
        `Authorization: Bearer ${tokens.get(accountId)!}`,
      ])
    })
  } finally {
    await owner.close()
  }
}

async function readCreated(world: World, count: number) {
  const db = openDatabase(world.login('inlet'), { connections: 1 })
  try {
    return await db.query<{ id: string; reference: string; accountId: string }>(sql`
      select id, reference, account_id as "accountId"
      from deposits
      where state = 'created' and reference is not null
      order by created_at desc
      limit ${count}`)
  } finally {
    await db.close()
  }
}

const get = (path: string, headers: readonly string[] = []): Buffer => requestBytes('GET', path, '', headers)

/** One address may ask fifty times a second, so requests come from many. */
const forwardedFor = (index: number): string =>
  `X-Forwarded-For: 10.${index % 200}.${Math.floor(index / 200) % 200}.${index % 7}`
