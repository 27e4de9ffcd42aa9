/** Bytes on disk for each closed deposit, with history and indexes, after a full vacuum: new deposits use the free space of a table. */

import { fillOldDeposits } from './old-deposits.ts'
import type { Row } from './row.ts'
import { connect } from './world.ts'

const rows = 20_000

export const bytes: Row = {
  name: 'bytes',
  must: { most: 900 },
  aim: { most: 700 },
  async measure(world) {
    await fillOldDeposits(world, 'inlet_stock', { rows, days: { oldest: 230, newest: 200 } })
    const client = await connect(world.superuser('inlet_stock'), '')
    try {
      await client.query('vacuum full deposits')
      await client.query('vacuum full deposit_history')
      const { rows: sizes } = await client.query<Record<'deposits' | 'indexes' | 'history', number>>(`
        select pg_table_size('deposits')::float8 as deposits, pg_indexes_size('deposits')::float8 as indexes,
          pg_total_relation_size('deposit_history')::float8 as history`)
      const { deposits, indexes, history } = sizes[0]!
      const each = (size: number) => Math.round(size / rows)
      return {
        value: each(deposits + indexes + history),
        reference: null,
        ratio: null,
        unit: 'bytes',
        note: `row ${each(deposits)}, its indexes ${each(indexes)}, history ${each(history)}`,
      }
    } finally {
      await client.end()
    }
  },
}
