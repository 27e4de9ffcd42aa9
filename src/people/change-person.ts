/** People join, begin again, and leave. Each is one transaction with its line in the audit record. */
import { appendAudit } from '../audit/store.ts'
import { findMerchant } from '../merchants/store.ts'
import { newId, randomToken } from '../platform/clock.ts'
import type { Db, Tx } from '../platform/db.ts'
import { Refusal } from '../refusals.ts'
import { deleteViewsAt } from '../saved-views/store.ts'
import { hashPassword, passwordLeast, passwordMost } from './password.ts'
import {
  emailOf,
  hasJoined,
  isEmail,
  type MerchantRole,
  type OperatorRole,
  type Person,
  strengthAfterPassword,
} from './person.ts'
import { digestOfSecret } from './session.ts'
import { openSession, type Seat, type SignedIn } from './sign-in.ts'
import {
  endLinks,
  endSessions,
  findLink,
  findPersonByEmail,
  insertLink,
  insertPerson,
  type LinkPurpose,
  lockPerson,
  membershipsOf,
  noteAdmission,
  removeFactors,
  removeMembership,
  saveMembership,
  setDisabled,
  setOperatorRole,
  setPassword,
  useLink,
} from './store.ts'

/** Who does it: a person who signed in, or whoever has the machine's command line. */
export type Actor = { personId: string | null; name: string; requestId: string | null }

const linkHours: Record<LinkPurpose, number> = { invitation: 72, reset: 24, demo: 24 }

export type Invite = {
  email: string
  name: string
  /** Exactly one of the two. */
  operatorRole: OperatorRole | null
  membership: { merchantId: string; role: MerchantRole } | null
  actor: Actor
}

/**
 * A place for a person, and the one-time link by which they take it. Invited again, they get a new link. A link sets a
 * password, so there is none for who has one: they get the place, and sign in as before. Only the desk begins anew.
 */
export const invitePerson = (db: Db, asked: Invite): Promise<{ person: Person; token: string | null }> =>
  admit(db, asked, async (tx, person) =>
    hasJoined(person) ? null : giveLink(tx, person, 'invitation', asked.actor),
  )

/** A place in the demo, and the link that opens it: see enterDemo. */
export const inviteToDemo = (db: Db, asked: Invite): Promise<{ person: Person; token: string }> =>
  admit(db, asked, (tx, person) => giveLink(tx, person, 'demo', asked.actor))

async function admit<Token>(
  db: Db,
  asked: Invite,
  linkFor: (tx: Tx, person: Person) => Promise<Token>,
): Promise<{ person: Person; token: Token }> {
  return db.transaction(async (tx) => {
    if (asked.membership && !(await findMerchant(tx, asked.membership.merchantId)))
      throw new Refusal('not_found', { detail: 'There is no merchant with this id.' })
    const person = await lockGuest(tx, asked)
    const { email } = person
    const { operatorRole, membership } = asked
    const before = {
      operatorRole: person.operatorRole,
      membership: membership && (await membershipOf(tx, person.id, membership.merchantId)),
    }
    if (operatorRole) await giveDesk(tx, person, operatorRole)
    if (membership) await saveMembership(tx, { personId: person.id, ...membership })
    const token = await linkFor(tx, (await lockPerson(tx, person.id))!)
    const after = { email, operatorRole, membership }
    await note(tx, 'person_invite', person, asked.actor, before, after, membership?.merchantId)
    return { person, token }
  })
}

async function membershipOf(tx: Tx, personId: string, merchantId: string): Promise<Invite['membership']> {
  const role = (await membershipsOf(tx, personId)).find((one) => one.merchantId === merchantId)?.role
  return role ? { merchantId, role } : null
}

/** Who has this address, known from here on at the latest: of two who invite at once, the second sees the first. */
export async function lockGuest(tx: Tx, asked: Pick<Invite, 'email' | 'name'>): Promise<Person> {
  const email = emailOf(asked.email)
  const name = asked.name.trim()
  if (!isEmail(email)) throw new Refusal('invalid_value', { detail: 'This is no e-mail address.' })
  if (name === '' || name.length > 100 || /\p{Cc}/u.test(name))
    throw new Refusal('invalid_value', { detail: 'A name has 1 to 100 characters.' })
  await insertPerson(tx, { id: newId(), email, name })
  return (await lockPerson(tx, (await findPersonByEmail(tx, email))!.id))!
}

/** A new beginning for who lost a factor: the link takes all of them away when it is used. */
export const resetPerson = (db: Db, email: string, actor: Actor) =>
  change(db, email, async (tx, person) => {
    await note(tx, 'person_reset', person, actor, null, null)
    return giveLink(tx, person, 'reset', actor)
  })

