/** Events and callbacks, as the OpenAPI document describes them: what merchants ask for, and what we send to them. */

import { type EventType, isOptional } from '../../../domain/callbacks/callback.ts'
import { bounds } from '../../../platform/bounds.ts'
import { exampleCallback, exampleEvent, exampleEventId, exampleSequence } from '../examples.ts'
import {
  idInPath,
  linked,
  type Operation,
  type Parameter,
  type Paths,
  query,
  ref,
  type Schemas,
  signedAnswer,
  v2Operation,
} from '../operation.ts'
import { documentedPath } from '../paths.ts'
import { CallbackPage, CallbackPayload, CallbackRecord, EventPage, ReplayAnswer } from './records.ts'

/** A request that we send: of one type of event, to the merchant's address. */
export type Webhook = Operation & { requestBody: NonNullable<Operation['requestBody']> }

export const callbackPaths = (publicUrl: string): Paths => ({
  [documentedPath('/events')]: v2Operation('get', {
    id: 'readEvents',
    tag: 'Events',
    summary: 'Read the events feed',
    description: `Your events in order, at most ${bounds.eventPage} and ${bounds.pageBytes / 1024} KB at a time. Pass next_after as after to continue, until events is empty.`,
    parameters: [
      query('after', 'sequence of the last event that you have.', {
        type: 'integer',
        minimum: 0,
        default: 0,
      }),
    ],
    answers: {
      200: signedAnswer('The events after that number.', 'EventPage', {
        events: [exampleEvent('deposit.confirmed', publicUrl)],
        next_after: exampleSequence,
      }),
    },
    refused: ['events_gone', 'invalid_value'],
  }),
  [documentedPath('/callbacks')]: v2Operation('get', {
    id: 'listCallbacks',
    tag: 'Callbacks',
    summary: 'List callbacks',
    description: `Delivery status of your events. Newest first, at most ${bounds.pageSize} and ${bounds.pageBytes / 1024} KB at a time. Pass next_before of a page as before to get the next one. If you filter by pending or delivered, a page searches the next ${bounds.callbacksLookedAt} callbacks and may be empty: continue until next_before is null.`,
    parameters: [
      query('state', 'Only callbacks in this state.', linked(CallbackRecord.properties.state)),
      query('before', 'next_before of the page before.', { type: 'integer', minimum: 0 }),
    ],
    answers: {
      200: signedAnswer('One page.', 'CallbackPage', { callbacks: [exampleCallback], next_before: null }),
    },
    refused: ['invalid_value'],
  }),
  [documentedPath('/callbacks/:id/replay')]: v2Operation('post', {
    id: 'replayCallback',
    tag: 'Callbacks',
    summary: 'Replay a callback',
    description: `Sends a callback again, with the same id and the same bytes, from the beginning of the schedule. Send no body. Any stored callback can be replayed, delivered or not. One that was sent ${bounds.replays.attemptsOfDay} times in 24 hours is refused with rate_limited until Retry-After. Each signature is accepted once.`,
    parameters: [idInPath('id of the event.')],
    answers: {
      202: signedAnswer('It will be sent.', 'ReplayAnswer', { id: exampleEventId, state: 'pending' }),
    },
    refused: ['not_found', 'request_repeated'],
  }),
})

export const callbackSchemas: Schemas = {
  CallbackPayload: linked(CallbackPayload),
  EventPage: linked(EventPage),
  CallbackRecord: linked(CallbackRecord),
  CallbackPage: linked(CallbackPage),
  ReplayAnswer: linked(ReplayAnswer),
}

/** When each event happens, as one sentence. */
export const eventMeanings: Record<EventType, string> = {
  'deposit.confirmed': 'The money has arrived.',
  'deposit.rejected': 'The operator rejected the deposit, or the customer canceled it.',
  'deposit.expired': 'The deadline passed without enough money. Late money may still confirm it.',
  'deposit.canceled': 'You canceled the deposit.',
  'deposit.reversed': 'The bank took back money that had been confirmed.',
  'deposit.underpaid': 'Money arrived, but not enough. The state stays as it is.',
  'deposit.overpaid': 'More money arrived after the deposit was confirmed.',
  'deposit.review':
    'Money has arrived, and the operator decides whether it counts: somebody else paid, or it is too much or too late. Wait.',
  'deposit.method_selected': 'The customer chose a method on the payment page.',
  'deposit.claimed': 'The customer reports that the money was sent. This is not proof of payment.',
}

export const webhook = (type: EventType, publicUrl: string): Webhook => ({
  operationId: `on_${type.replace('.', '_')}`,
  tags: ['Callbacks'],
  summary: eventMeanings[type],
  description: `Sent to callback_url of the request, else to the address of your account.${isOptional(type) ? ' Only if you turned it on in your console, under Settings.' : ''}`,
  security: [{ callback: [] }],
  // The signature is described by its scheme.
  parameters: callbackHeaders.filter(({ name }) => name !== 'webhook-signature'),
  requestBody: {
    required: true,
    description: 'The same bytes at every attempt. Verify the raw body before parsing it.',
    content: {
      'application/json': { schema: ref('CallbackPayload'), example: exampleEvent(type, publicUrl) },
    },
  },
  responses: {
    '2XX': { description: `Received. It must arrive within ${bounds.delivery.requestMs / 1000} seconds.` },
    410: {
      description:
        'Send no more. From the callback_url of a request: this callback ends as failed. From the address of your account: this address is paused.',
    },
    default: { description: 'Any other status, including redirects, or no answer: we retry later.' },
  },
})

const callbackHeader = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

export const callbackHeaders: Parameter[] = [
  callbackHeader('webhook-id', 'id of the event. The same at every attempt.'),
  callbackHeader('webhook-timestamp', 'Unix time of this attempt, in seconds.'),
  callbackHeader('webhook-signature', 'One or more signatures, with a space between them.'),
]
