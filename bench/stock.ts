/**
 * Creates on a database with the settings that PostgreSQL's makers give, against one with those of the embedded server. A
 * stock server compiles short statements for longer than they run; our sessions set for themselves what they need.
 */
import { alternate } from './compare.ts'
import { openCreates } from './creates.ts'
import type { Row } from './row.ts'
import { connect } from './world.ts'

export const stock: Row = {
  name: 'stock',
  what: "creates on PostgreSQL's own settings ÷ on those of the embedded server",
  must: { least: 0.9 },
  aim: { least: 1 },
  async measure(world) {
    world.status('stock: warming up')
    const admin = await connect(await world.superuser('stock'))
    // The others are the defaults already, or matter in hours only.
    await admin.query('alter database stock set jit = on').finally(() => admin.end())
    const embedded = await openCreates(world, 'creates')
    const creates = await openCreates(world, 'stock')
    try {
      const sides = { value: () => creates.run(), reference: () => embedded.run() }
      return await alternate(world, 'stock', 'perSecond', sides)
    } finally {
      await creates.close()
      await embedded.close()
      await world.leave('stock')
    }
  },
}
