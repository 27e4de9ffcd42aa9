/**
 * What an action does to a deposit: every refusal first, then a change in which nothing can fail. Pure: the
 * deposit, the merchant's policy and the time are arguments; the caller has locked the deposit.
 */
import { bounds } from '../../platform/bounds.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { EventType } from '../callbacks/callback.ts'
import type { MerchantSettings } from '../merchants/merchant.ts'
import { type Message, type MessageOrText, message } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import {
  type ActionName,
  canLoseMoney,
  type Deposit,
  type Label,
  obstacle,
  type Shown,
  transitions,
} from './deposit.ts'
import type { Reference } from './reference.ts'

/** Who acts, why, and the evidence. */
export type Act = { actor: string; reason?: MessageOrText | null; evidence?: unknown }

/** The requisite that was issued for the chosen method, as the customer will see it, and for how long. */
export type Issued = {
  requisiteId: string
  accountId: string
  paymentType: string
  shown: Shown
  reference: Reference
  openMinutes: number
  lateGraceHours: number
}

export type Action = Act &
  (
    | { do: Exclude<ActionName, 'receive' | 'choose_method'> }
    /** `inTime`: the customer paid in time and only the bank was slow, so the money is not marked as late. */
    | {
        do: 'receive'
        cents: Cents
        inTime?: boolean
        /** The reason why a rule requires a person's review before this money confirms the deposit. */
        review?: Message | null
      }
    | { do: 'choose_method'; issued: Issued }
  )

type HistoryDraft = Required<Pick<Act, 'actor'>> & {
  action: ActionName
  fromState: Deposit['state']
  toState: Deposit['state']
  reason: MessageOrText | null
  evidence: unknown
}

/** The deposit before and after, its history entries (none: nothing changes), and the event that is sent to the merchant. */
export type Change = {
  before: Deposit
  deposit: Deposit
  history: HistoryDraft[]
  event: EventType | null
  at: Date
  /** With a choice only: the requisite that it took. */
  issued?: Issued
}

export const statesEntered = (changes: readonly Change[]): Deposit['state'][] =>
  changes.filter(({ before, deposit }) => before.state !== deposit.state).map(({ deposit }) => deposit.state)

export type Policy = Pick<
  MerchantSettings,
  'underpaidPolicy' | 'underpaidToleranceCents' | 'overpaidPolicy' | 'latePolicy'
>

export function decide(deposit: Deposit, action: Action, now: Date, policy: Policy): Change {
  const isLoss = action.do === 'receive' && action.cents < 0n
  const problem =
    isLoss && canLoseMoney(deposit, now)
      ? undefined
      : (obstacle(deposit, action.do, now) ?? customerCancelProblem(deposit, action))
  if (problem) throw new Refusal('state_conflict', { detail: problem, more: { state: deposit.state } })
  if (action.do === 'receive') return receive(deposit, action, now, policy)
  if (action.do === 'claim') return claim(deposit, action, now)
  if (action.do === 'choose_method') return chooseMethod(deposit, action, now)
  // Only a person can confirm without sufficient money.
  const byHand = action.do === 'confirm' ? adding(deposit.labels, 'manual') : deposit.labels
  const labels = action.do === 'confirm' && isLate(deposit) ? adding(byHand, 'late') : byHand
  // Every action decides a review, except expiry: the deposit keeps waiting for a person.
  const settled = action.do === 'expire' ? labels : removing(labels, 'review')
  return changed(deposit, { ...deposit, labels: settled }, action, now)
}

/** A customer may cancel only while no money has arrived or been claimed; otherwise a person decides. */
function customerCancelProblem(
  { state, receivedCents, claimedAt }: Deposit,
  action: Action,
): Message | undefined {
  if (action.do !== 'reject' || action.actor !== 'customer') return undefined
  const isUntouched = state !== 'expired' && receivedCents === 0n && claimedAt === null
  return isUntouched ? undefined : message('payment_on_its_way_cannot_be_given_up')
}

/** After the customer's choice the deposit is like one of the direct flow. */
function chooseMethod(deposit: Deposit, action: Action & { do: 'choose_method' }, now: Date): Change {
  const { issued } = action
  const expiresAt = new Date(now.getTime() + issued.openMinutes * 60_000)
  const chosen = {
    ...deposit,
    paymentType: issued.paymentType,
    shown: issued.shown,
    reference: issued.reference,
    issuedAt: now,
    expiresAt,
    lateUntil: new Date(expiresAt.getTime() + issued.lateGraceHours * 3_600_000),
  }
  return { ...changed(deposit, chosen, action, now, 'deposit.method_selected'), issued }
}

/**
 * The customer states that money was sent. It is no evidence, but near the deadline it extends the deadline, once. A repeated claim
 * that extends nothing changes nothing and adds nothing: anybody with the link can repeat it for as long as the deposit is open.
 */
