/**
 * How a flood of anonymous requests affects merchants: the p99 of creates at a modest rate, under a flood of each expensive
 * request that anyone may send, against the p99 without. The flood comes from a process of its own; every half a second
 * two hundred requests are sent at once, as in the attack that this row is made from.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Flood, floodsOfPeople, floodsOfStrangers, from, type Origin } from './floods.ts'
import { openLoad } from './load.ts'
import { median, openCreates } from './phases.ts'
import { residentOf, watchResident } from './resident.ts'
import type { Row } from './row.ts'
import { signIn } from './signed-in.ts'
import { readTokens } from './tokens.ts'
import type { World } from './world.ts'

const settings = {
  creates: { rate: 100, connections: 16, seconds: 4 },
  flood: { connections: 200, beatMs: 500 },
  rounds: 3,
  /** How long a flood has lasted when the measuring begins. */
  leadMs: 500,
} as const

const goals = { must: { most: 3 }, aim: { most: 2 } } as const

/** What one event loop on this machine costs at the least: a server that does nothing, under the same flood. */
const bare: Row = {
  name: 'bystanders: a bare server, one address',
  ...goals,
  async measure(world) {
    const child = fork(fileURLToPath(new URL('./bare-server.mjs', import.meta.url)))
    try {
      const [port] = (await once(child, 'message')) as [number]
      const nothing = { name: 'a bare server', requests: () => ['GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'] }
      return await measure(world, { port, pid: child.pid!, lastWords: () => '' }, nothing, 'one')
    } finally {
      child.kill()
    }
  },
}

export const bystanders: readonly Row[] = [
  bare,
  ...[...floodsOfStrangers, ...floodsOfPeople].flatMap((flood) =>
    flood.origins.map((origin) => ({
      name: `bystanders: ${flood.name}, ${origin === 'one' ? 'one address' : 'many addresses'}`,
      ...goals,
      async measure(world: World) {
        const inlet = await world.inlet('inlet')
        const warm = await openCreates(world, 'inlet', 'account')
        await warm.run(1)
        await warm.close()
        return measure(world, inlet, flood, origin)
      },
    })),
  ),
]

type Server = { port: number; pid: number; lastWords: Parameters<typeof openLoad>[0] }

async function measure(
  world: World,
  { port, pid, lastWords }: Server,
  flood: Pick<Flood, 'name' | 'requests'>,
  origin: Origin,
) {
  const label = `bystanders: ${flood.name}, ${origin}`
  const requests = from(flood.requests(await readTokens(world, 2_000), await signIn(world)), origin)
  const load = openLoad(lastWords)
  const rounds: { value: number; reference: number; ratio: number }[] = []
  const statuses: Record<string, number> = {}
  let peak = 0
  const creates = async () => {
    const { rate, connections, seconds } = settings.creates
    const count = rate * seconds
    await load.prepare({ shop: world.shop, kind: 'account', from: world.draw(count), count })
    return (await load.drive({ port, connections, seconds, rate }, 201)).p99Ms
  }
  try {
    for (let round = 1; round <= settings.rounds; round++) {
      world.status(`${label}: round ${round} of ${settings.rounds}`)
      const reference = await creates()
      const resident = watchResident(pid)
      const { value, seen } = await under({ port, requests, ...settings.flood }, creates).finally(() => {
        peak = Math.max(peak, resident.stop())
      })
      for (const [status, times] of Object.entries(seen)) statuses[status] = (statuses[status] ?? 0) + times
      rounds.push({ value, reference, ratio: value / reference })
    }
  } finally {
    await load.close()
  }
  const middle = median(rounds.map(({ ratio }) => ratio))
  const { value, reference, ratio } = rounds.find((round) => round.ratio === middle)!
  const after = await residentOf(pid)
  const answers = Object.entries(statuses).map(([status, times]) => `${times} × ${status}`)
  const note = `peak ${mb(peak)} MB, after ${mb(after)} MB; flood: ${answers.join(', ')}`
  return { value, unit: 'ms p99', reference, ratio, note }
}

type Work = { port: number; requests: string[]; connections: number; beatMs: number }

/** Creates while a flood is under way, and what the flood was answered. */
async function under(work: Work, creates: () => Promise<number>) {
  const child = fork(fileURLToPath(new URL('./flood.mjs', import.meta.url)))
  try {
    await once(child, 'spawn')
    child.send(work)
    await new Promise((resolve) => setTimeout(resolve, settings.leadMs))
    const value = await creates()
    child.send('stop')
    const [seen] = (await once(child, 'message')) as [Record<string, number>]
    return { value, seen }
  } finally {
    child.kill()
  }
}

const mb = (bytes: number): number => Math.round(bytes / 2 ** 20)
