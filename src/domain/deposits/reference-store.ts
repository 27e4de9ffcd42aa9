/** References in the database: the numbers from which they are drawn, and how long a deposit holds its own. */
import { bounds } from '../../platform/bounds.ts'
import { fragment, type Queryable, sql } from '../../platform/db.ts'

/** The first number of a block for references, which no other process gets, and the secret of their order. */
export async function takeReferenceBlock(db: Queryable): Promise<{ first: number; seed: Buffer }> {
  const block = await db.one<{ first: bigint; seed: Buffer }>(sql`
    select nextval('deposit_reference_block') as first, reference_seed as seed from installation`)
  return { ...block, first: Number(block.first) }
}

/** Deposit `d` holds its reference while it is open, and long after: money that quotes it must not be taken for another's. */
export const holdsReference = fragment`(
  d.state in ('builded', 'created')
  or d.late_until > (select inlet_now()) - make_interval(days => ${bounds.referenceDays}::int))`

/**
 * The turn of the reference of new deposit `n`. While another deposit of its account holds the reference, it is the turn of that one,
 * and the database refuses the new one by `deposit_reference_once`.
 */
export const referenceTurn = fragment`coalesce((
  select d.reference_turn + case when ${holdsReference} then 0 else 1 end
  from deposits d
  where d.reference = n.reference and d.account_id = n.account_id
  order by d.reference_turn desc
  limit 1), 0)`
