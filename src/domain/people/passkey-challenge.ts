/**
 * The challenge that a passkey signs. It proves by itself that we issued it, when, and for whom, so nothing is stored
 * for a request. A used one is stored with its answer, so that it counts once.
 * Layout: nonce (16 bytes) · time in milliseconds (6) · mac over both and the person (32).
 */
import { bounds } from '../../platform/bounds.ts'
import { randomNonce } from '../../platform/clock.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Use } from '../../platform/used-once.ts'
import type { Vault } from '../../platform/vault.ts'

/** The person who adds a passkey; null if the challenge is for signing in. */
type Asked = { personId: string | null; now: Date }

const nonceBytes = 16
const signedBytes = nonceBytes + 6

export function newChallenge(vault: Vault, { personId, now }: Asked): Uint8Array<ArrayBuffer> {
  const signed = Buffer.alloc(signedBytes)
  randomNonce(nonceBytes).copy(signed)
  signed.writeUIntBE(now.getTime(), nonceBytes, 6)
  // While the master key is changed, a process that was not restarted yet has only the old one.
  const key = vault.old ?? vault.current
  return new Uint8Array(Buffer.concat([signed, key.mac(dataOf(signed, personId), purpose)]))
}

/** The nonce of a question that we asked this person, not long ago. */
export function openChallenge(vault: Vault, challenge: string, { personId, now }: Asked): Use {
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
