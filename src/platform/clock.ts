/**
 * Clock and randomness: the only file that may ask the machine for either.
 * Decisions never use a node's wall clock: they get the database's `inlet_now()` as an argument. This file
 * is for durations, waiting, identifiers and log lines.
 */
import { randomBytes, randomFillSync } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

export const monotonicMs = (): number => performance.now()

export const logTime = (): string => new Date().toISOString()

export const sleep = (ms: number): Promise<void> => wait(ms, undefined)

/** In [0, 1), for jitter. */
export const randomFraction = (): number => Math.random()

/** Random bytes as unpadded base64url: 16 bytes make a page token, 32 a secret. */
export const randomToken = (bytes: number): string => drawBytes(bytes).toString('base64url')

export const randomBase64 = (bytes: number): string => randomBytes(bytes).toString('base64')

export const randomNonce = (bytes: number): Buffer => randomBytes(bytes)

/** The time in milliseconds, then so many random bytes. */
export function timedBytes(random: number): Buffer {
  const bytes = drawBytes(6 + random)
  bytes.writeUIntBE(Date.now(), 0, 6)
  return bytes
}

/** A version 7 UUID: time first, so that rows made together lie together in their indexes. */
export const newId = (): string => idFrom(timedBytes(10))

/** The version 7 UUID of a time and ten bytes. */
export function idFrom(bytes: Buffer): string {
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Smaller than every id of the last day. */
export const idOfYesterday = (): string => {
  const hex = (Date.now() - 86_400_000).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

const pool = Buffer.alloc(4096)
let used = pool.length

/** Asking the system for a few bytes costs as much as for a page of them. No byte is given out twice. */
function drawBytes(count: number): Buffer {
  if (count > pool.length) return randomBytes(count)
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return pool.subarray(used - count, used)
}
