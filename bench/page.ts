/**
 * Payment pages, HTML with a QR code, each read from the database and compressed as browsers ask for it, against a bare
 * Fastify route that answers JSON.
 */
import { openBare } from './bare.ts'
import { alternate } from './compare.ts'
import { createOne, openCreates } from './creates.ts'
import { openLoad } from './load.ts'
import { requestBytes } from './orders.ts'
import type { Row } from './row.ts'
import { settings, shareOf } from './settings.ts'

export const page: Row = {
  name: 'page',
  what: 'payment pages, opened again, from the database ÷ a bare JSON route',
  must: { least: 0.25 },
  aim: { least: 0.35 },
  async measure(world) {
    world.status('page: making deposits')
    await (await openCreates(world, 'creates')).close()
    const pages: string[] = []
    while (pages.length < shareOf(2_000)) {
      const made = await Promise.all(Array.from({ length: 20 }, () => createOne(world, 'creates')))
      pages.push(...made.map(({ payment_data }) => new URL(payment_data.url).pathname))
    }
    const { port, lastWords } = await world.inlet('creates')
    const bare = await openBare({ does: 'json' })
    const load = openLoad(lastWords)
    const visit = async (to: number, heads: string[][]) => {
      await load.prepareRaw(heads.map(([target, ...headers]) => requestBytes('GET', target!, '', headers)))
      const { connections, seconds } = settings
      return load.drive({ port: to, connections, seconds, rate: null, replay: true }, 200)
    }
    // One address may open fifty pages a second, so requests come from many.
    const visits = pages.map((path, index) => [
      `${path}?lang=ru`,
      `X-Forwarded-For: 10.${index % 200}.${Math.floor(index / 200) % 200}.${index % 7}`,
      'Accept-Encoding: gzip, deflate, br, zstd',
    ])
    const value = () => visit(port, visits)
    const reference = () => visit(bare.port, [['/']])
    try {
      await value()
      await reference()
      return await alternate(world, 'page', 'perSecond', { value, reference })
    } finally {
      await load.close()
      bare.close()
    }
  },
}
