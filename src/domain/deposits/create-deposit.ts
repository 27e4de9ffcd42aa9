/**
 * Creates deposits. In the direct flow a new order gets a free requisite; in the selection flow the customer chooses the
 * method later, on the payment page.
 *
 * Requests come in groups that share a commit. Each has its own outcome: a repeated order gets its existing deposit, and
 * what does not fit is refused, whatever becomes of the others.
 *
 * Nearly every order is new, so the group is inserted first, by one statement that commits. Afterwards one look-up answers
 * those that did not come back and those that would be refused, because a repeated order is answered in any case. Orders that
 * this process answered a moment ago are looked up before. When a slot or the last room of a requisite was taken meanwhile,
 * nothing was written, and the group chooses again with what is free now.
 *
 * Locks are taken in one order, each sorted: customers (where the merchant limits them), orders, slots, loads. The
 * loads come last because all creates of a requisite compete for them; they are held only during the commit.
 */

import { bounds } from '../../platform/bounds.ts'
import type { Db, Queryable, Tx } from '../../platform/db.ts'
import { isLockTimeoutOf } from '../../platform/db-errors.ts'
import type { Outcome } from '../../platform/group-commit.ts'
import { pipelined } from '../../platform/pipelined.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Message } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import { CandidateCache, type Candidates, choiceKey } from '../requisites/candidate-cache.ts'
import { type Candidate, chooseRequisite, type TakenSlots, takeDeposit } from '../requisites/choice.ts'
import { readTakenSlots, type Wanted } from '../requisites/store.ts'
import {
  type CustomerRules,
  customerOf,
  isRuled,
  limitsOf,
  noRules,
  readCustomerRules,
} from '../rules/check-customers.ts'
import { lockCustomers } from '../rules/store.ts'
import { AnsweredOrders } from './answered-orders.ts'
import { type CreateDeposit, checkOrder, draftOf } from './draft.ts'
import { insertNotes } from './history-store.ts'
import { type Acknowledged, fingerprint, repeated, type StoredOrder } from './order.ts'
import { findOrders, type OrderKey } from './read-store.ts'
import { ReferenceNumbers } from './reference-numbers.ts'
import { type DepositDraft, insertDeposits, isLostRace } from './store.ts'

/** What a process needs to create deposits: the database, its own block of reference numbers, and what it remembers. */
export type Creator = {
  db: Db
  references: ReferenceNumbers
  candidates: CandidateCache
  answered: AnsweredOrders
}

export const creatorOn = (db: Db): Creator => ({
  db,
  references: new ReferenceNumbers(),
  candidates: new CandidateCache(),
  answered: new AnsweredOrders(),
})

type CreateOutcome = Outcome<Acknowledged>

/** The requests of a group for one order: the first, and the places of all. */
type Order = OrderKey & {
  key: string
  first: CreateDeposit
  places: number[]
  /** Why no new deposit may have this amount or type. */
  refusal: unknown
  /** The requisite that a new deposit needs; null in the selection flow. */
  wanted: Wanted | null
}

type Answer = { stored: StoredOrder; isNew: boolean } | Exclude<CreateOutcome, { done: unknown }>

export async function createDeposits(
  creator: Creator,
  members: readonly CreateDeposit[],
): Promise<CreateOutcome[]> {
  const { db, candidates } = creator
  const orders = ordersOf(members)
  const isLimited = members.some(limitsOf)
  for (let attempt = 1; ; attempt++) {
    try {
      const answers = await (isLimited
        ? db.transaction((tx) => answerOrders(tx, creator, orders))
        : answerOrders(db, creator, orders))
      return outcomesOf(members, answers)
    } catch (error) {
      const isLone = orders.length === 1
      // Only another writer of the same order holds a lock on new deposits. A wait for anything else says nothing about it.
      if (isLone && isLockTimeoutOf(error, 'deposits')) throw inProgress()
      if (!isLostRace(error)) throw error
      if (attempt === bounds.groupAttempts) throw isLone ? noRequisite(orders[0]!.first) : error
      for (const { wanted } of orders) if (wanted) candidates.forget(wanted)
    }
  }
}

