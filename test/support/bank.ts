/** Money as a bank tells of it, for tests of what people do about it. */
import type { Ledger } from '../../src/deposits/change-deposit.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { sourceOfKind } from '../../src/transfers/store.ts'
import { takeTransfers } from '../../src/transfers/take-transfers.ts'
import type { Incoming } from '../../src/transfers/tellings.ts'
import type { TestGateway } from './gateway.ts'

export const ledgerOf = (gateway: TestGateway): Ledger => ({
  db: gateway.db,
  publicUrl: gateway.url,
  changed: () => {},
})

export async function accountOf(gateway: TestGateway, depositId: string): Promise<string> {
  const [row] = await gateway.database.owner.query<{ account_id: string }>(
    sql`select account_id from deposits where id = ${depositId}`,
  )
  return row!.account_id
}

/** A transfer that came in; returns its id. */
export async function transferTo(
  gateway: TestGateway,
  accountId: string,
  facts: Partial<Incoming> & { cents: bigint },
): Promise<string> {
  const source = await gateway.db.transaction((tx) => sourceOfKind(tx, 'sandbox', 'test', newId()))
  const bankId = newId()
  const incoming: Incoming = {
    accountId,
    direction: 'credit',
    currency: 'RUB',
    bookedOn: new Date().toISOString().slice(0, 10),
    bookedAt: null,
    paidOn: null,
    documentNumber: '17',
    payerName: 'Иванов Иван',
    payerAccount: '4081…0001',
    payerTaxId: '',
    payerBank: '',
    purpose: 'Перевод',
    purposeParts: ['Перевод'],
    bankId,
    version: 0n,
    statementId: null,
    line: null,
    raw: '',
    occurrence: 1,
    isRevoked: false,
    ...facts,
  }
  await takeTransfers(ledgerOf(gateway), [incoming], { source })
  const [row] = await gateway.database.owner.query<{ id: string }>(
    sql`select id from transfers where bank_id = ${bankId}`,
  )
  return row!.id
}
