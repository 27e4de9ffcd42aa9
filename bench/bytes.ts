/** Bytes on disk for each deposit that has ended, with history and indexes, after a full vacuum. */
import { openDatabase, sql } from '../src/platform/db.ts'
import { createDeposits } from './creates.ts'
import { expireAll, makeOverdue } from './expire.ts'
import type { Row } from './row.ts'
import { shareOf } from './settings.ts'

export const bytes: Row = {
  name: 'bytes',
  what: 'bytes on disk of an ended deposit, with indexes and history, without its events',
  must: { most: 900 },
  aim: { most: 700 },
  async measure(world) {
    const count = shareOf(50_000)
    world.status('bytes: creating deposits')
    await createDeposits(world, 'bytes', world.shop, count)
    await world.leave('bytes')
    await makeOverdue(world, 'bytes', [world.shop.merchant])
    await expireAll(world, 'bytes')
    const owner = openDatabase(await world.superuser('bytes'), {
      connections: 1,
      hasNoStatementTimeout: true,
    })
    try {
      await owner.script('set statement_timeout = 0')
      await owner.script('vacuum full')
      const tables = await owner.query<{ name: string; bytes: number }>(sql`
        select relname as name, pg_total_relation_size(oid)::float8 as bytes
        from pg_class
        where relkind = 'r' and relname like 'deposit%' and relnamespace = current_schema()::regnamespace
        order by bytes desc`)
      const value = tables.reduce((sum, table) => sum + table.bytes, 0) / count
      const [largest, second] = tables.map((table) => `${table.name} ${Math.round(table.bytes / count)}`)
      const note = `${count} deposits; ${largest}, ${second} bytes each`
      return { value, unit: 'bytes', reference: null, ratio: null, note }
    } finally {
      await owner.close()
    }
  },
}
