/** One-time codes by time (RFC 6238): six digits, thirty seconds, one step of tolerance to each side. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const stepSeconds = 30
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export const stepAt = (now: Date): bigint => BigInt(Math.floor(now.getTime() / 1000 / stepSeconds))

export function codeAt(secret: Uint8Array, step: bigint): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(step)
  const digest = createHmac('sha1', secret).update(counter).digest()
  const number = digest.readUInt32BE(digest.at(-1)! & 0x0f) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** The step this code was made for, if it is one that has not been used: steps only go forward. */
export function stepOf(
  secret: Uint8Array,
  code: string,
  { now, lastStep }: { now: Date; lastStep: bigint },
): bigint | null {
  const digits = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(digits)) return null
  const current = stepAt(now)
  let found: bigint | null = null
  for (const step of [current - 1n, current, current + 1n]) {
    const isRight = timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(digits))
    if (isRight && step > lastStep) found ??= step
  }
  return found
}

/** The secret as it is typed into authenticator apps. */
export function base32(bytes: Uint8Array): string {
  let bits = 0
  let held = 0
  let text = ''
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(held << (5 - bits)) & 31] : text
}

/** What the QR code holds. */
export const totpAddress = (secret: Uint8Array, email: string, host: string): string =>
  `otpauth://totp/${encodeURIComponent(`Inlet ${host}:${email}`)}?secret=${base32(secret)}&issuer=${encodeURIComponent(`Inlet ${host}`)}`
