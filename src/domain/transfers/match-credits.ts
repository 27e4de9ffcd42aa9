/**
 * Matches the credits of a group with the deposits that may be meant. The candidates are read; only what a reference names,
 * and what is about to change, is locked. A deposit that was read before it was locked is looked at once more.
 */

import type { Tx } from '../../platform/db.ts'
import { createPause } from '../../platform/in-stretches.ts'
import { type Change, decide } from '../deposits/decide.ts'
import { type LockedDeposit, lockDeposits, readWithPolicy } from '../deposits/read-store.ts'
import { message } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import { slotKey } from '../requisites/choice.ts'
import { customerKeys, listingReason, listingsFrom, strongest } from '../rules/listing.ts'
import { findListings } from '../rules/store.ts'
import type { NewEntry } from './bank-entries.ts'
import { findBegun, findWaiting, maxWaiting, type Wait } from './candidate-store.ts'
import { findEnded } from './ended-store.ts'
import { isBegun, isRest, type Match, matchTransfer } from './matching.ts'
import { findInOtherFiles, findReportedElsewhere, type ReportedPayment } from './other-reports-store.ts'
import { isInTime } from './payment-times.ts'
import { isPayerUnproven, mayBeSame } from './possible-repetition.ts'
import { mayNameMore, referencesWrittenIn } from './purpose-references.ts'
import { isPerson, PaymentsByPayer } from './repetitions.ts'
import {
  findBeforeFee,
  findDecided,
  findLost,
  findLostAbout,
  findNoted,
  findSettled,
} from './settled-store.ts'
import type { Source } from './source.ts'
import { findStillToCome, type StillToCome } from './still-to-come-store.ts'
import { type LockedAccount, mayBeMatchedByAmount } from './store.ts'
import type { TransferState } from './transfer.ts'

export type MatchContext = {
  accountOf: (accountId: string) => LockedAccount
  source: Source
  /** Transfers that this group reports again. */
  repeated: ReadonlySet<string>
  /** The days near that of an entry on which this file would also have it, if the bank had not moved it. */
  movedDays: (entry: Pick<NewEntry, 'accountId' | 'bookedOn' | 'paidOn'>) => string[]
}

type Matched = { matches: Map<NewEntry, Match>; changes: Change[][] }

/** Up to this many candidates are locked together, which saves a query. */
const lockedAtOnce = 50

/** How many credits are matched while the database writes the ones before them. */
const matchedAtOnce = 250

/**
 * Matches in the order of the entries; each sees what those before it have done. The changes are returned in waves: within
 * one, no deposit changes twice. If nothing has to be locked any more they are returned in parts, which can be written
 * immediately.
 */
