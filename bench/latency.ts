/**
 * How long a create takes at half of the peak, against a bare commit. Requests come by the clock, whether or not
 * answers came before, so a stall is felt by everybody who would have come meanwhile.
 */
import { alternate, openCreates, openReference, phase } from './phases.ts'
import type { Row } from './row.ts'

/** The reference is a commit on an idle machine's terms: few connections, so that it waits for the disk only. */
const bareConnections = 4

export const latency: Row = {
  name: 'create latency',
  must: { most: 3 },
  aim: { most: 2 },
  async measure(world) {
    world.status('create latency: finding the peak')
    const creates = await openCreates(world, 'inlet', 'account')
    try {
      const peak = (await creates.run()).perSecond
      const reference = await openReference(world, 'inlet', 'account', [bareConnections])
      try {
        const rate = Math.floor(peak / 2)
        const { cpu: _, ...compared } = await alternate(world, 'create latency', 'p99Ms', {
          value: () => creates.run(phase.seconds, rate),
          reference: () => reference.run(),
        })
        const note = `${rate} creates/s, half of the peak; bare commits on ${bareConnections} connections`
        return { ...compared, unit: 'ms p99', note }
      } finally {
        await reference.close()
      }
    } finally {
      await creates.close()
    }
  },
}
