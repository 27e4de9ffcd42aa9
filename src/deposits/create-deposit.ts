/**
 * A merchant asks for a deposit: the order is new, a requisite is free, both are taken in one transaction.
 *
 * Creates come in groups that share a commit. Each member keeps its own answer: a repeated order gets the
 * deposit it already has, a member that no requisite fits is refused, one that lost a race against another
 * process (slot, limit or order taken meanwhile) chooses again, and none of that touches its neighbours.
 *
 * Locks are taken in one order, each sorted: slots, orders, loads. The loads come last because every create of a
 * requisite meets there; they are held for the commit alone.
 */

import { bounds } from '../bounds.ts'
import { checkLimit } from '../catalogue/limit.ts'
import type { Catalogue, PaymentType } from '../catalogue/payment-type.ts'
import type { Merchant } from '../merchants/merchant.ts'
import type { Currency } from '../money.ts'
import { newId, randomToken } from '../platform/clock.ts'
import { type Db, isLockTimeout } from '../platform/db.ts'
import type { Outcome } from '../platform/group-commit.ts'
import { Refusal } from '../refusals.ts'
import { type Candidate, chooseRequisite, type TakenSlots, takeDeposit } from '../requisites/choice.ts'
import { addLoads, type LoadIncrease, readCandidates, readTakenSlots } from '../requisites/store.ts'
import type { Deposit } from './deposit.ts'
import { type Acknowledged, fingerprint, repeated, type StoredOrder } from './order.ts'
import type { DepositRequest } from './record.ts'
import type { Reference } from './reference.ts'
import type { ReferenceNumbers } from './reference-numbers.ts'
import { shownOf } from './shown.ts'
import { type DepositDraft, findOrders, insertDeposits, takeSlots } from './store.ts'

export type CreateDeposit = {
  merchant: Merchant
  request: DepositRequest
  /** What is on offer to the merchant. A repeated order is answered whatever the offer is by now. */
  catalogue: Catalogue
  requestId: string
}

/** A draft that has its requisite. */
type IssuedDraft = DepositDraft & { requisiteId: string; accountId: string }

/** A member whose order is new and whose amount is inside the limits. */
type Fresh = CreateDeposit & { place: number; type: PaymentType }

type CreateOutcome = Outcome<Acknowledged>

/** What a process needs to create deposits: the database and its own block of reference numbers. */
export type Creator = { db: Db; references: ReferenceNumbers }

export async function createDeposits(
  { db, references }: Creator,
  members: readonly CreateDeposit[],
): Promise<CreateOutcome[]> {
  const outcomes: CreateOutcome[] = new Array(members.length)
  const stored = byOrder(await findOrders(db, members.map(orderKey)))
  const fresh = new Map<string, Fresh>()
  const followers: { place: number; leader: Fresh }[] = []
  members.forEach((member, place) => {
    const key = keyText(orderKey(member))
    const known = stored.get(key)
    try {
      if (known) outcomes[place] = { done: repeated(known, 'create', member.request) }
      else if (fresh.has(key)) followers.push({ place, leader: fresh.get(key)! })
      else fresh.set(key, { ...member, place, type: checkLimit(member.catalogue, member.request, 'create') })
    } catch (refusal) {
      outcomes[place] = { failed: refusal }
    }
  })

  const offers = await readOffers(db, [...fresh.values()])
  const drafts = new Map<IssuedDraft, Fresh>()
  for (const member of fresh.values()) {
    const requisite = chooseFor(offers, member)
    if (requisite) drafts.set(draftOf(member, requisite, await references.next(db)), member)
    else outcomes[member.place] = { failed: noRequisite(member) }
  }

  const written = await writeDrafts(db, [...drafts.keys()])
  for (const [draft, member] of drafts) {
    const deposit = written.get(draft.id)
    outcomes[member.place] = deposit
      ? { done: { deposit, now: deposit.createdAt, replayed: false } }
      : { again: () => noRequisite(member) }
  }
  // The same request, refused a moment ago for the same reason, shares the refusal; any other looks again.
  for (const { place, leader } of followers) {
    const outcome = outcomes[leader.place]!
    const isSame = fingerprint('create', members[place]!.request).equals(
      fingerprint('create', leader.request),
    )
    outcomes[place] = isSame && 'failed' in outcome ? outcome : { again: inProgress }
  }
  return outcomes
}

/** Writes what can be written; a draft that lost a race is missing from the result. */
async function writeDrafts(db: Db, drafts: readonly IssuedDraft[]): Promise<Map<string, Deposit>> {
  let remaining = drafts
  while (remaining.length > 0) {
    try {
      const made = await db.transaction(async (tx) => {
        const slotted = remaining.filter((draft) => draft.holdsSlot)
        if (slotted.length > 0) {
          const taken = await takeSlots(tx, slotted)
          keepOnly(remaining, (draft) => !draft.holdsSlot || taken.has(draft.id))
        }
        const deposits = new Map(
          (await insertDeposits(tx, remaining)).map((deposit) => [deposit.id, deposit]),
        )
        keepOnly(remaining, (draft) => deposits.has(draft.id))
        const loaded = await addLoads(tx, loadsOf(remaining))
        keepOnly(remaining, (draft) => loaded.has(draft.requisiteId))
        return deposits
      })
      return made
    } catch (error) {
      if (error instanceof LostRace) remaining = error.kept
      else if (isLockTimeout(error) && drafts.length === 1) throw inProgress()
      else throw error
    }
  }
  return new Map()
}

