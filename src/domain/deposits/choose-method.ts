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
import { type Candidate, chooseRequisite, slotKey } from '../requisites/choice.ts'
import { addLoad } from '../requisites/load-store.ts'
import { readCandidates, readTakenSlots } from '../requisites/store.ts'
import { readCustomerRules } from '../rules/check-customers.ts'
import type { MerchantRules } from '../rules/listing.ts'
import type { Changed, DepositContext } from './change-deposit.ts'
import { decide } from './decide.ts'
import { type Deposit, obstacle } from './deposit.ts'
import { paymentTimes } from './payment-times.ts'
import { lockDeposits } from './read-store.ts'
import type { ReferenceNumbers } from './reference-numbers.ts'
import { shownOf } from './shown.ts'
import { takeSlot } from './slot-store.ts'
import { isLostRace, saveChanges } from './store.ts'

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
        const requisite = await takeRequisite(tx, choice, deposit, now)
        const { id: requisiteId, accountId } = requisite
        const times = paymentTimes(choice.merchant, requisite)
        const { paymentType } = choice
        const shown = shownOf(requisite, reference)
        const issued = { requisiteId, accountId, paymentType, shown, reference, ...times }
        const change = decide(deposit, { do: 'choose_method', actor: 'customer', issued }, now, policy)
        const { amountCents } = deposit
        const isAccountLimited = requisite.account !== null
        // Sent together, because creates wait for the load's lock.
        await pipelined<unknown>([
          addLoad(tx, { requisiteId, amountCents, isAccountLimited }),
          saveChanges(tx, [change], publicUrl),
        ])
        return { deposit: change.deposit, now, isNew: true }
      })
      if (outcome.isNew) changed(['created'])
      return outcome
    } catch (error) {
      // Another deposit took the last room or the reference first: another requisite may be free.
      if (!isLostRace(error) && !violates(error, 'deposit_reference_once') && !isLockTimeout(error))
        throw error
    }
  }
  throw noRequisite()
}

/** A free requisite with its slot, or a refusal with the reason. If another deposit takes a slot first, the next requisite is tried. */
async function takeRequisite(
  tx: Tx,
  { merchant, catalogue, rules, paymentType }: ChooseMethod,
  deposit: Deposit,
  now: Date,
): Promise<Candidate> {
  const problem = obstacle(deposit, 'choose_method', now)
  if (problem) throw new Refusal('state_conflict', { detail: problem, more: { state: deposit.state } })
  const { currency, amountCents } = deposit
  const type = checkLimit(catalogue, { amountCents, currency, paymentType }, 'create')
  const asking = { merchant, rules, request: deposit }
  const reading = readCustomerRules(tx, [asking], { isCounted: true })
  const slots = readTakenSlots(tx, currency, [amountCents])
  const offered = readCandidates(tx, { merchantId: merchant.id, mode: merchant.mode, currency, type })
  await pipelined<unknown>([reading, slots, offered])
  const verdict = (await reading).check(asking)
  if (verdict instanceof Refusal) throw verdict
  const [candidates, taken] = [await offered, await slots]
  for (;;) {
    const chosen = chooseRequisite(candidates, taken, amountCents)
    if (!chosen) throw noRequisite()
    const { accountId } = chosen
    if (chosen.carriesReference) return chosen
    if (await takeSlot(tx, { ...deposit, accountId, ...paymentTimes(merchant, chosen) })) return chosen
    taken.add(slotKey(accountId, amountCents))
  }
}

const noRequisite = () =>
  new Refusal('no_requisite_available', { retryAfterSeconds: bounds.noRequisiteRetrySeconds })
