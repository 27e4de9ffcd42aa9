/** The same requests once more: each is answered with the deposit it already has. */
import { alternate, openCreates } from './phases.ts'
import type { Row } from './row.ts'

export const replay: Row = {
  name: 'replay',
  must: { least: 2 },
  aim: { least: 3 },
  async measure(world) {
    world.status('replay: warming up')
    const creates = await openCreates(world, 'inlet', 'account')
    try {
      const sides = { value: () => creates.replay(), reference: () => creates.run() }
      const { cpu, range, ...compared } = await alternate(world, 'replay', 'perSecond', sides)
      return { ...compared, unit: '1/s', note: `${cpu}; ${range}; against creates` }
    } finally {
      await creates.close()
    }
  },
}
