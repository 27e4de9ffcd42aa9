/** The callbacks of one deposit. */
import { type Queryable, sql } from '../../platform/db.ts'
import { callbackSent } from './store.ts'

export type DepositCallback = {
  type: string
  madeAt: Date
  attempts: number
  hasMoreAttempts: boolean
  lastStatus: number | null
  ackedAt: Date | null
  lacksAddress: boolean
}

export const listCallbacksOf = (db: Queryable, depositId: string) =>
  db.query<DepositCallback>(sql`
    select
      c.type, c.made_at as "madeAt", sent.attempts, sent.has_more_attempts as "hasMoreAttempts",
      sent.last_status as "lastStatus", sent.acked_at as "ackedAt",
      coalesce(c.url, m.callback_url) is null as "lacksAddress"
    from events c
    join merchants m on m.id = c.merchant_id
    ${callbackSent}
    where c.deposit_id = ${depositId}
    order by c.sequence
    limit 100`)
