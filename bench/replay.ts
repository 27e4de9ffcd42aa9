/** The same requests once more: each is answered with the deposit it already has. Against creates, and against a bare route that reads. */
import { openBareReads } from './bare-process.ts'
import { alternate, openCreates } from './phases.ts'
import type { Row } from './row.ts'

export const replay: Row = {
  name: 'replay',
  must: { least: 2 },
  aim: { least: 3 },
  async measure(world) {
    world.status('replay: warming up')
    const creates = await openCreates(world, 'inlet', 'account')
    try {
      const sides = { value: () => creates.replay(), reference: () => creates.run() }
      const { cpu, range, ...compared } = await alternate(world, 'replay', 'perSecond', sides)
      return { ...compared, unit: '1/s', note: `${cpu}; ${range}; against creates` }
    } finally {
      await creates.close()
    }
  },
}

/** The upper limit of the row before. */
export const replayRead: Row = {
  name: 'replay-read',
  must: null,
  aim: null,
  async measure(world) {
    world.status('replay-read: warming up')
    const creates = await openCreates(world, 'inlet', 'account')
    const bare = await openBareReads(world)
    try {
      await creates.run()
      const sides = { value: () => creates.replay(), reference: () => creates.replay(bare.port) }
      await sides.reference()
      const { cpu, range, ...compared } = await alternate(world, 'replay-read', 'perSecond', sides)
      return { ...compared, unit: '1/s', note: `${cpu}; ${range}; against a bare route that reads` }
    } finally {
      bare.close()
      await creates.close()
    }
  },
}