function ordersOf(members: readonly CreateDeposit[]): Order[] {
  const orders = new Map<string, Order>()
  for (const [place, first] of members.entries()) {
    const { merchant, request } = first
    const merchantId = merchant.id
    const { orderId, currency } = request
    const key = keyOf({ merchantId, orderId })
    const known = orders.get(key)
    if (known) {
      known.places.push(place)
      continue
    }
    const order: Order = { merchantId, orderId, key, first, places: [place], refusal: null, wanted: null }
    orders.set(key, order)
    try {
      const type = checkOrder(first)
      if (first.flow === 'create') order.wanted = { merchantId, mode: merchant.mode, currency, type }
    } catch (refusal) {
      order.refusal = refusal
    }
  }
  return [...orders.values()]
}

/** Answers each order, and writes those that are new. */
async function answerOrders(
  db: Db | Tx,
  creator: Creator,
  orders: readonly Order[],
): Promise<Map<Order, Answer>> {
  const facts = await readFacts(db, creator, orders)
  const answers = new Map<Order, Answer>()
  const drafts = new Map<Order, DepositDraft>()
  const notes: { depositId: string; reason: Message }[] = []
  for (const order of orders) {
    const stored = facts.stored.get(order.key)
    const issued = stored ? { stored, isNew: false } : issue(creator.candidates, facts, order)
    if (!('watched' in issued)) answers.set(order, issued)
    else {
      const reference = issued.requisite && (await creator.references.next(db))
      const draft = draftOf(order.first, issued.requisite, reference)
      drafts.set(order, draft)
      if (issued.watched) notes.push({ depositId: draft.id, reason: issued.watched })
    }
  }
  const write = async (tx: Tx) => {
    const inserted = insertDeposits(tx, [...drafts.values()])
    await pipelined<unknown>([inserted, insertNotes(tx, notes)])
    return inserted
  }
  const written =
    'tx' in db
      ? await write(db)
      : await (notes.length > 0 ? db.transaction(write) : insertDeposits(db, [...drafts.values()]))
  for (const [order, { id, fingerprint }] of drafts) {
    const deposit = written.get(id)
    if (deposit) answers.set(order, { stored: { deposit, fingerprint, now: deposit.createdAt }, isNew: true })
  }
  await findRepeated(db, orders, answers)
  for (const [{ key }, answer] of answers) if ('stored' in answer) creator.answered.add(key)
  return answers
}

/** What the choice for a group needs to know. Where nothing has to be read, the database is not asked. */
type Facts = {
  stored: Map<string, StoredOrder>
  candidates: Map<string, Candidates>
  taken: Map<Currency, TakenSlots>
  customers: CustomerRules
}

async function readFacts(
  db: Db | Tx,
  { candidates, answered }: Creator,
  orders: readonly Order[],
): Promise<Facts> {
  const facts: Facts = { stored: new Map(), candidates: new Map(), taken: new Map(), customers: noRules }
  const reads: ((db: Queryable) => Promise<unknown>)[] = []
  const firsts = orders.map(({ first }) => first)
  if ('tx' in db) reads.push(() => lockCustomers(db, firsts.filter(limitsOf).map(customerOf)))
  if (firsts.some(isRuled))
    reads.push(async (db) => {
      facts.customers = await readCustomerRules(db, firsts)
    })
  const remembered = orders.filter(({ key }) => answered.has(key))
  if (remembered.length > 0)
    reads.push(async (db) => {
      for (const order of await findOrders(db, remembered)) facts.stored.set(keyOf(order.deposit), order)
    })
  const amounts = new Map<Currency, Cents[]>()
  for (const { first, wanted } of orders) {
    if (!wanted) continue
    const { currency, amountCents } = first.request
    if (wanted.type.group !== 'account') {
      if (amounts.has(currency)) amounts.get(currency)!.push(amountCents)
      else amounts.set(currency, [amountCents])
    }
    const key = choiceKey(wanted)
    if (facts.candidates.has(key)) continue
    const kept = candidates.kept(wanted)
    facts.candidates.set(key, kept ?? none)
    if (!kept) reads.push(async (db) => facts.candidates.set(key, await candidates.read(db, wanted)))
  }
  for (const [currency, asked] of amounts)
    reads.push(async (db) => facts.taken.set(currency, await readTakenSlots(db, currency, asked)))
  const read = (on: Queryable) => pipelined(reads.map((ask) => ask(on)))
  if (reads.length > 0) await ('tx' in db ? read(db) : db.together(read))
  return facts
}

