/** Invites, resets, disables and removes people. Each is one transaction with its audit entry. */
import { newId, randomToken } from '../../platform/clock.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { appendAudit } from '../audit/store.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { findMerchant } from '../merchants/store.ts'
import { message } from '../messages/message.ts'
import { type LinkPurpose, linkHours, type OfferedRole } from './links/link.ts'
import { endLinks, endLinksMadeBy, insertLink, withdrawInvitation } from './links/store.ts'
import { emailOf, hasJoined, isEmail, type MerchantRole, type OperatorRole, type Person } from './person.ts'
import { digestOfSecret } from './session.ts'
import { endSessions } from './session-store.ts'
import {
  findPersonByEmail,
  insertPerson,
  isLastOwner,
  lockPerson,
  removeMembership,
  saveMembership,
  setDisabled,
  setOperatorRole,
} from './store.ts'

/** The acting person, or the command line (no `personId`). */
export type Actor = { personId: string | null; name: string; requestId: string | null; reason?: string }

export type Invite = {
  email: string
  name: string
  /** Exactly one of the two. */
  operatorRole: OperatorRole | null
  membership: { merchantId: string; role: MerchantRole } | null
  actor: Actor
}

/**
 * Creates a one-time link that offers a role. The role counts when the person accepts; an invitation alone changes no
 * account. Only the newest link to a role works; for a person who has not joined yet, only the newest of all.
 */
export const invitePerson = (db: Db, asked: Invite): Promise<{ person: Person; token: string }> =>
  db.transaction(async (tx) => {
    const offered = await offeredRole(tx, asked)
    const person = await lockInvitee(tx, asked)
    const merchantId = asked.membership?.merchantId ?? null
    if (hasJoined(person)) await endLinks(tx, person.id, { purpose: 'invitation', merchantId })
    else await endLinks(tx, person.id)
    return giveInvitation(tx, person, asked, { purpose: 'invitation', offered, name: asked.name.trim() })
  })

/** The demo's people have their roles immediately; the link signs them in: see enterDemo. */
export async function inviteToDemo(tx: Tx, asked: Invite): Promise<{ person: Person; token: string }> {
  await offeredRole(tx, asked)
  const person = await lockInvitee(tx, asked)
  const { operatorRole, membership } = asked
  if (operatorRole) await setOperatorRole(tx, person.id, operatorRole)
  if (membership) await saveMembership(tx, { personId: person.id, ...membership })
  await endLinks(tx, person.id)
  return giveInvitation(tx, person, asked, { purpose: 'demo', offered: null, name: null })
}

async function giveInvitation(
  tx: Tx,
  person: Person,
  { operatorRole, membership, actor }: Invite,
  link: Parameters<typeof giveLink>[2],
): Promise<{ person: Person; token: string }> {
  const token = await giveLink(tx, person, link, actor)
  const after = { email: person.email, operatorRole, membership }
  await noteAct(tx, 'person_invite', person, actor, null, after, membership?.merchantId)
  return { person, token }
}

async function offeredRole(tx: Tx, { operatorRole, membership }: Invite): Promise<OfferedRole> {
  if (membership && !(await findMerchant(tx, membership.merchantId)))
    throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
  return membership ?? { operatorRole: operatorRole! }
}

/** The person with this address, created if there is none and locked: of two concurrent invitations, the second sees the first. */
export async function lockInvitee(tx: Tx, asked: Pick<Invite, 'email' | 'name'>): Promise<Person> {
  const email = emailOf(asked.email)
  const name = asked.name.trim()
  if (!isEmail(email)) throw new Refusal('invalid_value', { detail: message('not_an_email_address') })
  if (name === '' || name.length > 100 || /\p{Cc}/u.test(name))
    throw new Refusal('invalid_value', { detail: message('name_length') })
  await insertPerson(tx, { id: newId(), email, name })
  return (await lockPerson(tx, (await findPersonByEmail(tx, email))!.id))!
}

/** Withdraws an invitation of this merchant or, with null, of any. */
export const takeInvitationBack = (
  db: Db,
  { id, merchantId, actor }: { id: string; merchantId: MerchantId | null; actor: Actor },
): Promise<void> =>
  db.transaction(async (tx) => {
    const withdrawn = await withdrawInvitation(tx, { id, merchantId })
    if (!withdrawn) throw new Refusal('not_found', { detail: message('invitation_is_over') })
    const { personId, role } = withdrawn
    const before = { role }
    await noteAct(tx, 'invitation_withdraw', { id: personId }, actor, before, null, withdrawn.merchantId)
  })

