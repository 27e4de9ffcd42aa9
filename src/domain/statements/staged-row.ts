/** What a row of a statement is while it is staged, and how it becomes a transfer. */
import { maskedAccount } from '../requisites/masked-account.ts'
import { type Prepared, prepare } from '../transfers/bank-entries.ts'
import { isWholeAccount } from '../transfers/bank-text/account-number.ts'
import { maskedRaw } from '../transfers/masked-raw.ts'
import type { TransferFacts } from '../transfers/transfer.ts'
import type { Entry, StatementFormat } from './entry.ts'
import type { StagedRow } from './store.ts'

type Facts = TransferFacts & { isReversal: boolean; isInternal: boolean }

/** The facts of an entry, as a transfer will have them. */
export const factsOf = (
  entry: Entry,
  accountId: string,
  channel: StatementFormat['name'],
  isOurs: (account: string) => boolean,
): Facts => ({
  accountId,
  direction: entry.direction,
  cents: entry.cents,
  currency: entry.currency,
  bookedOn: entry.bookedOn,
  bookedAt: entry.bookedAt === null ? null : new Date(entry.bookedAt),
  paidOn: entry.paidOn,
  documentNumber: entry.documentNumber,
  payerName: entry.payer.name,
  payerAccount: maskedAccount(entry.payer.account),
  isPayerAccountWhole: isWholeAccount(entry.payer.account),
  payerTaxId: entry.payer.taxId,
  payerBank: entry.payer.bank,
  purpose: entry.purpose,
  purposeParts: entry.purposeParts,
  bankId: entry.bankId,
  bankEntry: entry.bankEntry,
  ...(entry.referencesBeside && { referencesBeside: entry.referencesBeside }),
  ...(entry.sentCents !== undefined && { sentCents: entry.sentCents }),
  ...(entry.hasSeveralPayments && { hasSeveralPayments: true }),
  channel,
  version: 0n,
  statementId: null,
  line: entry.line,
  raw: maskedRaw(entry.raw, { payer: entry.payer.account, isOurs }),
  isReversal: entry.isReversal,
  isInternal: entry.isInternal,
})

/** As JSON takes them. */
export const factsJson = (facts: Facts) => ({
  ...facts,
  cents: facts.cents.toString(),
  ...(facts.sentCents && { sentCents: facts.sentCents.toString() }),
  bankEntry: facts.bankEntry && { ...facts.bankEntry, cents: facts.bankEntry.cents.toString() },
  version: facts.version.toString(),
})

/** A staged row, ready to be taken. */
export function preparedFrom(
  { facts: stored, fingerprint, occurrence }: StagedRow & { occurrence: number },
  statementId: string | null,
): Prepared {
  const { isReversal, isInternal, ...facts } = stored as Facts
  return prepare({
    ...facts,
    cents: BigInt(facts.cents),
    ...(facts.sentCents && { sentCents: BigInt(facts.sentCents) }),
    bankEntry: facts.bankEntry && { ...facts.bankEntry, cents: BigInt(facts.bankEntry.cents) },
    version: BigInt(facts.version),
    bookedAt: facts.bookedAt === null ? null : new Date(facts.bookedAt),
    statementId,
    fingerprint,
    occurrence,
    isRevoked: isReversal,
    isInternal,
  })
}
