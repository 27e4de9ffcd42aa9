/** What a row of a statement is while it is staged, and how it becomes a transfer. */
import { maskedAccount } from '../requisites/masked-account.ts'
import { channelIds } from '../transfers/channel.ts'
import { type Entry as BankEntry, factsJson, keyOf, toldOf } from '../transfers/entry.ts'
import { referencesIn } from '../transfers/purpose-references.ts'
import type { Entry, StatementFormat } from './entry.ts'

export const factsOf = (
  { account: _, ...entry }: Entry,
  accountId: string,
  channel: StatementFormat['name'],
): BankEntry => ({
  ...entry,
  payerAccount: maskedAccount(entry.payerAccount),
  ...{ accountId, channel, version: 0n },
})

export type NewStagedRow = ReturnType<typeof stagedRow>

/** A row as it is staged: its facts, and what the rule of identity looks at. */
export function stagedRow(facts: BankEntry, { place, id }: { place: number; id: string }) {
  const references = referencesIn(facts)
  const told = toldOf({ ...facts, references })
  const { accountId, bookedOn, direction, cents } = facts
  return {
    ...{ place, id, accountId, bookedOn, direction, cents },
    names: told.references,
    isSum: told.isSum ?? false,
    taxId: told.taxId,
    bankId: told.lastingId,
    ...keyOf(facts, channelIds[facts.channel]),
    facts: factsJson(facts, references),
  }
}
