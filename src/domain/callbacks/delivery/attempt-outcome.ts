/** What one sending means for its callback and its lane. Pure. */
import { afterAttempt, askedRestMs, type Lane } from './lane.ts'
import { planRetry } from './retry-schedule.ts'

/** The receiver's answer, or why there was none. */
export type EndpointAnswer = {
  ms: number
  status?: number | undefined
  error?: string | undefined
  answer?: string | undefined
  address?: string | undefined
  retryAfterSeconds?: number | undefined
}

type Sending = { depositId: string; madeAt: number; attempts: number; hasOwnUrl: boolean }

export type Outcome = AttemptOutcome['outcome']

type AttemptOutcome = { lane: Lane } & (
  | { outcome: 'ok' | 'probe' }
  | { outcome: 'retry'; dueAt: number }
  | { outcome: 'dead'; reason: string }
)

export function outcomeOfAttempt(
  before: Lane,
  { depositId, madeAt, attempts, hasOwnUrl }: Sending,
  { ms, status, retryAfterSeconds }: EndpointAnswer,
  { now, random }: { now: number; random: number },
): AttemptOutcome {
  const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000
  const attempt = { depositId, hasOwnUrl, status, ms, retryAfterMs }
  const { lane, charge } = afterAttempt(before, attempt, now, random)
  if (charge === 'ok') return { lane, outcome: 'ok' }
  if (charge === 'lane') return { lane, outcome: 'probe' }
  if (charge === 'gone') return { lane, outcome: 'dead', reason: 'answered_410' }
  const plan = planRetry({ attempt: attempts + 1, now, madeAt, random, retryAfterMs: askedRestMs(attempt) })
  return 'giveUp' in plan
    ? { lane, outcome: 'dead', reason: plan.giveUp }
    : { lane, outcome: 'retry', dueAt: plan.at }
}
