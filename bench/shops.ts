/** Merchants with an endpoint, their server, and deposits of theirs, for the callback rows. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../src/platform/db.ts'
import type { Shop } from './orders.ts'
import { addShop, type World } from './world.ts'

/** `path` tells the receiver how to answer; each endpoint has a host of its own, so that it has connections of its own. */
type Endpoint = { host: string; path: string }

const receiverUrl = (port: number, { host, path }: Endpoint): string => `http://${host}:${port}${path}`

export async function addShops(
  world: World,
  place: string,
  port: number,
  endpoints: readonly Endpoint[],
): Promise<Shop[]> {
  const db = openDatabase(await world.login(place), { connections: 1 })
  const shops: Shop[] = []
  try {
    for (const endpoint of endpoints) shops.push(await addShop(db, receiverUrl(port, endpoint)))
    return shops
  } finally {
    await db.close()
  }
}

type Arrivals = {
  /** The last body that came. */
  body: string
  /** When the first callback of each deposit came, as `Date.now()`. */
  byDeposit: Record<string, number>
}

type Receiver = {
  port: number
  /** The milliseconds between the callback of one number and that of another. */
  timeBetween(from: number, to: number): Promise<number>
  arrivals(): Promise<Arrivals>
  close(): void
}

export async function openReceiver(): Promise<Receiver> {
  const program = fileURLToPath(new URL('./receiver.mjs', import.meta.url))
  const child: ChildProcess = fork(program, { execArgv: [] })
  const ask = async <Answer>(question: object): Promise<Answer> => {
    child.send(question)
    const [answer] = await once(child, 'message')
    return answer as Answer
  }
  const [port] = (await once(child, 'message')) as [number]
  return {
    port,
    timeBetween: (from, to) => ask<number>({ from, to }),
    arrivals: () => ask<Arrivals>({}),
    close: () => void child.kill(),
  }
}
