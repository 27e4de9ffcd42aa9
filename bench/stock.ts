/**
 * Creates on a database with the settings that PostgreSQL's makers give, against one with those of the embedded server. A
 * stock server compiles short statements for longer than they run; our sessions set for themselves what they need.
 */
import { alternate, openCreates } from './phases.ts'
import type { Row } from './row.ts'

export const stock: Row = {
  name: 'stock',
  must: { least: 0.9 },
  aim: { least: 1 },
  async measure(world) {
    world.status('stock: warming up')
    const embedded = await openCreates(world, 'inlet', 'account')
    const creates = await openCreates(world, 'inlet_stock', 'account')
    try {
      const sides = { value: () => creates.run(), reference: () => embedded.run() }
      const { cpu, range, ...compared } = await alternate(world, 'stock', 'perSecond', sides)
      return { ...compared, unit: '1/s', note: `${cpu}; ${range}` }
    } finally {
      await creates.close()
      await embedded.close()
    }
  },
}
