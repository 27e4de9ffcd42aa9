/** From `inlet start` to the first answered request, embedded PostgreSQL included, on the data of this run. */
import { median } from './phases.ts'
import type { Row } from './row.ts'

const times = 3

export const start: Row = {
  name: 'start',
  must: { most: 1.3 },
  aim: { most: 0.8 },
  async measure(world) {
    const value = median(await world.timeStart(times)) / 1000
    const note = `median of ${times}, to the first /health/ready, with PostgreSQL`
    return { value, unit: 's', reference: null, ratio: null, note }
  },
}
