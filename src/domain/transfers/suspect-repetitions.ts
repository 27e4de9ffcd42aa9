/**
 * Finds transfers without a deposit that may repeat a payment from another source, format or file. A person decides about
 * them, so that money with two reports is not refunded twice.
 */
import type { Tx } from '../../platform/db.ts'
import { inStretches } from '../../platform/in-stretches.ts'
import { remembered } from '../../platform/remembered.ts'
import { message } from '../messages/message.ts'
import type { NewEntry } from './bank-entries.ts'
import type { MatchContext } from './match-credits.ts'
import type { Match } from './matching.ts'
import { findInOtherFiles, findReportedElsewhere, type ReportedPayment } from './other-reports-store.ts'
import { mayBeSame } from './possible-repetition.ts'
import { referencesWrittenIn } from './purpose-references.ts'
import { findMaybeNoted } from './still-to-come-store.ts'

type Context = Pick<MatchContext, 'source' | 'repeated' | 'movedDays'>

export async function suspectRepetitions(
  tx: Tx,
  matches: ReadonlyMap<NewEntry, Match>,
  context: Context,
): Promise<Map<NewEntry, Match>> {
  const isOpen = ({ depositId, rule }: Match) => depositId === null && rule !== 'maybe_repeated'
  const open = [...matches].filter(([, match]) => isOpen(match)).map(([entry]) => entry)
  const sameOf = await findSame(tx, open, context)
  const suspectedOf = ([entry, match]: [NewEntry, Match]): [NewEntry, Match] => {
    const same = isOpen(match) ? sameOf(entry) : []
    return [entry, same.length > 0 ? suspected(match, same) : match]
  }
  return new Map(await inStretches(matches, suspectedOf))
}

/**
 * Payments that the bank reports together with their revocation. Returns those that may be a payment that counts for a deposit, with the
 * ids of such payments: these would still count, although their money is gone.
 */
export async function suspectEnded(
  tx: Tx,
  ended: readonly NewEntry[],
  context: Context,
): Promise<Map<NewEntry, string[]>> {
  const sameOf = await findSame(tx, ended, context)
  const counting = await inStretches(ended, (entry): [NewEntry, string[]] => [
    entry,
    idsOf(sameOf(entry).filter(({ depositId }) => depositId !== null)),
  ])
  const noted = await findMaybeNoted(tx, ended)
  return new Map(counting.filter(([entry, ids]) => ids.length > 0 || noted.has(entry)))
}

/** Which payments of other sources, formats or files may be the same as one of these entries. */
async function findSame(
  tx: Tx,
  entries: readonly NewEntry[],
  { source, repeated, movedDays }: Context,
): Promise<(entry: NewEntry) => ReportedPayment[]> {
  // Of equal rows one is looked up.
  const facts = [...new Map(entries.map((entry) => [factsKey(entry), entry])).values()]
  const [first] = facts
  if (!first) return () => []
  const { channel, statementId } = first
  const origin = { sourceId: source.id, channel, statementId, repeatedIds: [...repeated] }
  const reported = [
    ...(await findReportedElsewhere(tx, origin, facts)),
    ...(await findInOtherFiles(tx, origin, facts, movedDays)),
  ].filter(({ id, standsForMany }) => !standsForMany && !repeated.has(id))
  const ofAmount = Map.groupBy(reported, ({ accountId, cents }) => `${accountId}:${cents}`)
  return (entry) =>
    (ofAmount.get(`${entry.accountId}:${entry.cents}`) ?? []).filter(
      (payment) => mayBeSame(payment, entry) && !isForAnother(payment, entry),
    )
}

const factsKey = (entry: NewEntry): string =>
  JSON.stringify([
    ...[entry.accountId, entry.bookedOn, entry.paidOn, entry.cents.toString()],
    ...[entry.documentNumber, entry.payerAccount, entry.isPayerAccountWhole, entry.bankId],
  ])

/** Both name a deposit, and not the same one. */
const isForAnother = (payment: ReportedPayment, { references: { written } }: NewEntry): boolean =>
  written.length > 0 &&
  namedBy(payment).length > 0 &&
  !written.some((reference) => namedBy(payment).includes(reference))

// Remembered, because every payment is compared with many entries.
const namedBy = remembered(({ purpose }: ReportedPayment) => referencesWrittenIn(purpose))

const suspected = (match: Match, same: readonly ReportedPayment[]): Match => ({
  ...match,
  outcome: 'ambiguous',
  rule: 'maybe_repeated',
  // The person has to see why a listed payer waits, too.
  reason: match.rule === 'payer_listed' ? match.reason : message('match_maybe_repeated'),
  sameAs: idsOf(same),
})

const idsOf = (payments: readonly ReportedPayment[]): string[] =>
  [...new Set(payments.map(({ id }) => id))].slice(0, 20)
