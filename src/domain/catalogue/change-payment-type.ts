/** The operator adds or changes a payment type, or its limits in one currency, for all merchants or one. */

import type { Db } from '../../platform/db.ts'
import { sqlState } from '../../platform/db-errors.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
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

export async function changePaymentType(
  db: Db,
  change: ChangePaymentType,
  hooks?: Hooks<PaymentTypeChanged>,
): Promise<PaymentTypeChanged> {
  try {
    return await perform(db, hooks, async (tx) => {
      const before = await lockPaymentType(tx, change.code)
      const group = before?.group ?? change.group
      if (!group) {
        throw new Refusal('invalid_value', { detail: message('payment_type_needs_group') })
      }
      if (before && (change.group ?? before.group) !== before.group) {
        throw new Refusal('invalid_value', { detail: message('payment_type_group_fixed') })
      }
      if (before && (change.bankCode ?? before.bankCode) !== before.bankCode) {
        throw new Refusal('invalid_value', { detail: message('payment_type_bank_fixed') })
      }
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
      if (minCents === undefined || maxCents === undefined) {
        throw new Refusal('invalid_value', { detail: message('limit_needs_both_ends') })
      }
      const limit = {
        paymentType: change.code,
        currency,
        merchantId,
        minCents,
        maxCents,
        enabled: change.enabled ?? current?.enabled ?? true,
      }
      await saveLimit(tx, limit)
      return { before: before && { ...before, limit: current }, after: { ...type, limit } }
    })
  } catch (error) {
    if (sqlState(error) === '23514') {
      throw new Refusal('invalid_value', { detail: message('limit_upside_down') })
    }
    if (sqlState(error) === '23503') {
      throw new Refusal('invalid_value', { detail: message('limit_needs_general_one') })
    }
    throw error
  }
}
