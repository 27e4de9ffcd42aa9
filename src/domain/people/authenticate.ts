/** From a cookie to a visitor: the only place that authenticates a request. */
import type { Db, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Visitor } from './access.ts'
import { owesSecondFactor, type Person } from './person.ts'
import { csrfOf, digestOfSecret, isSecret } from './session.ts'
import { findSession, isSessionOpen, noteSeen } from './session-store.ts'
import { findPerson, lockPerson, membershipsOf } from './store.ts'

/** `isAutomatic`: a page polls without a person, so the request does not prolong the session. */
export async function authenticate(
  db: Db,
  cookie: string | null,
  isAutomatic = false,
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
  // A session from before the role needed a second factor counts as a half session, and those end soon.
  const isHalf = session.strength !== 'full' || owesSecondFactor(person, memberships)
  if (isHalf && session.strength === 'full' && !isFresh) return null
  if (session.isStale && !isAutomatic) await noteSeen(db, digest)
  const strength = isHalf ? 'password' : 'full'
  return { person, memberships, session: { id, strength, isFresh, csrf: csrfOf(cookie) } }
}

/** The visitor with the rights of this moment; null if the session has been ended, or the person disabled. */
export async function visitorNow(tx: Tx, { person: { id }, session }: Visitor): Promise<Visitor | null> {
  const [person, memberships, isOpen] = await Promise.all([
    findPerson(tx, id),
    membershipsOf(tx, id),
    isSessionOpen(tx, { personId: id, id: session.id }),
  ])
  return person && !person.disabledAt && isOpen ? { person, memberships, session } : null
}

/**
 * Checks a visitor again under the lock of the person. Meanwhile the session may have been ended by its owner, by an
 * admin or by a reset, after which no factor may be added to the account.
 */
export async function lockVisitor(
  tx: Tx,
  { person, session }: { person: { id: string }; session: { id: string } },
): Promise<Person> {
  const now = await lockPerson(tx, person.id)
  if (now && !now.disabledAt && (await isSessionOpen(tx, { personId: person.id, id: session.id }))) return now
  throw new Refusal('login_required')
}
