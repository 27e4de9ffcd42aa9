/** Accepts a one-time link: with a new password, by the signed-in person, or, in the demo, by a click. */
import type { Db, Tx } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { findMerchant, lockMerchant } from '../../merchants/store.ts'
import { lockVisitor } from '../authenticate.ts'
import { refuseLastOwner } from '../change-person.ts'
import { checkedPassword } from '../check-password.ts'
import { removeFactors, setPassword } from '../factor-store.ts'
import { hashPassword } from '../password.ts'
import { hasSecondFactor, owesSecondFactor, type Person, strengthAfterPassword } from '../person.ts'
import { digestOfSecret } from '../session.ts'
import { endSessions } from '../session-store.ts'
import { type ClientInfo, findKnown, knownAs, noteOwnAct, openSession, type SignedIn } from '../sign-in.ts'
import { findPerson, lockPerson, membershipsOf, saveMembership, setName, setOperatorRole } from '../store.ts'
import { isAtDesk, type Link, wayToAccept } from './link.ts'
import { endLinks, findLink, useLink } from './store.ts'

/** Sets the password and gives the role of the link. */
export async function acceptLink(
  db: Db,
  {
    token,
    password,
    client,
    host = '',
  }: { token: string; password: string; client: ClientInfo; host?: string },
): Promise<SignedIn> {
  const digest = digestOfSecret(token)
  const link = await findLink(db, digest)
  const found = link && (await findPerson(db, link.personId))
  if (!link || !found) throw new Refusal('link_used_up')
  refuseOtherWay(link, found)
  const merchant =
    link.offered && 'merchantId' in link.offered && (await findMerchant(db, link.offered.merchantId))
  const about = [found.email, found.name, link.name ?? '', merchant ? merchant.name : '', host]
  // Those who join count as people of the person who invited them.
  const { offered } = link
  const owner = offered
    ? knownAs(found.id, isAtDesk(offered) ? 'desk' : offered.merchantId)
    : await findKnown(db, found.id)
  const stored = await hashPassword(checkedPassword(password, about), owner)
  return db.transaction(async (tx) => {
    const person = await lockInvitedPerson(tx, link)
    if (!(await useLink(tx, digest))) throw new Refusal('link_used_up')
    refuseOtherWay(link, person)
    const isReset = link.purpose === 'reset'
    const isNewAtDesk = isAtDesk(link.offered) && !person.operatorRole
    if (isReset || isNewAtDesk) await removeFactors(tx, person.id)
    if (isNewAtDesk) await endLinks(tx, person.id)
    // The stored name, and the password, may come from an earlier invitation by someone else.
    if (link.name && (isNewAtDesk || !person.hasPassword)) await setName(tx, person.id, link.name)
    await endSessions(tx, { personId: person.id })
    await setPassword(tx, person.id, stored)
    await giveOfferedRole(tx, link, person)
    await note(tx, isReset ? 'person_begin_again' : 'person_join', { link, person, client })
    const strength = strengthAfterPassword(
      (await findPerson(tx, person.id))!,
      await membershipsOf(tx, person.id),
    )
    return openSession(tx, person.id, { strength, how: link.purpose, client })
  })
}

/**
 * The invited person, already signed in, accepts. If the new role needs a second factor that the person lacks, the
 * session is replaced by a half session, which is returned.
 */
export async function acceptSignedIn(
  db: Db,
  asked: { token: string; personId: string; sessionId: string; client: ClientInfo },
): Promise<SignedIn | null> {
  const { token, personId, sessionId, client } = asked
  const digest = digestOfSecret(token)
  return db.transaction(async (tx) => {
    const link = await findLink(tx, digest)
    if (!link) throw new Refusal('link_used_up')
    if (link.personId !== personId) throw new Refusal('forbidden')
    const person = await lockInvitedPerson(tx, link)
    await lockVisitor(tx, { person, session: { id: sessionId } })
    if (wayToAccept(link, person) !== 'session' || !(await useLink(tx, digest)))
      throw new Refusal('link_used_up')
    await giveOfferedRole(tx, link, person)
    await note(tx, 'person_join', { link, person, client })
    const now = (await findPerson(tx, personId))!
    if (!owesSecondFactor(now, await membershipsOf(tx, personId))) return null
    await endSessions(tx, { personId, id: sessionId })
    return openSession(tx, personId, { strength: 'password', how: 'invitation', client })
  })
}

/** Signs in to the demo with one click; a second factor is required if the person has one. */
export async function enterDemo(
  db: Db,
  { token, client }: { token: string; client: ClientInfo },
): Promise<SignedIn> {
  const digest = digestOfSecret(token)
  return db.transaction(async (tx) => {
    const link = await findLink(tx, digest)
    if (link?.purpose !== 'demo') throw new Refusal('link_used_up')
    const person = await lockInvitedPerson(tx, link)
    if (!(await useLink(tx, digest))) throw new Refusal('link_used_up')
    const strength = hasSecondFactor(person) ? 'password' : 'full'
    return openSession(tx, person.id, { strength, how: 'demo link', client })
  })
}

/** A link of somebody who has joined meanwhile is taken by signing in. */
function refuseOtherWay(link: Link, person: Person): void {
  const way = wayToAccept(link, person)
  if (person.disabledAt || way === 'demo') throw new Refusal('link_used_up')
  if (way === 'session') throw new Refusal('login_required')
}

/** Locks the merchant before the person, in the same order as changes of members. */
async function lockInvitedPerson(tx: Tx, { offered, personId }: Link): Promise<Person> {
  if (offered && 'merchantId' in offered) await lockMerchant(tx, offered.merchantId)
  const person = await lockPerson(tx, personId)
  if (!person || person.disabledAt) throw new Refusal('link_used_up')
  return person
}

async function giveOfferedRole(tx: Tx, { offered }: Link, person: Person): Promise<void> {
  if (!offered) return
  if (isAtDesk(offered)) {
    await setOperatorRole(tx, person.id, offered.operatorRole)
    return
  }
  const { merchantId, role } = offered
  const before = (await membershipsOf(tx, person.id)).find(
    (membership) => membership.merchantId === merchantId,
  )?.role
  if (before === 'owner' && role !== 'owner') await refuseLastOwner(tx, merchantId)
  await saveMembership(tx, { personId: person.id, merchantId, role })
  // An older reset link might open more than its maker may.
  await endLinks(tx, person.id, { purpose: 'reset' })
}

const note = (
  tx: Tx,
  act: 'person_join' | 'person_begin_again',
  { link: { offered }, person, client }: { link: Link; person: Person; client: ClientInfo },
) =>
  noteOwnAct(tx, act, person, client, {
    merchantId: offered && 'merchantId' in offered ? offered.merchantId : null,
    after: offered,
  })
