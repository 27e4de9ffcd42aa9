/**
 * An admin changes what a person may do. Taking rights away takes effect at once; giving a person of the desk more
 * rights, or new access to people of the desk and of live merchants, becomes a proposal. The person is locked while this is decided.
 */

import type { Db, Tx } from '../../platform/db.ts'
import {
  type Actor,
  changeOperatorRole,
  disablePersonWithin,
  lockPersonByEmail,
  resetPersonWithin,
} from '../people/change-person.ts'
import type { Membership, OperatorRole, Person } from '../people/person.ts'
import { membershipsOf } from '../people/store.ts'
import { addsRights, isAccessGuarded } from './guard.ts'
import type { ApprovalRuleChange, Decider } from './proposal.ts'
import { proposeWithin } from './propose.ts'

type Change = { email: string; by: Decider; reason: string }

export const changeRole = (db: Db, { role, ...change }: Change & { role: OperatorRole | null }) =>
  proposeOrDo(db, change, ({ email, operatorRole }) =>
    role && operatorRole && addsRights(operatorRole, role)
      ? { kind: 'desk_role', email, role }
      : (tx, actor) => changeOperatorRole(tx, email, role, actor),
  )

export const enableAgain = (db: Db, change: Change) =>
  proposeOrDo(db, change, (person, memberships) =>
    isAccessGuarded(person, memberships)
      ? { kind: 'desk_enable', email: person.email }
      : (tx, actor) => disablePersonWithin(tx, person.email, false, actor),
  )

/**
 * Returns the link where no second person is needed. With the link of a live merchant's owner or developer one could read
 * its keys and messages, and act in its name.
 */
export const resetAccess = (db: Db, change: Change) =>
  proposeOrDo(db, change, (person, memberships) =>
    isAccessGuarded(person, memberships)
      ? { kind: 'desk_reset', email: person.email }
      : (tx, actor) => resetPersonWithin(tx, person.email, actor),
  )

async function proposeOrDo<Done>(
  db: Db,
  { email, by, reason }: Change,
  decide: (
    person: Person,
    memberships: Membership[],
  ) => ApprovalRuleChange | ((tx: Tx, actor: Actor) => Promise<Done>),
): Promise<{ isProposed: true } | { isProposed: false; done: Done }> {
  return db.transaction(async (tx) => {
    const person = await lockPersonByEmail(tx, email)
    const decided = decide(person, await membershipsOf(tx, person.id))
    if (typeof decided === 'function') {
      const actor = { personId: by.personId, name: by.email, requestId: by.requestId, reason }
      return { isProposed: false, done: await decided(tx, actor) }
    }
    await proposeWithin(tx, { change: decided, by, reason })
    return { isProposed: true }
  })
}