export const disablePerson = (db: Db, email: string, isDisabled: boolean, actor: Actor) =>
  change(db, email, async (tx, person) => {
    await setDisabled(tx, person.id, isDisabled)
    if (isDisabled) await endSessions(tx, { personId: person.id })
    await note(tx, isDisabled ? 'person_disable' : 'person_enable', person, actor, null, null)
  })

/** Another place at the operator's desk, or none; it counts from the next request on. */
export const changeOperatorRole = (db: Db, email: string, role: OperatorRole | null, actor: Actor) =>
  change(db, email, async (tx, person) => {
    if (role && !person.operatorRole)
      throw new Refusal('state_conflict', { detail: 'Invite them: a place at the desk begins with a link.' })
    await setOperatorRole(tx, person.id, role)
    const before = { operatorRole: person.operatorRole }
    await note(tx, 'person_role', person, actor, before, { operatorRole: role })
  })

/**
 * Whoever comes to the desk comes by a link of the desk, as if they were new: a shop's owner may have invited the
 * address before, taken the link, and chosen its password.
 */
async function giveDesk(tx: Tx, person: Person, role: OperatorRole): Promise<void> {
  await setOperatorRole(tx, person.id, role)
  if (person.operatorRole) return
  await endSessions(tx, { personId: person.id })
  await endLinks(tx, person.id)
  await removeFactors(tx, person.id)
}

export const leaveMerchant = (db: Db, email: string, merchantId: string, actor: Actor) =>
  change(db, email, async (tx, person) => {
    await removeMembership(tx, person.id, merchantId)
    await deleteViewsAt(tx, person.id, merchantId)
    await note(tx, 'membership_end', person, actor, { merchantId }, null, merchantId)
  })

async function change<Result>(
  db: Db,
  email: string,
  work: (tx: Tx, person: Person) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (tx) => {
    const found = await findPersonByEmail(tx, emailOf(email))
    const person = found && (await lockPerson(tx, found.id))
    if (!person) throw new Refusal('not_found', { detail: 'There is no person with this address.' })
    return work(tx, person)
  })
}

/** Takes the place that a link offers: from here on there is a password, and the link is used up. */
export async function acceptLink(
  db: Db,
  { token, password, seat }: { token: string; password: string; seat: Seat },
): Promise<SignedIn> {
  const digest = digestOfSecret(token)
  const link = await findLink(db, digest)
  if (!link || link.purpose === 'demo') throw new Refusal('link_used_up')
  const stored = await hashPassword(checkedPassword(password))
  return db.transaction(async (tx) => {
    const person = await lockPerson(tx, link.personId)
    if (!person || person.disabledAt || !(await useLink(tx, digest))) throw new Refusal('link_used_up')
    if (link.purpose === 'reset') await removeFactors(tx, person.id)
    if (link.purpose === 'reset' || person.operatorRole) await noteAdmission(tx, person.id, link.madeBy)
    await endSessions(tx, { personId: person.id })
    await setPassword(tx, person.id, stored)
    const now = (await lockPerson(tx, person.id))!
    const actor = { personId: person.id, name: person.email, requestId: seat.requestId }
    await note(tx, link.purpose === 'reset' ? 'person_begin_again' : 'person_join', person, actor, null, null)
    return openSession(tx, person.id, { strength: strengthAfterPassword(now), how: link.purpose, seat })
  })
}

/** The demo's way in: one click, on a machine that was started to be looked at. */
export async function enterDemo(db: Db, { token, seat }: { token: string; seat: Seat }): Promise<SignedIn> {
  const digest = digestOfSecret(token)
  return db.transaction(async (tx) => {
    const link = await findLink(tx, digest)
    if (link?.purpose !== 'demo' || !(await useLink(tx, digest))) throw new Refusal('link_used_up')
    return openSession(tx, link.personId, { strength: 'full', how: 'demo link', seat })
  })
}

export function checkedPassword(password: string): string {
  const length = [...password].length
  if (length >= passwordLeast && length <= passwordMost) return password
  throw new Refusal('invalid_value', {
    detail: `A password has ${passwordLeast} to ${passwordMost} characters.`,
  })
}

async function giveLink(tx: Tx, person: Person, purpose: LinkPurpose, actor: Actor): Promise<string> {
  const token = randomToken(32)
  await insertLink(tx, {
    digest: digestOfSecret(token),
    personId: person.id,
    purpose,
    madeBy: actor.name,
    hours: linkHours[purpose],
  })
  return token
}

const note = (
  tx: Tx,
  act: string,
  person: Person,
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
    reason: '',
    before,
    after,
    requestId: actor.requestId,
  })