/** Undoes the transaction of a group, to be written again without the members that lost. */
class LostRace extends Error {
  readonly kept: readonly IssuedDraft[]
  constructor(kept: readonly IssuedDraft[]) {
    super('A member of the group lost a race.')
    this.kept = kept
  }
}

function keepOnly(drafts: readonly IssuedDraft[], won: (draft: IssuedDraft) => boolean): void {
  const kept = drafts.filter(won)
  if (kept.length < drafts.length) throw new LostRace(kept)
}

type Offers = { candidates: Map<string, Candidate[]>; taken: Map<Currency, TakenSlots> }

/** What could serve the group: candidates per kind of wish, and the amounts that are taken per currency. */
async function readOffers(db: Db, members: readonly Fresh[]): Promise<Offers> {
  const wishes = new Map(members.map((member) => [wishOf(member), member]))
  const candidates = new Map<string, Candidate[]>()
  for (const [wish, { merchant, request, type }] of wishes) {
    candidates.set(
      wish,
      await readCandidates(db, {
        merchantId: merchant.id,
        mode: merchant.mode,
        currency: request.currency,
        type,
      }),
    )
  }
  const taken = new Map<Currency, TakenSlots>()
  for (const currency of new Set(members.map((member) => member.request.currency))) {
    const amounts = members
      .filter((member) => member.request.currency === currency && member.type.group !== 'account')
      .map((member) => member.request.amountCents)
    taken.set(currency, amounts.length > 0 ? await readTakenSlots(db, currency, amounts) : new Set())
  }
  return shareCandidates({ candidates, taken })
}

/** One requisite may serve several wishes of a group (any_bank and bankx): its load is then counted once. */
function shareCandidates(offers: Offers): Offers {
  const byId = new Map<string, Candidate>()
  for (const [wish, list] of offers.candidates) {
    offers.candidates.set(
      wish,
      list.map((candidate) => {
        const known = byId.get(candidate.id) ?? candidate
        byId.set(candidate.id, known)
        return known
      }),
    )
  }
  return offers
}

const wishOf = ({ merchant, request, type }: Fresh) => `${merchant.id}:${request.currency}:${type.code}`

function chooseFor(offers: Offers, member: Fresh): Candidate | undefined {
  const { currency, amountCents } = member.request
  const taken = offers.taken.get(currency)!
  const chosen = chooseRequisite(offers.candidates.get(wishOf(member))!, taken, amountCents)
  if (chosen) takeDeposit(chosen, taken, amountCents)
  return chosen
}

function draftOf(
  { merchant, request, requestId }: CreateDeposit,
  requisite: Candidate,
  reference: Reference,
): IssuedDraft {
  const { paymentMinutes, lateGraceHours, lateGraceAccountHours } = merchant.settings
  return {
    ...request,
    id: newId(),
    merchantId: merchant.id,
    flow: 'create',
    state: 'created',
    fingerprint: fingerprint('create', request),
    requisiteId: requisite.id,
    accountId: requisite.accountId,
    shown: shownOf(requisite, reference),
    reference,
    pageToken: randomToken(16),
    holdsSlot: !requisite.carriesReference,
    openMinutes: paymentMinutes,
    lateGraceHours: requisite.carriesReference ? lateGraceAccountHours : lateGraceHours,
    requestId,
  }
}

function loadsOf(drafts: readonly IssuedDraft[]): LoadIncrease[] {
  const loads = new Map<string, LoadIncrease>()
  for (const { requisiteId, amountCents } of drafts) {
    const load = loads.get(requisiteId) ?? { requisiteId, deposits: 0, cents: 0n }
    loads.set(requisiteId, { requisiteId, deposits: load.deposits + 1, cents: load.cents + amountCents })
  }
  return [...loads.values()]
}

const orderKey = ({ merchant, request }: CreateDeposit) => ({
  merchantId: merchant.id,
  orderId: request.orderId,
})
const keyText = (key: { merchantId: string; orderId: string }) => `${key.merchantId}:${key.orderId}`
const byOrder = (orders: readonly StoredOrder[]) =>
  new Map(orders.map((order) => [keyText(order.deposit), order]))

const inProgress = () => new Refusal('request_in_progress', { retryAfterSeconds: 1 })

const noRequisite = ({ request }: CreateDeposit) =>
  new Refusal('no_requisite_available', {
    detail: `No requisite for ${request.paymentType} in ${request.currency} can take this amount now. Nothing was stored.`,
    retryAfterSeconds: bounds.noRequisiteRetrySeconds,
  })