export async function* matchCredits(
  tx: Tx,
  credits: readonly NewEntry[],
  { accountOf, source, repeated, movedDays }: MatchContext,
): AsyncGenerator<Matched> {
  if (credits.length === 0) return
  const named = await findWaiting(
    tx,
    [],
    credits.flatMap(({ references: { written, bare } }) => [...written, ...bare]),
    source.mode,
  )
  const byDigits = await findWaiting(
    tx,
    [],
    credits.flatMap(({ references: { changed, hidden } }) => [...changed, ...hidden]),
    source.mode,
  )
  const ofDigits = Map.groupBy([...named, ...byDigits], (wait) => wait.reference)
  // A reference that names a deposit decides alone: the others are looked up by their amounts.
  const names = new Set(named.map((wait) => wait.reference))
  const nameless = new Set(
    credits.filter(({ references }) => !references.written.some((reference) => names.has(reference))),
  )
  const wanting = await findWaiting(tx, [...nameless], [])
  const wanted = new Set(wanting.map(slotOf))
  const namelessAccounts = [...new Set([...nameless].map((entry) => entry.accountId))]
  const parts = await findBegun(tx, namelessAccounts, [...nameless])
  const payers = new PaymentsByPayer(parts.begun)
  const begun = new Set([...nameless].flatMap((credit) => payers.find(credit) ?? []))
  const namedBy = Map.groupBy(named, (wait) => wait.reference)
  // A deposit that this group pays in part is also begun when its remaining amount arrives.
  for (const credit of nameless.size > 0 ? credits : [])
    for (const { depositId } of credit.references.written.flatMap((one) => namedBy.get(one) ?? []))
      payers.add({ ...credit, depositId })
  /**
   * The credits that may count without naming a deposit: of an amount that a deposit waits for, or from a payer who has paid
   * a part of one.
   */
  const matchable = [...nameless].filter(
    (credit) => wanted.has(slotOf(credit)) || payers.find(credit)?.length !== 0,
  )
  const { toCome, isCrowded: isToComeCrowded } = await findStillToCome(tx, matchable)
  const toComeBySlot = Map.groupBy(toCome, slotOf)
  const foundWaitingIds = idsOf(wanting).difference(idsOf(toCome))
  const crowded = new Set([...crowdedOf(wanting), ...crowdedOf(toCome)])
  const waitsOn = new Map(
    [...named, ...wanting, ...begun, ...toCome].map(({ depositId, accountId }) => [depositId, accountId]),
  )
  const isFew = wanting.length + begun.size + toCome.length <= lockedAtOnce
  const held = new Set(isFew ? waitsOn.keys() : named.map((wait) => wait.depositId))
  const deposits = new Map<string, LockedDeposit>()
  const keep = (found: readonly LockedDeposit[]) => {
    for (const one of found) deposits.set(one.deposit.id, one)
  }
  keep(await lockDeposits(tx, [...held]))
  if (!isFew)
    keep(
      await readWithPolicy(
        tx,
        [...waitsOn.keys()].filter((id) => !held.has(id)),
      ),
    )
  const { channel, statementId } = credits[0]!
  const origin = { sourceId: source.id, channel, statementId, repeatedIds: [...repeated] }
  const namedOrBegunIds = [...new Set([...named, ...begun].map((wait) => wait.depositId))]
  const namingOrContinuing = credits.filter((credit) => !nameless.has(credit) || begun.size > 0)
  const paidIds = namedOrBegunIds.filter((id) => (deposits.get(id)?.deposit.receivedCents ?? 0n) > 0n)
  const noted = await findNoted(tx, paidIds)
  const naming = credits.filter(({ references: { written, bare } }) =>
    [...written, ...bare].some((reference) => names.has(reference)),
  )
  const lost = await findLost(tx, namedOrBegunIds)
  const withPayments = new Set([...paidIds, ...lost.map(({ depositId }) => depositId)])
  const namedIn = ({ references: { written, bare } }: NewEntry) =>
    [...written, ...bare].flatMap((reference) => namedBy.get(reference) ?? [])
  /** The deposits whose rest it may be, perhaps after other payments of this group. */
  const restsOf = (credit: NewEntry) =>
    (payers.find(credit) ?? []).filter(({ depositId }) => credit.cents <= missingOf(depositId))
  const missingOf = (depositId: string): Cents => {
    const { amountCents, receivedCents } = deposits.get(depositId)!.deposit
    return amountCents - receivedCents
  }
  const meant = credits.flatMap((credit) =>
    [...namedIn(credit), ...(nameless.has(credit) ? restsOf(credit) : [])]
      .filter(({ depositId }) => withPayments.has(depositId))
      .map(({ depositId }) => ({ cents: credit.cents, sentCents: credit.sentCents ?? null, depositId })),
  )
  const beforeFee = Map.groupBy(await findBeforeFee(tx, origin, meant, lost), (payment) => payment.depositId)
  const decided = await findDecided(tx, origin, naming)
  const settled = Map.groupBy(
    [
      ...(await findSettled(tx, origin, paidIds, namingOrContinuing)),
      ...(await findLostAbout(tx, origin, lost, namingOrContinuing)),
      // A payment that names a deposit and counts for another one, or for none any more, may be reported again.
      ...decided.flatMap((payment) =>
        referencesWrittenIn(payment.purpose)
          .flatMap((reference) => namedBy.get(reference) ?? [])
          .map(({ depositId }) => ({ ...payment, depositId })),
      ),
    ],
    (payment) => payment.depositId,
  )
  const endedOf = await findEnded(tx, matchable)
  const compared = [...nameless].filter((entry) => wanted.has(slotOf(entry)) || begun.size > 0)
  // A payment that names its deposit may have been matched with another one by its amount, when an earlier report did not
  // name it.
  compared.push(
    ...credits.filter(
      (credit) => !nameless.has(credit) && mayBeMatchedByAmount(accountOf(credit.accountId), credit),
    ),
  )
  const reported = [
    ...(await findReportedElsewhere(tx, origin, compared)),
    ...(await findInOtherFiles(tx, origin, compared, movedDays)),
  ]
  const reportedIds = new Set(reported.map(({ id }) => id))
  const decidedIds = new Set(decided.map(({ id }) => id))
  const elsewhere = Map.groupBy(
    [...reported, ...decided.filter(({ id }) => !reportedIds.has(id))].map((payment) => ({
      ...payment,
      isGuessed: isGuessed(payment, decidedIds.has(payment.id)),
    })),
    (payment) => slotKey(payment.accountId, payment.cents),
  )
  const creditsOf = Map.groupBy(credits, (credit) => slotKey(credit.accountId, credit.cents))
  const writtenIn = ({ references: { written } }: NewEntry) =>
    written.flatMap((reference) => namedBy.get(reference) ?? [])
  /**
   * The payments of one account and amount that were matched without naming a deposit. None if this group reports each known
   * payment, naming the deposit that got its money. A report that names no deposit proves nothing: it may be of another
   * payment.
   */
  const findGuessed = (key: string) => {
    const payments = (elsewhere.get(key) ?? []).filter(({ id }) => !repeated.has(id))
    const paymentsOf = Map.groupBy(payments, ({ depositId }) => depositId)
    const reported = creditsOf
      .get(key)
      ?.filter((credit) =>
        [...new Set(writtenIn(credit).map(({ depositId }) => depositId))].some((id) =>
          paymentsOf.get(id)?.some((payment) => mayBeSame(payment, credit)),
        ),
      )
    return (reported?.length ?? 0) < payments.length ? payments.filter(({ isGuessed }) => isGuessed) : []
  }

  if (deposits.keys().every((id) => held.has(id))) return yield* matchEach(matchedAtOnce)
  for (;;) {
    const { value: matched } = (await matchEach(credits.length).next()) as { value: Matched }
    const meant = matched.changes.flat().map(({ deposit }) => deposit.id)
    const unheld = [...new Set(meant)].filter((id) => !held.has(id))
    if (unheld.length === 0) return yield matched
    keep(await lockDeposits(tx, unheld))
    for (const id of unheld) held.add(id)
  }

  async function* matchEach(atOnce: number): AsyncGenerator<Matched, void> {
    let matches = new Map<NewEntry, Match>()
    let changes: Change[][] = []
    const current = new Map(deposits)
    const now = current.values().next().value?.now ?? new Date(0)
    const byReference = Map.groupBy(current.keys(), (id) => current.get(id)!.deposit.reference)
    const byAmount = Map.groupBy(current.keys(), (id) =>
      slotKey(waitsOn.get(id)!, current.get(id)!.deposit.amountCents),
    )
    const byPayer = new PaymentsByPayer(parts.begun)
    const guessed = new Map<string, ReturnType<typeof findGuessed>>()
    const customers = new Map([...held].map((id) => [id, customerKeysOf(current.get(id))]))
    // In the sandbox the merchant chooses the payer: the answer would reveal whom the operator has on a list.
    const mayBeListed =
      source.kind === 'sandbox'
        ? []
        : [...credits.flatMap(({ payer }) => payer), ...[...customers.values()].flat()]
    const listings = listingsFrom(await findListings(tx, mayBeListed))
    const awaiting = (id: string) => ({ deposit: current.get(id)!.deposit, accountId: waitsOn.get(id)! })
    /** What this payer has begun to pay, as it stands now, in this group or before. */
    const begunBy = (payments: readonly { depositId: string }[]) =>
      [...new Set(payments.map((payment) => payment.depositId))].map(awaiting).filter(isBegun)
    /** Whether this group has not yet reported the money. */
    const isStillToCome = ({ depositId, missingCents }: StillToCome): boolean =>
      current.get(depositId)!.deposit.receivedCents - deposits.get(depositId)!.deposit.receivedCents <
      missingCents
    let waveOf = new Map<string, number>()
    // A name beats an amount, whichever of them stands first in the file.
    const inTurn = [...credits.filter((credit) => !nameless.has(credit)), ...nameless]
    const pause = createPause()
    for (const transfer of inTurn) {
      await pause()
      if (matches.size === atOnce) {
        yield { matches, changes }
        ;[matches, changes, waveOf] = [new Map(), [], new Map()]
      }
      const { references, payer } = transfer
      const named = new Set(
        [...references.written, ...references.bare].flatMap((reference) => byReference.get(reference) ?? []),
      )
      const key = slotKey(transfer.accountId, transfer.cents)
      if (!nameless.has(transfer) && !guessed.has(key)) guessed.set(key, findGuessed(key))
      const waiting = nameless.has(transfer) ? (byAmount.get(key) ?? []).map(awaiting) : []
      const ofPayer = nameless.has(transfer) ? byPayer.find(transfer) : []
      const begunHere = begunBy(ofPayer ?? [])
      const provenIds = new Set(
        ofPayer
          ?.filter((part) => isPerson(transfer) && !isPayerUnproven(part, transfer))
          .map(({ depositId }) => depositId),
      )
      const claimed = nameless.has(transfer) ? (toComeBySlot.get(key) ?? []).filter(isStillToCome) : []
      const ended = endedOf(transfer)
      const match = matchTransfer({
        transfer,
        references,
        currency: accountOf(transfer.accountId).currency,
        amountMatching: accountOf(transfer.accountId).amountMatching,
        named: [...named].map(awaiting),
        namedByDigits: [...references.bare, ...references.changed, ...references.hidden].filter((one) =>
          ofDigits.get(one)?.some((wait) => wait.accountId === transfer.accountId),
        ),
        waiting: waiting.filter(
          ({ deposit }) => deposit.receivedCents === 0n && deposit.state !== 'confirmed',
        ),
        begunOfAmount: waiting.filter(isBegun),
        // A person may have confirmed a deposit after it was found waiting and before it was locked.
        confirmedUnpaid: [
          ...claimed.map(({ depositId }) => awaiting(depositId)),
          ...waiting.filter(
            ({ deposit }) =>
              foundWaitingIds.has(deposit.id) && deposits.get(deposit.id)!.deposit.state === 'confirmed',
          ),
        ],
        ended: ended.map((deposit) => ({ deposit })),
        begun: begunHere,
        begunUnproven: new Set(begunHere.map(({ deposit }) => deposit.id)).difference(provenIds),
        noted,
        isCrowded:
          parts.isCrowded ||
          isToComeCrowded ||
          !ofPayer ||
          crowded.has(key) ||
          ended.some(({ standsForMany }) => standsForMany),
        reportedElsewhere: [
          ...(nameless.has(transfer) ? (elsewhere.get(key) ?? []) : guessed.get(key)!),
          ...[...named].flatMap((id) => [...(settled.get(id) ?? []), ...(beforeFee.get(id) ?? [])]),
          // Another file of the same format may also report a part again.
          ...begunHere.flatMap(({ deposit }) => settled.get(deposit.id) ?? []),
          ...begunHere
            .filter((candidate) => isRest(candidate, transfer))
            .flatMap(({ deposit }) => beforeFee.get(deposit.id) ?? []),
        ].filter(
          (payment) =>
            payment.standsForMany ||
            payment.isBeforeFee ||
            (!repeated.has(payment.id) &&
              (payment.sourceId !== source.id || payment.statementId !== transfer.statementId)),
        ),
        listed: listings(payer),
        now,
      })
      matches.set(transfer, match)
      if (!match.depositId) continue
      const { deposit, policy } = current.get(match.depositId)!
      const watched = strongest(listings(customers.get(deposit.id) ?? []), deposit.merchantId)
      const review = watched ? listingReason(watched) : null
      const action = {
        do: 'receive',
        cents: transfer.cents,
        inTime: isInTime(deposit, transfer),
        review,
        actor: `bank:${source.name}`,
        reason: review
          ? message('match_of_watched_customer', { rest: match.reason, why: review })
          : match.reason,
        evidence: { rule: match.rule, score: match.score, booked_on: transfer.bookedOn },
      } as const
      const change = decide(deposit, action, now, policy)
      current.set(deposit.id, { deposit: change.deposit, now, policy })
      byPayer.add({ ...transfer, depositId: deposit.id })
      const wave = waveOf.get(deposit.id) ?? 0
      waveOf.set(deposit.id, wave + 1)
      changes[wave] ??= []
      changes[wave].push(change)
    }
    yield { matches, changes }
  }
}

/**
 * The payment names no deposit, and counts for one or was refunded, revoked or set aside: it may belong to any deposit. So may one that
 * a person decided, if another report of its text may name another deposit.
 */
const isGuessed = (
  { depositId, state, standsForMany, purpose }: ReportedPayment,
  isDecided: boolean,
): boolean =>
  (isDecided || depositId !== null || isOver.has(state)) &&
  !standsForMany &&
  (referencesWrittenIn(purpose).length === 0 || (isDecided && mayNameMore(purpose)))

const isOver = new Set<TransferState>(['refunded', 'revoked', 'set_aside'])

const idsOf = (waits: readonly { depositId: string }[]): Set<string> =>
  new Set(waits.map(({ depositId }) => depositId))

const slotOf = ({ accountId, cents }: Pick<Wait, 'accountId' | 'cents'>): string => slotKey(accountId, cents)

/** The accounts and amounts for which more deposits wait than are compared. */
const crowdedOf = (waits: readonly Wait[]): string[] =>
  [...Map.groupBy(waits, slotOf)].flatMap(([key, found]) => (found.length > maxWaiting ? key : []))

const customerKeysOf = (found: LockedDeposit | undefined) => (found ? customerKeys(found.deposit) : [])
