/**
 * Sign-in: a password, a second factor after it, a passkey, a one-time link. All of them end in `openSession`, which
 * alone creates sessions.
 */

import { newId, randomToken } from '../../platform/clock.ts'
import type { Db, Tx } from '../../platform/db.ts'
import type { WorkOwner } from '../../platform/heavy-work.ts'
import { siteOf } from '../../platform/network.ts'
import { isRefusal, Refusal } from '../../platform/refusals.ts'
import { lockSealer, macChain, readMacKeys } from '../../platform/sealing-key.ts'
import type { Vault } from '../../platform/vault.ts'
import type { AuditDraft } from '../audit/audit.ts'
import { appendAudit } from '../audit/store.ts'
import { lockVisitor } from './authenticate.ts'
import { readFactors, useRecoveryCode, useTotpStep } from './factor-store.ts'
import { type LoginAttempts, type ThrottleKeys, throttleKeys } from './login-attempts.ts'
import { isPassword, refuseWhenHashingIsFull } from './password.ts'
import { emailOf, groupOf, type Person, type Strength, strengthAfterPassword, totpLabel } from './person.ts'
import { digestOfSecret, markOf } from './session.ts'
import { endSessions, insertSession, isMarkOf, readNow } from './session-store.ts'
import { findPerson, findPersonByEmail, lockPerson, membershipsOf } from './store.ts'
import { stepOf } from './totp.ts'

/** The network and browser of a request, and the mark of an earlier sign-in. */
export type ClientInfo = { network: string; browser: string; mark: string | null; requestId: string | null }

export type SignedIn = { secret: string; strength: Strength; person: Person }

export async function signInWithPassword(
  { db, attempts }: { db: Db; attempts: LoginAttempts },
  { email, password, client }: { email: string; password: string; client: ClientInfo },
): Promise<SignedIn> {
  const account = emailOf(email)
  // A client without a mark is unknown, and is refused before anything is read: a flood costs no more than its refusals.
  const stranger = client.mark === null ? strangerAt(account, client) : null
  if (stranger) admitHashing(attempts, stranger)
  const person = await findPersonByEmail(db, account)
  const tries = stranger ?? (await whoTries(db, { account, personId: person?.id, client }))
  if (!stranger) admitHashing(attempts, tries)
  return counted(attempts, tries, async () => {
    const stored = person && !person.disabledAt ? (await readFactors(db, person.id)).password : null
    if (!(await isPassword(password, stored, tries.owner)) || !person) throw new Refusal('sign_in_failed')
    return db.transaction(async (tx) => {
      const strength = await worthOf(tx, person.id, stored)
      return openSession(tx, person.id, { strength, how: 'password', client })
    })
  })
}

/** Takes a code of the authenticator or a recovery code, and replaces the session, if nobody has ended it meanwhile, by a full one. */
export async function proveSecondFactor(
  { db, vault, attempts }: { db: Db; vault: Vault; attempts: LoginAttempts },
  asked: { personId: string; sessionId: string; code: string; client: ClientInfo },
): Promise<SignedIn> {
  const { personId, sessionId, code, client } = asked
  const tries = await whoTries(db, { account: `code ${personId}`, personId, client })
  attempts.admit(tries.keys)
  return counted(attempts, tries, () =>
    db.transaction(async (tx) => {
      await lockVisitor(tx, { person: { id: personId }, session: { id: sessionId } })
      if (!(await isCode(tx, vault, personId, code))) throw new Refusal('sign_in_failed')
      await endSessions(tx, { personId, id: sessionId })
      return openSession(tx, personId, { strength: 'full', how: 'code', client })
    }),
  )
}

/** Confirms the password again, for people without a second factor. */
export async function provePasswordAgain(
  { db, attempts }: { db: Db; attempts: LoginAttempts },
  asked: { personId: string; sessionId: string; password: string; client: ClientInfo },
): Promise<SignedIn> {
  const { personId, sessionId, password, client } = asked
  const { keys } = await whoTries(db, { account: `again ${personId}`, personId, client })
  // Their session says who they are.
  const tries = { keys, owner: await findKnown(db, personId) }
  admitHashing(attempts, tries)
  return counted(attempts, tries, async () => {
    const { password: stored } = await readFactors(db, personId)
    if (!(await isPassword(password, stored, tries.owner))) throw new Refusal('sign_in_failed')
    return db.transaction(async (tx) => {
      if ((await worthOf(tx, personId, stored)) !== 'full') throw new Refusal('sign_in_failed')
      await lockVisitor(tx, { person: { id: personId }, session: { id: sessionId } })
      await endSessions(tx, { personId, id: sessionId })
      return openSession(tx, personId, { strength: 'full', how: 'password again', client })
    })
  })
}

type SignOut = {
  person: Person
  session: { id: string; strength: Strength }
  which: { id: string } | { except: string }
  client: ClientInfo
}

/** Signing out, here or elsewhere. */
export async function endOwnSessions(db: Db, { person, session, which, client }: SignOut): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPerson(tx, person.id)
    const ended = await endSessions(tx, { personId: person.id, ...which })
    if (ended === 0 || session.strength !== 'full') return
    const isHere = 'id' in which && which.id === session.id
    await noteOwnAct(tx, isHere ? 'sign_out' : 'sessions_end', person, client, { after: { ended } })
  })
}

