/** Two people at once, in the one order that hurts. */
import { sql, type Tx } from '../../src/platform/db.ts'
import { until } from './delivery.ts'
import type { TestGateway } from './gateway.ts'

/** The second comes while the first is not committed, waits for it, and ends after it. */
export async function during<Result>(
  { db, database }: Pick<TestGateway, 'db' | 'database'>,
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<Result>,
): Promise<Result> {
  const begun = await db.transaction(async (tx) => {
    // The second request may begin after the idle timeout of the connection.
    await tx.query(sql`set local idle_in_transaction_session_timeout = 0`)
    await first(tx)
    const ended = second()
    await until('the second waits', async () => {
      const [row] = await database.owner.query<{ waits: boolean }>(sql`
        select count(*) > 0 as waits
        from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
      return row!.waits
    })
    return { ended }
  })
  return begun.ended
}
