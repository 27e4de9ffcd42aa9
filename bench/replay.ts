/** The same requests once more: each is answered with the deposit it already has. Against a bare route that looks it up. */
import { openBare } from './bare.ts'
import { alternate } from './compare.ts'
import { openCreates } from './creates.ts'
import type { Row } from './row.ts'

export const replay: Row = {
  name: 'replay',
  what: 'creates sent again ÷ a bare route with HMAC that looks the deposit up',
  must: { least: 0.7 },
  aim: { least: 0.8 },
  async measure(world) {
    world.status('replay: warming up')
    const creates = await openCreates(world, 'creates', { isBuiltIn: true })
    const bare = await openBare({
      does: 'look-ups',
      login: await world.login('creates'),
      shop: world.shop,
    })
    try {
      await creates.run()
      const sides = { value: () => creates.replay(), reference: () => creates.replay(bare.port) }
      await sides.reference()
      return await alternate(world, 'replay', 'perSecond', sides)
    } finally {
      bare.close()
      await creates.close()
    }
  },
}
