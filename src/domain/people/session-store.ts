/** Sessions in the database. */
import { type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { SessionListed, Strength } from './person.ts'
import { sessionRules } from './session.ts'

type NewSession = {
  digest: Buffer
  id: string
  personId: string
  strength: Strength
  network: string
  browser: string
  mark: Buffer | null
}

export async function insertSession(tx: Tx, session: NewSession): Promise<void> {
  const { digest, id, personId, strength, network, browser, mark } = session
  const minutes = strength === 'full' ? sessionRules.hours * 60 : sessionRules.halfMinutes
  await tx.query(sql`
    insert into sessions (digest, id, person_id, strength, ends_at, network, browser, mark)
    values
      (${digest}, ${id}, ${personId}, ${strength}, inlet_now() + ${minutes}::int * interval '1 minute', ${network},
       ${browser}, ${mark})`)
}

/** Whether this person has signed in from the browser with this mark. */
export const isMarkOf = (db: Queryable, personId: string, mark: Buffer) =>
  db.has(sql`
    select id
    from sessions
    where person_id = ${personId}
      and mark = ${mark}
      and made_at > inlet_now() - ${sessionRules.markDays}::int * interval '1 day'`)

type FoundSession = {
  id: string
  personId: string
  strength: Strength
  isFresh: boolean
  /** Its last request was recorded more than a minute ago. */
  isStale: boolean
}

export const findSession = (db: Queryable, digest: Buffer) =>
  db.find<FoundSession>(sql`
    select id, person_id as "personId", strength,
      strength = 'full' and proved_at > inlet_now() - ${sessionRules.freshMinutes}::int * interval '1 minute'
        as "isFresh",
      seen_at < inlet_now() - interval '1 minute' as "isStale"
    from sessions
    where digest = ${digest}
      and ended_at is null
      and ends_at > inlet_now()
      and seen_at > inlet_now() - ${sessionRules.idleMinutes}::int * interval '1 minute'`)

export const noteSeen = (db: Queryable, digest: Buffer) =>
  db.run(sql`update sessions set seen_at = inlet_now() where digest = ${digest}`)

export const listSessions = (db: Queryable, personId: string) =>
  db.query<SessionListed>(sql`
    select id, made_at as "madeAt", seen_at as "seenAt", network, browser
    from sessions
    where person_id = ${personId}
      and ended_at is null
      and strength = 'full'
      and ends_at > inlet_now()
      and seen_at > inlet_now() - ${sessionRules.idleMinutes}::int * interval '1 minute'
    order by seen_at desc
    limit 100`)

/** Whether the session has not been ended; its age is checked at the next request. */
export const isSessionOpen = (tx: Tx, { personId, id }: { personId: string; id: string }) =>
  tx.has(sql`
    select id
    from sessions
    where person_id = ${personId} and id = ${id} and ended_at is null`)

/** Ends one session, or all of a person but one. Returns how many. */
export async function endSessions(
  tx: Tx,
  { personId, id = null, except = null }: { personId: string; id?: string | null; except?: string | null },
): Promise<number> {
  const rows = await tx.query(sql`
    update sessions
    set ended_at = inlet_now()
    where person_id = ${personId}
      and ended_at is null
      and (${id}::uuid is null or id = ${id})
      and (${except}::uuid is null or id <> ${except})
    returning id`)
  return rows.length
}

/** After a restore: those that were ended since the moment of the backup are open again, and nobody knows which. */
export const endEverySession = (tx: Tx) =>
  tx.run(sql`update sessions set ended_at = inlet_now() where ended_at is null`)

export const readNow = async (db: Queryable): Promise<Date> =>
  (await db.one<{ now: Date }>(sql`select inlet_now() as now`)).now
