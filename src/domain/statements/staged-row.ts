/** What a row of a statement is while it is staged, and how it becomes a transfer. */
import { maskedAccount } from '../requisites/masked-account.ts'
import { channelFacts } from '../transfers/channel.ts'
import { type Entry as BankEntry, factsJson, keyOf, toldOf } from '../transfers/entry.ts'
import { referencesIn } from '../transfers/purpose-references.ts'
import type { Entry, StatementFormat } from './entry.ts'

/** The facts of an entry, as a transfer will have them. */
export const factsOf = (entry: Entry, accountId: string, channel: StatementFormat['name']): BankEntry => ({
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
  payerTaxId: entry.payer.taxId,
  payerBank: entry.payer.bank,
  purpose: entry.purpose,
  purposeParts: entry.purposeParts,
  bankId: entry.bankId,
  ...(entry.hasSeveralPayments && { hasSeveralPayments: true }),
  channel,
  version: 0n,
  line: entry.line,
  isReversal: entry.isReversal,
  isInternal: entry.isInternal,
})

/** A row as it is staged: its facts, and what the rule of identity looks at. */
export type NewStagedRow = {
  place: number
  id: string
  accountId: string
  bookedOn: string
  direction: BankEntry['direction']
  cents: bigint
  names: readonly string[]
  isSum: boolean
  taxId: string
  bankId: string | null
  key: Buffer
  variant: Buffer
  facts: string
}

export function stagedRow(facts: BankEntry, { place, id }: { place: number; id: string }): NewStagedRow {
  const references = referencesIn(facts)
  const told = toldOf({ ...facts, references })
  const { accountId, bookedOn, direction, cents } = facts
  return {
    ...{ place, id, accountId, bookedOn, direction, cents },
    names: told.references,
    isSum: told.isSum ?? false,
    taxId: told.taxId,
    bankId: told.lastingId,
    ...keyOf(facts, channelFacts[facts.channel].ids),
    facts: factsJson(facts, references),
  }
}
