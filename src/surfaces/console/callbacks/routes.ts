/** HTTP routes of the merchant's callbacks: list, address, test, pause and replay. */

import { appendAudit } from '../../../domain/audit/store.ts'
import { callbackStates } from '../../../domain/callbacks/callback.ts'
import { isOperatorPause } from '../../../domain/callbacks/delivery/lane.ts'
import { sendTest } from '../../../domain/callbacks/delivery/send-test.ts'
import { pauseLane, resumeLane } from '../../../domain/callbacks/delivery/store.ts'
import { replayCallback, replayFailed } from '../../../domain/callbacks/replay-callbacks.ts'
import { message } from '../../../domain/messages/message.ts'
import { readNow } from '../../../domain/people/session-store.ts'
import { isDay } from '../../../domain/transfers/bank-text/days.ts'
import { bounds } from '../../../platform/bounds.ts'
import { isoDayIn } from '../../../platform/intl.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { findCallbackRow, listCallbackRows, listLanes, lockLane, readAttempts } from '../callback-store.ts'
import { consolePath } from '../paths.ts'
import {
  auditLine,
  type ConsoleTools,
  developer,
  numberOf,
  readConsoleContext,
  sectionRoutes,
  viewer,
  writeAuditLine,
} from '../visit.ts'
import { consoleWords } from '../words.ts'
import { callbackPage, callbacksPage, shownError } from './callback-pages.ts'
import { sentHeaders } from './sent-headers.ts'

export function callbackConsole(tools: ConsoleTools): void {
  const { get, live, post } = sectionRoutes(tools, 'callbacks')
  const { db, vault, context } = tools

  live('/callbacks', viewer, async (consoleContext, visit) => {
    const { merchantId } = visit
    const state =
      callbackStates.find(
        (callbackState) => callbackState !== 'delivered' && callbackState === visit.query('state'),
      ) ?? null
    const before = numberOf(visit.query('before'))
    const [found, lanes, now] = await Promise.all([
      listCallbackRows(db, { merchantId, state, before, limit: bounds.pageSizeDefault + 1 }),
      listLanes(db, merchantId),
      readNow(db),
    ])
    const lines = found.slice(0, bounds.pageSizeDefault)
    // Pending callbacks are listed in sending order, and only the first page of them is offered.
    const older = found.length > lines.length && state !== 'pending' ? lines.at(-1)!.sequence : null
    return callbacksPage(consoleContext, {
      state,
      lines,
      older,
      isFirst: before === null,
      lanes,
      tested: testedOf(visit),
      today: isoDayIn(now, visit.visitor.person.timeZone),
    })
  })

  post('/callbacks/test', developer, async (visit) => {
    await writeAuditLine(db, auditLine(visit, { act: 'callback_test' }))
    const sent = await sendTest(tools, visit.merchantId)
    const here = consolePath('/callbacks', visit.merchantId)
    return 'error' in sent
      ? `${here}?failed=${shownError(sent.error)}`
      : `${here}?tested=${sent.status}&ms=${Math.round(sent.ms)}`
  })

  for (const word of ['pause', 'resume'] as const) {
    post(`/callbacks/${word}`, developer, async (visit) => {
      const { merchantId, visitor } = visit
      const consoleContext = await readConsoleContext(db, visit)
      const wanted = numberOf(visit.field('lane'))
      await db.transaction(async (tx) => {
        const lane = wanted === null ? undefined : await lockLane(tx, merchantId, wanted)
        if (!lane) throw new Refusal('not_found')
        if (isOperatorPause(lane.reason))
          throw new Refusal('state_conflict', { detail: message('endpoint_paused_by_operator') })
        if (word === 'pause') await pauseLane(tx, lane.id, `by ${visitor.person.email}`)
        else await resumeLane(tx, lane.id)
        const { id, state, reason, origin } = lane
        const line = { act: `callbacks_${word}`, subject: `lane:${id}` }
        await appendAudit(tx, auditLine(visit, { ...line, before: { state, reason }, after: { origin } }))
      })
      context.changed()
      return `${consolePath('/callbacks', consoleContext.merchant.id)}?notice=${word === 'pause' ? 'paused' : 'resumed'}`
    })
  }

  post('/callbacks/replay', developer, async (visit) => {
    const day = visit.field('since')
    if (!isDay(day))
      throw new Refusal('invalid_value', {
        detail: `${consoleWords[visit.language].callbacks.since}: 2026-11-15.`,
      })
    // PostgreSQL accepts a timestamp that ends with the name of its time zone.
    const since = `${day} 00:00 ${visit.visitor.person.timeZone}`
    const line = (ids: readonly string[]) =>
      auditLine(visit, { act: 'callbacks_replay', after: { since, replayed: ids.length } })
    await replayFailed(db, { merchantId: visit.merchantId, since }, { audit: line })
    context.changed()
    return `${consolePath('/callbacks', visit.merchantId)}?notice=replayedAll`
  })

  get('/callbacks/:number', viewer, async (consoleContext, visit) => {
    const callback = await wanted(visit)
    const [attempts, headers] = await Promise.all([
      readAttempts(db, [callback]),
      sentHeaders({ db, vault }, visit.merchantId, callback),
    ])
    const { attempts: last, hasOlder } = attempts.get(callback.id)!
    const sent = last.map((attempt) => ({ ...attempt, headers: headers(attempt.at) }))
    return callbackPage(consoleContext, { callback, attempts: sent, hasOlder })
  })

  post('/callbacks/:number/replay', developer, async (visit) => {
    const { merchantId } = visit
    const { id: callbackId, sequence } = await wanted(visit)
    const subject = `callback:${callbackId}`
    const line = auditLine(visit, {
      act: 'callback_replay',
      subject,
      after: { sequence: String(sequence) },
    })
    await replayCallback(db, { merchantId, callbackId }, { audit: line })
    context.changed()
    return `${consolePath('/callbacks/:number', visit.merchantId, sequence)}?notice=replayed`
  })

  async function wanted(visit: KnownVisit) {
    const { number } = visit.request.params as { number: string }
    const sequence = numberOf(number)
    const found = sequence === null ? undefined : await findCallbackRow(db, visit.merchantId, sequence)
    if (!found) throw new Refusal('not_found')
    return found
  }
}

/** The result of a test is part of the redirect's address, so that a reload does not send another test. */
function testedOf(visit: KnownVisit): { status: number; ms: number } | { error: string } | null {
  const [status, ms, error] = [visit.query('tested'), visit.query('ms'), visit.query('failed')]
  if (/^\d{3}$/.test(status)) return { status: Number(status), ms: Number(ms.replace(/\D/g, '').slice(0, 6)) }
  return /^[a-z_]{1,40}$/.test(error) ? { error } : null
}
