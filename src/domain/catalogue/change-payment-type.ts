/** The operator adds or changes a payment type, or its limits in one currency, for all merchants or one. */

import type { Db } from '../../platform/db.ts'
import { naming } from '../../platform/db-errors.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { type Message, message } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import type { RequisiteGroup } from '../requisites/requisite.ts'
import {
  type EffectiveLimit,
  findLimit,
  lockPaymentType,
  type StoredPaymentType,
  saveLimit,
  savePaymentType,
} from './store.ts'

/** Null means unchanged. `enabled` applies to the limit when one is given, else to the whole type. */
type ChangePaymentType = {
  code: string
  name: string | null
  group: RequisiteGroup | null
  bankCode: string | null
  enabled: boolean | null
  limit: {
    currency: Currency
    minCents: Cents | null
    maxCents: Cents | null
    merchantId: MerchantId | null
  } | null
}

type TypeWithLimit = StoredPaymentType & { limit?: EffectiveLimit | undefined }
/** `before` is undefined for a new type, and `before.limit` for a new limit. */
type PaymentTypeChanged = { before: TypeWithLimit | undefined; after: TypeWithLimit }

export const changePaymentType = (
  db: Db,
  change: ChangePaymentType,
  hooks?: Hooks<PaymentTypeChanged>,
): Promise<PaymentTypeChanged> =>
  naming(wrong, () =>
    perform(db, hooks, async (tx) => {
      const before = await lockPaymentType(tx, change.code)
      const group = before?.group ?? change.group
      if (!group) throw invalid(message('payment_type_needs_group'))
      if (before && (change.group ?? before.group) !== before.group)
        throw invalid(message('payment_type_group_fixed'))
      if (before && (change.bankCode ?? before.bankCode) !== before.bankCode)
        throw invalid(message('payment_type_bank_fixed'))
      const type = {
        code: change.code,
        name: change.name ?? before?.name ?? change.code,
        group,
        bankCode: before ? before.bankCode : change.bankCode,
        enabled: (change.limit ? null : change.enabled) ?? before?.enabled ?? true,
      }
      await savePaymentType(tx, type)
      if (!change.limit) return { before, after: type }
      const { currency, merchantId } = change.limit
      const current = await findLimit(tx, change.code, currency, merchantId)
      const minCents = change.limit.minCents ?? current?.minCents
      const maxCents = change.limit.maxCents ?? current?.maxCents
      if (minCents === undefined || maxCents === undefined) throw invalid(message('limit_needs_both_ends'))
      const enabled = change.enabled ?? current?.enabled ?? true
      const limit = { paymentType: change.code, currency, merchantId, minCents, maxCents, enabled }
      await saveLimit(tx, limit)
      return { before: before && { ...before, limit: current }, after: { ...type, limit } }
    }),
  )

const invalid = (detail: Message) => new Refusal('invalid_value', { detail })

/** What is wrong, by the constraint of the database that finds it. */
const wrong = {
  payment_limit_range: () => invalid(message('limit_upside_down')),
  payment_limit_merchant: () => invalid(message('limit_needs_general_one')),
}
