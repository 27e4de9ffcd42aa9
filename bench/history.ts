/** Creates beside old deposits, against creates without any. */
import { alternate } from './compare.ts'
import { openCreates } from './creates.ts'
import { fillOld } from './old-deposits.ts'
import type { Row } from './row.ts'
import { settings } from './settings.ts'

export const history: Row = {
  name: 'history',
  what: 'creates beside old deposits ÷ beside none',
  must: { least: 0.9 },
  aim: { least: 1 },
  async measure(world) {
    await fillOld(world)
    world.status('history: warming up')
    const full = await openCreates(world, 'old')
    const empty = await openCreates(world, 'young')
    try {
      const sides = { value: () => full.run(), reference: () => empty.run() }
      const { note, ...compared } = await alternate(world, 'history', 'perSecond', sides)
      return { ...compared, note: `${settings.deposits.toLocaleString('en')} old deposits; ${note}` }
    } finally {
      await full.close()
      await empty.close()
      await Promise.all(['old', 'young'].map(world.leave))
    }
  },
}
