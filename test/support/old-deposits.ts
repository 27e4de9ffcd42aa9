/** Deposits that ended months ago. */
import type { TestGateway } from './gateway.ts'

/** As if everything that is still in the rows of deposits had happened two hundred days ago. */
export const ageDeposits = ({ database }: TestGateway): Promise<unknown> =>
  database.owner.script(`
    alter table deposits disable trigger user;
    update deposits set
      created_at = created_at - interval '200 days', issued_at = issued_at - interval '200 days',
      expires_at = expires_at - interval '200 days', late_until = late_until - interval '200 days',
      final_at = final_at - interval '200 days', claimed_at = claimed_at - interval '200 days',
      holds_reference = false
    where details_chunk is null;
    alter table deposits enable trigger user;
    update deposit_history set at = at - interval '200 days'`)
