/**
 * Bytes on disk for each old deposit, with history and indexes: as it was closed, and after its details have moved. Both are
 * measured after a full vacuum, because new deposits use the free space of a table.
 */
import { moveOldDetails } from '../src/domain/deposits/move-details.ts'
import { bounds } from '../src/platform/bounds.ts'
import { monotonicMs } from '../src/platform/clock.ts'
import { openDatabase, sql } from '../src/platform/db.ts'
import { fillOldDeposits } from './old-deposits.ts'
import type { Row } from './row.ts'

const rows = 20_000

export const bytes: Row = {
  name: 'bytes',
  must: { most: 0.65 },
  aim: { most: 0.5 },
  async measure(world) {
    await fillOldDeposits(world, 'inlet_stock', { rows, days: { oldest: 230, newest: 200 }, isMoved: false })
    const owner = openDatabase(world.superuser('inlet_stock'), {
      connections: 1,
      hasNoStatementTimeout: true,
    })
    try {
      await owner.script('set statement_timeout = 0')
      const size = async () => {
        await owner.script('vacuum full deposits')
        await owner.script('vacuum full deposit_history')
        const { total, table } = await owner.one<{ total: number; table: number }>(sql`
          select
            (pg_total_relation_size('deposits') + pg_total_relation_size('deposit_history') + coalesce((
              select sum(pg_total_relation_size(inhrelid))
              from pg_inherits
              where inhparent = 'deposit_details'::regclass), 0))::float8 as total,
            pg_table_size('deposits')::float8 as table`)
        return { total: total / rows, table: table / rows }
      }
      const before = await size()
      world.status('bytes: moving details')
      const began = monotonicMs()
      let moved = 0
      for (let more = 1; more > 0; moved += more) more = await moveOldDetails(owner, bounds.detailDays.least)
      const seconds = (monotonicMs() - began) / 1000
      const after = await size()
      return {
        value: Math.round(after.total),
        reference: Math.round(before.total),
        ratio: after.total / before.total,
        unit: 'bytes',
        note: `${moved} of ${rows} moved, ${Math.round(moved / seconds)}/s; rows alone ${Math.round(before.table)} and ${Math.round(after.table)} bytes`,
      }
    } finally {
      await owner.close()
    }
  },
}
