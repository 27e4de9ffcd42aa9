/** The catalogue in the database, and which types can take a deposit now. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { type Cents, type Currency, currencies } from '../money.ts'
import { hasRoom, loadedRequisites } from '../requisites/load-store.ts'
import type { Catalogue, ListedType, PaymentLimit, PaymentType, TypeNames } from './payment-type.ts'

/** Of a payment type `t`. */
const typeColumns = fragment`t.code, t.name, t.requisite_group as "group", t.bank_code as "bankCode"`

/** The catalogue of this merchant; null for the general one. */
export async function readCatalogue(db: Queryable, merchantId: MerchantId | null): Promise<Catalogue> {
  const rows = await db.query<PaymentType & PaymentLimit>(sql`
    select
      ${typeColumns}, t.code as "paymentType", l.currency,
      coalesce(m.min_cents, l.min_cents) as "minCents",
      coalesce(m.max_cents, l.max_cents) as "maxCents"
    from payment_limits l
    join payment_types t on t.code = l.payment_type
    left join payment_limits m
      on m.merchant_id = ${merchantId}::uuid and m.payment_type = l.payment_type and m.currency = l.currency
    where l.merchant_id is null and t.enabled and l.enabled and coalesce(m.enabled, true)
    order by t.position, t.code, array_position(${currencies}::text[], l.currency)`)
  return {
    types: new Map(rows.map(({ code, name, group, bankCode }) => [code, { code, name, group, bankCode }])),
    limits: rows.map(({ paymentType, currency, minCents, maxCents }) => ({
      paymentType,
      currency,
      minCents,
      maxCents,
    })),
  }
}

/**
 * The types that some requisite could serve now, as `type:currency`. Without a merchant it covers the requisites that
 * serve all merchants, live ones if the installation has any.
 */
export async function readAvailable(db: Queryable, merchantId: MerchantId | null): Promise<Set<string>> {
  const rows = await db.query<{ offer: string }>(sql`
    select distinct t.code || ':' || r.currency as offer
    from ${loadedRequisites}
    join payment_types t
      on t.requisite_group = split_part(r.kind, '_', 1)
      and (t.bank_code is null or t.bank_code = r.bank_code)
    where r.mode = coalesce(
        (select mode from merchants where id = ${merchantId}::uuid),
        (select min(mode) from receiving_accounts))
      and (a.merchant_id is null or a.merchant_id = ${merchantId}::uuid)
      and ${hasRoom}`)
  return new Set(rows.map((row) => row.offer))
}

export type StoredPaymentType = PaymentType & { enabled: boolean }

/** Until the transaction ends nobody else changes the type or its limits. */
export const lockPaymentType = (tx: Tx, code: string) =>
  tx.find<StoredPaymentType>(sql`
    select ${typeColumns}, t.enabled
    from payment_types t
    where t.code = ${code}
    for no key update`)

export type EffectiveLimit = { minCents: Cents; maxCents: Cents; enabled: boolean }

/** The merchant's own limit, else the general one. `enabled` is the merchant's own switch, or true. */
export const findLimit = (db: Queryable, code: string, currency: Currency, merchantId: MerchantId | null) =>
  db.find<EffectiveLimit>(sql`
    select
      coalesce(m.min_cents, l.min_cents) as "minCents",
      coalesce(m.max_cents, l.max_cents) as "maxCents",
      case when ${merchantId}::uuid is null then l.enabled else coalesce(m.enabled, true) end as enabled
    from payment_limits l
    left join payment_limits m
      on m.merchant_id = ${merchantId}::uuid and m.payment_type = l.payment_type and m.currency = l.currency
    where l.merchant_id is null and l.payment_type = ${code} and l.currency = ${currency}`)

export const savePaymentType = (tx: Tx, type: StoredPaymentType) =>
  tx.run(sql`
    insert into payment_types (code, name, requisite_group, bank_code, enabled)
    values (${type.code}, ${type.name}, ${type.group}, ${type.bankCode}, ${type.enabled})
    on conflict (code) do update
    set name = excluded.name, enabled = excluded.enabled`)

type LimitChange = {
  paymentType: string
  currency: Currency
  merchantId: MerchantId | null
  minCents: Cents
  maxCents: Cents
  enabled: boolean
}

export const saveLimit = (tx: Tx, limit: LimitChange) =>
  tx.run(sql`
    insert into payment_limits (payment_type, currency, merchant_id, min_cents, max_cents, enabled)
    values (${limit.paymentType}, ${limit.currency}, ${limit.merchantId}, ${limit.minCents}, ${limit.maxCents},
      ${limit.enabled})
    on conflict (payment_type, currency, merchant_id) do update
    set min_cents = excluded.min_cents, max_cents = excluded.max_cents, enabled = excluded.enabled`)

export async function readTypeNames(db: Queryable): Promise<TypeNames> {
  const rows = await db.query<{ code: string; name: string }>(
    sql`select code, name from payment_types order by position, code`,
  )
  return new Map(rows.map(({ code, name }) => [code, name]))
}

/** All types and limits with their switches, for the operator. */
export const listPaymentTypes = (db: Queryable) =>
  db.query<ListedType>(sql`
    select
      t.code, t.name, t.requisite_group, t.bank_code, t.enabled as type_enabled,
      l.currency, l.min_cents, l.max_cents, l.enabled
    from payment_types t
    left join payment_limits l on l.payment_type = t.code and l.merchant_id is null
    order by t.position, t.code, l.currency`)
