/**
 * Reports alarms to the operator: always in the log, and by a signed call where an address is set. The call is sent at
 * once and not queued, because the queue's database may be what is down.
 */

import { bounds } from '../../platform/bounds.ts'
import { logTime, monotonicMs, newId, sleep } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { isDatabaseAway, isStatementTimeout } from '../../platform/db-errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound.ts'
import { signedHeaders } from '../callbacks/signed-headers.ts'
import { type Alarm, alarmsOf } from './alarm.ts'
import { markReported, noteAlarms, readFacts } from './store.ts'

type OperatorAddress = { url: string; secret: string }
type AlarmParts = {
  db: Db
  outbound: Outbound
  address: OperatorAddress | null
  log: Log
  /** The operator accepts that a failover can lose commits, so that risk raises no alarm. */
  acceptsLoss: boolean
}

/** Returns a function that checks the facts once; a worker calls it repeatedly. */
export function createAlarms({ db, outbound, address, log, acceptsLoss }: AlarmParts): () => Promise<void> {
  let lastSeen = monotonicMs()
  let isAwayReported = false

  /** Returns true if no address is set, or the call succeeded. */
  const report = async (state: 'raised' | 'cleared', alarm: Alarm): Promise<boolean> => {
    log[state === 'raised' ? 'error' : 'info'](`alarm ${state}: ${alarm.detail}`, { code: alarm.kind })
    return address === null || send(outbound, address, state, alarm, log)
  }

  return async () => {
    try {
      const facts = await readFacts(db)
      if (acceptsLoss) facts.lossRisk = null
      const { raised, cleared } = await db.transaction((tx) => noteAlarms(tx, alarmsOf(facts)))
      lastSeen = monotonicMs()
      if (isAwayReported) await report('cleared', databaseAway)
      isAwayReported = false
      for (const alarm of raised) if (await report('raised', alarm)) await markReported(db, alarm)
      for (const alarm of cleared) await report('cleared', alarm)
    } catch (error) {
      if (!isDatabaseAway(error) && !isStatementTimeout(error)) throw error
      if (isAwayReported || monotonicMs() - lastSeen < bounds.databaseAwayMs) return
      isAwayReported = true
      await report('raised', databaseAway)
    }
  }
}

const databaseAway: Alarm = {
  kind: 'database_away',
  subject: 'all',
  detail: 'The database cannot be reached: no deposit is created or confirmed.',
}

async function send(
  outbound: Outbound,
  { url, secret }: OperatorAddress,
  state: string,
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
