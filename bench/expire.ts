/** Makes open deposits overdue, and expires them: the quickest way to many deposits that end. */
import { expireDeposits } from '../src/domain/deposits/expire-deposits.ts'
import { openDatabase, sql } from '../src/platform/db.ts'
import type { World } from './world.ts'

/** Of these merchants; those of others stay open. */
export async function makeOverdue(world: World, place: string, merchants: readonly string[]): Promise<void> {
  const owner = openDatabase(await world.superuser(place), { connections: 1, hasNoStatementTimeout: true })
  try {
    await owner.script('set statement_timeout = 0')
    await owner.query(sql`
      update deposits
      set expires_at = created_at + interval '1 millisecond'
      where state = 'created' and merchant_id = any(${merchants}::uuid[])`)
  } finally {
    await owner.close()
  }
}

/** As the worker would, but now. */
export async function expireAll(world: World, place: string): Promise<void> {
  const db = openDatabase(await world.login(place), { connections: 1 })
  try {
    const context = { db, publicUrl: 'http://localhost', changed: () => {} }
    for (let expired = 0, more = 1; more > 0; expired += more) {
      world.status(`${place}: ${expired} deposits expired`)
      more = await expireDeposits(context)
    }
  } finally {
    await db.close()
  }
}
