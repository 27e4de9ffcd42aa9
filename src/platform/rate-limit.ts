/**
 * Token buckets by key. The table is bounded, and the least recently used key makes room: an
 * attacker with many addresses costs memory up to that bound, nothing more. Processes that share a port report to each other
 * which tokens they took (shared-rates.ts): a bucket may then be below zero until it is refilled.
 */
import { Refusal } from './refusals.ts'

export type Rate = { perSecond: number; burst: number }

export type RateVerdict = {
  allowed: boolean
  remaining: number
  /** Until the next token is there, when refused; at least 1. */
  retryAfterSeconds: number
  /** Time until the bucket is full. */
  resetSeconds: number
}

/** How many tokens another process took from the bucket of this key, and the rate of the bucket. */
export type SpentRate = [key: string, count: number, perSecond: number, burst: number]

type Bucket = Rate & { tokens: number; at: number }

export type RateLimit = {
  /** Takes one token if there is one. */
  take(key: string, rate: Rate): RateVerdict
  /** Removes the tokens that other processes took, below zero if need be. */
  subtract(spent: readonly SpentRate[]): void
}

/** `onTake` is called for every token that `take` takes. */
export function createRateLimit(
  entries: number,
  monotonicMs: () => number,
  onTake?: (key: string, rate: Rate) => void,
): RateLimit {
  const buckets = new Map<string, Bucket>()

  const tokensNow = (key: string, { perSecond, burst }: Rate, now: number): number => {
    const bucket = buckets.get(key)
    return bucket ? Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond) : burst
  }

  const verdict = (tokens: number, allowed: boolean, { perSecond, burst }: Rate): RateVerdict => ({
    allowed,
    remaining: Math.max(0, Math.floor(tokens)),
    retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / perSecond)),
    resetSeconds: Math.ceil((burst - tokens) / perSecond),
  })

  function keep(key: string, tokens: number, { perSecond, burst }: Rate, at: number): void {
    // Re-inserted at the end: the first key of the map is the one that was quiet longest.
    buckets.delete(key)
    buckets.set(key, { tokens, perSecond, burst, at })
    if (buckets.size > entries) buckets.delete(buckets.keys().next().value!)
  }

  return {
    take(key, rate) {
      const now = monotonicMs()
      const tokens = tokensNow(key, rate, now)
      const allowed = tokens >= 1
      const left = allowed ? tokens - 1 : tokens
      keep(key, left, rate, now)
      if (allowed) onTake?.(key, rate)
      return verdict(left, allowed, rate)
    },
    subtract(spent) {
      const now = monotonicMs()
      for (const [key, count, perSecond, burst] of spent) {
        const rate = { perSecond, burst }
        keep(key, tokensNow(key, rate, now) - count, rate, now)
      }
    },
  }
}

export const rateLimited = (policy: string, verdict: RateVerdict) =>
  new Refusal('rate_limited', {
    retryAfterSeconds: verdict.retryAfterSeconds,
    headers: rateHeaders(policy, verdict),
  })

export const rateHeaders = (policy: string, verdict: RateVerdict): Record<string, string> => ({
  ratelimit: `"${policy}";r=${verdict.remaining};t=${verdict.resetSeconds}`,
})
