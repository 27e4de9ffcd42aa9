/**
 * An admin changes what a person may do. What takes rights away counts at once; what gives a person of the desk more
 * rights, or access anew to somebody who can move money, is asked for. Which of the two it is, is decided under the lock of the person.
 */

import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { withinTransaction } from '../../platform/within-transaction.ts'
import { message } from '../messages/message.ts'
import { changeOperatorRole, disablePerson, resetPerson } from '../people/change-person.ts'
import {
  emailOf,
  type Membership,
  needsSecondFactor,
  type OperatorRole,
  type Person,
} from '../people/person.ts'
import { findPersonByEmail, lockPerson, membershipsOf } from '../people/store.ts'
import { addsRights } from './guard.ts'
import type { Decider, GuardingAsk } from './proposal.ts'
import { propose } from './propose.ts'

type Change = { email: string; by: Decider; reason: string }

export const changeRole = (db: Db, { role, ...change }: Change & { role: OperatorRole | null }) =>
  askOrDo(db, change, ({ email, operatorRole }) =>
    role && operatorRole && addsRights(operatorRole, role)
      ? { kind: 'desk_role', email, role }
      : (within, actor) => changeOperatorRole(within, email, role, actor),
  )

export const enableAgain = (db: Db, change: Change) =>
  askOrDo(db, change, ({ email, operatorRole }) =>
    operatorRole
      ? { kind: 'desk_enable', email }
      : (within, actor) => disablePerson(within, email, false, actor),
  )

/**
 * Returns the link where one person may have it. Whoever holds the link of a live merchant's owner or developer could have
 * its keys and its messages, and ask in its name.
 */
export const resetAccess = (db: Db, change: Change) =>
  askOrDo(db, change, (person, memberships) =>
    needsSecondFactor(person, memberships)
      ? { kind: 'desk_reset', email: person.email }
      : (within, actor) => resetPerson(within, person.email, actor),
  )

type Actor = Parameters<typeof resetPerson>[2]

async function askOrDo<Done>(
  db: Db,
  { email, by, reason }: Change,
  decide: (
    person: Person,
    memberships: Membership[],
  ) => GuardingAsk | ((within: Db, actor: Actor) => Promise<Done>),
): Promise<{ isProposed: true } | { isProposed: false; done: Done }> {
  return db.transaction(async (tx) => {
    const found = await findPersonByEmail(tx, emailOf(email))
    const person = found && (await lockPerson(tx, found.id))
    if (!person) throw new Refusal('not_found', { detail: message('no_person_with_address') })
    const within = withinTransaction(db, tx)
    const decided = decide(person, await membershipsOf(tx, person.id))
    if (typeof decided === 'function') {
      const actor = { personId: by.personId, name: by.email, requestId: by.requestId }
      return { isProposed: false, done: await decided(within, actor) }
    }
    await propose(within, { ask: decided, by, reason })
    return { isProposed: true }
  })
}
