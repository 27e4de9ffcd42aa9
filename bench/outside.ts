/**
 * Creates against references that share none of our costs, by clients that are not ours: `wrk` sends signed orders,
 * `pgbench` commits one plain row per transaction on the same server. Where they are not installed, the load of the other
 * rows and a bare client that commits the same plain row take their place, and the row says so.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Client } from 'pg'
import { monotonicMs } from '../src/platform/clock.ts'
import { openBareProcess } from './bare-process.ts'
import { type LoadResult, openLoad } from './load.ts'
import { buildOrders } from './orders.ts'
import { alternate, median, phase } from './phases.ts'
import type { Measured, Row } from './row.ts'
import { connect, type World } from './world.ts'

const run = promisify(execFile)
const outside = { seconds: 3, warmUpSeconds: 8, references: 32 } as const

export const createOutside: Row = {
  name: 'create-outside',
  must: { least: 0.4 },
  aim: { least: 0.6 },
  measure: (world) =>
    measure(world, 'create-outside', phase.connections, openCommits(world, outside.references)),
}

export const createLone: Row = {
  name: 'create-lone',
  must: { least: 0.2 },
  aim: { least: 0.4 },
  measure: (world) => measure(world, 'create-lone', 1, openCommits(world, 1)),
}

export const createHttp: Row = {
  name: 'create-http',
  must: { least: 0.6 },
  aim: { least: 0.8 },
  measure: (world) => measure(world, 'create-http', phase.connections, openBareRoute(world)),
}

/** Creates without any checks over the same HTTP, driver, table and constraints: the upper limit of the rows above. */
export const createStored: readonly Row[] = [phase.connections, 1].map((connections) => {
  const name = connections === 1 ? 'create-lone-stored' : 'create-stored'
  return {
    name,
    must: { least: 0.6 },
    aim: { least: 0.8 },
    measure: (world) =>
      measure(world, name, connections, openBareRoute(world, { connections, stores: true })),
  }
})

/** All cores against one process, on the same database. PostgreSQL and the client share the cores. */
export const createCores: Row = {
  name: 'create-cores',
  must: { least: 1.5 },
  aim: { least: 1.8 },
  measure: (world) =>
    measure(world, 'create-cores', phase.connections, openOneProcess(world), availableParallelism()),
}

type Reference = { name: string; run(): Promise<number>; close(): Promise<void> }

async function measure(
  world: World,
  label: string,
  connections: number,
  opening: Promise<Reference>,
  processes = 1,
): Promise<Measured> {
  const reference = await opening
  const client = await openClient(world)
  const { port } = await world.inlet('inlet', processes)
  const cpu: { inlet: number; postgres: number }[] = []
  const referenceMs: number[] = []
  const create = async (seconds: number, most: number) => {
    const before = await world.cpuByProgram()
    const { answered, perSecond, p99Ms } = await client.create(port, connections, seconds, most)
    const after = await world.cpuByProgram()
    cpu.push({
      inlet: (after.inlet - before.inlet) / answered,
      postgres: (after.postgres - before.postgres) / answered,
    })
    return { perSecond, p99Ms, cpuMicros: null }
  }
  try {
    world.status(`${label}: warming up`)
    await create(outside.warmUpSeconds, phase.mostPerSecond)
    const compared = await alternate(world, label, 'perSecond', {
      value: () => create(outside.seconds, connections === 1 ? 3_000 : phase.mostPerSecond),
      reference: async () => {
        const before = await world.cpuByProgram()
        const perSecond = await reference.run()
        const after = await world.cpuByProgram()
        referenceMs.push((after.postgres - before.postgres) / (perSecond * outside.seconds))
        return { perSecond, p99Ms: 0, cpuMicros: null }
      },
    })
    const middle = (program: 'inlet' | 'postgres') =>
      median(cpu.slice(1).map((round) => round[program])).toFixed(2)
    const note =
      `${client.name}, ${connections} connections, against ${reference.name}; ${compared.range}; ` +
      `processor per create: Inlet ${middle('inlet')} ms, PostgreSQL ${middle('postgres')} ms; ` +
      `of PostgreSQL's for the reference ${median(referenceMs).toFixed(2)} ms`
    const { value, ratio } = compared
    return { value, reference: compared.reference, ratio, unit: '1/s', note }
  } finally {
    await client.close()
    await reference.close()
  }
}

type OutsideClient = {
  name: string
  create(
    port: number,
    connections: number,
    seconds: number,
    mostPerSecond: number,
  ): Promise<Pick<LoadResult, 'answered' | 'perSecond' | 'p99Ms'>>
  close(): Promise<void>
}

