/** The receiving accounts that a statement can be about. */
import type { Mode } from '../../merchants/merchant.ts'
import { type Queryable, sql } from '../../platform/db.ts'
import type { NumberedAccount } from './mapping-values.ts'

export async function listNumberedAccounts(db: Queryable, mode: Mode | null): Promise<NumberedAccount[]> {
  return db.query<NumberedAccount>(sql`
    select id, number, label, currency, mode
    from receiving_accounts
    where number is not null and (${mode}::text is null or mode = ${mode})
    order by mode, label, id
    limit 1000`)
}
