/** From a cookie to a visitor: the one place where it is decided who somebody is, for every path there is. */
import type { Db, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Visitor } from './access.ts'
import { owesSecondFactor, type Person } from './person.ts'
import { csrfOf, digestOfSecret, isSecret } from './session.ts'
import { findSession, isSessionOpen, noteSeen } from './session-store.ts'
import { findPerson, lockPerson, membershipsOf } from './store.ts'

/** A page that asks by itself is no sign of a person: it leaves the session as old as it is. */
export async function authenticate(
  db: Db,
  cookie: string | null,
  isByItself = false,
): Promise<Visitor | null> {
  if (!isSecret(cookie)) return null
  const digest = digestOfSecret(cookie)
  const session = await findSession(db, digest)
  if (!session) return null
  const [person, memberships] = await Promise.all([
    findPerson(db, session.personId),
    membershipsOf(db, session.personId),
  ])
  if (!person || person.disabledAt) return null
  const { id, isFresh } = session
  // A session of before the role needed a second factor is worth half, and half a session is over soon.
  const isHalf = session.strength !== 'full' || owesSecondFactor(person, memberships)
  if (isHalf && session.strength === 'full' && !isFresh) return null
  if (session.isStale && !isByItself) await noteSeen(db, digest)
  const strength = isHalf ? 'password' : 'full'
  return { person, memberships, session: { id, strength, isFresh, csrf: csrfOf(cookie) } }
}

/**
 * Whoever was recognised, once more and under their lock. Since then their session may have been ended: by its owner, by
 * an admin, or by a new beginning, after which no factor of before may come to the account.
 */
export async function lockVisitor(
  tx: Tx,
  { person, session }: { person: { id: string }; session: { id: string } },
): Promise<Person> {
  const now = await lockPerson(tx, person.id)
  if (now && !now.disabledAt && (await isSessionOpen(tx, { personId: person.id, id: session.id }))) return now
  throw new Refusal('login_required')
}
