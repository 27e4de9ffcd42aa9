/**
 * Suspects what pays no deposit and may be a payment that another source, format or file has reported, whatever became of that
 * one: two reports of money that is to be given back must not be given back twice.
 */
import type { Tx } from '../../platform/db.ts'
import { message } from '../messages/message.ts'
import type { NewEntry } from './bank-entries.ts'
import { findOfOtherFiles, findReportedElsewhere, type ReportedPayment } from './elsewhere-store.ts'
import type { MatchContext } from './match-credits.ts'
import type { Match } from './matching.ts'
import { mayBeSame } from './possible-repetition.ts'
import { referencesIn } from './purpose-references.ts'

export async function suspectRepetitions(
  tx: Tx,
  matches: ReadonlyMap<NewEntry, Match>,
  { source, known, repeated, movedDays }: Pick<MatchContext, 'source' | 'known' | 'repeated' | 'movedDays'>,
): Promise<Map<NewEntry, Match>> {
  const isOpen = ({ depositId, rule }: Match) => depositId === null && rule !== 'maybe_repeated'
  const open = [...matches].filter(([, match]) => isOpen(match)).map(([entry]) => entry)
  const [first] = open
  if (!first) return new Map(matches)
  const { channel, statementId } = first
  const origin = { sourceId: source.id, channel, statementId, repeatedIds: [...known] }
  const reported = [
    ...(await findReportedElsewhere(tx, origin, open)),
    ...(await findOfOtherFiles(tx, origin, open, movedDays)),
  ].filter(({ id, isBeyond }) => !isBeyond && !repeated.has(id))
  const ofAmount = Map.groupBy(reported, ({ accountId, cents }) => `${accountId}:${cents}`)
  return new Map(
    [...matches].map(([entry, match]) => {
      const payments = isOpen(match) ? (ofAmount.get(`${entry.accountId}:${entry.cents}`) ?? []) : []
      const same = payments.filter((payment) => mayBeSame(payment, entry) && !isForAnother(payment, entry))
      return [entry, same.length > 0 ? suspected(match, same) : match]
    }),
  )
}

/** Both name a deposit, and not the same one. */
function isForAnother({ purpose }: ReportedPayment, { references: { written } }: NewEntry): boolean {
  const others = referencesIn({ purpose, purposeParts: [purpose] }).written
  return written.length > 0 && others.length > 0 && !written.some((reference) => others.includes(reference))
}

const suspected = (match: Match, same: readonly ReportedPayment[]): Match => ({
  ...match,
  outcome: 'ambiguous',
  rule: 'maybe_repeated',
  // Why a listed payer waits is for the person to know as well.
  reason: match.rule === 'payer_listed' ? match.reason : message('match_maybe_repeated'),
  sameAs: [...new Set(same.map(({ id }) => id))].slice(0, 20),
})
