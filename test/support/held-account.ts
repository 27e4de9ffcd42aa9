/** Holds the demo account, as another import of it would: what takes its transfers waits meanwhile. */
import { sql } from '../../src/platform/db.ts'
import type { TestGateway } from './gateway.ts'
import { demoAccount } from './one-c.ts'

export async function holdAccount({ database: { owner } }: TestGateway): Promise<() => Promise<void>> {
  let release = () => {}
  const gone = new Promise<void>((resolve) => {
    release = resolve
  })
  let held = () => {}
  const isHeld = new Promise<void>((resolve) => {
    held = resolve
  })
  const holding = owner.transaction(
    async (tx) => {
      await tx.query(sql`set local idle_in_transaction_session_timeout = 0`)
      await tx.query(sql`
        select id from receiving_accounts where number = ${demoAccount} and mode = 'test' for no key update`)
      held()
      await gone
    },
    { statementMs: 60_000 },
  )
  await isHeld
  return async () => {
    release()
    await holding
  }
}

/** Until so many wait for a lock that another holds. */
export async function untilWaiting({ db }: TestGateway, count: number): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    const [row] = await db.query<{ waiting: bigint }>(sql`
      select count(*) as waiting
      from pg_locks l
      join pg_stat_activity a on a.pid = l.pid
      where not l.granted and a.datname = current_database()`)
    if (row!.waiting >= BigInt(count)) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('Nobody waits.')
}
