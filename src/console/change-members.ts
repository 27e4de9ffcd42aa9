/**
 * A merchant's owner gives people a role, and takes it away. A link sets a password, so nobody gets one for somebody
 * who has a place elsewhere: such a person gets the role, and signs in as before.
 */
import { appendAudit } from '../audit/store.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { lockMerchant } from '../merchants/store.ts'
import { type Actor, invitePerson, leaveMerchant, lockGuest } from '../people/change-person.ts'
import { hasJoined, type MerchantRole } from '../people/person.ts'
import { listPeople, membershipsOf, saveMembership } from '../people/store.ts'
import type { Db, Tx } from '../platform/db.ts'
import { withinTransaction } from '../platform/within-transaction.ts'
import { Refusal } from '../refusals.ts'

export type InviteMember = {
  merchantId: MerchantId
  email: string
  name: string
  role: MerchantRole
  actor: Actor
}

/** The token of a link; null for who has an account already. */
export const inviteMember = (db: Db, asked: InviteMember): Promise<{ token: string | null }> =>
  db.transaction(async (tx) => {
    const { merchantId, name, role, actor } = asked
    await lockMerchant(tx, merchantId)
    const person = await lockGuest(tx, asked)
    const { email } = person
    const memberships = await membershipsOf(tx, person.id)
    const before = memberships.find((one) => one.merchantId === merchantId)?.role ?? null
    if (before === 'owner' && role !== 'owner') await refuseLastOwner(tx, merchantId)
    const hasPlace =
      hasJoined(person) ||
      person.operatorRole !== null ||
      memberships.some((one) => one.merchantId !== merchantId)
    if (!hasPlace) {
      const invited = { email, name, operatorRole: null, membership: { merchantId, role }, actor }
      return invitePerson(withinTransaction(db, tx), invited)
    }
    await saveMembership(tx, { personId: person.id, merchantId, role })
    await appendAudit(tx, {
      personId: actor.personId,
      actor: actor.name,
      act: 'membership_set',
      subject: `person:${person.id}`,
      merchantId,
      reason: '',
      before: { role: before },
      after: { role },
      requestId: actor.requestId,
    })
    return { token: null }
  })

export const endMember = (
  db: Db,
  { merchantId, email, actor }: { merchantId: MerchantId; email: string; actor: Actor },
): Promise<void> =>
  db.transaction(async (tx) => {
    await lockMerchant(tx, merchantId)
    const people = await membersOf(tx, merchantId)
    const member = people.find((one) => one.email === email)
    if (!member) throw new Refusal('not_found', { detail: 'The merchant has no such person.' })
    if (member.role === 'owner') await refuseLastOwner(tx, merchantId)
    await leaveMerchant(withinTransaction(db, tx), email, merchantId, actor)
  })

/** The people of a merchant with their role there; where else they work is nobody's business here. */
export async function membersOf(db: Parameters<typeof listPeople>[0], merchantId: MerchantId) {
  const people = await listPeople(db, merchantId)
  return people.map(({ memberships, ...person }) => ({
    ...person,
    role: memberships.find((one) => one.merchantId === merchantId)!.role,
  }))
}

/** Counted under the merchant's lock: of two owners who end each other at once, one stays. */
async function refuseLastOwner(tx: Tx, merchantId: MerchantId): Promise<void> {
  const owners = (await membersOf(tx, merchantId)).filter((one) => one.role === 'owner')
  if (owners.length < 2)
    throw new Refusal('state_conflict', { detail: 'A merchant keeps one owner at least.' })
}
