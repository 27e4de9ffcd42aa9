/** Payments that a bank reports twice, by another source or in other words, for tests of the decisions about them. */

import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import { sourceOfKind } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { depositContextOf, entryTo, transferTo } from './bank.ts'
import type { TestGateway } from './gateway.ts'

/** A payment, and the same one as a file reports it, which may be another one; `changes`: what the file says otherwise. */
export async function suspectedOn(
  gateway: TestGateway,
  accountId: string,
  facts: Partial<IncomingEntry> & { cents: bigint },
  changes: Partial<IncomingEntry> = { documentNumber: '' },
): Promise<{ known: string; suspected: string }> {
  const known = await transferTo(gateway, accountId, facts)
  const [row] = await gateway.database.owner.query<{ document_number: string }>(
    sql`select document_number from transfers where id = ${known}`,
  )
  const source = await gateway.db.transaction((tx) => sourceOfKind(tx, 'statement', 'test', newId()))
  const again = entryTo(accountId, {
    ...facts,
    documentNumber: row!.document_number,
    channel: 'camt',
    ...changes,
  })
  await takeTransfers(depositContextOf(gateway), [again], { source })
  const [made] = await gateway.database.owner.query<{ id: string }>(
    sql`select id from transfers where bank_id = ${again.bankId}`,
  )
  return { known, suspected: made!.id }
}