function claim(deposit: Deposit, action: Action, now: Date): Change {
  const left = deposit.expiresAt.getTime() - now.getTime()
  const isNear = left > 0 && left < bounds.claimExtensionMs
  const movesDeadline = deposit.state === 'created' && !deposit.extended && isNear
  if (deposit.claimedAt && !movesDeadline)
    return { before: deposit, deposit, history: [], event: null, at: now }
  const later = (time: Date) => new Date(time.getTime() + bounds.claimExtensionMs)
  const claimed = {
    ...deposit,
    claimedAt: deposit.claimedAt ?? now,
    ...(movesDeadline && {
      extended: true,
      expiresAt: later(deposit.expiresAt),
      lateUntil: later(deposit.lateUntil),
    }),
  }
  return changed(deposit, claimed, action, now, deposit.claimedAt ? null : 'deposit.claimed')
}

/** Money arrived, or left (negative): the new total decides, by the merchant's policy. */
function receive(deposit: Deposit, action: Action & { do: 'receive' }, now: Date, policy: Policy): Change {
  const total = deposit.receivedCents + action.cents
  if (action.cents === 0n || total < 0n) {
    throw new Refusal('invalid_value', { detail: message('received_sum_must_stay_above_zero') })
  }
  const sum = { ...deposit, receivedCents: total, labels: sumLabels(deposit, total) }
  if (deposit.state === 'confirmed') {
    const surplus = action.cents > 0n && total > deposit.amountCents
    // If a deposit has lost money, a person decides until it has the full amount again.
    const lost = action.cents < 0n ? adding(sum.labels, 'review') : sum.labels
    const looked = total < deposit.amountCents ? lost : removing(sum.labels, 'review')
    return changed(deposit, { ...sum, labels: looked }, action, now, surplus ? 'deposit.overpaid' : null)
  }
  // Without money nothing is left to review: the deposit waits for money again, until it expires.
  if (total === 0n) return changed(deposit, { ...sum, labels: withoutMoney(sum.labels) }, action, now)
  const late = isLate(deposit) && !action.inTime
  const labels = late ? adding(sum.labels, 'late') : sum.labels
  const judged = judge(deposit, total, late, policy)
  // Outgoing money confirms nothing: the reason for the review remains.
  const isToLook = Boolean(action.review) || action.cents < 0n
  const verdict = judged === 'confirm' && isToLook ? 'review' : judged
  if (verdict === 'confirm') {
    const received = changed(deposit, { ...sum, labels }, action, now)
    const confirmed = changed(
      received.deposit,
      { ...received.deposit, labels: removing(labels, 'review') },
      { do: 'confirm', actor: action.actor, reason: reasonOf(labels), evidence: action.evidence },
      now,
    )
    return { ...confirmed, before: deposit, history: [...received.history, ...confirmed.history] }
  }
  const marked = verdict === 'review' ? adding(labels, 'review') : labels
  const isShort = action.cents > 0n && total < deposit.amountCents
  const isNew = verdict === 'review' && !deposit.labels.includes('review')
  // The claimed money has arrived and is too little, so the customer may claim the rest again.
  const claimedAt = isShort ? null : sum.claimedAt
  const waiting = { ...sum, labels: marked, claimedAt }
  const event = isShort ? 'deposit.underpaid' : isNew ? 'deposit.review' : null
  return changed(deposit, waiting, action, now, event)
}

function judge(deposit: Deposit, total: Cents, late: boolean, policy: Policy): 'confirm' | 'review' | 'wait' {
  const missing = deposit.amountCents - total
  if (missing > 0n) {
    const accepted = policy.underpaidPolicy === 'accept' && missing <= policy.underpaidToleranceCents
    if (!accepted) return policy.underpaidPolicy === 'review' ? 'review' : 'wait'
  }
  if (missing < 0n && policy.overpaidPolicy === 'review') return 'review'
  if (late && policy.latePolicy === 'review') return 'review'
  return 'confirm'
}

const isLate = ({ state }: Deposit) => state === 'expired'

function sumLabels({ labels, amountCents }: Deposit, total: Cents): Label[] {
  const plain = removing(removing(labels, 'underpaid'), 'overpaid')
  if (total > 0n && total < amountCents) return adding(plain, 'underpaid')
  return total > amountCents ? adding(plain, 'overpaid') : plain
}

const withoutMoney = (labels: readonly Label[]) => removing(removing(labels, 'review'), 'late')

function reasonOf(labels: readonly Label[]): Message {
  const reported = labels.filter((label) => label !== 'review' && label !== 'manual')
  return reported.length === 0
    ? message('money_arrived')
    : message('money_arrived_labeled', { labels: reported.join(', ') })
}

const adding = (all: readonly Label[], label: Label): Label[] =>
  all.includes(label) ? [...all] : [...all, label]
const removing = (all: readonly Label[], label: Label): Label[] =>
  all.filter((existing) => existing !== label)

/** Changes the state by the transition table and adds the history entry. */
function changed(
  before: Deposit,
  after: Deposit,
  action: Action,
  now: Date,
  event?: EventType | null,
): Change {
  const { to } = transitions[action.do]
  const state = to === 'same' ? before.state : to
  const ends = state !== before.state && state !== 'expired' && state !== 'created'
  const deposit = { ...after, state, finalAt: ends ? now : after.finalAt }
  const line = {
    action: action.do,
    fromState: before.state,
    toState: state,
    actor: action.actor,
    reason: action.reason ?? null,
    evidence: action.evidence ?? null,
  }
  const type = event === undefined ? (to === 'same' ? null : (`deposit.${to}` as EventType)) : event
  return { before, deposit, history: [line], event: type, at: now }
}
