/** `inlet callback …` */

import { callbackStates } from '../../domain/callbacks/callback.ts'
import { operatorPause } from '../../domain/callbacks/delivery/lane.ts'
import { sendTest } from '../../domain/callbacks/delivery/send-test.ts'
import { pauseLane, resumeLane } from '../../domain/callbacks/delivery/store.ts'
import { replayCallback, replayFailed } from '../../domain/callbacks/replay-callbacks.ts'
import {
  aboveEveryNumber,
  type CallbackRow,
  findCallback,
  findEndpoint,
  listAttempts,
  listCallbacks,
} from '../../domain/callbacks/store.ts'
import { message } from '../../domain/messages/message.ts'
import { bounds } from '../../platform/bounds.ts'
import { createOutbound } from '../../platform/outbound.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Command } from './command.ts'
import { integer, merchantOf, oneOf, optional, required, table, UsageProblem, uuid } from './options.ts'

/** One endpoint of a merchant: its own address, or one that its requests name. */
const setLane = (word: 'pause' | 'resume'): Command => ({
  usage: `inlet callback ${word} --merchant ID [--origin https://host]${word === 'pause' ? ' --reason TEXT' : ''}`,
  summary:
    word === 'pause' ? 'hold the callbacks of an endpoint; nothing is lost' : 'send to an endpoint again',
  example: `--merchant $MERCHANT${word === 'pause' ? " --reason 'Their server is moving'" : ''}`,
  options: { reason: { type: 'string' } },
  words: 1,
  async run({ db }, values, [id]) {
    const endpoint = await findEndpoint(db, merchantOf(values, id), optional(values, 'origin'))
    if (!endpoint) throw new Refusal('not_found', { detail: 'The merchant has no such endpoint.' })
    if (word === 'pause') await pauseLane(db, endpoint.id, operatorPause(required(values, 'reason')))
    else await resumeLane(db, endpoint.id)
    return {
      json: { endpoint: Number(endpoint.id), state: word === 'pause' ? 'paused' : 'active' },
      text: `${word}d`,
    }
  },
})

export const callbackCommands: Record<string, Command> = {
  'callback list': {
    usage:
      'inlet callback list --merchant ID [--state delivered|pending|failed] [--since TIME] [--limit 1..200]',
    summary: "a merchant's callbacks, newest first",
    example: '--merchant $MERCHANT --state failed',
    async run({ db }, values) {
      const callbacks = await listCallbacks(db, {
        merchantId: merchantOf(values),
        state: values.state === undefined ? null : oneOf(values, 'state', callbackStates),
        from: 0n,
        before: aboveEveryNumber,
        since: timeFrom(optional(values, 'since')),
        limit: integer(values, 'limit', 1, 200) ?? 50,
      })
      return {
        json: { callbacks },
        text: table(
          ['id', 'number', 'event', 'state', 'attempts', 'last answer', 'endpoint'],
          callbacks.map((row) => [
            row.id,
            row.sequence,
            row.type,
            row.state,
            attemptsOf(row),
            row.last_status,
            row.endpoint_reason ?? row.endpoint_state,
          ]),
        ),
      }
    },
  },
  'callback show': {
    usage: 'inlet callback show ID',
    summary: `one callback: its bytes and its last ${bounds.attemptsRead} attempts`,
    example: '$CALLBACK',
    words: 1,
    async run({ db }, _values, [id]) {
      const callback = await findCallback(db, uuid(id, 'The callback'))
      if (!callback) throw new Refusal('not_found', { detail: message('no_callback_with_id') })
      const attempts = await listAttempts(db, { id: callback.id, madeOn: callback.made_on })
      return {
        json: { ...callback, attempts_made: attempts },
        text: [
          `${callback.id}  ${callback.type}  ${callback.state}`,
          `to ${callback.url ?? '(no address yet)'}`,
          callback.body,
          '',
          ...(attempts.length === bounds.attemptsRead ? [`the last ${attempts.length} attempts:`] : []),
          table(
            ['when', 'ms', 'outcome', 'status', 'error', 'answer'],
            attempts.map((row) => [
              row.at.toISOString(),
              row.ms,
              row.outcome,
              row.status,
              row.error,
              row.answer?.slice(0, 60) ?? null,
            ]),
          ),
        ].join('\n'),
      }
    },
  },
  'callback replay': {
    usage: 'inlet callback replay ID   or   inlet callback replay --merchant ID --since TIME',
    summary: 'send one callback again, or all that failed since a time',
    example: '--merchant $MERCHANT --since 2026-11-15T00:00:00Z',
    words: 1,
    async run({ db }, values, [id]) {
      if (id !== undefined) {
        await replayCallback(db, { merchantId: null, callbackId: uuid(id, 'The callback') })
        return { json: { replayed: 1 }, text: 'It goes out again.' }
      }
      const since = timeFrom(required(values, 'since'))!
      const merchantId = merchantOf(values)
      const replayed = await replayFailed(db, { merchantId, since })
      return { json: { replayed }, text: `${replayed} go out again.` }
    },
  },
  'callback pause': setLane('pause'),
  'callback resume': setLane('resume'),
  'callback test': {
    usage: 'inlet callback test --merchant ID',
    summary: "send a signed test call to the merchant's address and show the answer",
    example: '--merchant $MERCHANT',
    words: 1,
    async run({ db, vault }, values, [id], config) {
      const outbound = createOutbound({ allowed: config.callbackAllowed, loopback: !config.production })
      const merchantId = merchantOf(values, id)
      const sent = await sendTest({ db, vault, outbound }, merchantId).finally(() => outbound.close())
      const text =
        'error' in sent ? `failed: ${sent.error}` : `answered ${sent.status} after ${Math.round(sent.ms)} ms`
      return { json: sent, text }
    },
  },
}

const attemptsOf = ({ attempts, has_more_attempts: hasMore }: CallbackRow) =>
  hasMore ? `${attempts}+` : attempts

function timeFrom(text: string | null): string | null {
  if (text !== null && Number.isNaN(Date.parse(text))) {
    throw new UsageProblem('--since must be a time such as 2026-11-15T00:00:00Z.')
  }
  return text
}
