/** Signed creates over HTTP against bare commits of the same rows. Transfers to an account: no slots. */
import type { OrderKind } from './orders.ts'
import { alternate, openCreates, openReference } from './phases.ts'
import type { Measured, Row } from './row.ts'
import type { World } from './world.ts'

export const create: Row = {
  name: 'create',
  must: { least: 1 },
  aim: { least: 1.5 },
  measure: (world) => measureCreates(world, 'account'),
}

export async function measureCreates(world: World, kind: OrderKind): Promise<Measured> {
  const label = kind === 'card' ? 'create-card' : 'create'
  world.status(`${label}: warming up`)
  const creates = await openCreates(world, 'inlet', kind)
  try {
    const reference = await openReference(world, 'inlet', kind)
    try {
      const sides = { value: () => creates.run(), reference: () => reference.run() }
      const { cpu, range, ...compared } = await alternate(world, label, 'perSecond', sides)
      const note = `${cpu}; ${range}; bare commits on ${reference.connections} connections`
      return { ...compared, unit: '1/s', note }
    } finally {
      await reference.close()
    }
  } finally {
    await creates.close()
  }
}
