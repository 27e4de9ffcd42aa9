/**
 * A merchant's owner invites people, changes their roles, and removes them. The answer to an invitation is the same whether
 * or not the address has an account; only the person who opens the link sees which of the two it is.
 */

import { bounds } from '../../platform/bounds.ts'
import { type Db, type Tx, within } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { lockMerchant } from '../merchants/store.ts'
import { message } from '../messages/message.ts'
import {
  type Actor,
  endingLinksMadeBy,
  invitePerson,
  leaveMerchant,
  lockInvitee,
  noteAct,
  refuseLastOwner,
} from './change-person.ts'
import { countInvitationsOfDay, endLinks } from './links/store.ts'
import type { MerchantRole } from './person.ts'
import { findPersonByEmail, membershipsOf, saveMembership } from './store.ts'

type InviteMember = {
  merchantId: MerchantId
  email: string
  name: string
  role: MerchantRole
  actor: Actor
}

/** Returns the token of the link, or null for a member, whose role is changed at once. */
export const inviteMember = (db: Db, asked: InviteMember): Promise<{ token: string | null }> =>
  db.transaction(async (tx) => {
    const { merchantId, name, role, actor } = asked
    await lockMerchant(tx, merchantId)
    const person = await lockInvitee(tx, asked)
    const memberships = await membershipsOf(tx, person.id)
    const before = memberships.find((membership) => membership.merchantId === merchantId)?.role
    if (!before) {
      await refuseTooMany(tx, merchantId)
      const { email } = person
      const invited = { email, name, operatorRole: null, membership: { merchantId, role }, actor }
      return invitePerson(within(tx, db), invited)
    }
    if (before === 'owner' && role !== 'owner') await refuseLastOwner(tx, merchantId)
    // Earlier invitations would undo this change, and an earlier reset link might give more access than its author has
    // now.
    await endLinks(tx, person.id, { purpose: 'invitation', merchantId })
    await endLinks(tx, person.id, { purpose: 'reset' })
    const noted = () => noteAct(tx, 'membership_set', person, actor, { role: before }, { role }, merchantId)
    await (role === 'owner' ? noted() : endingLinksMadeBy(tx, person.id, { merchantId }, noted))
    await saveMembership(tx, { personId: person.id, merchantId, role })
    return { token: null }
  })

async function refuseTooMany(tx: Tx, merchantId: MerchantId): Promise<void> {
  const most = bounds.invitationsOfDay
  if ((await countInvitationsOfDay(tx, merchantId)) < most) return
  const detail = message('too_many_invitations', { most })
  throw new Refusal('rate_limited', { detail, retryAfterSeconds: bounds.invitationRetrySeconds })
}

export async function endMember(
  tx: Tx,
  { merchantId, email, actor }: { merchantId: MerchantId; email: string; actor: Actor },
): Promise<void> {
  await lockMerchant(tx, merchantId)
  const person = await findPersonByEmail(tx, email)
  const memberships = person ? await membershipsOf(tx, person.id) : []
  const member = memberships.find((membership) => membership.merchantId === merchantId)
  if (!person || !member) throw new Refusal('not_found', { detail: message('merchant_has_no_such_person') })
  if (member.role === 'owner') await refuseLastOwner(tx, merchantId)
  await leaveMerchant(tx, email, merchantId, actor)
}
