/** Signed creates over HTTP against commits of one plain row: the least that is durable. With 64 connections, and with one. */

import { openCommits } from './commits.ts'
import { alternate } from './compare.ts'
import { openCreates } from './creates.ts'
import type { Measured, Row } from './row.ts'
import { settings } from './settings.ts'
import type { World } from './world.ts'

export const createOutside: Row = {
  name: 'create-outside',
  what: 'signed creates over HTTP, 64 connections, one process ÷ commits of one plain row, 32 clients',
  must: { least: 0.35 },
  aim: { least: 0.45 },
  measure: (world) => measure(world, 'create-outside', settings.connections, 32),
}

export const createLone: Row = {
  name: 'create-lone',
  what: 'the same with one connection ÷ commits of one client',
  must: { least: 0.1 },
  aim: { least: 0.15 },
  measure: (world) => measure(world, 'create-lone', 1, 1),
}

async function measure(world: World, label: string, connections: number, clients: number): Promise<Measured> {
  world.status(`${label}: warming up`)
  const commits = await openCommits(world, clients)
  const creates = await openCreates(world, 'creates', { connections })
  try {
    const sides = { value: () => creates.run(), reference: () => commits.run() }
    const { note, ...compared } = await alternate(world, label, 'perSecond', sides)
    return { ...compared, note: `${creates.client} against ${commits.name}; ${note}` }
  } finally {
    await creates.close()
    await commits.close()
  }
}