const none: Candidates = { candidates: [], isFresh: true }

/** Everything that can refuse a new deposit, and its requisite. */
function issue(
  cache: CandidateCache,
  { customers, candidates, taken }: Facts,
  { first, refusal, wanted }: Order,
): { requisite: Candidate | null; watched: Message | null } | Exclude<Answer, { stored: unknown }> {
  if (refusal) return { failed: refusal }
  const verdict = customers.check(first)
  if (verdict instanceof Refusal) return { failed: verdict }
  if (!wanted) {
    customers.add(first)
    return { requisite: null, watched: verdict }
  }
  const { currency, amountCents } = first.request
  const offered = candidates.get(choiceKey(wanted))!
  if (!taken.has(currency)) taken.set(currency, new Set())
  const slots = taken.get(currency)!
  const requisite = chooseRequisite(offered.candidates, slots, amountCents)
  if (!requisite) {
    if (offered.isFresh) return { failed: noRequisite(first) }
    cache.forget(wanted)
    return { again: () => noRequisite(first) }
  }
  takeDeposit(requisite, slots, amountCents)
  customers.add(first)
  return { requisite, watched: verdict }
}

/** What was not written or would be refused may be the repeat of an order: then it gets the answer of that. */
async function findRepeated(
  db: Queryable,
  orders: readonly Order[],
  answers: Map<Order, Answer>,
): Promise<void> {
  const unsure = orders.filter((order) => !('stored' in (answers.get(order) ?? {})))
  if (unsure.length === 0) return
  const found = new Map((await findOrders(db, unsure)).map((order) => [keyOf(order.deposit), order]))
  const hasLost = unsure.some((order) => !answers.has(order))
  for (const order of unsure) {
    const stored = found.get(order.key)
    const answer = answers.get(order)
    if (stored) answers.set(order, { stored, isNew: false })
    // Its reference was taken: the next attempt has another.
    else if (!answer) answers.set(order, { again: () => noRequisite(order.first) })
    // It may have been refused because of one that was not written.
    else if (hasLost && 'failed' in answer) answers.set(order, { again: () => answer.failed })
  }
}

/** The same request in one group gets the same refusal. Any other request for its order is tried again. */
function outcomesOf(members: readonly CreateDeposit[], answers: ReadonlyMap<Order, Answer>): CreateOutcome[] {
  const outcomes: CreateOutcome[] = new Array(members.length)
  for (const [{ first, places }, answer] of answers) {
    for (const place of places) {
      const { flow, request } = members[place]!
      const isFirst = place === places[0]
      if ('stored' in answer) {
        const { deposit, now } = answer.stored
        outcomes[place] =
          answer.isNew && isFirst
            ? { done: { deposit, now, replayed: false } }
            : outcomeOf(() => repeated(answer.stored, flow, request))
      } else if (isFirst) outcomes[place] = answer
      else {
        const isSame = fingerprint(flow, request) === fingerprint(first.flow, first.request)
        outcomes[place] = isSame && 'failed' in answer ? answer : { again: inProgress }
      }
    }
  }
  return outcomes
}

function outcomeOf(answer: () => Acknowledged): CreateOutcome {
  try {
    return { done: answer() }
  } catch (refusal) {
    return { failed: refusal }
  }
}

const keyOf = ({ merchantId, orderId }: OrderKey) => `${merchantId}:${orderId}`

const inProgress = () => new Refusal('request_in_progress', { retryAfterSeconds: 1 })

const noRequisite = ({ request }: CreateDeposit) =>
  new Refusal('no_requisite_available', {
    detail: `No requisite for ${request.paymentType} in ${request.currency} can take this amount now. Nothing was stored.`,
    retryAfterSeconds: bounds.noRequisiteRetrySeconds,
  })
