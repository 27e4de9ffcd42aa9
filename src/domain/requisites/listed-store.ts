/** Accounts and requisites as the office lists them, with their load, in the database. */
import { type Queryable, sql } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Currency } from '../money.ts'

export type NamedAccount = {
  id: string
  label: string
  mode: Mode
  currency: Currency
  number: string | null
}

/** To choose from. */
export const listAccountNames = (db: Queryable, { mode = null }: { mode?: Mode | null } = {}) =>
  db.query<NamedAccount>(sql`
    select id, label, mode, currency, number
    from receiving_accounts
    where ${mode}::text is null or mode = ${mode}
    order by mode, label, id
    limit 1000`)
