/**
 * Creates deposits in the direct flow: a new order gets a free requisite, in one transaction.
 *
 * Creates come in groups that share a commit. Each member has its own outcome: a repeated order gets its existing
 * deposit; a member without a fitting requisite, or over its customer's limit, is refused; one that lost a race against
 * another process (slot, limit or order taken meanwhile) is tried again. No outcome affects the other members.
 *
 * Where nobody's limits have to be checked under a lock, one statement writes the whole group and commits. Otherwise, and
 * when it lost a race, a transaction finds out which members can be written.
 *
 * Locks are taken in one order, each sorted: customers (where the merchant limits them), orders, slots, loads. The
 * loads come last because all creates of a requisite compete for them; they are held only during the commit.
 */

import { bounds } from '../../platform/bounds.ts'
import { newId, randomToken } from '../../platform/clock.ts'
import type { Db, Queryable, Tx } from '../../platform/db.ts'
import { isLockTimeoutOf } from '../../platform/db-errors.ts'
import type { Outcome } from '../../platform/group-commit.ts'
import { Refusal } from '../../platform/refusals.ts'
import { checkLimit } from '../catalogue/limit.ts'
import type { Catalogue, PaymentType } from '../catalogue/payment-type.ts'
import type { Merchant } from '../merchants/merchant.ts'
import type { Message } from '../messages/message.ts'
import type { Currency } from '../money.ts'
import type { CandidateCache } from '../requisites/candidate-cache.ts'
import {
  accountFits,
  addToAccount,
  type Candidate,
  chooseRequisite,
  type TakenSlots,
  takeDeposit,
} from '../requisites/choice.ts'
import { addLoads, holdAccounts } from '../requisites/load-store.ts'
import { readTakenSlots } from '../requisites/store.ts'
import { checkCustomers, limitsOf, recheckCustomers } from '../rules/check-customers.ts'
import type { CustomerLimits } from '../rules/customer-limit.ts'
import type { MerchantRules } from '../rules/listing.ts'
import type { Deposit } from './deposit.ts'
import { insertNotes } from './history-store.ts'
import { type Acknowledged, fingerprint, repeated, returnsOf } from './order.ts'
import { paymentTimes } from './payment-times.ts'
import { findOrders } from './read-store.ts'
import type { DepositRequest } from './record.ts'
import type { Reference } from './reference.ts'
import type { ReferenceNumbers } from './reference-numbers.ts'
import type { SentRequest } from './sent-request.ts'
import { shownOf } from './shown.ts'
import { type DepositDraft, insertDeposits, isLostRace } from './store.ts'

export type CreateDeposit = {
  merchant: Merchant
  request: DepositRequest
  /** The merchant's payment types and limits. A repeated order is answered even if they have changed. */
  catalogue: Catalogue
  rules: MerchantRules
  sent: SentRequest
}

/** A draft with its requisite and the customer rules that apply to it. */
type IssuedDraft = DepositDraft & {
  requisiteId: string
  accountId: string
  isAccountLimited: boolean
  customerLimits: CustomerLimits | null
  watched: Message | null
}

/** A member whose order is new and whose amount is inside the limits. */
type NewOrder = CreateDeposit & { place: number; type: PaymentType }

type CreateOutcome = Outcome<Acknowledged>

/** What a process needs to create deposits: the database, its own block of reference numbers, and the cached candidates. */
export type Creator = { db: Db; references: ReferenceNumbers; candidates: CandidateCache }

