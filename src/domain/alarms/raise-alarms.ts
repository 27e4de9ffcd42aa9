/**
 * Reports alarms to the operator: always in the log, and by a signed call where an address is set. The log comes first, and the calls
 * do not hold the reading of what is wrong: an endpoint may answer slowly, or not at all. That the database is away is sent without it.
 */

import { bounds } from '../../platform/bounds.ts'
import { logTime, monotonicMs, newId, sleep } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { isDatabaseAway, isStatementTimeout } from '../../platform/db-errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound.ts'
import { startWorker, type Worker } from '../../platform/worker.ts'
import { signedHeaders } from '../callbacks/signed-headers.ts'
import type { Alarm } from './alarm.ts'
import { claimAlarm, isRaised, markReported, noteAlarms, readAlarms } from './store.ts'

type OperatorAddress = { url: string; secret: string }
type AlarmParts = {
  db: Db
  outbound: Outbound
  address: OperatorAddress | null
  log: Log
  /** The operator accepts that a failover can lose commits, so that risk raises no alarm. */
  acceptsLoss: boolean
}

/** Returns the workers that look for alarms and make the calls. */
export function startAlarms(parts: AlarmParts): Worker[] {
  const { look, callNext } = createAlarms(parts)
  const callers = Array.from({ length: bounds.operatorCalls }, () => {
    const work = async () => {
      if (await callNext()) caller.wake()
    }
    const caller: Worker = startWorker('alarm calls', bounds.alarmsMs, work, parts.log)
    return caller
  })
  const lookAndWake = async () => {
    await look()
    for (const caller of callers) caller.wake()
  }
  return [startWorker('alarms', bounds.alarmsMs, lookAndWake, parts.log), ...callers]
}

type Alarms = {
  /** Reads what is wrong, and writes what began or ended to the log. It does not wait for the calls. */
  look: () => Promise<void>
  /** Makes the next call, of the gravest alarm first; false if none is left to be made. Several may run at once. */
  callNext: () => Promise<boolean>
}

export function createAlarms({ db, outbound, address, log, acceptsLoss }: AlarmParts): Alarms {
  let lastSeen = monotonicMs()
  let isAwayReported = false
  /** The alarms being sent, and those that ended and are to be sent after all others. */
  const underWay = new Set<string>()
  const ended: Alarm[] = []

  const write = (state: State, { kind, detail }: Alarm) =>
    log[state === 'raised' ? 'error' : 'info'](`alarm ${state}: ${detail}`, { code: kind })
  /** Returns true if no address is set, or the call succeeded. */
  const call = async (state: State, alarm: Alarm): Promise<boolean> =>
    address === null || send(outbound, address, state, alarm, log)

  async function look(): Promise<void> {
    try {
      const alarms = await readAlarms(db, { acceptsLoss })
      const { cleared } = await db.transaction(async (tx) => {
        const noted = await noteAlarms(tx, alarms)
        // Before the commit: an alarm that is stored is in the log, whatever happens to this process.
        for (const alarm of noted.raised) write('raised', alarm)
        return noted
      })
      lastSeen = monotonicMs()
      if (isAwayReported) cleared.push(databaseAway)
      isAwayReported = false
      for (const alarm of cleared) write('cleared', alarm)
      ended.push(...cleared)
      ended.splice(0, ended.length - bounds.endedAlarms)
    } catch (error) {
      if (!isAway(error)) throw error
      if (isAwayReported || monotonicMs() - lastSeen < bounds.databaseAwayMs) return
      isAwayReported = true
      write('raised', databaseAway)
      // Immediately: the other alarms are in the database.
      await call('raised', databaseAway)
    }
  }

  async function callNext(): Promise<boolean> {
    const raised = await claimAlarm(db).catch((error: unknown) => {
      if (!isAway(error)) throw error
      return 'unknown' as const
    })
    // Whether what has ended began again is not known either.
    if (raised === 'unknown') return false
    if (raised) {
      underWay.add(keyOf(raised))
      const isReported = await call('raised', raised).finally(() => underWay.delete(keyOf(raised)))
      if (isReported) await markReported(db, raised)
      return true
    }
    // Not before the call that says that it began.
    const next = ended.findIndex((alarm) => !underWay.has(keyOf(alarm)))
    const [alarm] = next < 0 ? [] : ended.splice(next, 1)
    if (alarm && !(await hasBegunAgain(alarm))) await call('cleared', alarm)
    return alarm !== undefined
  }

  const hasBegunAgain = (alarm: Alarm): Promise<boolean> | boolean =>
    alarm === databaseAway ? isAwayReported : isRaised(db, alarm)

  return { look, callNext }
}

type State = 'raised' | 'cleared'

const isAway = (error: unknown): boolean => isDatabaseAway(error) || isStatementTimeout(error)

const keyOf = ({ kind, subject }: Alarm): string => `${kind} ${subject}`

const databaseAway: Alarm = {
  kind: 'database_away',
  subject: 'all',
  detail: 'The database cannot be reached: no deposit is created or confirmed.',
}

async function send(
  outbound: Outbound,
  { url, secret }: OperatorAddress,
  state: State,
  alarm: Alarm,
  log: Log,
): Promise<boolean> {
  const id = newId()
  const timestamp = logTime()
  const body = JSON.stringify({ type: `operator.${alarm.kind}`, id, state, timestamp, data: alarm })
  const seconds = Math.floor(Date.parse(timestamp) / 1000)
  const headers = signedHeaders({ secrets: [secret], id, timestamp: seconds, body })
  for (let attempt = 1; attempt <= bounds.operatorAttempts; attempt++) {
    const sent = await outbound.post({
      url,
      headers,
      body,
      deadlineMs: bounds.operatorDeadlineMs,
      owner: 'operator',
    })
    if ('ok' in sent && sent.ok) return true
    if (attempt < bounds.operatorAttempts) await sleep(attempt * 1_000)
  }
  log.error('the alarm could not be sent', { code: alarm.kind })
  return false
}
