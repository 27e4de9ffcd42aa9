/** The receiving accounts that a statement can be about. */
import type { Mode } from '../../../../domain/merchants/merchant.ts'
import { numberedAccounts } from '../../../../domain/statements/store.ts'
import { type Queryable, sql } from '../../../../platform/db.ts'
import type { NumberedAccount } from './mapping-values.ts'

/** Accounts by the numbers that the import knows; in test mode also by a card or a phone. */
export const listNumberedAccounts = (db: Queryable, mode: Mode | null) =>
  db.query<NumberedAccount>(sql`
    select id, number, label, currency, mode
    from (${numberedAccounts}) a
    where ${mode}::text is null or mode = ${mode}
    order by mode, label, id
    limit 1000`)
