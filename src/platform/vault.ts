/**
 * Seals secrets at rest: AES-256-GCM under the installation's master key. The seal is bound to a label that
 * names the row, so a ciphertext moved to another row does not open.
 * Layout: version (1 byte) · the key's id (4) · nonce (12) · ciphertext · tag (16).
 *
 * While the master key is changed there are two: both open, and the database says which one seals (sealing-key.ts).
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { randomNonce } from './clock.ts'

/** One master key and its operations. */
export type MasterKey = {
  /** The name of the key in seals and messages, which reveals nothing else: 8 hexadecimal digits. */
  id: string
  seal(plain: string, label: string): Buffer
  open(sealed: Buffer, label: string): string
  /** HMAC-SHA256 under a key of its own for each purpose: without the master key it can be neither made nor guessed. */
  mac(data: Uint8Array, purpose: string): Buffer
  /** The key that `mac` uses for a purpose: the master key cannot be computed from it. */
  macKey(purpose: string): Buffer
  /** The beginning of every seal by this key. */
  prefix: Buffer
}

/** What seals or signs now: the key that is in use. */
export type Sealer = Pick<MasterKey, 'mac' | 'macKey' | 'seal'>

export type Vault = {
  current: MasterKey
  /** The key before, while the current one replaces it. */
  old: MasterKey | null
  /** Opens what any of the keys has sealed. */
  open(sealed: Buffer, label: string): string
  /** The same digest by each of the keys. */
  macs(data: Uint8Array, purpose: string): Buffer[]
  /** Whether any of the keys has made this digest. */
  isMac(mac: Buffer, data: Uint8Array, purpose: string): boolean
}

export function createVault(masterKey: Buffer, oldMasterKey: Buffer | null = null): Vault {
  const current = createMasterKey(masterKey)
  const old = oldMasterKey && createMasterKey(oldMasterKey)
  const keys = old ? [current, old] : [current]
  const macs: Vault['macs'] = (data, purpose) => keys.map((key) => key.mac(data, purpose))
  return {
    current,
    old,
    open(sealed, label) {
      for (const key of keys) {
        const plain = opened(key, sealed, label)
        if (plain !== undefined) return plain
      }
      throw new Error('No master key of ours opens this seal.')
    },
    macs,
    isMac: (mac, data, purpose) => macs(data, purpose).some((ours) => isEqual(ours, mac)),
  }
}

/** undefined: another key made it, or it was changed. */
export function opened(key: Pick<MasterKey, 'open'>, sealed: Buffer, label: string): string | undefined {
  try {
    return key.open(sealed, label)
  } catch {
    return undefined
  }
}

export const isEqual = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other)

export const macWith = (key: Buffer, data: Uint8Array): Buffer =>
  createHmac('sha256', key).update(data).digest()

function createMasterKey(key: Buffer): MasterKey {
  if (key.length !== 32) throw new Error('A master key has 32 bytes.')
  const macKey = (purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32))
  const id = macKey('inlet key id').subarray(0, 4)
  const prefix = Buffer.concat([Buffer.of(1), id])
  return {
    id: id.toString('hex'),
    prefix,
    seal(plain, label) {
      const nonce = randomNonce(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(label))
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([prefix, nonce, text, cipher.getAuthTag()])
    },
    open(sealed, label) {
      const body = sealed.subarray(prefix.length)
      if (body.length < 28 || !sealed.subarray(0, prefix.length).equals(prefix))
        throw new Error('This seal is not ours.')
      const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, 12), { authTagLength: 16 })
        .setAAD(Buffer.from(label))
        .setAuthTag(body.subarray(-16))
      return Buffer.concat([decipher.update(body.subarray(12, -16)), decipher.final()]).toString('utf8')
    },
    mac: (data, purpose) => macWith(macKey(purpose), data),
    macKey,
  }
}
