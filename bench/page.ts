/**
 * Payment pages, HTML with a QR code, each read from the database and compressed as browsers ask for it, against a bare
 * Fastify route that answers JSON, and against one that reads the deposits and answers as many bytes.
 */
import { openBareJson, openBareReads } from './bare-process.ts'
import { openLoad } from './load.ts'
import { requestBytes } from './orders.ts'
import { alternate, openCreates, phase } from './phases.ts'
import type { Measured, Row } from './row.ts'
import { readTokens } from './tokens.ts'
import type { World } from './world.ts'

const pages = 2_000

export const page: Row = {
  name: 'page',
  must: { least: 0.25 },
  aim: { least: 0.4 },
  measure: (world) => measure(world, 'page', 'a bare JSON route'),
}

/** The upper limit of the row before. */
export const pageRead: Row = {
  name: 'page-read',
  must: null,
  aim: null,
  measure: (world) => measure(world, 'page-read', 'a bare route that reads'),
}

type Reference = 'a bare JSON route' | 'a bare route that reads'

async function measure(world: World, label: string, name: Reference): Promise<Measured> {
  world.status(`${label}: making deposits`)
  const creates = await openCreates(world, 'inlet', 'account')
  await creates.run(1)
  await creates.close()
  const { port, lastWords } = await world.inlet('inlet')
  const bare = await (name === 'a bare JSON route' ? openBareJson() : openBareReads(world))
  const load = openLoad(lastWords)
  try {
    const tokens = await readTokens(world, pages)
    // One address may open fifty pages a second, so requests come from many.
    const visits = tokens.map((token, index) => [
      `/pay/${token}?lang=ru`,
      `X-Forwarded-For: 10.${index % 200}.${Math.floor(index / 200) % 200}.${index % 7}`,
      'Accept-Encoding: gzip, deflate, br, zstd',
    ])
    const value = () => visit(port, visits)
    const reference = () => visit(bare.port, name === 'a bare JSON route' ? [['/']] : visits)
    await value()
    await reference()
    const { cpu, range, ...compared } = await alternate(world, label, 'perSecond', { value, reference })
    return { ...compared, unit: '1/s', note: `${cpu}; ${range}; compressed, opened again, against ${name}` }
  } finally {
    await load.close()
    bare.close()
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
}
