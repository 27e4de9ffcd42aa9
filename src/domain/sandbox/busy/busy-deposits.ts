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
import { hour, minute, type PlannedDeposit, type Random, type Step, scenarios, written } from './busy-plan.ts'
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
    agenda.add({
      at: deposit.createdAt.getTime() + minute,
      async run() {
        const chosen = await chooseMethod({ ...context, references: creator.references }, choice)
        follow(plan, chosen.deposit)
      },
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
    const actsAt = deposit.issuedAt!.getTime() + delay
    let first: Entry[] = []
    for (const step of scenarios[scenario].steps as readonly Step[]) {
      const at = timeOf(step, actsAt, deposit)
      if ('act' in step) agenda.add({ at, run: () => act(step.act, deposit) })
      else if (step.pay === 'again')
        agenda.add({ at, entries: async () => first.map((known) => ({ ...known, ...again[step.as]() })) })
      else
        agenda.add({
          at,
          async entries(now) {
            first = await paymentOf(deposit, step, now)
            return first
          },
        })
    }
  }

  function timeOf({ after = 0, afterDeadline, afterGrace }: Step, actsAt: number, deposit: Deposit): number {
    if (afterDeadline) return deposit.expiresAt.getTime() + afterDeadline * hour
    if (afterGrace) return deposit.lateUntil.getTime() + afterGrace * hour
    return actsAt + (typeof after === 'number' ? after : random.between(...after)) * minute
  }

  /** Another's payment of the same amount may have ended it before: then the act is refused, as in production. */
  async function act(what: Extract<Step, { act: string }>['act'], { id: depositId, merchantId }: Deposit) {
    const acts = {
      claim: () => claimPayment(context, { depositId, actor: 'customer' }),
      reject: () =>
        rejectDeposit(context, { depositId, actor: office.actor(), reason: random.pick(written.rejections) }),
      confirm: () => confirmDeposit(context, { depositId, actor: office.actor(), reason: written.seenInApp }),
      give_up: () =>
        rejectDeposit(context, {
          ...{ depositId, actor: 'customer', reason: message('customer_gave_up_on_payment_page') },
        }),
      cancel: () => cancelDeposit(context, { depositId, merchantId, actor: 'merchant' }),
    }
    await acts[what]().catch((error: unknown) => {
      if (!(error instanceof Refusal && error.code === 'state_conflict')) throw error
    })
  }

  async function paymentOf(
    { id, currency, shown, customer, reference, amountCents }: Deposit,
    step: Extract<Step, { pay: 'percent' | 'more' }>,
    at: Date,
  ): Promise<Entry[]> {
    const accountId = (await findPayee(db, id))!.accountId!
    const cents = step.pay === 'more' ? amountCents + step.cents : (amountCents * BigInt(step.percent)) / 100n
    const purposes = { reference: `Перевод ${reference}`, phone: 'Перевод от +7 900 000 00 01' }
    const purpose = step.purpose ? purposes[step.purpose] : (shown?.payment_reason ?? 'Перевод средств')
    return [
      bank.entryOf({ accountId, cents, currency, at, purpose, payerName: (customer ?? '').toUpperCase() }),
    ]
  }

  return { create, count: () => count }
}

const again = {
  reversal: () => ({ isReversal: true, version: 2n }),
  other_id: () => ({ bankId: newId() }),
}
