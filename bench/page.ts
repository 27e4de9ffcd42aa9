/**
 * Payment pages, HTML with a QR code, each read from the database and compressed as browsers ask for it, against a bare
 * Fastify route that answers JSON.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openLoad } from './load.ts'
import { requestBytes } from './orders.ts'
import { alternate, openCreates, phase } from './phases.ts'
import type { Row } from './row.ts'
import { readTokens } from './tokens.ts'

const pages = 2_000

export const page: Row = {
  name: 'page',
  must: { least: 0.25 },
  aim: { least: 0.4 },
  async measure(world) {
    world.status('page: making deposits')
    const creates = await openCreates(world, 'inlet', 'account')
    await creates.run(1)
    await creates.close()
    const { port, lastWords } = await world.inlet('inlet')
    const bare = fork(fileURLToPath(new URL('./bare-route.mjs', import.meta.url)))
    const load = openLoad(lastWords)
    try {
      const [barePort] = (await once(bare, 'message')) as [number]
      const tokens = await readTokens(world, pages)
      // One address may open fifty pages a second, so requests come from many.
      const visits = tokens.map((token, index) => [
        `/pay/${token}?lang=ru`,
        `X-Forwarded-For: 10.${index % 200}.${Math.floor(index / 200) % 200}.${index % 7}`,
        'Accept-Encoding: gzip, deflate, br, zstd',
      ])
      const value = () => visit(port, visits)
      const reference = () => visit(barePort, [['/']])
      await value()
      const { cpu, range, ...compared } = await alternate(world, 'page', 'perSecond', { value, reference })
      return { ...compared, unit: '1/s', note: `${cpu}; ${range}; compressed, opened again` }
    } finally {
      await load.close()
      bare.kill()
    }

    async function visit(to: number, heads: string[][]) {
      await load.prepareRaw(heads.map(([target, ...headers]) => requestBytes('GET', target!, '', headers)))
      const before = await world.cpuMs()
      const { connections, seconds } = phase
      const drive = { port: to, connections, seconds, rate: null, replay: true }
      const { answered, perSecond, p99Ms } = await load.drive(drive, 200)
      const after = await world.cpuMs()
      const cpuMicros = before === null || after === null ? null : ((after - before) / answered) * 1000
      return { perSecond, p99Ms, cpuMicros }
    }
  },
}
