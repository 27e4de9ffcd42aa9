/** Creates of deposits to cards, each of which takes the slot of its amount, against creates of transfers to accounts. */
import { alternate } from './compare.ts'
import { openCreates } from './creates.ts'
import type { Row } from './row.ts'

export const createCard: Row = {
  name: 'create-card',
  what: 'creates to cards, distinct amounts, 20 cards ÷ creates to accounts',
  must: { least: 0.85 },
  aim: { least: 1 },
  async measure(world) {
    world.status('create-card: warming up')
    const accounts = await openCreates(world, 'creates')
    const cards = await openCreates(world, 'creates', { kind: 'card' })
    try {
      const sides = { value: () => cards.run(), reference: () => accounts.run() }
      return await alternate(world, 'create-card', 'perSecond', sides)
    } finally {
      await accounts.close()
      await cards.close()
    }
  },
}
