/** The most memory an Inlet of this run has held. Alone it makes the load of the create row first. */
import { openCreates } from './phases.ts'
import type { Row } from './row.ts'

export const memory: Row = {
  name: 'memory',
  must: { most: 220 },
  aim: { most: 160 },
  async measure(world) {
    world.status('memory: creates')
    const creates = await openCreates(world, 'inlet', 'account')
    try {
      await creates.run()
    } finally {
      await creates.close()
    }
    const value = (await world.peakRss()) / 2 ** 20
    return { value, unit: 'MB', reference: null, ratio: null, note: 'peak resident memory of one Inlet' }
  },
}
