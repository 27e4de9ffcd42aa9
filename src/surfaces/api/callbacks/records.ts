/** The API's shapes of events and their callbacks. */

import { callbackStates, eventTypes } from '../../../domain/callbacks/callback.ts'
import { DepositRecord } from '../../../domain/deposits/record.ts'
import { bounds } from '../../../platform/bounds.ts'
import { type Static, Type } from '../../../platform/schema.ts'

const time = (description: string) => Type.String({ format: 'date-time', description })

/** What a callback carries, and what the feed lists. Fields may be added, never removed or renamed. */
export const CallbackPayload = Type.Object(
  {
    type: Type.Enum([...eventTypes], { description: 'What happened. More types may be added.' }),
    id: Type.String({
      format: 'uuid',
      description: 'Identifies this event forever. The header `webhook-id` of its callback.',
    }),
    sequence: Type.Integer({
      description: "The number of the event among the merchant's: 1, 2, 3 and so on, without a gap.",
    }),
    timestamp: time('When it happened.'),
    data: DepositRecord,
  },
  { title: 'CallbackPayload' },
)
export type CallbackPayload = Static<typeof CallbackPayload>

export const EventPage = Type.Object(
  {
    events: Type.Array(CallbackPayload),
    next_after: Type.Integer({ description: 'Pass it as `after` for what comes next.' }),
  },
  { title: 'EventPage' },
)

export const CallbackRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'id of the event.' }),
    sequence: Type.Integer({ description: 'sequence of the event.' }),
    type: Type.Enum([...eventTypes], { description: 'type of the event.' }),
    deposit: Type.String({ format: 'uuid', description: 'id of the deposit record.' }),
    state: Type.Enum([...callbackStates], {
      description:
        '`delivered`: you answered 2xx. `pending`: it waits for its next attempt, or for an address. `failed`: given up.',
    }),
    url: Type.Nullable(Type.String({ format: 'uri', description: 'Where it is sent; null without a URL.' })),
    attempts: Type.Integer({
      description: `How often it was sent. Of a callback that was sent very often only the first and the last ${bounds.attemptsRead} requests count.`,
    }),
    last_status: Type.Nullable(
      Type.Integer({ description: 'HTTP status of your last response; null without one.' }),
    ),
    created_at: time('When the event happened.'),
    delivered_at: Type.Nullable(time('When you answered 2xx.')),
    next_attempt_at: Type.Nullable(
      time('When it is sent next, at the earliest; null when it is not pending.'),
    ),
    held_because: Type.Nullable(
      Type.String({
        description: 'Why sending is paused; null while it is active.',
        examples: ['no_address', 'answered_410'],
      }),
    ),
  },
  { title: 'CallbackRecord' },
)

export const CallbackPage = Type.Object(
  {
    callbacks: Type.Array(CallbackRecord),
    next_before: Type.Nullable(
      Type.Integer({
        description:
          'Pass it as `before` for the next page, also where this one has few callbacks or none; null on the last one.',
      }),
    ),
  },
  { title: 'CallbackPage' },
)

export const ReplayAnswer = Type.Object(
  { id: Type.String({ format: 'uuid' }), state: Type.Literal('pending') },
  { title: 'ReplayAnswer' },
)