async function openClient(world: World): Promise<OutsideClient> {
  const prepare = (seconds: number, mostPerSecond: number) => {
    const count = seconds * mostPerSecond
    return { shop: world.shop, kind: 'account', from: world.draw(count), count } as const
  }
  if (!(await isInstalled('wrk', '-v'))) {
    const load = openLoad((await world.inlet('inlet')).lastWords)
    return {
      name: 'built-in client',
      async create(port, connections, seconds, mostPerSecond) {
        await load.prepare(prepare(seconds, mostPerSecond))
        return load.drive({ port, connections, seconds, rate: null }, 201)
      },
      close: load.close,
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'inlet-orders-'))
  const file = join(folder, 'orders')
  return {
    name: 'wrk',
    async create(port, connections, seconds, mostPerSecond) {
      const orders = buildOrders(prepare(seconds, mostPerSecond))
      await writeFile(file, Buffer.concat(orders.flatMap((order) => [order, Buffer.of(0)])))
      return drive(port, connections, seconds, file)
    },
    close: () => rm(folder, { recursive: true }),
  }
}

/** `wrk` with one thread: a second one would read the same orders. */
async function drive(port: number, connections: number, seconds: number, file: string) {
  const script = fileURLToPath(new URL('./presigned.lua', import.meta.url))
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '-s',
    script,
    `http://127.0.0.1:${port}`,
  ]
  const { stdout } = await run('wrk', [...args, '--', file])
  const problem = /Non-2xx.*|Socket errors.*/.exec(stdout)
  if (problem) throw new Error(`wrk: ${problem[0]}`)
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout)!
  return {
    answered: Number(/(\d+) requests in/.exec(stdout)![1]),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]),
    p99Ms: Number(p99) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'],
  }
}

/** Commits of one plain row: the most that the server can do for clients that wait for each commit. */
async function openCommits(world: World, clients: number): Promise<Reference> {
  const admin = await connect(world.superuser('inlet'))
  await admin.query(
    'create table if not exists plain_row (id bigint generated always as identity primary key, text text)',
  )
  const insert = "insert into inlet.plain_row (text) values ('a deposit, more or less')"
  if (!(await isInstalled('pgbench', '--version'))) {
    const connections: Client[] = []
    for (let number = 0; number < clients; number++) connections.push(await connect(world.superuser('inlet')))
    return {
      name: `bare commits of one row on ${clients} connections`,
      async run() {
        let committed = 0
        const began = monotonicMs()
        const end = began + outside.seconds * 1000
        await Promise.all(
          connections.map(async (connection) => {
            for (; monotonicMs() < end; committed++) await connection.query({ name: 'plain', text: insert })
          }),
        )
        return (committed / (monotonicMs() - began)) * 1000
      },
      close: async () => void (await Promise.all([admin, ...connections].map((one) => one.end()))),
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'inlet-pgbench-'))
  const script = join(folder, 'commit.sql')
  await writeFile(script, `${insert};\n`)
  const { host, port, database, user, password } = world.superuser('inlet')
  const place = ['-h', host, '-p', String(port), '-U', user]
  const args = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(clients),
    '-T',
    String(outside.seconds),
    '-f',
    script,
    ...place,
  ]
  return {
    name: `pgbench on ${clients}`,
    async run() {
      const { stdout } = await run('pgbench', [...args, database], {
        env: { ...process.env, PGPASSWORD: password },
      })
      return Number(/tps = ([\d.]+)/.exec(stdout)![1])
    },
    async close() {
      await admin.end()
      await rm(folder, { recursive: true })
    },
  }
}

async function openOneProcess(world: World): Promise<Reference> {
  const client = await openClient(world)
  const { port } = await world.inlet('inlet')
  const run = async (seconds: number) =>
    (await client.create(port, phase.connections, seconds, phase.mostPerSecond)).perSecond
  await run(outside.warmUpSeconds)
  return { name: 'one process', run: () => run(outside.seconds), close: client.close }
}

/** A route that does what HTTP requires, and stores nothing unless it is asked to. */
async function openBareRoute(
  world: World,
  { connections = phase.connections, stores = false }: { connections?: number; stores?: boolean } = {},
): Promise<Reference> {
  const client = await openClient(world)
  // As many bytes as the answer to a create with a transfer to an account has.
  const answer = JSON.stringify({ deposit: 'x'.repeat(1_150) })
  const place = stores ? [JSON.stringify({ login: world.login('inlet'), accounts: world.accounts })] : []
  const bare = await openBareProcess('./bare-signed-route.mjs', [world.shop.secret, answer, ...place])
  return {
    name: `a bare Fastify route with HMAC${stores ? ' that stores the same rows' : ''}`,
    async run() {
      const most = 2 * phase.mostPerSecond
      return (await client.create(bare.port, connections, outside.seconds, most)).perSecond
    },
    async close() {
      bare.close()
      await client.close()
    },
  }
}

const isInstalled = (program: string, version: string): Promise<boolean> =>
  run(program, [version]).then(
    () => true,
    // wrk prints its version and fails.
    (error: { code?: unknown }) => error.code !== 'ENOENT',
  )
