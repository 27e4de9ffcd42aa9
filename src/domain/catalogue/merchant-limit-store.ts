/** What a merchant may ask for now, by the rules that give a deposit its requisite: see requisites/choice.ts. */
import { fragment, type Queryable, sql } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { type Cents, type Currency, currencies } from '../money.ts'
import { dayCents, hasRoomFor, loadedRequisites } from '../requisites/load-store.ts'

export type OfferRow = {
  code: string
  name: string
  isSelectionFlow: boolean
  currency: Currency
  minCents: Cents
  maxCents: Cents
  isTypeEnabled: boolean
  isCurrencyEnabled: boolean
  isEnabledForMerchant: boolean
  /** The operator gave this merchant limits of its own. */
  hasOwnLimits: boolean
  /** How many requisites support it: all, and the enabled ones. */
  requisites: number
  enabledRequisites: number
  /** The most that a deposit may have now; null while no requisite has room for the least amount. */
  freeMostCents: Cents | null
}

/** All payment types with the limits of this merchant, and how many requisites serve each and why others do not. */
export const readOffers = (db: Queryable, merchantId: MerchantId) =>
  db.query<OfferRow>(sql`
    select t.code, t.name, t.requisite_group = 'select' as "isSelectionFlow", p.currency,
      coalesce(o.min_cents, p.min_cents) as "minCents", coalesce(o.max_cents, p.max_cents) as "maxCents",
      t.enabled as "isTypeEnabled", p.enabled as "isCurrencyEnabled", coalesce(o.enabled, true) as "isEnabledForMerchant",
      o.merchant_id is not null as "hasOwnLimits", s.requisites, s."enabledRequisites", s."freeMostCents"
    from payment_limits p
    join payment_types t on t.code = p.payment_type
    join merchants m on m.id = ${merchantId}
    left join payment_limits o
      on o.merchant_id = m.id and o.payment_type = p.payment_type and o.currency = p.currency
    cross join lateral (
      select
        count(*)::int as requisites,
        count(*) filter (where r.enabled and a.enabled)::int as "enabledRequisites",
        -- Of those that have room for the least amount: the most that one of them takes now.
        max(least(x.most, r.max_cents, r.daily_cents - ${dayCents}, a.day_cents - u.day_cents, a.month_cents - u.month_cents))
          filter (where x.least <= least(x.most, r.max_cents) and ${hasRoomFor(fragment`x.least`)}) as "freeMostCents"
      from ${loadedRequisites}
      cross join lateral (
        select greatest(coalesce(o.min_cents, p.min_cents), r.min_cents) as least, coalesce(o.max_cents, p.max_cents) as most) x
      where r.mode = m.mode
        and r.currency = p.currency
        and (a.merchant_id is null or a.merchant_id = m.id)
        and (t.requisite_group = 'select' or t.requisite_group = split_part(r.kind, '_', 1))
        and (t.bank_code is null or t.bank_code = r.bank_code)
    ) s
    where p.merchant_id is null
    order by array_position(${currencies}::text[], p.currency), t.position, t.code`)
