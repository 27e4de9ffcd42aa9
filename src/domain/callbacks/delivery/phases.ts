/**
 * One delivery in its phases: claimed from the queue by a lane, sent, recorded. Each function takes the phase before it, so nothing
 * can be recorded that was not sent, or sent that was not claimed.
 */
import type { KeyObject } from 'node:crypto'
import { faultFields, type Log } from '../../../platform/log.ts'
import type { Outbound } from '../../../platform/outbound.ts'
import { signedHeaders } from '../signed-headers.ts'
import type { Claimed } from './held-lane.ts'
import { afterAttempt, askedRestMs } from './lane.ts'
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

/** Without the body: results may wait for the database, and bodies take most of the memory. */
type Sent = Omit<Claimed, 'body' | 'readAt'> & {
  /** Of the lane, when the request started. */
  epoch: bigint
  /** Milliseconds of the database's clock. */
  at: number
  answered: EndpointAnswer
}

export type Outcome = 'ok' | 'retry' | 'dead' | 'probe'

/** What is written about one request. `probe`: it only tested the endpoint, and the delivery stays as it was. */
export type Recorded = Pick<Sent, 'endpointId' | 'eventId' | 'madeOn' | 'attempts' | 'epoch' | 'at'> &
  Omit<EndpointAnswer, 'retryAfterSeconds'> & {
    outcome: Outcome
    /** For a retry. */
    dueAt?: number
    /** For a delivery that is given up. */
    reason?: string
  }

type Sending = {
  outbound: Pick<Outbound, 'post'>
  log: Log
  keys: readonly KeyObject[]
  /** Milliseconds of the database's clock. */
  at: number
  deadlineMs: number
}

/** Signs an event and sends it. Never throws: failures on either side are answers. */
export async function send(
  { body, readAt: _readAt, ...claimed }: Claimed,
  { outbound, log, keys, at, deadlineMs }: Sending,
): Promise<Sent> {
  const { eventId: id, url, lane } = claimed
  const sent = { ...claimed, epoch: lane.epoch, at }
  // Never sent unsigned: the receiver could not know that it is ours.
  if (keys.length === 0) return { ...sent, answered: { error: 'no_secret', ms: 0 } }
  try {
    // Bytes: signed and sent without being encoded twice.
    const bytes = Buffer.from(body)
    const headers = signedHeaders({ secrets: keys, id, timestamp: Math.floor(at / 1000), body: bytes })
    const answered = await outbound.post({ url, headers, body: bytes, deadlineMs, owner: lane.merchantId })
    return { ...sent, answered }
  } catch (error) {
    log.error('a callback could not be sent', faultFields(error))
    return { ...sent, answered: { error: 'not_sendable', ms: 0 } }
  }
}

/** What the answer means for the delivery, and for its lane, whose health it changes. */
export function record(sent: Sent, times: { now: number; random: number }): Recorded {
  const { lane, endpointId, eventId, madeOn, attempts, epoch, at, depositId } = sent
  const { retryAfterSeconds, ...answered } = sent.answered
  const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000
  const attempt = { depositId, hasOwnUrl: lane.hasOwnUrls, ...answered, retryAfterMs }
  const { lane: health, charge } = afterAttempt(lane.health, attempt, times.now, times.random)
  // The address that causes a pause: a new one is not paused for it.
  if (lane.health.pause === null) lane.pausedUrl = sent.url
  lane.health = health
  const recorded = { endpointId, eventId, madeOn, attempts, epoch, at, ...answered }
  if (charge === 'ok') return { ...recorded, outcome: 'ok' }
  if (charge === 'lane') return { ...recorded, outcome: 'probe' }
  if (charge === 'gone') return { ...recorded, outcome: 'dead', reason: 'answered_410' }
  const failed = { attempt: attempts + 1, madeAt: sent.madeAt, retryAfterMs: askedRestMs(attempt) }
  const plan = planRetry({ ...failed, ...times })
  return 'giveUp' in plan
    ? { ...recorded, outcome: 'dead', reason: plan.giveUp }
    : { ...recorded, outcome: 'retry', dueAt: plan.at }
}
