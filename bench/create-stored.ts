/** Signed creates against a bare route that stores the same deposits in the same table: as fast as it goes, and at a steady pace. */
import { openBare } from './bare.ts'
import { alternate } from './compare.ts'
import { createOne, openCreates } from './creates.ts'
import type { Measured, Row } from './row.ts'
import { settings } from './settings.ts'
import type { World } from './world.ts'

export const createStored: Row = {
  name: 'create-stored',
  what: 'creates, 64 connections ÷ a bare route with HMAC that stores the same deposits',
  must: { least: 0.75 },
  aim: { least: 0.85 },
  measure: (world) => measure(world, 'create-stored'),
}

export const createSteady: Row = {
  name: 'create-steady',
  what: 'p99 of creates at 100 a second ÷ of that bare route at the same pace',
  must: { most: 2 },
  aim: { most: 1.5 },
  measure: (world) => measure(world, 'create-steady', 100),
}

async function measure(world: World, label: string, rate?: number): Promise<Measured> {
  world.status(`${label}: warming up`)
  const { id: model } = await createOne(world, 'bare')
  await world.leave('bare')
  const login = await world.login('bare')
  const bare = await openBare({ does: 'stores', login, shop: world.shop, model })
  const creates = await openCreates(world, 'creates')
  try {
    await creates.run({ to: bare.port, seconds: settings.warmUpSeconds / 2 })
    const phase = rate === undefined ? {} : { rate, seconds: 3 * settings.seconds }
    const sides = {
      value: () => creates.run(phase),
      reference: () => creates.run({ ...phase, to: bare.port }),
    }
    return await alternate(world, label, rate === undefined ? 'perSecond' : 'p99Ms', sides)
  } finally {
    await creates.close()
    bare.close()
  }
}
