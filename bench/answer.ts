/** What an answer without work costs: processor time of a POST with a JSON body, against a bare Fastify route. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openLoad } from './load.ts'
import { requestBytes } from './orders.ts'
import { median } from './phases.ts'
import type { Row } from './row.ts'

const settings = { rounds: 9, seconds: 1, connections: 16 } as const

export const answer: Row = {
  name: 'answer',
  must: { most: 1.4 },
  aim: { most: 1.2 },
  async measure(world) {
    const body = JSON.stringify({
      cents: 150_000,
      currency: 'RUB',
      customer: 'customer-1',
      order_id: 'order-1',
    })
    const raw = requestBytes('POST', '/api/v1/nothing', body, [
      'Content-Type: application/json',
      'X-Forwarded-For: 10.9.9.9',
    ])
    const [inlet, bare] = await Promise.all([open('inlet'), open('bare')])
    const load = openLoad(() => '')
    const run = async ({ port, cpuMicros }: Server) => {
      await load.prepareRaw([raw])
      const before = await cpuMicros()
      const { seconds, connections } = settings
      const { answered } = await load.drive({ port, connections, seconds, rate: null, replay: true }, 200)
      return ((await cpuMicros()) - before) / answered
    }
    try {
      await run(inlet)
      await run(bare)
      const rounds: { value: number; reference: number; ratio: number }[] = []
      for (let round = 1; round <= settings.rounds; round++) {
        world.status(`answer: round ${round} of ${settings.rounds}`)
        const [value, reference] = [await run(inlet), await run(bare)]
        rounds.push({ value, reference, ratio: value / reference })
      }
      const middle = median(rounds.map(({ ratio }) => ratio))
      const lowest = (of: 'value' | 'reference') => Math.min(...rounds.map((round) => round[of])).toFixed(0)
      const note = `${settings.connections} connections; lowest ${lowest('value')} against ${lowest('reference')} µs`
      return { ...rounds.find(({ ratio }) => ratio === middle)!, unit: 'µs', note }
    } finally {
      await load.close()
      inlet.close()
      bare.close()
    }
  },
}

type Server = { port: number; cpuMicros(): Promise<number>; close(): void }

async function open(kind: 'inlet' | 'bare'): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./answer-server.ts', import.meta.url)), [kind])
  const [port] = (await once(child, 'message')) as [number]
  const cpuMicros = async () => {
    child.send('cpu')
    const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage]
    return user + system
  }
  return { port, cpuMicros, close: () => void child.kill() }
}
