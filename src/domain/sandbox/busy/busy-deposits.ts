/** Creates the deposits of the busy day as planned, and schedules what happens to each. */
import { newId } from '../../../platform/clock.ts'
import { Refusal } from '../../../platform/refusals.ts'
import {
  cancelDeposit,
  claimPayment,
  confirmDeposit,
  type DepositContext,
} from '../../deposits/change-deposit.ts'
import { chooseMethod } from '../../deposits/choose-method.ts'
import { createDeposits, creatorOn } from '../../deposits/create-deposit.ts'
import type { Deposit } from '../../deposits/deposit.ts'
import type { CreateDeposit } from '../../deposits/draft.ts'
import { message } from '../../messages/message.ts'
import { rejectDeposit } from '../../transfers/end-deposit.ts'
import type { Entry } from '../../transfers/entry.ts'
import { findPayee } from '../store.ts'
import type { Agenda } from './agenda.ts'
import type { BusyBank } from './busy-bank.ts'
import type { BusyOffice } from './busy-office.ts'
import { hour, minute, type PlannedDeposit, type Random, type Scenario, written } from './busy-plan.ts'
import type { BusyShops } from './busy-shops.ts'

type Parts = { shops: BusyShops; bank: BusyBank; office: BusyOffice; agenda: Agenda; random: Random }