/** Resets a person who lost a factor: accepting the link removes all factors. It gives no role. */
export const resetPerson = (db: Db, email: string, actor: Actor): Promise<string> =>
  db.transaction(async (tx) => {
    const person = await lockPersonByEmail(tx, email)
    if (!hasJoined(person)) throw new Refusal('state_conflict', { detail: message('person_not_joined_yet') })
    await endLinks(tx, person.id, { purpose: 'reset' })
    await noteAct(tx, 'person_reset', person, actor, null, null)
    return giveLink(tx, person, { purpose: 'reset', offered: null, name: null }, actor)
  })

export const disablePerson = (db: Db, email: string, isDisabled: boolean, actor: Actor): Promise<void> =>
  db.transaction(async (tx) => {
    const person = await lockPersonByEmail(tx, email)
    // No entry, and no alarm, for what is so already.
    if ((person.disabledAt !== null) === isDisabled) return
    const act = isDisabled ? 'person_disable' : 'person_enable'
    const noted = () => noteAct(tx, act, person, actor, null, null)
    await (isDisabled ? endingLinksMadeBy(tx, person.id, 'anywhere', noted) : noted())
    await setDisabled(tx, person.id, isDisabled)
    if (isDisabled) await endSessions(tx, { personId: person.id })
  })

/**
 * Ends the links that a person made and may no longer make, before and after the audit entry: those of acts that were
 * committed while the entry waited for them are seen only afterwards. From then on the person's acts see that it may no more.
 */
export async function endingLinksMadeBy(
  tx: Tx,
  personId: string,
  where: Parameters<typeof endLinksMadeBy>[2],
  noted: () => Promise<void>,
): Promise<void> {
  await endLinksMadeBy(tx, personId, where)
  await noted()
  await endLinksMadeBy(tx, personId, where)
}

/** Gives another role at the desk, or none, from the next request on. */
export async function changeOperatorRole(
  tx: Tx,
  email: string,
  role: OperatorRole | null,
  actor: Actor,
): Promise<void> {
  const person = await lockPersonByEmail(tx, email)
  if (role && !person.operatorRole)
    throw new Refusal('state_conflict', { detail: message('person_must_be_invited') })
  // What was offered or handed out before would undo this.
  await endLinks(tx, person.id, { purpose: 'invitation', merchantId: null })
  const before = { operatorRole: person.operatorRole }
  const noted = () => noteAct(tx, 'person_role', person, actor, before, { operatorRole: role })
  await (role === 'admin' ? noted() : endingLinksMadeBy(tx, person.id, { merchantId: null }, noted))
  await setOperatorRole(tx, person.id, role)
}

export async function leaveMerchant(tx: Tx, email: string, merchantId: string, actor: Actor): Promise<void> {
  const person = await lockPersonByEmail(tx, email)
  await endLinks(tx, person.id, { purpose: 'invitation', merchantId })
  await endingLinksMadeBy(tx, person.id, { merchantId }, () =>
    noteAct(tx, 'membership_end', person, actor, { merchantId }, null, merchantId),
  )
  await removeMembership(tx, person.id, merchantId)
}

/** Counted under the merchant's lock: of two owners who remove each other at once, one stays. */
export async function refuseLastOwner(tx: Tx, merchantId: MerchantId): Promise<void> {
  if (await isLastOwner(tx, merchantId))
    throw new Refusal('state_conflict', { detail: message('last_owner_stays') })
}

export async function lockPersonByEmail(tx: Tx, email: string): Promise<Person> {
  const found = await findPersonByEmail(tx, emailOf(email))
  const person = found && (await lockPerson(tx, found.id))
  if (!person) throw new Refusal('not_found', { detail: message('no_person_with_address') })
  return person
}

async function giveLink(
  tx: Tx,
  person: Person,
  link: { purpose: LinkPurpose; offered: OfferedRole | null; name: string | null },
  actor: Actor,
): Promise<string> {
  const token = randomToken(32)
  await insertLink(tx, {
    ...link,
    id: newId(),
    digest: digestOfSecret(token),
    personId: person.id,
    madeBy: actor,
    hours: linkHours[link.purpose],
  })
  return token
}

export const noteAct = (
  tx: Tx,
  act: string,
  person: Pick<Person, 'id'>,
  actor: Actor,
  before: unknown,
  after: unknown,
  merchantId: string | null = null,
) =>
  appendAudit(tx, {
    personId: actor.personId,
    actor: actor.name,
    act,
    subject: `person:${person.id}`,
    merchantId,
    ...(actor.reason && { reason: actor.reason }),
    before,
    after,
    requestId: actor.requestId,
  })
