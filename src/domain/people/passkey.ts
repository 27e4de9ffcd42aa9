/**
 * Passkeys. A signature is bound to our host and to a challenge that is accepted once. A passkey replaces both factors, so
 * the device has to verify its user (PIN, fingerprint or face).
 */

import { bounds } from '../../platform/bounds.ts'
import { randomNonce } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Use, useOnce } from '../../platform/used-once.ts'
import type { Vault } from '../../platform/vault.ts'
import { lockVisitor } from './authenticate.ts'
import { insertPasskey, listPasskeys, lockPasskey, notePasskeyUse } from './factor-store.ts'
import { hasSecondFactor, type Person, type Strength } from './person.ts'
import { endSessions, readNow } from './session-store.ts'
import { type ClientInfo, noteOwnAct, openSession, type SignedIn } from './sign-in.ts'

/** Our host, to which passkeys are bound. */
export type Site = { host: string; origin: string }

/** Loaded on first use: it is large, and commands and payment pages never need it. */
const webauthn = () => import('@simplewebauthn/server')
type WebAuthn = Awaited<ReturnType<typeof webauthn>>

type RegistrationResponse = Parameters<WebAuthn['verifyRegistrationResponse']>[0]['response']
type AuthenticationResponse = Parameters<WebAuthn['verifyAuthenticationResponse']>[0]['response']

type Parts = { db: Db; vault: Vault }

/** EdDSA, ES256, RS256. The library's defaults include algorithms that are experimental in Node. */
const algorithms = [-8, -7, -257]

export async function passkeyRegistrationOptions({ db, vault }: Parts, person: Person, { host }: Site) {
  const { generateRegistrationOptions } = await webauthn()
  const existing = await listPasskeys(db, person.id)
  return generateRegistrationOptions({
    challenge: newChallenge(vault, { personId: person.id, now: await readNow(db) }),
    rpName: 'Inlet',
    rpID: host,
    userName: person.email,
    userDisplayName: person.name,
    userID: new Uint8Array(Buffer.from(person.id)),
    excludeCredentials: existing.map(({ id }) => ({ id })),
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** The first factor completes a half session; a half session of a person with factors cannot add one. */
export async function addPasskey(
  { db, vault }: Parts,
  asked: {
    person: Person
    session: { id: string; strength: Strength }
    site: Site
    response: unknown
    name: string
    client: ClientInfo
  },
): Promise<SignedIn> {
  const { person, session, site, name, client } = asked
  const response = asked.response as RegistrationResponse
  const challenge = challengeIn(response)
  const use = openChallenge(vault, challenge, { personId: person.id, now: await readNow(db) })
  const { verifyRegistrationResponse } = await webauthn()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    supportedAlgorithmIDs: algorithms,
    requireUserVerification: true,
  }).catch(() => ({ verified: false, registrationInfo: undefined }) as const)
  if (!verified || !registrationInfo) throw new Refusal('sign_in_failed')
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  return db.transaction(async (tx) => {
    if (!(await useOnce(tx, use))) throw new Refusal('sign_in_failed')
    const now = await lockVisitor(tx, { person, session })
    if (session.strength !== 'full' && hasSecondFactor(now)) throw new Refusal('forbidden')
    const key = { id, personId: person.id, publicKey: Buffer.from(publicKey), counter: BigInt(counter) }
    if (!(await insertPasskey(tx, { ...key, transports: [...transports], name })))
      throw new Refusal('already_exists')
    await noteOwnAct(tx, 'passkey_add', person, client, { after: { name } })
    await endSessions(tx, { personId: person.id, id: session.id })
    return openSession(tx, person.id, { strength: 'full', how: 'passkey', client })
  })
}

/** Without a user name: the device offers its passkeys. Anyone may request it, so nothing is read or written. */
export async function passkeySignInOptions(
  { vault, now }: { vault: Vault; now: () => Promise<Date> },
  { host }: Site,
) {
  const { generateAuthenticationOptions } = await webauthn()
  const challenge = newChallenge(vault, { personId: null, now: await now() })
  return generateAuthenticationOptions({ rpID: host, userVerification: 'required', challenge })
}

/** `replaces`: the session that is renewed, by the same person, or the half session that is completed. */
export async function signInWithPasskey(
  { db, vault }: Parts,
  asked: {
    site: Site
    response: unknown
    client: ClientInfo
    replaces: { personId: string; session: { id: string; strength: Strength } } | null
  },
): Promise<SignedIn> {
  const { site, client, replaces } = asked
  const response = asked.response as AuthenticationResponse
  const challenge = challengeIn(response)
  const use = openChallenge(vault, challenge, { personId: null, now: await readNow(db) })
  if (!isEncoded(response.id)) throw new Refusal('sign_in_failed')
  const { verifyAuthenticationResponse } = await webauthn()
  // The key stays locked during the check, which takes a millisecond, so that its counter only goes forward.
  return db.transaction(async (tx) => {
    const key = await lockPasskey(tx, response.id)
    const isOthers = replaces?.session.strength === 'full' && replaces.personId !== key?.personId
    if (!key || isOthers) throw new Refusal('sign_in_failed')
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserVerification: true,
      credential: { id: key.id, publicKey: new Uint8Array(key.publicKey), counter: Number(key.counter) },
    }).catch(() => ({ verified: false, authenticationInfo: undefined }) as const)
    if (!verified || !authenticationInfo) throw new Refusal('sign_in_failed')
    if (!(await useOnce(tx, use))) throw new Refusal('sign_in_failed')
    await notePasskeyUse(tx, key.id, BigInt(authenticationInfo.newCounter))
    if (replaces) await endSessions(tx, { personId: replaces.personId, id: replaces.session.id })
    return openSession(tx, key.personId, { strength: 'full', how: 'passkey', client })
  })
}

