/** The shops of the busy day, the deposits that they create, and what happens to each. */
import type { Db } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { Vault } from '../../../platform/vault.ts'
import { readCatalogue } from '../../catalogue/store.ts'
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
import { changeMerchant } from '../../merchants/change-merchant.ts'
import { createMerchant } from '../../merchants/create-merchant.ts'
import type { Merchant } from '../../merchants/merchant.ts'
import { rejectDeposit } from '../../transfers/end-deposit.ts'
import type { Entry } from '../../transfers/entry.ts'
import type { Demo } from '../demo-file.ts'
import { findPayee, markDemoMerchant } from '../store.ts'
import type { BusyBank, Report } from './busy-bank.ts'
import { type BusyOffice, written } from './busy-office.ts'
import { type Act, hour, minute, type PlannedDeposit, shops } from './busy-plan.ts'

type OpenShop = { merchant: Merchant; keyId: string }

export async function openShops(
  db: Db,
  { vault, demo, publicUrl }: { vault: Vault; demo: Demo; publicUrl: string },
): Promise<OpenShop[]> {
  const opened: OpenShop[] = []
  for (const { name, prefix, settings = {} } of shops) {
    // The demo shop's own endpoint acknowledges unknown orders too.
    const isDemo = opened.length === 0
    const callbackUrl = isDemo
      ? `${publicUrl}/demo/callback`
      : `https://${prefix.toLowerCase()}.example/callbacks/inlet`
    const made = isDemo ? null : await createMerchant(db, vault, { name, mode: 'test', callbackUrl })
    const merchantId = made?.merchant.id ?? demo.merchant
    await db.transaction((tx) => markDemoMerchant(tx, merchantId))
    const { after } = await changeMerchant(db, { merchantId, callbackUrl, settings })
    opened.push({ merchant: after, keyId: made?.keyId ?? demo.key_id })
  }
  return opened
}

/** What happens at a time. Creates, and what banks report, come together at the end of a stretch. */
export type Happening = { at: number } & (
  | { create: PlannedDeposit }
  | { report: (now: Date) => Promise<Report> }
  | { run: () => Promise<unknown> }
)

type Parts = {
  opened: readonly OpenShop[]
  bank: BusyBank
  office: BusyOffice
  schedule: (happening: Happening) => void
}

export async function createBusyDeposits(context: DepositContext, { opened, bank, office, schedule }: Parts) {
  const { db } = context
  const creator = creatorOn(db)
  const catalogue = await readCatalogue(db, null)
  let count = 0

  /** Deposits for which no requisite is free are left out: their requests are refused, as in production. */
  async function create(planned: readonly PlannedDeposit[]): Promise<void> {
    let asked = planned
    while (asked.length > 0) {
      const outcomes = await createDeposits(creator, asked.map(memberOf))
      for (const [place, outcome] of outcomes.entries()) {
        if ('failed' in outcome) passOver(outcome.failed, 'no_requisite_available')
        if (!('done' in outcome)) continue
        count++
        follow(asked[place]!, outcome.done.deposit)
      }
      asked = asked.filter((_, place) => 'again' in outcomes[place]!)
    }
  }

  function memberOf({
    shop,
    orderId,
    currency,
    paymentType,
    customer,
    cents,
  }: PlannedDeposit): CreateDeposit {
    const { merchant, keyId } = opened[shop]!
    return {
      ...{ flow: paymentType === 'uzs_select' ? 'build' : 'create', merchant, catalogue },
      rules: { hasLists: false },
      sent: { request: `busy-${orderId.toLowerCase()}`, key: keyId, scheme: 'v2' },
      request: {
        ...{ orderId, currency, paymentType, customer, amountCents: cents, customerPhoneNumber: null },
        ...{ callbackUrl: null, successUrl: null, rejectUrl: null },
      },
    }
  }

  /** Schedules what happens to a deposit from here on. */
  function follow(plan: PlannedDeposit, deposit: Deposit): void {
    if (deposit.state === 'builded') {
      const choice = { ...memberOf(plan), depositId: deposit.id, paymentType: 'any_bank' }
      const choose = () => chooseMethod({ ...context, references: creator.references }, choice)
      const at = deposit.createdAt.getTime() + minute
      if (plan.isChosen) schedule({ at, run: async () => follow(plan, (await choose()).deposit) })
      return
    }
    const begins = deposit.issuedAt!.getTime() + plan.delay
    let paid: Entry
    for (const { after = 0, afterDeadline, ...step } of plan.steps) {
      const at = afterDeadline ? deposit.expiresAt.getTime() + afterDeadline * hour : begins + after * minute
      if ('act' in step) schedule({ at, run: () => actOn(deposit, step.act) })
      else
        schedule({
          at,
          async report(now) {
            if (step.pay === 'back') paid = { ...paid, isReversal: true, version: 2n }
            else paid = await paymentOf(deposit, step.pay, now)
            return { entry: paid, told: 'both' }
          },
        })
    }
  }

  async function paymentOf(deposit: Deposit, percent: number, now: Date): Promise<Entry> {
    const { id, currency, shown, customer, amountCents } = deposit
    return bank.entryOf(now, {
      accountId: (await findPayee(db, id))!.accountId!,
      ...{ currency, cents: (amountCents * BigInt(percent)) / 100n },
      purpose: shown?.payment_reason ?? 'Перевод средств',
      payerName: customer!.toUpperCase(),
    })
  }

  /** Another's payment of the same amount may have ended it before: then the act is refused, as in production. */
  async function actOn({ id: depositId, merchantId }: Deposit, act: Act): Promise<void> {
    const byPerson = (reason: string) => ({ depositId, actor: office.actor(), reason })
    const acts = {
      claim: () => claimPayment(context, { depositId, actor: 'customer' }),
      reject: () => rejectDeposit(context, byPerson(written.otherDay)),
      confirm: () => confirmDeposit(context, byPerson(written.seenInApp)),
      cancel: () => cancelDeposit(context, { depositId, merchantId, actor: 'merchant' }),
    }
    await acts[act]().catch((error: unknown) => passOver(error, 'state_conflict'))
  }

  return { create, count: () => count }
}

/** Throws again what is no refusal of this kind. */
function passOver(error: unknown, code: string): void {
  if (!(error instanceof Refusal && error.code === code)) throw error
}