export function createBusyDeposits(context: DepositContext, { shops, bank, office, agenda, random }: Parts) {
  const { db } = context
  const creator = creatorOn(db)
  let count = 0

  /** Deposits for which no requisite is free are left out: their requests are refused, as in production. */
  async function create(planned: readonly PlannedDeposit[]): Promise<Deposit[]> {
    const made: Deposit[] = []
    let asked = planned.map((plan) => ({ plan, member: memberOf(plan) }))
    for (let attempt = 0; asked.length > 0 && attempt < 5; attempt++) {
      const outcomes = await createDeposits(
        creator,
        asked.map(({ member }) => member),
      )
      const again: typeof asked = []
      for (const [place, outcome] of outcomes.entries()) {
        const { plan, member } = asked[place]!
        if ('done' in outcome) {
          const { deposit } = outcome.done
          made.push(deposit)
          if (member.flow === 'create') follow(plan, deposit)
          else if (plan.scenario !== 'not_chosen') choose(plan, deposit)
        } else if ('again' in outcome) again.push({ plan, member })
        else if ((outcome.failed as Refusal).code !== 'no_requisite_available') throw outcome.failed
      }
      asked = again
    }
    count += made.length
    return made
  }

  function choose(plan: PlannedDeposit, deposit: Deposit): void {
    const choice = { ...memberOf(plan), depositId: deposit.id, paymentType: 'any_bank' }
    agenda.run(deposit.createdAt.getTime() + minute, async () => {
      const chosen = await chooseMethod({ ...context, references: creator.references }, choice)
      follow(plan, chosen.deposit)
    })
  }

  function memberOf({
    shop,
    orderId,
    cents,
    currency,
    paymentType,
    customer,
    phone,
  }: PlannedDeposit): CreateDeposit {
    const { merchant, catalogue, rules, keyId } = shops.all[shop]!
    return {
      flow: paymentType === 'uzs_select' ? 'build' : 'create',
      ...{ merchant, catalogue, rules },
      sent: { request: `busy-${orderId.toLowerCase()}`, key: keyId, scheme: 'v2' },
      request: {
        ...{ orderId, currency, paymentType, customer, amountCents: cents },
        customerPhoneNumber: paymentType === 'uzs_select' ? null : phone,
        ...{ callbackUrl: null, successUrl: null, rejectUrl: null },
      },
    }
  }

  /** Puts on the agenda what happens to a deposit from here on. */
  function follow({ scenario, delay }: PlannedDeposit, deposit: Deposit): void {
    const { id: depositId, amountCents, merchantId } = deposit
    const begun = deposit.issuedAt!.getTime()
    const at = begun + delay
    const pay = (when: number, cents: bigint, facts: Partial<Entry> = {}) =>
      agenda.report(when, (now) => paymentOf(deposit, cents, now, facts))
    const claim = (when: number) => run(when, () => claimPayment(context, { depositId, actor: 'customer' }))
    // A payment on the bank day of the deadline is still in time, so a late one arrives in the night after it.
    const late = deposit.expiresAt.getTime() + 21 * hour
    /** Another's payment of the same amount may have ended it before: then the act is refused, as in production. */
    const run = (when: number, act: () => Promise<unknown>) =>
      agenda.run(when, async () => {
        await act().catch((error) => {
          if (!(error instanceof Refusal && error.code === 'state_conflict')) throw error
        })
      })
    const follows: Record<Scenario, () => void> = {
      paid: () => pay(at, amountCents),
      claimed_and_paid() {
        claim(at - minute / 2)
        pay(at + random.between(1, 12) * minute, amountCents)
      },
      claimed: () => claim(at),
      late: () => pay(late, amountCents),
      too_late: () => pay(deposit.lateUntil.getTime() + 2 * hour, amountCents),
      overpaid: () => pay(at, amountCents + amountCents / 10n),
      short: () => pay(at, (amountCents * 6n) / 10n),
      short_then_rest() {
        const first = amountCents / 2n
        pay(at, first)
        pay(at + 6 * minute, amountCents - first)
      },
      other_amount: () => pay(at, amountCents + 5_000n, { purpose: `Перевод ${deposit.reference}` }),
      reversed() {
        const entry = paidOnce(deposit)
        agenda.report(at, entry)
        agenda.report(at + random.between(2, 20) * hour, async (now) =>
          (await entry(now)).map((known) => ({ ...known, isReversal: true, version: 2n })),
        )
      },
      reported_twice() {
        const entry = paidOnce(deposit)
        agenda.report(at, entry)
        // A second announcement, with an id of its own, when a file may have closed the day.
        agenda.report(at + 30 * hour, async (now) =>
          (await entry(now)).map((known) => ({ ...known, bankId: newId() })),
        )
      },
      other_payer_phone: () => pay(at, amountCents, { purpose: 'Перевод от +7 900 000 00 01' }),
      rejected() {
        claim(at)
        const reason = random.pick(written.rejections)
        run(at + 50 * minute, () => rejectDeposit(context, { depositId, actor: office.actor(), reason }))
      },
      confirmed_by_hand() {
        claim(at)
        const reason = written.seenInApp
        run(at + 40 * minute, () => confirmDeposit(context, { depositId, actor: office.actor(), reason }))
      },
      given_up() {
        const reason = message('customer_gave_up_on_payment_page')
        run(at, () => rejectDeposit(context, { depositId, actor: 'customer', reason }))
      },
      canceled: () => run(at, () => cancelDeposit(context, { depositId, merchantId, actor: 'merchant' })),
      expired() {},
      not_chosen() {},
    }
    follows[scenario]()
  }

  async function paymentOf(
    { id, currency, shown, customer }: Deposit,
    cents: bigint,
    at: Date,
    facts: Partial<Entry>,
  ): Promise<Entry[]> {
    const accountId = (await findPayee(db, id))!.accountId!
    const purpose = shown?.payment_reason ?? 'Перевод средств'
    const payerName = (customer ?? '').toUpperCase()
    return [bank.entryOf({ accountId, cents, currency, at, purpose, payerName, ...facts })]
  }

  /** Returns the same entry at every call. */
  function paidOnce(deposit: Deposit): (now: Date) => Promise<Entry[]> {
    let known: Promise<Entry[]> | undefined
    return (now) => {
      known ??= paymentOf(deposit, deposit.amountCents, now, {})
      return known
    }
  }

  return { create, count: () => count }
}
