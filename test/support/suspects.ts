/** Payments that may be known already, for tests of the decisions about them. */
import type { Entry } from '../../src/domain/transfers/entry.ts'
import { sourceOf } from '../../src/domain/transfers/source-store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, entryTo } from './bank.ts'
import type { TestGateway } from './gateway.ts'

/**
 * A payment, and one that the bank tells under its id fifteen days later, which is held because it may be the same; `changes`: what
 * is different in the second.
 */
export async function suspectedOn(
  gateway: TestGateway,
  accountId: string,
  facts: Partial<Entry> & { cents: bigint },
  changes: Partial<Entry> = {},
): Promise<{ known: string; suspected: string }> {
  const source = await gateway.db.transaction((tx) =>
    sourceOf(tx, { mode: 'test', kind: 'sandbox', channel: 'sandbox' }),
  )
  const first = entryTo(accountId, { ...facts, bookedOn: bankDay(-15) })
  const { bankId, documentNumber } = first
  const second = entryTo(accountId, { ...facts, bankId, documentNumber, ...changes })
  for (const entry of [first, second]) await takeTransfers(depositContextOf(gateway), [entry], { source })
  const made = await gateway.database.owner.query<{ id: string; state: string }>(
    sql`select id, state from transfers where bank_id = ${bankId} order by booked_on`,
  )
  if (made.length !== 2 || made[1]!.state !== 'held') throw new Error('It is not held.')
  return { known: made[0]!.id, suspected: made[1]!.id }
}
