/**
 * When a callback that failed is sent again. Pure: time and randomness are arguments. Times are milliseconds of the
 * database's clock.
 */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** The wait after the first failure, after the second, and so on: 13 attempts in about 75 hours. */
export const retryWaits: readonly number[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
  12 * hour,
  day,
  day,
]

export const attemptsMost = retryWaits.length + 1

/** A callback that is not delivered within this time is given up. */
export const lifeMs = 30 * day

const jitter = 0.2
const retryAfterMostMs = day

type Failed = {
  /** How often it has failed now: 1 after the first attempt. */
  attempt: number
  now: number
  madeAt: number
  /** 0 up to 1. */
  random: number
  /** Retry-After of a 429 or 503 answer. */
  retryAfterMs?: number | undefined
}

type Plan = { at: number } | { giveUp: 'attempts_used' | 'too_old' }

export function planRetry({ attempt, now, madeAt, random, retryAfterMs = 0 }: Failed): Plan {
  const wait = retryWaits[attempt - 1]
  if (wait === undefined) return { giveUp: 'attempts_used' }
  const asked = Math.min(retryAfterMs, retryAfterMostMs)
  const at = now + Math.max(jittered(wait, random), asked)
  // A retry after the callback's lifetime is pointless.
  return at >= madeAt + lifeMs ? { giveUp: 'too_old' } : { at }
}

/** ±20 %, so that callbacks that failed together do not come back together. */
export const jittered = (ms: number, random: number): number =>
  Math.round(ms * (1 - jitter + 2 * jitter * random))