export async function createDeposits(
  { db, references, candidates }: Creator,
  members: readonly CreateDeposit[],
): Promise<CreateOutcome[]> {
  const outcomes: CreateOutcome[] = new Array(members.length)
  const checked = members.map(withType)
  // Nearly every order is new, so existing orders and free requisites are read in one round trip.
  const [orders, offers] = await db.together((db) =>
    Promise.all([
      findOrders(db, members.map(orderKey)),
      readOffers(
        db,
        candidates,
        checked.filter((member) => 'type' in member),
      ),
    ]),
  )
  const stored = new Map(orders.map((order) => [keyText(order.deposit), order]))
  const newOrders = new Map<string, NewOrder>()
  const followers: { place: number; leader: NewOrder }[] = []
  members.forEach((member, place) => {
    const key = keyText(orderKey(member))
    const known = stored.get(key)
    const asked = checked[place]!
    try {
      if (known) outcomes[place] = { done: repeated(known, 'create', member.request) }
      else if (newOrders.has(key)) followers.push({ place, leader: newOrders.get(key)! })
      else if ('type' in asked) newOrders.set(key, asked)
      else throw asked.refusal
    } catch (refusal) {
      outcomes[place] = { failed: refusal }
    }
  })

  const verdicts = await checkCustomers(db, [...newOrders.values()])
  const served: NewOrder[] = []
  for (const member of newOrders.values()) {
    const verdict = verdicts.get(member)
    if (!verdict || 'watched' in verdict) served.push(member)
    // A member that exceeds a limit only together with other members of the group is tried again after them.
    else
      outcomes[member.place] = verdict.mayFit ? { again: () => verdict.refused } : { failed: verdict.refused }
  }

  const drafts = new Map<IssuedDraft, NewOrder>()
  for (const member of served) {
    const requisite = chooseFor(offers, member)
    if (requisite) {
      const verdict = verdicts.get(member)
      const watched = verdict && 'watched' in verdict ? verdict.watched : null
      drafts.set({ ...draftOf(member, requisite, await references.next(db)), watched }, member)
    } else if (offers.candidates.get(choiceKey(member))!.isFresh) {
      outcomes[member.place] = { failed: noRequisite(member) }
    } else {
      candidates.forget(wantedOf(member))
      outcomes[member.place] = { again: () => noRequisite(member) }
    }
  }

  const { written, overLimit, hasLost } = await writeDrafts(db, [...drafts.keys()])
  if (hasLost) for (const member of served) candidates.forget(wantedOf(member))
  for (const [draft, member] of drafts) {
    const deposit = written.get(draft.id)
    outcomes[member.place] = deposit
      ? { done: { deposit, now: deposit.createdAt, replayed: false } }
      : { again: () => overLimit.get(draft.id) ?? noRequisite(member) }
  }
  // The same request in one group gets the same refusal. Any other request for the order is tried again.
  for (const { place, leader } of followers) {
    const outcome = outcomes[leader.place]!
    const isSame = fingerprint('create', members[place]!.request).equals(
      fingerprint('create', leader.request),
    )
    outcomes[place] = isSame && 'failed' in outcome ? outcome : { again: inProgress }
  }
  return outcomes
}

/** Checks amount and type. A refusal is returned, because a repeated order is answered in any case. */
function withType(member: CreateDeposit, place: number): NewOrder | { refusal: unknown } {
  try {
    return { ...member, place, type: checkLimit(member.catalogue, member.request, 'create') }
  } catch (refusal) {
    return { refusal }
  }
}

type Written = { written: Map<string, Deposit>; overLimit: Map<string, Refusal>; hasLost: boolean }

/** Writes the drafts; one that lost a race is missing from the result. */
async function writeDrafts(db: Db, drafts: readonly IssuedDraft[]): Promise<Written> {
  if (drafts.length === 0) return { written: new Map(), overLimit: new Map(), hasLost: false }
  const isPlain = !drafts.some(needsTransaction)
  try {
    const inserted = isPlain && (await insertUnlessLost(db, drafts))
    if (inserted) return { written: byId(inserted), overLimit: new Map(), hasLost: false }
    const result = await writeInTransaction(db, drafts)
    return { ...result, hasLost: isPlain || result.hasLost }
  } catch (error) {
    // Only another writer of the same order holds a lock on new deposits. A wait for anything else says nothing about it.
    if (isLockTimeoutOf(error, 'deposits') && drafts.length === 1) throw inProgress()
    throw error
  }
}

/** Whether limits have to be checked under locks, or a note has to be added. */
const needsTransaction = ({ customerLimits, isAccountLimited, watched }: IssuedDraft): boolean =>
  customerLimits !== null || isAccountLimited || watched !== null

/** One statement for the whole group; undefined when a slot or the last room was taken meanwhile. */
const insertUnlessLost = (db: Db, drafts: readonly IssuedDraft[]) =>
  insertDeposits(db, drafts, { withLoads: true }).catch((error) => {
    if (!isLostRace(error)) throw error
  })

async function writeInTransaction(db: Db, drafts: readonly IssuedDraft[]): Promise<Written> {
  let remaining = drafts
  const overLimit = new Map<string, Refusal>()
  let hasLost = false
  while (remaining.length > 0) {
    try {
      const written = await db.transaction(async (tx) => {
        for (const [id, refusal] of await recheckCustomers(tx, remaining)) overLimit.set(id, refusal)
        keepOnly(remaining, (draft) => !overLimit.has(draft.id))
        // Pipelined: if the answers show that a draft lost a race, the whole transaction is rolled back.
        const [inserted, loaded] = await Promise.all([
          insertDeposits(tx, remaining, { withLoads: false }),
          loadWhereRoom(tx, remaining),
          insertNotes(tx, notesOf(remaining)),
        ])
        const lost = new Set(inserted.filter(({ isLost }) => isLost).map(({ deposit }) => deposit.id))
        keepOnly(remaining, (draft) => !lost.has(draft.id))
        const deposits = byId(inserted)
        keepOnly(remaining, (draft) => deposits.has(draft.id))
        keepOnly(remaining, (draft) => loaded.has(draft.requisiteId))
        return deposits
      })
      return { written, overLimit, hasLost }
    } catch (error) {
      if (!(error instanceof LostRace)) throw error
      remaining = error.kept
      hasLost = true
    }
  }
  return { written: new Map(), overLimit, hasLost }
}

