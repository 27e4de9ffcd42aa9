/** The merchant's operations on its events and callbacks. */

import { type CallbackState, callbackStates } from '../../../domain/callbacks/callback.ts'
import { type CallbackRow, listCallbacks } from '../../../domain/callbacks/list-store.ts'
import { replayCallback } from '../../../domain/callbacks/replay-callbacks.ts'
import { readEventSpan, readEvents } from '../../../domain/callbacks/store.ts'
import { message } from '../../../domain/messages/message.ts'
import { bounds } from '../../../platform/bounds.ts'
import type { Db } from '../../../platform/db.ts'
import { type Http, readQuery } from '../../../platform/http.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { useSignature } from '../../../platform/used-once.ts'
import { rowsThatFit } from '../page-of-rows.ts'
import { apiPath } from '../paths.ts'
import { type SignatureVerifier, signableRequest, withRate } from '../signed-request.ts'

type CallbackRoutes = { db: Db; verifier: SignatureVerifier; changed: () => void }

export function callbackRoutes(app: Http, { db, verifier, changed }: CallbackRoutes): void {
  app.get(apiPath.route('/events'), async (request, reply) => {
    const { merchant } = withRate(reply, await verifier.verifyV2(signableRequest(request)))
    const after = numberOf('after', readQuery(request, ['after']).get('after') || '0')
    const { eventPage: limit, pageBytes } = bounds
    reply.type('application/json; charset=utf-8')
    const events = await readEvents(db, { merchantId: merchant.id, after, limit, bytes: pageBytes })
    await refuseForgotten(db, merchant.id, after, events[0]?.sequence)
    const next = events.at(-1)?.sequence ?? after
    // The bodies go out as they were stored, byte for byte.
    return `{"events":[${events.map((event) => event.body).join(',')}],"next_after":${next}}`
  })

  app.get(apiPath.route('/callbacks'), async (request, reply) => {
    const { merchant } = withRate(reply, await verifier.verifyV2(signableRequest(request)))
    const query = readQuery(request, ['state', 'before'])
    const state = query.get('state') || null
    if (state && !(callbackStates as readonly string[]).includes(state)) {
      throw new Refusal('invalid_value', { detail: `state: It must be one of ${callbackStates.join(', ')}.` })
    }
    const before = query.get('before') ? numberOf('before', query.get('before')!) : null
    reply.type('application/json; charset=utf-8')
    const { rows, next: following } = await listCallbacks(db, {
      merchantId: merchant.id,
      state: state as CallbackState | null,
      ...{ type: null, before, limit: bounds.pageSize },
    })
    const shown = rowsThatFit(rows.values().map(recordOf))
    const next = rows.length > shown.length ? rows[shown.length - 1]!.sequence : following
    return `{"callbacks":[${shown.join(',')}],"next_before":${next}}`
  })

  app.post(apiPath.route('/callbacks/:id/replay'), async (request, reply) => {
    const { merchant, signature } = withRate(reply, await verifier.verifyV2(signableRequest(request)))
    readQuery(request, [])
    const { id } = request.params as { id: string }
    if (!isUuid(id)) throw new Refusal('not_found', { detail: message('no_callback_with_id') })
    const replayed = { merchantId: merchant.id, callbackId: id }
    await replayCallback(db, replayed, { check: (tx) => useSignature(tx, signature) })
    changed()
    return reply.code(202).send({ id, state: 'pending' })
  })
}

/** Fields are listed one by one: they stay, however the tables change. */
const recordOf = (row: CallbackRow) => ({
  id: row.id,
  sequence: Number(row.sequence),
  type: row.type,
  deposit: row.depositId,
  state: row.state,
  url: row.url,
  attempts: row.attempts,
  last_status: row.lastStatus,
  created_at: row.madeAt,
  delivered_at: row.ackedAt,
  next_attempt_at: row.dueAt,
  held_because:
    row.endpointState === 'waiting'
      ? 'no_address'
      : row.endpointState === 'paused'
        ? row.endpointReason
        : null,
})

/** Refuses to read before the retention: the feed must not look complete when its beginning is gone. */
async function refuseForgotten(db: Db, merchantId: string, after: bigint, first: bigint | undefined) {
  if (first === after + 1n) return
  const { oldest, last } = await readEventSpan(db, merchantId)
  const oldestKept = oldest ?? last + 1n
  if (after >= last || oldestKept <= after + 1n) return
  throw new Refusal('events_gone', {
    detail: `Events up to ${oldestKept - 1n} are no longer kept. Read on with after=${oldestKept - 1n}.`,
    more: { oldest_sequence: Number(oldestKept) },
  })
}

function numberOf(name: string, text: string): bigint {
  if (/^\d{1,15}$/.test(text)) return BigInt(text)
  throw new Refusal('invalid_value', { detail: `${name}: It must be the sequence of an event.` })
}
