/** What an answer without work costs: processor time of a POST with a JSON body, against a bare Fastify route. */
import { openBare, openServer, type Server } from './bare.ts'
import { median } from './compare.ts'
import { openLoad } from './load.ts'
import { requestBytes } from './orders.ts'
import type { Row } from './row.ts'
import { settings } from './settings.ts'

const connections = 16

export const answer: Row = {
  name: 'answer',
  what: 'a POST with a JSON body and no work, processor time ÷ a bare Fastify route',
  must: { most: 1.4 },
  aim: { most: 1.2 },
  async measure(world) {
    const body = JSON.stringify({
      cents: 150_000,
      currency: 'RUB',
      customer: 'customer-1',
      order_id: 'order-1',
    })
    const raw = requestBytes('POST', '/nothing', body, [
      'Content-Type: application/json',
      'X-Forwarded-For: 10.9.9.9',
    ])
    const inlet = await openServer('./answer-server.ts', '')
    const bare = await openBare({ does: 'json' })
    const load = openLoad(() => '')
    const run = async ({ port, cpuMicros }: Server) => {
      await load.prepareRaw([raw])
      const before = await cpuMicros()
      const seconds = settings.seconds / 2
      const { answered } = await load.drive({ port, connections, seconds, rate: null, replay: true }, 200)
      return ((await cpuMicros()) - before) / answered
    }
    try {
      await run(inlet)
      await run(bare)
      const rounds: { value: number; reference: number; ratio: number }[] = []
      for (let round = 1; round <= 2 * settings.rounds - 1; round++) {
        world.status(`answer: round ${round}`)
        const [value, reference] = [await run(inlet), await run(bare)]
        rounds.push({ value, reference, ratio: value / reference })
      }
      const middle = median(rounds.map(({ ratio }) => ratio))
      const lowest = (of: 'value' | 'reference') => Math.min(...rounds.map((round) => round[of])).toFixed(0)
      const note = `${connections} connections; lowest ${lowest('value')} against ${lowest('reference')} µs`
      return { ...rounds.find(({ ratio }) => ratio === middle)!, unit: 'µs', note }
    } finally {
      await load.close()
      inlet.close()
      bare.close()
    }
  },
}