const byId = (inserted: readonly { deposit: Deposit }[]) =>
  new Map(inserted.map(({ deposit }) => [deposit.id, deposit]))

/** Adds the loads of the drafts and returns the requisites that had room. */
async function loadWhereRoom(tx: Tx, drafts: readonly IssuedDraft[]): Promise<Set<string>> {
  const full = await fullAccounts(tx, drafts)
  keepOnly(drafts, (draft) => !full.has(draft.id))
  return addLoads(tx, drafts)
}

/** The drafts whose account has no room for them. The accounts are locked, so the sums cannot change. */
async function fullAccounts(tx: Tx, drafts: readonly IssuedDraft[]): Promise<Set<string>> {
  const limited = drafts.filter((draft) => draft.isAccountLimited)
  const full = new Set<string>()
  if (limited.length === 0) return full
  const accounts = await holdAccounts(tx, {
    accountIds: [...new Set(limited.map((draft) => draft.accountId))],
    requisiteIds: [...new Set(drafts.map((draft) => draft.requisiteId))],
  })
  for (const { id, accountId, amountCents } of limited) {
    const account = accounts.get(accountId)!
    if (accountFits(account, amountCents)) addToAccount(account, amountCents)
    else full.add(id)
  }
  return full
}

const notesOf = (drafts: readonly IssuedDraft[]) =>
  drafts.flatMap(({ id, watched }) => (watched === null ? [] : [{ depositId: id, reason: watched }]))

/** Rolls the transaction of a group back, to be repeated without the members that lost a race. */
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

type Offers = {
  candidates: Map<string, { candidates: readonly Candidate[]; isFresh: boolean }>
  taken: Map<Currency, TakenSlots>
}

/** Candidate requisites per merchant, currency and payment type, and the taken amounts per currency. */
async function readOffers(
  db: Queryable,
  cache: CandidateCache,
  members: readonly NewOrder[],
): Promise<Offers> {
  const choices = new Map(members.map((member) => [choiceKey(member), member]))
  const currencies = new Set(members.map((member) => member.request.currency))
  const [candidates, taken] = await Promise.all([
    Promise.all(
      [...choices].map(async ([choice, member]) => [choice, await cache.read(db, wantedOf(member))] as const),
    ),
    Promise.all(
      [...currencies].map(async (currency) => {
        const amounts = members
          .filter((member) => member.request.currency === currency && member.type.group !== 'account')
          .map((member) => member.request.amountCents)
        const slots = amounts.length > 0 ? await readTakenSlots(db, currency, amounts) : new Set<string>()
        return [currency, slots] as const
      }),
    ),
  ])
  return { candidates: new Map(candidates), taken: new Map(taken) }
}

const wantedOf = ({ merchant, request, type }: NewOrder) => ({
  merchantId: merchant.id,
  mode: merchant.mode,
  currency: request.currency,
  type,
})

const choiceKey = ({ merchant, request, type }: NewOrder) => `${merchant.id}:${request.currency}:${type.code}`

function chooseFor(offers: Offers, member: NewOrder): Candidate | undefined {
  const { currency, amountCents } = member.request
  const taken = offers.taken.get(currency)!
  const chosen = chooseRequisite(offers.candidates.get(choiceKey(member))!.candidates, taken, amountCents)
  if (chosen) takeDeposit(chosen, taken, amountCents)
  return chosen
}

function draftOf(
  { merchant, request, sent }: CreateDeposit,
  requisite: Candidate,
  reference: Reference,
): Omit<IssuedDraft, 'watched'> {
  return {
    ...request,
    ...returnsOf(merchant, request),
    id: newId(),
    merchantId: merchant.id,
    flow: 'create',
    state: 'created',
    fingerprint: fingerprint('create', request),
    requisiteId: requisite.id,
    accountId: requisite.accountId,
    isAccountLimited: requisite.account !== null,
    customerLimits: limitsOf({ merchant, request }),
    shown: shownOf(requisite, reference),
    reference,
    pageToken: randomToken(16),
    holdsSlot: !requisite.carriesReference,
    ...paymentTimes(merchant, requisite),
    sent,
  }
}

const orderKey = ({ merchant, request }: CreateDeposit) => ({
  merchantId: merchant.id,
  orderId: request.orderId,
})
const keyText = (key: { merchantId: string; orderId: string }) => `${key.merchantId}:${key.orderId}`

const inProgress = () => new Refusal('request_in_progress', { retryAfterSeconds: 1 })

const noRequisite = ({ request }: CreateDeposit) =>
  new Refusal('no_requisite_available', {
    detail: `No requisite for ${request.paymentType} in ${request.currency} can take this amount now. Nothing was stored.`,
    retryAfterSeconds: bounds.noRequisiteRetrySeconds,
  })
