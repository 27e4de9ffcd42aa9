/**
 * Token buckets by key, in this process. The table is bounded, and the least recently used key makes room: an
 * attacker with many addresses costs memory up to that bound, nothing more.
 */
import { Refusal } from './refusals.ts'

type Rate = { perSecond: number; burst: number }

export type RateVerdict = {
  allowed: boolean
  remaining: number
  /** Seconds until one token is there again (when refused), or until the bucket is full. */
  retryAfterSeconds: number
  resetSeconds: number
}

type Bucket = { tokens: number; at: number }

export type RateLimit = {
  /** Takes one token if there is one. */
  take(key: string, rate: Rate): RateVerdict
  /** Looks without taking. */
  look(key: string, rate: Rate): RateVerdict
}

export function createRateLimit(entries: number, monotonicMs: () => number): RateLimit {
  const buckets = new Map<string, Bucket>()

  const tokensNow = (key: string, { perSecond, burst }: Rate, now: number): number => {
    const bucket = buckets.get(key)
    return bucket ? Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond) : burst
  }

  const verdict = (tokens: number, allowed: boolean, { perSecond, burst }: Rate): RateVerdict => ({
    allowed,
    remaining: Math.floor(tokens),
    retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / perSecond)),
    resetSeconds: Math.ceil((burst - tokens) / perSecond),
  })

  return {
    take(key, rate) {
      const now = monotonicMs()
      const tokens = tokensNow(key, rate, now)
      const allowed = tokens >= 1
      const left = allowed ? tokens - 1 : tokens
      // Re-inserted at the end: the first key of the map is the one that was quiet longest.
      buckets.delete(key)
      buckets.set(key, { tokens: left, at: now })
      if (buckets.size > entries) buckets.delete(buckets.keys().next().value!)
      return verdict(left, allowed, rate)
    },
    look(key, rate) {
      const tokens = tokensNow(key, rate, monotonicMs())
      return verdict(tokens, tokens >= 1, rate)
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
