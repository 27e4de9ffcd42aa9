/**
 * The health of one endpoint: how many requests it may get at once, whether its breaker is open, whether it is paused.
 * Pure: a lane is data, every attempt returns the next lane, time (milliseconds of the database's clock) and randomness
 * are arguments.
 *
 * Two kinds of failure. When the endpoint fails (no connection, no answer in time, 5xx, 429) and its breaker is
 * closed, the callback is charged: it has one attempt less. Once the breaker is open, the lane is charged: one
 * callback probes it, and stays as it was. When the endpoint answers and refuses the callback (other 4xx, 3xx),
 * the callback is always charged.
 */
import type { AutomaticPause } from '../../merchants/merchant.ts'
import { jittered } from './retry-schedule.ts'

export type Lane = {
  /** How many may be in flight at once while the breaker is closed. */
  window: number
  /** Successes since the window last changed. */
  successes: number
  /** Endpoint failures in a row, the deposit of the first of them, and whether other deposits failed too. */
  failures: number
  failedDeposit: string | null
  failedForSeveral: boolean
  /** Callbacks in a row that it answered and refused. */
  refusals: number
  /** How often in a row the breaker has opened; 0 is closed. */
  trips: number
  /** Nothing is sent before this: the breaker is open, or the receiver requested a pause. */
  openUntil: number
  /** The first failure since the last success. */
  failingSince: number | null
  pause: AutomaticPause | null
  /** Moving average of the time an answer takes; null before the first. */
  latencyMs: number | null
}

/** Only the operator may resume a lane that the operator paused; the merchant's people resume their own pauses. */
export const operatorPause = (reason: string): string => `operator: ${reason}`
export const isOperatorPause = (reason: string | null): boolean => reason?.startsWith('operator: ') === true

export type Attempt = {
  depositId: string
  /** It goes to the request's own URL, not the merchant's address: its 410 says nothing about the lane. */
  hasOwnUrl: boolean
  /** Absent when there was no answer. */
  status?: number | undefined
  ms: number
  retryAfterMs?: number | undefined
}

/** What an attempt counts against. `lane`: the callback stays as it was. `gone`: the callback is given up. */
type Charge = 'ok' | 'callback' | 'lane' | 'gone'

export const laneRules = {
  windowFirst: 4,
  windowMost: 32,
  failuresToTrip: 5,
  refusalsToPause: 5,
  openFirstMs: 5_000,
  openMostMs: 5 * 60_000,
  restMostMs: 5 * 60_000,
  failingToPauseMs: 120 * 60 * 60_000,
  /** Weight of the newest answer in the moving average. */
  latencyWeight: 0.2,
} as const

export const newLane: Lane = {
  window: laneRules.windowFirst,
  successes: 0,
  failures: 0,
  failedDeposit: null,
  failedForSeveral: false,
  refusals: 0,
  trips: 0,
  openUntil: 0,
  failingSince: null,
  pause: null,
  latencyMs: null,
}

/** How many of this lane's callbacks may be in flight now. */
export function limitOf(lane: Lane, now: number): number {
  if (lane.pause !== null || lane.openUntil > now) return 0
  return lane.trips > 0 ? 1 : lane.window
}

type AttemptKind = 'ok' | 'endpoint' | 'callback' | 'gone'

/** A 2xx status line is success. A redirect is a refusal: it is never followed. */
export function kindOf(status: number | undefined): AttemptKind {
  if (status === undefined || status >= 500 || [408, 425, 429].includes(status)) return 'endpoint'
  if (status >= 200 && status <= 299) return 'ok'
  return status === 410 ? 'gone' : 'callback'
}

/** How long the receiver asked us to wait (Retry-After); only these two statuses can. */
export const askedRestMs = ({ status, retryAfterMs }: Attempt): number =>
  status === 429 || status === 503 ? (retryAfterMs ?? 0) : 0

export function afterAttempt(
  before: Lane,
  attempt: Attempt,
  now: number,
  random: number,
): { lane: Lane; charge: Charge } {
  const lane = { ...before, latencyMs: averaged(before.latencyMs, attempt.ms) }
  const kind = kindOf(attempt.status)
  if (kind === 'endpoint') {
    return { lane: failed(lane, attempt, now, random), charge: before.trips > 0 ? 'lane' : 'callback' }
  }
  if (kind === 'ok') return { lane: succeeded(reached(lane)), charge: 'ok' }
  const refused = {
    ...reached(lane),
    refusals: lane.refusals + 1,
    failingSince: lane.failingSince ?? now,
  }
  if (kind === 'callback') {
    // Only refusals for days: paused, so that a person looks before all callbacks run out of attempts.
    const pauses = refused.refusals >= laneRules.refusalsToPause && isFailingForDays(refused, now)
    return { lane: pauses ? { ...refused, pause: 'failing_120_hours' } : refused, charge: 'callback' }
  }
  if (attempt.hasOwnUrl) return { lane: refused, charge: 'gone' }
  return { lane: { ...refused, pause: 'answered_410' }, charge: 'lane' }
}

/** The endpoint answered: the row of failures ends, and an open breaker closes with window 1. */
function reached(lane: Lane): Lane {
  const clean = { ...lane, failures: 0, failedDeposit: null, failedForSeveral: false }
  return lane.trips > 0 ? { ...clean, trips: 0, openUntil: 0, window: 1, successes: 0 } : clean
}

function succeeded(lane: Lane): Lane {
  const well = { ...lane, successes: lane.successes + 1, refusals: 0, failingSince: null }
  if (well.successes < lane.window) return well
  return { ...well, successes: 0, window: Math.min(lane.window + 1, laneRules.windowMost) }
}

const isFailingForDays = ({ failingSince }: Lane, now: number): boolean =>
  failingSince !== null && now - failingSince >= laneRules.failingToPauseMs

function failed(lane: Lane, attempt: Attempt, now: number, random: number): Lane {
  const rest = Math.min(askedRestMs(attempt), laneRules.restMostMs)
  const failing: Lane = {
    ...lane,
    window: Math.max(1, Math.floor(lane.window / 2)),
    successes: 0,
    failures: lane.failures + 1,
    failedDeposit: lane.failedDeposit ?? attempt.depositId,
    failedForSeveral:
      lane.failedForSeveral || (lane.failedDeposit !== null && lane.failedDeposit !== attempt.depositId),
    failingSince: lane.failingSince ?? now,
    openUntil: rest > 0 ? Math.max(lane.openUntil, now + rest) : lane.openUntil,
  }
  // One deposit that its handler cannot take is no reason to close the endpoint to all others.
  const trips = lane.trips > 0 || (failing.failures >= laneRules.failuresToTrip && failing.failedForSeveral)
  if (!trips) return failing
  if (isFailingForDays(failing, now)) return { ...failing, pause: 'failing_120_hours' }
  // Requests that were in flight when the breaker opened do not open it again.
  if (lane.trips > 0 && lane.openUntil > now) return failing
  return opened(failing, now, random)
}

function opened(lane: Lane, now: number, random: number): Lane {
  const wait = Math.min(laneRules.openFirstMs * 2 ** lane.trips, laneRules.openMostMs)
  return {
    ...lane,
    trips: lane.trips + 1,
    openUntil: Math.max(lane.openUntil, now + jittered(wait, random)),
  }
}

const averaged = (before: number | null, ms: number): number =>
  before === null ? ms : before + laneRules.latencyWeight * (ms - before)
