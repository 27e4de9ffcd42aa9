/** Who works on which item of the queue, and until when. */

import { type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Holder } from './person.ts'

/** Takes a free item, or extends one's own claim. Returns who holds it now: of two people, the first. */
export async function takeClaim(
  db: Queryable,
  item: string,
  personId: string,
  minutes = 10,
): Promise<Holder> {
  await db.query(sql`
    insert into work_claims (item, person_id, until)
    values (${item}, ${personId}, inlet_now() + ${minutes}::int * interval '1 minute')
    on conflict (item) do update
    set person_id = excluded.person_id, until = greatest(work_claims.until, excluded.until)
    where work_claims.until <= inlet_now() or work_claims.person_id = excluded.person_id`)
  // The holder may have released it between the two queries.
  return (await readClaim(db, item)) ?? takeClaim(db, item, personId, minutes)
}

export const readClaim = (db: Queryable, item: string) =>
  db.find<Holder>(sql`
    select c.person_id as "personId", p.name, c.until
    from work_claims c
    join people p on p.id = c.person_id
    where c.item = ${item} and c.until > inlet_now()`)

/** Returns the holder and locks the claim until the end of the transaction. */
export async function lockClaim(tx: Tx, item: string): Promise<Holder | undefined> {
  await tx.query(sql`select item from work_claims where item = ${item} for update`)
  return readClaim(tx, item)
}

export const dropClaim = (db: Queryable, item: string, personId: string) =>
  db.run(sql`delete from work_claims where item = ${item} and person_id = ${personId}`)
