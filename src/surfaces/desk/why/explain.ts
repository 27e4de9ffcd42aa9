/**
 * Explains why a merchant's deposit is or would be refused: every rule of a create, in order, with the current numbers.
 * It calls the same functions that decide, and writes nothing.
 */
import { checkLimit } from '../../../domain/catalogue/limit.ts'
import { flowOf } from '../../../domain/catalogue/payment-type.ts'
import { readCatalogue } from '../../../domain/catalogue/store.ts'
import type { Merchant } from '../../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import { obstacleTo } from '../../../domain/requisites/choice.ts'
import { carriesReference } from '../../../domain/requisites/requisite.ts'
import { readTakenSlots } from '../../../domain/requisites/store.ts'
import { isLimited, limitReached } from '../../../domain/rules/customer-limit.ts'
import { customerKeys, listingsFrom, strongest } from '../../../domain/rules/listing.ts'
import { customerUseKey, findListings, readCustomerUse } from '../../../domain/rules/store.ts'
import type { Db } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { DepositExplanation, RequisiteLoad } from './rows.ts'
import { readRequisites } from './store.ts'

/** By account, "Card 2" before "Card 10". Requisites of one account keep their order. */
const { compare } = new Intl.Collator('ru', { numeric: true })
const byLabel = (left: RequisiteLoad, right: RequisiteLoad): number =>
  compare(left.accountLabel, right.accountLabel)

type PlannedDeposit = { amountCents: Cents; currency: Currency; paymentType: string; customer: string | null }

export async function explain(
  db: Db,
  merchant: Merchant,
  planned: PlannedDeposit,
): Promise<DepositExplanation> {
  const { amountCents, currency, customer } = planned
  const catalogue = await readCatalogue(db, merchant.id)
  const type = catalogue.types.get(planned.paymentType)
  const range = catalogue.limits.find(
    (limit) => limit.currency === currency && limit.paymentType === planned.paymentType,
  )
  // A phone number begins with a plus; digits alone are the merchant's name of a customer.
  const customerPhoneNumber = customer?.startsWith('+') ? customer : null
  const keys = customerKeys({ customer, customerPhoneNumber })
  const listing = strongest(listingsFrom(await findListings(db, keys))(keys), merchant.id) ?? null
  const key = customer !== null &&
    isLimited(merchant.settings) && { merchantId: merchant.id, customer, currency }
  const use = key ? (await readCustomerUse(db, [key])).get(customerUseKey(key))! : null
  const requisites = type ? await readRequisites(db, { merchant, currency, type }) : []
  const taken = await readTakenSlots(db, currency, [amountCents])
  return {
    ...planned,
    isMerchantOn: merchant.enabled,
    range: range ? { minCents: range.minCents, maxCents: range.maxCents } : null,
    isOffered: type !== undefined && isAccepted(() => checkLimit(catalogue, planned, flowOf(type))),
    listing: listing && { list: listing.list, kind: listing.kind, reason: listing.reason },
    customerUse: use && {
      limits: merchant.settings,
      openDeposits: use.open.deposits,
      dayCents: use.dayCents,
      monthCents: use.monthCents,
      reached: limitReached(merchant.settings, use, amountCents)?.limit ?? null,
    },
    requisites: requisites.toSorted(byLabel).map((requisite) => ({
      ...requisite,
      obstacle: requisite.isOn
        ? (obstacleTo(
            { ...requisite, carriesReference: carriesReference(requisite.kind) },
            taken,
            amountCents,
          ) ?? null)
        : 'off',
    })),
  }
}

/** Whether a check that throws a refusal throws none. */
function isAccepted(check: () => unknown): boolean {
  try {
    check()
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
