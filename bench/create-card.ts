/** The same as the create row for cards, where each deposit takes the slot of its amount. */
import { measureCreates } from './create.ts'
import type { Row } from './row.ts'

export const createCard: Row = {
  name: 'create-card',
  must: { least: 1 },
  aim: { least: 1.5 },
  measure: (world) => measureCreates(world, 'card'),
}
