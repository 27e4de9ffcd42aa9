/** Sets up one-time codes, issues recovery codes, and removes factors. */
import { randomNonce, randomToken } from '../../platform/clock.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { lockSealer, macChain, readSealer } from '../../platform/sealing-key.ts'
import type { Vault } from '../../platform/vault.ts'
import { message } from '../messages/message.ts'
import { lockVisitor } from './authenticate.ts'
import { checkedPassword } from './check-password.ts'
import { deletePasskey, replaceRecoveryCodes, setPassword, setTotp } from './factor-store.ts'
import { hashPassword } from './password.ts'
import {
  groupOf,
  hasSecondFactor,
  type Membership,
  needsSecondFactor,
  type Person,
  type Strength,
  totpLabel,
} from './person.ts'
import { endSessions, readNow } from './session-store.ts'
import {
  type ClientInfo,
  knownAs,
  noteOwnAct,
  openSession,
  recoveryDigest,
  recoveryKeys,
  type SignedIn,
} from './sign-in.ts'
import { membershipsOf } from './store.ts'
import { stepOf } from './totp.ts'

const setupLabel = (personId: string) => `people:${personId}:totp-setup`

/** A new secret for the person's app. It travels sealed in the form, and is stored after the first right code. */
export async function newTotp(
  { db, vault }: { db: Db; vault: Vault },
  personId: string,
): Promise<{ secret: Buffer; sealed: string }> {
  const secret = randomNonce(20)
  const { seal } = await readSealer(db, vault)
  const sealed = seal(secret.toString('base64'), setupLabel(personId))
  return { secret, sealed: sealed.toString('base64url') }
}

export const openedTotp = (vault: Vault, personId: string, sealed: string): Buffer => {
  try {
    return Buffer.from(vault.open(Buffer.from(sealed, 'base64url'), setupLabel(personId)), 'base64')
  } catch {
    throw new Refusal('invalid_value', { detail: message('form_is_too_old') })
  }
}

type Asked = { person: Person; session: { id: string; strength: Strength }; client: ClientInfo }

/** The first code proves that the app has the secret. Returns new recovery codes, which are shown once. */
export async function setUpTotp(
  { db, vault }: { db: Db; vault: Vault },
  { person, session, client, sealed, code }: Asked & { sealed: string; code: string },
): Promise<SignedIn & { codes: string[] }> {
  const secret = openedTotp(vault, person.id, sealed)
  return db.transaction(async (tx) => {
    const now = await lockVisitor(tx, { person, session })
    // A stolen password alone must not be enough to replace the owner's second factor.
    if (session.strength !== 'full' && hasSecondFactor(now)) throw new Refusal('forbidden')
    const step = stepOf(secret, code, { now: await readNow(tx), lastStep: 0n })
    if (step === null) throw new Refusal('sign_in_failed')
    const { seal } = await lockSealer(tx, vault)
    await setTotp(tx, person.id, {
      sealed: seal(secret.toString('base64'), totpLabel(person.id)),
      step,
    })
    const codes = await issueCodes(tx, vault, person.id)
    await noteOwnAct(tx, 'totp_set', person, client)
    await endSessions(tx, { personId: person.id, id: session.id })
    return { ...(await openSession(tx, person.id, { strength: 'full', how: 'code', client })), codes }
  })
}

/** Replaces the recovery codes. */
export const renewRecoveryCodes = (
  { db, vault }: { db: Db; vault: Vault },
  { person, session, client }: Asked,
): Promise<string[]> =>
  db.transaction(async (tx) => {
    await lockVisitor(tx, { person, session })
    const codes = await issueCodes(tx, vault, person.id)
    await noteOwnAct(tx, 'recovery_codes_new', person, client)
    return codes
  })

export const removePasskey = (db: Db, { person, session, client }: Asked, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const now = await lockVisitor(tx, { person, session })
    if (!(await deletePasskey(tx, person.id, id))) throw new Refusal('not_found')
    await afterRemoval(tx, { ...now, passkeys: now.passkeys - 1 })
    await noteOwnAct(tx, 'passkey_remove', person, client)
  })

export const removeTotp = (db: Db, { person, session, client }: Asked): Promise<void> =>
  db.transaction(async (tx) => {
    const now = await lockVisitor(tx, { person, session })
    if (!now.hasTotp) return
    await setTotp(tx, person.id, { sealed: null, step: 0n })
    await afterRemoval(tx, { ...now, hasTotp: false })
    await noteOwnAct(tx, 'totp_remove', person, client)
  })

/** The last factor cannot be removed where the role needs one. Recovery codes are removed with the last factor. */
async function afterRemoval(tx: Tx, left: Person): Promise<void> {
  if (hasSecondFactor(left)) return
  if (needsSecondFactor(left, await membershipsOf(tx, left.id)))
    throw new Refusal('forbidden', { detail: message('your_role_needs_second_factor') })
  await replaceRecoveryCodes(tx, left.id, [], 0)
}

/** Ends all other sessions of this person. */
export async function changePassword(
  db: Db,
  asked: Asked & { password: string; memberships?: readonly Membership[]; host?: string },
): Promise<void> {
  const { person, session, client, password, memberships = [], host = '' } = asked
  const about = [person.email, person.name, ...memberships.map(({ merchantName }) => merchantName), host]
  const stored = await hashPassword(
    checkedPassword(password, about),
    knownAs(person.id, groupOf(person, memberships)),
  )
  await db.transaction(async (tx) => {
    await lockVisitor(tx, { person, session })
    await setPassword(tx, person.id, stored)
    await endSessions(tx, { personId: person.id, except: session.id })
    await noteOwnAct(tx, 'password_change', person, client)
  })
}

async function issueCodes(tx: Tx, vault: Vault, personId: string): Promise<string[]> {
  const codes = Array.from({ length: 10 }, () => {
    const letters = randomToken(12)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, 'x')
      .slice(0, 10)
    return `${letters.slice(0, 5)}-${letters.slice(5)}`
  })
  const keys = await recoveryKeys(tx, vault)
  const digests = codes.map((code) => macChain(keys, recoveryDigest(personId, code)).at(-1)!)
  await replaceRecoveryCodes(tx, personId, digests, keys.length - 1)
  return codes
}
