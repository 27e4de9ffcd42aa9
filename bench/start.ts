/** From `inlet start` to the first answered request, embedded PostgreSQL included, on the data of this run. */
import { median } from './compare.ts'
import type { Row } from './row.ts'

const times = 3

export const start: Row = {
  name: 'start',
  what: 'the start to the first answer, with PostgreSQL, warm install, existing data',
  must: { most: 1 },
  aim: { most: 0.8 },
  async measure(world) {
    const value = median(await world.timeStart(times)) / 1000
    const note = `median of ${times}, to the first /health/ready`
    return { value, unit: 's', reference: null, ratio: null, note }
  },
}
