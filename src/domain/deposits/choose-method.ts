/**
 * The customer chooses how to pay: the deposit gets a requisite, as in the direct flow. A second choice, from another
 * tab or a double click, finds the deposit as the first left it.
 *
 * Locks: the deposit, its slot, the loads. Creates never wait for an existing deposit, so this order cannot deadlock
 * with theirs (orders, slots, loads); ARCHITECTURE.md has the full lock order.
 */

import { bounds } from '../../platform/bounds.ts'
import type { Tx } from '../../platform/db.ts'
import { isLockTimeout, violates } from '../../platform/db-errors.ts'
import { pipelined } from '../../platform/pipelined.ts'
import { Refusal } from '../../platform/refusals.ts'
import { checkLimit } from '../catalogue/limit.ts'
import type { Catalogue } from '../catalogue/payment-type.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { accountFits, type Candidate, chooseRequisite, slotKey } from '../requisites/choice.ts'
import { addLoads, holdAccounts } from '../requisites/load-store.ts'
import { readCandidates, readTakenSlots } from '../requisites/store.ts'
import { checkCustomer } from '../rules/check-customers.ts'
import type { MerchantRules } from '../rules/listing.ts'
import type { Changed, DepositContext } from './change-deposit.ts'
import { type Change, decide } from './decide.ts'
import { type Deposit, obstacle } from './deposit.ts'
import { paymentTimes } from './payment-times.ts'
import { lockDeposits } from './read-store.ts'
import type { Reference } from './reference.ts'
import type { ReferenceNumbers } from './reference-numbers.ts'
import { shownOf } from './shown.ts'
import { takeSlot } from './slot-store.ts'
import { saveChanges } from './store.ts'

export type ChooseMethod = {
  merchant: Merchant
  catalogue: Catalogue
  rules: MerchantRules
  depositId: string
  paymentType: string
}

export async function chooseMethod(
  { db, publicUrl, changed, references }: DepositContext & { references: ReferenceNumbers },
  choice: ChooseMethod,
): Promise<Changed> {
  if (!choice.merchant.enabled) throw new Refusal('merchant_disabled')
  for (let attempt = 0; attempt < bounds.groupAttempts; attempt++) {
    const reference = await references.next(db)
    try {
      const outcome = await db.transaction(async (tx) => {
        const [locked] = await lockDeposits(tx, [choice.depositId])
        if (!locked) throw new Refusal('not_found')
        const { deposit, now, policy } = locked
        if (deposit.state === 'created') return { deposit, now, isNew: false }
        const { load, ...issued } = await issueRequisite(tx, choice, locked, reference)
        const action = { do: 'choose_method', actor: 'customer', issued } as const
        const change: Change = decide(deposit, action, now, policy)
        // Sent together, because creates wait for the load's lock.
        const loading = addLoads(tx, [load])
        await pipelined<unknown>([loading, saveChanges(tx, [change], publicUrl)])
        if ((await loading).size === 0) throw new RequisiteTaken()
        return { deposit: change.deposit, now, isNew: true }
      })
      if (outcome.isNew) changed(['created'])
      return outcome
    } catch (error) {
      const isTaken = error instanceof RequisiteTaken || violates(error, 'deposit_reference_once')
      if (!isTaken && !isLockTimeout(error)) throw error
    }
  }
  throw noRequisite()
}

/** Takes a free requisite with its slot, or refuses with the reason. Its load is to be added. */
async function issueRequisite(
  tx: Tx,
  { merchant, catalogue, rules, paymentType }: ChooseMethod,
  { deposit, now }: { deposit: Deposit; now: Date },
  reference: Reference,
) {
  const problem = obstacle(deposit, 'choose_method', now)
  if (problem) throw new Refusal('state_conflict', { detail: problem, more: { state: deposit.state } })
  const { id, currency, amountCents } = deposit
  const type = checkLimit(catalogue, { amountCents, currency, paymentType }, 'create')
  await checkCustomer(tx, { merchant, rules, request: deposit })
  const wanted = { merchantId: merchant.id, mode: merchant.mode, currency, type }
  const [taken, candidates] = await Promise.all([
    readTakenSlots(tx, currency, [amountCents]),
    readCandidates(tx, wanted),
  ])
  const requisite = await takeRequisite()
  const times = paymentTimes(merchant, requisite)
  const { id: requisiteId, accountId } = requisite
  const isAccountLimited = requisite.account !== null
  if (isAccountLimited) {
    const held = await holdAccounts(tx, { accountIds: [accountId], requisiteIds: [requisiteId] })
    if (!accountFits(held.get(accountId)!, amountCents)) throw new RequisiteTaken()
  }
  return {
    requisiteId,
    accountId,
    paymentType,
    shown: shownOf(requisite, reference),
    reference,
    ...times,
    load: { requisiteId, amountCents, isAccountLimited },
  }

  /** If another deposit takes the slot first, that slot is marked as taken and the next requisite is tried. */
  async function takeRequisite(): Promise<Candidate> {
    for (;;) {
      const chosen = chooseRequisite(candidates, taken, amountCents)
      if (!chosen) throw noRequisite()
      if (chosen.carriesReference) return chosen
      const slot = {
        id,
        currency,
        amountCents,
        accountId: chosen.accountId,
        ...paymentTimes(merchant, chosen),
      }
      if (await takeSlot(tx, slot)) return chosen
      taken.add(slotKey(chosen.accountId, amountCents))
    }
  }
}

/** Rolls the attempt back: another deposit took the last of the requisite's limits, and another requisite may be free. */
class RequisiteTaken extends Error {}

const noRequisite = () =>
  new Refusal('no_requisite_available', { retryAfterSeconds: bounds.noRequisiteRetrySeconds })
