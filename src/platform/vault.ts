/**
 * Seals secrets at rest: AES-256-GCM under the installation's master key. The seal is bound to a label that
 * names the row, so a ciphertext moved to another row does not open.
 * Layout: version (1 byte) · nonce (12) · ciphertext · tag (16).
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { randomNonce } from './clock.ts'

const version = 1

export type Vault = {
  seal(plain: string, label: string): Buffer
  open(sealed: Buffer, label: string): string
  /** HMAC-SHA256 under a key of its own for each purpose: without the master key it can be neither made nor guessed. */
  mac(data: Uint8Array, purpose: string): Buffer
}

export function createVault(masterKey: Buffer): Vault {
  if (masterKey.length !== 32) throw new Error('A master key has 32 bytes.')
  const keyFor = (purpose: string) => Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32))
  return {
    seal(plain, label) {
      const nonce = randomNonce(12)
      const cipher = createCipheriv('aes-256-gcm', masterKey, nonce).setAAD(Buffer.from(label))
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(version), nonce, text, cipher.getAuthTag()])
    },
    open(sealed, label) {
      if (sealed[0] !== version || sealed.length < 29) throw new Error('This seal is not ours.')
      const decipher = createDecipheriv('aes-256-gcm', masterKey, sealed.subarray(1, 13), {
        authTagLength: 16,
      })
        .setAAD(Buffer.from(label))
        .setAuthTag(sealed.subarray(-16))
      return Buffer.concat([decipher.update(sealed.subarray(13, -16)), decipher.final()]).toString('utf8')
    },
    mac: (data, purpose) => createHmac('sha256', keyFor(purpose)).update(data).digest(),
  }
}
