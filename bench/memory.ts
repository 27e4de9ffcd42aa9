/** The most memory an Inlet of this run has held. Alone it makes creates first. */
import { openCreates } from './creates.ts'
import type { Row } from './row.ts'

export const memory: Row = {
  name: 'memory',
  what: 'the most resident memory of one process during the rows above',
  must: { most: 400 },
  aim: { most: 300 },
  async measure(world) {
    world.status('memory: creates')
    await (await openCreates(world, 'creates')).close()
    const value = (await world.peakRss()) / 2 ** 20
    return { value, unit: 'MB', reference: null, ratio: null, note: 'peak resident memory of any Inlet' }
  },
}