/** The challenge that the device claims to answer; `openChallenge` verifies it. */
function challengeIn(response: unknown): string {
  try {
    const { clientDataJSON } = (response as { response: { clientDataJSON: string } }).response
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
    if (isEncoded(challenge)) return challenge
  } catch {
    // Malformed: refused below.
  }
  throw new Refusal('sign_in_failed')
}

/** Base64url, the encoding of ids and challenges; a text with NUL would make the query fail. */
const isEncoded = (text: unknown): text is string => typeof text === 'string' && /^[\w-]+$/.test(text)

/**
 * The challenge that a passkey signs. It proves by itself that we issued it, when, and for whom, so nothing is stored
 * for a request. A used one is stored with its answer, so that it counts once.
 * Layout: nonce (16 bytes) · time in milliseconds (6) · mac over both and the person (32).
 * `personId`: who adds a passkey; null if the challenge is for signing in.
 */
type Challenged = { personId: string | null; now: Date }

const nonceBytes = 16
const signedBytes = nonceBytes + 6

function newChallenge(vault: Vault, { personId, now }: Challenged): Uint8Array<ArrayBuffer> {
  const signed = Buffer.alloc(signedBytes)
  randomNonce(nonceBytes).copy(signed)
  signed.writeUIntBE(now.getTime(), nonceBytes, 6)
  // While the master key is changed, a process that was not restarted yet has only the old one.
  const key = vault.old ?? vault.current
  return new Uint8Array(Buffer.concat([signed, key.mac(dataOf(signed, personId), purpose)]))
}

/** The nonce of a question that we asked this person, not long ago. */
function openChallenge(vault: Vault, challenge: string, { personId, now }: Challenged): Use {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== signedBytes + 32) throw new Refusal('sign_in_failed')
  const signed = bytes.subarray(0, signedBytes)
  if (!vault.isMac(bytes.subarray(signedBytes), dataOf(signed, personId), purpose))
    throw new Refusal('sign_in_failed')
  const madeAt = signed.readUIntBE(nonceBytes, 6)
  // Clocks of two processes may differ.
  if (Math.abs(now.getTime() - madeAt) > bounds.passkeyAnswerMs) throw new Refusal('sign_in_failed')
  return { digest: signed.subarray(0, nonceBytes), validUntil: new Date(madeAt + bounds.passkeyAnswerMs) }
}

const purpose = 'passkey challenge'

const dataOf = (signed: Buffer, personId: string | null): Buffer =>
  Buffer.concat([signed, Buffer.from(personId ?? '')])