/** Comparing takes its time: by now it may be another password, or one that needs a second factor beside it. */
async function worthOf(tx: Tx, personId: string, compared: string | null): Promise<Strength> {
  const person = await lockPerson(tx, personId)
  if (!person || (await readFactors(tx, personId)).password !== compared) throw new Refusal('sign_in_failed')
  return strengthAfterPassword(person, await membershipsOf(tx, personId))
}

async function isCode(tx: Tx, vault: Vault, personId: string, code: string): Promise<boolean> {
  const { totpSealed, totpStep } = await readFactors(tx, personId)
  if (totpSealed) {
    const secret = Buffer.from(vault.open(totpSealed, totpLabel(personId)), 'base64')
    const step = stepOf(secret, code, { now: await readNow(tx), lastStep: totpStep })
    if (step !== null) return useTotpStep(tx, personId, step)
  }
  // While the master key is changed, some codes have yet to go through the new one.
  const digests = macChain(await recoveryKeys(tx, vault), recoveryDigest(personId, code))
  return useRecoveryCode(tx, personId, digests)
}

/** Case, spaces and hyphens of a typed code do not matter. Before any key: see `recoveryKeys`. */
export const recoveryDigest = (personId: string, code: string): Buffer =>
  digestOfSecret(`recovery ${personId} ${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)

/**
 * Digests of recovery codes cannot be guessed without the master key. A digest goes through the key of every master key that
 * the installation has had, so that a new one is applied to what is stored, without the codes. Until the transaction ends,
 * no other master key comes into use.
 */
export const recoveryKeys = async (tx: Tx, vault: Vault): Promise<Buffer[]> =>
  readMacKeys(tx, vault, 'recovery code', await lockSealer(tx, vault))

/** Who tries: what their mistakes are counted under, and where they wait for their password to be hashed. */
type Tries = { keys: ThrottleKeys; owner: WorkOwner }

/** A merchant's owner may invite any number of people: they share the places of the merchant. */
export const knownAs = (personId: string, group: string): WorkOwner => ({
  name: personId,
  group,
  isKnown: true,
})

export async function findKnown(db: Db, personId: string): Promise<WorkOwner> {
  const [person, memberships] = await Promise.all([findPerson(db, personId), membershipsOf(db, personId)])
  return knownAs(personId, groupOf({ operatorRole: person?.operatorRole ?? null }, memberships))
}

const strangerAt = (account: string, { network }: ClientInfo): Tries => ({
  keys: throttleKeys(account, { network, mark: null }),
  owner: { name: siteOf(network), isKnown: false },
})

async function whoTries(
  db: Db,
  { account, personId, client }: { account: string; personId: string | undefined; client: ClientInfo },
): Promise<Tries> {
  const mark = client.mark === null ? null : digestOfSecret(client.mark)
  // This is also done for an address without an account: otherwise the time of the answer would reveal which addresses have
  // one.
  const isMarked = mark !== null && (await isMarkOf(db, personId ?? newId(), mark))
  if (!personId || !isMarked) return strangerAt(account, client)
  return {
    keys: throttleKeys(account, { network: client.network, mark }),
    owner: await findKnown(db, personId),
  }
}

function admitHashing(attempts: LoginAttempts, { keys, owner }: Tries): void {
  refuseWhenHashingIsFull(owner)
  attempts.admit(keys)
}

/** A try that was neither right nor wrong, because we were too busy to look, is not counted as a mistake. */
async function counted(
  attempts: LoginAttempts,
  { keys }: Tries,
  work: () => Promise<SignedIn>,
): Promise<SignedIn> {
  try {
    const signedIn = await work()
    attempts.succeed(keys)
    return signedIn
  } catch (error) {
    if (!isRefusal(error, 'sign_in_failed')) attempts.takeBack(keys)
    throw error
  }
}

/** The audit entry of what people do about themselves. */
export const noteOwnAct = (
  tx: Tx,
  act: string,
  { id, email }: Person,
  { requestId }: ClientInfo,
  more: Pick<AuditDraft, 'merchantId' | 'reason' | 'after'> = {},
) => appendAudit(tx, { personId: id, actor: email, act, subject: `person:${id}`, requestId, ...more })

/** Creates a session with a new secret. */
export async function openSession(
  tx: Tx,
  personId: string,
  { strength, how, client }: { strength: Strength; how: string; client: ClientInfo },
): Promise<SignedIn> {
  const person = await lockPerson(tx, personId)
  if (!person || person.disabledAt) throw new Refusal('sign_in_failed')
  const secret = randomToken(32)
  const browser = client.browser.slice(0, 200)
  await insertSession(tx, {
    digest: digestOfSecret(secret),
    id: newId(),
    personId,
    strength,
    network: client.network,
    browser,
    mark: strength === 'full' ? digestOfSecret(markOf(secret)) : null,
  })
  if (strength === 'full') {
    const after = { network: client.network, browser }
    await noteOwnAct(tx, 'sign_in', person, client, { reason: how, after })
  }
  return { secret, strength, person }
}
