/**
 * Creates over HTTP, as fast as answers come or at a rate. Those that are sent as fast as answers come are sent by `wrk` where it is
 * installed, because it is not ours and costs almost nothing; else by the built-in client, and the row says so.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Phase } from './compare.ts'
import { openLoad } from './load.ts'
import { buildOrders, createPath, type OrderKind, type Orders, type Shop, signedOrder } from './orders.ts'
import { settings } from './settings.ts'
import type { World } from './world.ts'

const run = promisify(execFile)

type Creates = {
  /** Who sends them. */
  client: string
  /** `to`: the port of another server than Inlet. */
  run(options?: { seconds?: number; rate?: number; to?: number }): Promise<Phase>
  /** Sends again what the built-in client sent last. */
  replay(to?: number): Promise<Phase>
  close(): Promise<void>
}

type CreateOptions = { kind?: OrderKind; connections?: number; isBuiltIn?: boolean }

/** The ports of the Inlets that are warm. */
const warmed = new Set<number>()

export async function openCreates(
  world: World,
  place: string,
  { kind = 'account', connections = settings.connections, isBuiltIn = false }: CreateOptions = {},
): Promise<Creates> {
  const { port, lastWords } = await world.inlet(place)
  const load = openLoad(lastWords)
  const isWrk = !isBuiltIn && (await isInstalled('wrk', '-v'))
  const creates: Creates = {
    client: isWrk ? 'wrk' : 'the built-in client (wrk is not installed)',
    async run({ seconds = settings.seconds, rate, to = port } = {}) {
      const count = Math.ceil(seconds * (rate ?? settings.mostPerSecond))
      const orders = { shop: world.shop, kind, from: world.draw(count), count }
      if (isWrk && rate === undefined) return driveWrk(orders, to, connections, seconds)
      await load.prepare(orders)
      return load.drive({ port: to, connections, seconds, rate: rate ?? null }, 201)
    },
    replay: (to = port) =>
      load.drive({ port: to, connections, seconds: settings.seconds, rate: null, replay: true }, 200),
    close: load.close,
  }
  await creates.run({ seconds: warmed.has(port) ? settings.seconds / 2 : settings.warmUpSeconds })
  warmed.add(port)
  return creates
}

/** So many deposits, each created once: what other rows work on. */
export async function createDeposits(world: World, place: string, shop: Shop, count: number): Promise<void> {
  const { port, lastWords } = await world.inlet(place)
  const load = openLoad(lastWords)
  try {
    await load.prepare({ shop, kind: 'account', from: world.draw(count), count, callbackUrl: null })
    const { connections } = settings
    const { answered } = await load.drive({ port, connections, seconds: 600, rate: null }, 201)
    if (answered !== count) throw new Error(`${answered} of ${count} deposits were created.`)
  } finally {
    await load.close()
  }
}

type Created = { id: string; payment_data: { url: string } }

/** One create whose answer is read. */
export async function createOne(world: World, place: string, shop: Shop = world.shop): Promise<Created> {
  const { port } = await world.inlet(place)
  const init = signedOrder(shop, 'account', world.draw(1), null)
  const answer = await fetch(`http://127.0.0.1:${port}${createPath}`, { method: 'POST', ...init })
  if (answer.status !== 201) throw new Error(`create: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Created
}

/** `wrk` with one thread: a second one would read the same orders. */
async function driveWrk(orders: Orders, port: number, connections: number, seconds: number): Promise<Phase> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-orders-'))
  const file = join(folder, 'orders')
  try {
    await writeFile(file, Buffer.concat(buildOrders(orders).flatMap((order) => [order, Buffer.of(0)])))
    const script = fileURLToPath(new URL('./presigned.lua', import.meta.url))
    const words = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script]
    const { stdout } = await run('wrk', [...words, `http://127.0.0.1:${port}`, '--', file])
    const problem = /Non-2xx.*|Socket errors.*/.exec(stdout)
    if (problem) throw new Error(`wrk: ${problem[0]}`)
    const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout)!
    return {
      answered: Number(/(\d+) requests in/.exec(stdout)![1]),
      perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]),
      p99Ms: Number(p99) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'],
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

export const isInstalled = (program: string, word: string): Promise<boolean> =>
  run(program, [word]).then(
    () => true,
    // wrk prints its version and fails.
    (error: { code?: unknown }) => error.code !== 'ENOENT',
  )
