/**
 * Matches the credits of a group with the deposits that they may be for. What may get money is locked first; the others, which
 * are only compared, are read.
 */
import type { Tx } from '../../platform/db.ts'
import { createPause } from '../../platform/in-stretches.ts'
import { type Change, decide } from '../deposits/decide.ts'
import { type LockedDeposit, lockDeposits, readDeposits } from '../deposits/read-store.ts'
import { message } from '../messages/message.ts'
import { customerKeys, listingReason, listingsFrom, strongest } from '../rules/listing.ts'
import { findListings } from '../rules/store.ts'
import type { Prepared } from './entry.ts'
import { findBegun, findNamed, findOfAmount, payerMarks } from './match-store.ts'
import { type Match, matchTransfer } from './matching.ts'
import { isInTime } from './payment-times.ts'
import type { LockedAccount } from './store.ts'

type MatchContext = { accountOf: (accountId: string) => LockedAccount; source: { name: string } }

type Matched = { matches: Map<Prepared, Match>; changes: Change[] }

/** How many credits are matched while the database writes the ones before them. */
const matchedAtOnce = 250

/**
 * Matches in the order of the entries, those that name a deposit first: a name beats an amount, whichever of them stands first
 * in the file. Each sees what those before it have done. They are returned in parts, which can be written immediately: nothing has
 * to be locked any more.
 */
export async function* matchCredits(
  tx: Tx,
  credits: readonly Prepared[],
  { accountOf, source }: MatchContext,
): AsyncGenerator<Matched> {
  if (credits.length === 0) return
  const { mode } = accountOf(credits[0]!.accountId)
  const references = credits.flatMap(({ references: { written, bare } }) => [...written, ...bare])
  const withReference = Map.groupBy(await findNamed(tx, references, mode), ({ reference }) => reference)
  const namedBy = ({ references: { written, bare } }: Prepared) =>
    [...written, ...bare].flatMap((reference) => withReference.get(reference) ?? [])
  // A reference that names a deposit decides alone.
  const isNaming = ({ references: { written } }: Prepared) => written.some((one) => withReference.has(one))
  const nameless = credits.filter((credit) => !isNaming(credit))
  const ofAmount = await findOfAmount(tx, nameless)
  const begun = await findBegun(tx, nameless)

  const named = credits.flatMap(namedBy)
  const amounts = nameless.flatMap((credit) =>
    ofAmount(credit).map((one) => ({ ...one, accountId: credit.accountId })),
  )
  const accountIds = new Map(
    [...begun, ...amounts, ...named].map(({ depositId, accountId }) => [depositId, accountId]),
  )
  const mayGet = [...named, ...amounts.filter(({ isListening }) => isListening)]
  const lockedIds = new Set(mayGet.map(({ depositId }) => depositId))
  const compared = [...accountIds.keys()].filter((id) => !lockedIds.has(id))
  const locked = await lockDeposits(tx, [...lockedIds])
  const read = compared.length > 0 ? await readDeposits(tx, compared) : []
  const current = new Map<string, LockedDeposit>([...locked, ...read].map((one) => [one.deposit.id, one]))
  const candidates = (ids: Iterable<string>) =>
    [...new Set(ids)].map((id) => ({ deposit: current.get(id)!.deposit, accountId: accountIds.get(id)! }))
  const now = locked[0]?.now ?? read[0]?.now ?? new Date(0)
  /** Which deposits a payer has paid, before or in this group. */
  const paidBy = new Map<string, Set<string>>()
  const notePaid = (paid: (typeof begun)[number]) => {
    for (const mark of payerMarks(paid)) paidBy.set(mark, (paidBy.get(mark) ?? new Set()).add(paid.depositId))
  }
  begun.forEach(notePaid)

  const customers = new Map(locked.map(({ deposit }) => [deposit.id, customerKeys(deposit)]))
  // In the sandbox the merchant chooses the payer: the answer would reveal whom the operator has on a list.
  const mayBeListed =
    credits[0]!.channel === 'sandbox'
      ? []
      : [...credits.flatMap(({ payer }) => payer), ...[...customers.values()].flat()]
  const listings = listingsFrom(await findListings(tx, mayBeListed))

  let matches: Matched['matches'] = new Map()
  let changes: Change[] = []
  const pause = createPause()
  for (const credit of [...credits.filter(isNaming), ...nameless]) {
    await pause()
    if (matches.size === matchedAtOnce) {
      yield { matches, changes }
      ;[matches, changes] = [new Map(), []]
    }
    const match = matchTransfer({
      transfer: credit,
      account: accountOf(credit.accountId),
      named: candidates(namedBy(credit).map(({ depositId }) => depositId)),
      alike: credit.references.bare.filter((reference) =>
        withReference.get(reference)?.some(({ accountId }) => accountId === credit.accountId),
      ),
      ofAmount: isNaming(credit) ? [] : candidates(ofAmount(credit).map(({ depositId }) => depositId)),
      ofPayer: candidates(payerMarks(credit).flatMap((mark) => [...(paidBy.get(mark) ?? [])])),
      listed: listings(credit.payer),
      now,
    })
    matches.set(credit, match)
    for (const { depositId, cents } of match.shares) {
      const { deposit, policy } = current.get(depositId)!
      const watched = strongest(listings(customers.get(depositId)!), deposit.merchantId)
      const review = watched ? listingReason(watched) : null
      const action = {
        do: 'receive',
        cents,
        inTime: isInTime(deposit, credit),
        review,
        actor: `bank:${source.name}`,
        reason: review
          ? message('match_of_watched_customer', { rest: match.reason, why: review })
          : match.reason,
        evidence: { rule: match.outcome, booked_on: credit.bookedOn },
      } as const
      const change = decide(deposit, action, now, policy)
      current.set(depositId, { ...current.get(depositId)!, deposit: change.deposit })
      notePaid({ ...credit, depositId })
      changes.push(change)
    }
  }
  yield { matches, changes }
}
