/**
 * The OpenAPI 3.1 document of the API. Shapes come from the very schemas that check requests, refusals from the one
 * registry; written here is only what neither of them says: which operation answers what. The readable reference
 * is made from this document, so the two cannot disagree.
 */

import { signedFields } from '../../../../sdk/signature.ts'
import { type EventType, eventTypes, optionalEvents } from '../../../domain/callbacks/callback.ts'
import { LimitAnswer } from '../../../domain/catalogue/limit.ts'
import { depositStates } from '../../../domain/deposits/deposit.ts'
import {
  BuildAnswer,
  BuildRequest,
  CreateRequest,
  DepositPage,
  DepositRecord,
  PaymentData,
  Problem,
} from '../../../domain/deposits/record.ts'
import {
  SandboxClockAnswer,
  SandboxClockRequest,
  SandboxTransfer,
  SandboxTransferAnswer,
  SandboxTransferRequest,
} from '../../../domain/sandbox/record.ts'
import { PushAnswer, PushedTransfer, pushedMost } from '../../../domain/transfers/push.ts'
import { bounds } from '../../../platform/bounds.ts'
import { type RefusalCode, refusals } from '../../../platform/refusals.ts'
import {
  CallbackPage,
  CallbackPayload,
  CallbackRecord,
  EventPage,
  ReplayAnswer,
} from '../callbacks/records.ts'
import { signatureCauses } from '../refused-signature.ts'
import {
  eventChanges,
  exampleBuild,
  exampleBuilt,
  exampleCallback,
  exampleEvent,
  exampleEventId,
  exampleLimits,
  examplePush,
  examplePushed,
  exampleRecord,
  exampleRequest,
  exampleSandboxPaid,
  exampleSandboxTransfer,
  exampleSequence,
  problemExample,
} from './examples.ts'

export type Schema = {
  $ref?: string
  type?: string
  title?: string
  description?: string
  format?: string
  pattern?: string
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  default?: unknown
  items?: Schema
  maxItems?: number
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
}

export type Parameter = {
  name: string
  in: 'header' | 'path' | 'query'
  required: boolean
  description: string
  schema: Schema
}

type Media = { schema: Schema; example?: unknown; examples?: Record<string, { $ref: string }> }

export type Response = {
  description: string
  headers?: Record<string, { $ref: string }>
  content?: Record<string, Media>
}

export type Operation = {
  operationId: string
  tags: [Tag]
  summary: string
  description: string
  security: Record<string, never[]>[]
  parameters: Parameter[]
  requestBody?: { required: true; description: string; content: Record<string, Media> }
  responses: Record<string, Response>
}

/** A request that we send: of one type of event, to the merchant's address. */
export type Webhook = Operation & { requestBody: NonNullable<Operation['requestBody']> }

export type Method = 'get' | 'post'

type SecurityScheme = { description: string; name?: string } & (
  | { type: 'apiKey'; in: 'header'; name: string }
  | { type: 'http'; scheme: 'bearer' }
)

export type OpenApiDocument = {
  openapi: '3.1.1'
  info: {
    title: string
    version: string
    description: string
    contact: { name: string; url: string }
    license: { name: string; identifier: string }
  }
  servers: { url: string }[]
  tags: { name: Tag; description: string }[]
  paths: Record<string, Partial<Record<Method, Operation>>>
  webhooks: Record<EventType, { post: Webhook }>
  components: {
    schemas: Record<string, Schema>
    examples: Record<string, { summary: string; value: object }>
    headers: Record<string, { description: string; schema: Schema }>
    securitySchemes: Record<string, SecurityScheme>
  }
}

export function openApiDocument({ publicUrl }: { publicUrl: string }): OpenApiDocument {
  return typed({
    openapi: '3.1.1',
    info: {
      title: 'Inlet: Deposit Request API',
      version: '1',
      description:
        'Ask for a deposit, get the requisites of a bank transfer, show them to your customer, learn the result. Under /api/v1 fields may be added to answers; none is removed or renamed.',
      contact: { name: 'The operator of this installation', url: `${publicUrl}/docs` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name: name as Tag, description })),
    paths: {
      '/api/v1/requests/deposit/create': { post: createOperation(publicUrl) },
      '/api/v1/requests/deposit/build': { post: buildOperation(publicUrl) },
      '/api/v1/requests/limit': { get: limitOperation() },
      '/api/v1/requests/deposit/{id}': { get: readOperation(publicUrl) },
      '/api/v1/requests/deposit': { get: readByOrderOperation(publicUrl) },
      '/api/v1/requests/deposits': { get: listOperation(publicUrl) },
      '/api/v1/requests/deposit/{id}/cancel': { post: cancelOperation(publicUrl) },
      '/api/v1/events': { get: eventsOperation(publicUrl) },
      '/api/v1/callbacks': { get: callbacksOperation() },
      '/api/v1/callbacks/{id}/replay': { post: replayOperation() },
      '/api/v1/sandbox/transfers': { post: sandboxTransferOperation(publicUrl) },
      '/api/v1/sandbox/clock': { post: sandboxClockOperation() },
      '/api/v1/sandbox/statement': { get: sandboxStatementOperation() },
      '/api/v1/bank/transfers': { post: pushOperation() },
      '/health/live': { get: liveOperation() },
      '/health/ready': { get: readyOperation() },
    },
    webhooks: Object.fromEntries(
      eventTypes.map((type) => [type, { post: webhook(type, publicUrl) }]),
    ) as OpenApiDocument['webhooks'],
    components: {
      schemas: {
        CreateRequest: wireRequest(CreateRequest),
        BuildRequest: wireRequest(BuildRequest),
        BuildAnswer: linked(BuildAnswer),
        DepositRecord: linked(DepositRecord),
        PaymentData: linked(PaymentData),
        DepositPage: linked(DepositPage),
        LimitAnswer: linked(LimitAnswer),
        CallbackPayload: linked(CallbackPayload),
        EventPage: linked(EventPage),
        CallbackRecord: linked(CallbackRecord),
        CallbackPage: linked(CallbackPage),
        ReplayAnswer: linked(ReplayAnswer),
        SandboxTransferRequest: linked(SandboxTransferRequest),
        SandboxTransfer: linked(SandboxTransfer),
        SandboxTransferAnswer: linked(SandboxTransferAnswer),
        SandboxClockRequest: linked(SandboxClockRequest),
        SandboxClockAnswer: linked(SandboxClockAnswer),
        PushedTransfer: linked(PushedTransfer),
        PushAnswer: linked(PushAnswer),
        Problem: problemSchema(),
      },
      examples: Object.fromEntries(answeredCodes().map((code) => [code, problemExample(code, publicUrl)])),
      headers,
      securitySchemes,
    },
  })
}

const tags = {
  Deposits: 'Ask for a deposit, read it, withdraw it.',
  Limits: 'What may be asked for.',
  Events: 'Everything that happened to your deposits, in order.',
  Callbacks: 'What we send to your server, and how it went.',
  'Test mode': 'Play the bank; for test-mode merchants only.',
  Bank: "For the operator's bank connection, not for merchants.",
  Health: 'For monitors.',
} as const
type Tag = keyof typeof tags

// Which refusals each operation can answer with, beside those of any address (404, 405).

const anyRequest = [
  'malformed_request',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
] as const
/** What changes something may meet others who change the same. */
const anyChange = [...anyRequest, 'overloaded'] as const
const anyQuery = ['malformed_body', 'duplicate_field', 'unknown_field'] as const
const anySigned = [
  'signature_conflict',
  'signature_invalid',
  'timestamp_out_of_window',
  'merchant_disabled',
  'rate_limited',
] as const

const anyOrder = [
  ...anyQuery,
  'invalid_type',
  'separator_in_value',
  ...anySigned,
  'scheme_too_weak',
  'request_timeout',
  'request_in_progress',
  'body_too_large',
  'unsupported_media_type',
  'invalid_value',
  'amount_out_of_range',
  'customer_blocked',
  'customer_limit_reached',
  'currency_not_supported',
  'payment_type_not_supported',
  'url_not_allowed',
  'order_id_reused',
  ...anyChange,
] as const

const anyBody = [
  ...anyQuery,
  'invalid_type',
  ...anySigned,
  'not_found',
  'request_timeout',
  'body_too_large',
  'unsupported_media_type',
  'invalid_value',
] as const

const answers = {
  create: [...anyOrder, 'no_requisite_available'],
  build: anyOrder,
  limit: [...anyQuery, 'separator_in_value', ...anySigned, 'scheme_too_weak', ...anyRequest],
  read: [...anyQuery, ...anySigned, 'not_found', ...anyRequest],
  readByOrder: [...anyQuery, ...anySigned, 'not_found', 'invalid_value', ...anyRequest],
  list: [...anyQuery, ...anySigned, 'invalid_value', ...anyRequest],
  cancel: [...anyQuery, ...anySigned, 'not_found', 'state_conflict', ...anyChange],
  events: [...anyQuery, ...anySigned, 'events_gone', 'invalid_value', ...anyRequest],
  callbacks: [...anyQuery, ...anySigned, 'invalid_value', ...anyRequest],
  replay: [...anyQuery, ...anySigned, 'not_found', 'request_repeated', ...anyChange],
  push: [
    'malformed_body',
    'duplicate_field',
    'invalid_value',
    'not_found',
    'bank_token_invalid',
    'bank_network_refused',
    'rate_limited',
    'body_too_large',
    'unsupported_media_type',
    ...anyChange,
  ],
  sandboxTransfer: [...anyBody, 'state_conflict', 'request_repeated', ...anyChange],
  sandboxClock: [...anyBody, 'request_repeated', ...anyChange],
  sandboxStatement: [...anyQuery, ...anySigned, 'not_found', 'invalid_value', ...anyRequest],
  health: ['malformed_request', 'headers_too_large'],
} as const satisfies Record<string, readonly RefusalCode[]>

const answeredCodes = (): RefusalCode[] => {
  const answered = new Set<RefusalCode>(Object.values(answers).flat())
  return (Object.keys(refusals) as RefusalCode[]).filter((code) => answered.has(code))
}

// Operations

const bodyOf = (schema: string, example: object): NonNullable<Operation['requestBody']> => ({
  required: true,
  description: `One flat object in UTF-8, at most ${bounds.bodyBytes / 1024} KiB. Each field once; unknown fields are refused.`,
  content: {
    'application/json': { schema: ref(schema), example },
    'application/x-www-form-urlencoded': { schema: ref(schema), example },
  },
})

const createOperation = (publicUrl: string): Operation => ({
  operationId: 'createDeposit',
  tags: ['Deposits'],
  summary: 'Create a deposit',
  description:
    'Creates a deposit with the payment type you chose and answers with the requisites to show to your customer. Safe to repeat: the same order_id with the same data answers the deposit that exists.',
  security: [{ literal: [] }, { v2: [] }],
  parameters: [signatureStringHeader],
  requestBody: bodyOf('CreateRequest', exampleRequest),
  responses: {
    201: {
      description: 'The deposit was created.',
      headers: signedHeaders(),
      content: { 'application/json': { schema: ref('DepositRecord'), example: exampleRecord(publicUrl) } },
    },
    200: {
      description:
        'You asked for this order_id before, with the same data: this is the deposit as it is now.',
      headers: {
        'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' },
        ...signedHeaders(),
      },
      content: { 'application/json': { schema: ref('DepositRecord'), example: exampleRecord(publicUrl) } },
    },
    ...problemResponses(answers.create),
  },
})

const buildOperation = (publicUrl: string): Operation => ({
  operationId: 'buildDeposit',
  tags: ['Deposits'],
  summary: 'Build a payment page',
  description:
    'Creates a deposit whose method your customer chooses on the page at payment_data.url. Requisites are issued with the choice: until then the deposit is `builded`, afterwards it is like one that was created. One order_id serves create or build, never both.',
  security: [{ literal: [] }, { v2: [] }],
  parameters: [signatureStringHeader],
  requestBody: bodyOf('BuildRequest', exampleBuild),
  responses: {
    201: {
      description: 'The page was built. Lead your customer to it.',
      headers: signedHeaders(),
      content: { 'application/json': { schema: ref('BuildAnswer'), example: exampleBuilt(publicUrl) } },
    },
    200: {
      description:
        'You asked for this order_id before, with the same data: this is the deposit as it is now.',
      headers: {
        'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' },
        ...signedHeaders(),
      },
      content: { 'application/json': { schema: ref('BuildAnswer'), example: exampleBuilt(publicUrl) } },
    },
    ...problemResponses(answers.build),
  },
})

const limitOperation = (): Operation => ({
  operationId: 'readLimits',
  tags: ['Limits'],
  summary: 'Read limits and payment types',
  description:
    'Without a signature: the public catalogue. With merchant, timestamp and a signature: your own limits. A v2 signature carries its own time and needs no timestamp.',
  security: [{}, { literal: [] }, { v2: [] }],
  parameters: [
    query('currency', 'Only this currency.', { type: 'string' }),
    query('payment_type', 'Only this payment type.', { type: 'string' }),
    query('merchant', 'Your merchant id, when the request is signed.', { type: 'string', format: 'uuid' }),
    query(
      'timestamp',
      `Unix time in seconds, at most ${bounds.signatureToleranceSeconds} seconds from ours. For literal signatures.`,
      {
        type: 'string',
        pattern: '^[0-9]+$',
      },
    ),
    signatureStringHeader,
  ],
  responses: {
    200: {
      description: 'What may be asked for.',
      headers: signedHeaders(),
      content: { 'application/json': { schema: ref('LimitAnswer'), example: exampleLimits } },
    },
    ...problemResponses(answers.limit),
  },
})

const pushedMany: Schema = {
  type: 'object',
  properties: { transfers: { type: 'array', items: ref('PushedTransfer'), maxItems: pushedMost } },
  required: ['transfers'],
  additionalProperties: false,
}

const pushOperation = (): Operation => ({
  operationId: 'pushTransfers',
  tags: ['Bank'],
  summary: 'Tell of bank transfers',
  description: `For the operator's bank connection, not for merchants. One transfer, or \`{"transfers": [...]}\` with up to ${pushedMost}. A refusal takes none of them; after a fault, send all of them again. Each is known by its \`id\`: the same or a lower \`version\` again changes nothing, a higher one with \`revoked\` takes the money back. A source speaks for the receiving accounts that the operator named for it, from its networks where it has some; a push that names another account is refused whole, as if that account did not exist. Many pushes at once are taken together; on 503 and 429 send the same push again after Retry-After.`,
  security: [{ bank: [] }],
  parameters: [],
  requestBody: {
    required: true,
    description: `JSON in UTF-8, at most ${bounds.pushBytes / 1024} KiB.`,
    content: {
      'application/json': { schema: { anyOf: [ref('PushedTransfer'), pushedMany] }, example: examplePush },
    },
  },
  responses: {
    200: {
      description: 'They were taken; what became of them.',
      content: { 'application/json': { schema: ref('PushAnswer'), example: examplePushed } },
    },
    ...problemResponses(answers.push),
  },
})

const readOperation = (publicUrl: string): Operation => ({
  operationId: 'readDeposit',
  tags: ['Deposits'],
  summary: 'Read a deposit by its id',
  description: 'The deposit as it is now.',
  security: [{ v2: [] }],
  parameters: [idInPath('id of the deposit record.'), signatureStringHeader],
  responses: { 200: recordResponse(publicUrl), ...problemResponses(answers.read) },
})

const readByOrderOperation = (publicUrl: string): Operation => ({
  operationId: 'readDepositByOrder',
  tags: ['Deposits'],
  summary: 'Read a deposit by your order_id',
  description: 'The deposit as it is now. Use it when an answer was lost.',
  security: [{ v2: [] }],
  parameters: [
    { ...query('order_id', 'order_id of the request that created it.', { type: 'string' }), required: true },
    signatureStringHeader,
  ],
  responses: { 200: recordResponse(publicUrl), ...problemResponses(answers.readByOrder) },
})

const listOperation = (publicUrl: string): Operation => ({
  operationId: 'listDeposits',
  tags: ['Deposits'],
  summary: 'List deposits',
  description: 'Newest first, page by page. Pass next_after of a page as after to get the next one.',
  security: [{ v2: [] }],
  parameters: [
    query('state', 'Only deposits in this state.', { enum: [...depositStates] }),
    query('from', 'Created at this time or later.', { type: 'string', format: 'date-time' }),
    query('to', 'Created before this time.', { type: 'string', format: 'date-time' }),
    query('after', 'next_after of the page before.', { type: 'string', format: 'uuid' }),
    query('limit', 'Deposits per page.', {
      type: 'integer',
      minimum: 1,
      maximum: bounds.pageSize,
      default: bounds.pageSizeDefault,
    }),
    signatureStringHeader,
  ],
  responses: {
    200: {
      description: 'One page.',
      headers: signedHeaders(),
      content: {
        'application/json': {
          schema: ref('DepositPage'),
          example: { deposits: [exampleRecord(publicUrl)], next_after: null },
        },
      },
    },
    ...problemResponses(answers.list),
  },
})

const cancelOperation = (publicUrl: string): Operation => ({
  operationId: 'cancelDeposit',
  tags: ['Deposits'],
  summary: 'Cancel a deposit',
  description:
    'Withdraws a deposit that nobody has paid yet. Send no body. Repeated, it answers the canceled deposit. Once money is seen, or the deposit has ended otherwise, it is refused.',
  security: [{ v2: [] }],
  parameters: [idInPath('id of the deposit record.'), signatureStringHeader],
  responses: {
    200: recordResponse(publicUrl, eventChanges['deposit.canceled']),
    ...problemResponses(answers.cancel),
  },
})

const eventsOperation = (publicUrl: string): Operation => ({
  operationId: 'readEvents',
  tags: ['Events'],
  summary: 'Read the events feed',
  description: `Your events in order, at most ${bounds.eventPage} at a time. Pass next_after as after to go on, until events is empty.`,
  security: [{ v2: [] }],
  parameters: [
    query('after', 'sequence of the last event that you have.', { type: 'integer', minimum: 0, default: 0 }),
    signatureStringHeader,
  ],
  responses: {
    200: {
      description: 'The events after that number.',
      headers: signedHeaders(),
      content: {
        'application/json': {
          schema: ref('EventPage'),
          example: { events: [exampleEvent('deposit.confirmed', publicUrl)], next_after: exampleSequence },
        },
      },
    },
    ...problemResponses(answers.events),
  },
})

const callbacksOperation = (): Operation => ({
  operationId: 'listCallbacks',
  tags: ['Callbacks'],
  summary: 'List callbacks',
  description: `How the delivery of your events goes. Newest first, at most ${bounds.pageSize} at a time. Pass next_before of a page as before to get the next one. With a state a page looks at the next ${bounds.callbacksLookedAt} and may hold none of them: go on until next_before is null.`,
  security: [{ v2: [] }],
  parameters: [
    query('state', 'Only callbacks in this state.', linked(CallbackRecord.properties.state)),
    query('before', 'next_before of the page before.', { type: 'integer', minimum: 0 }),
    signatureStringHeader,
  ],
  responses: {
    200: {
      description: 'One page.',
      headers: signedHeaders(),
      content: {
        'application/json': {
          schema: ref('CallbackPage'),
          example: { callbacks: [exampleCallback], next_before: null },
        },
      },
    },
    ...problemResponses(answers.callbacks),
  },
})

const replayOperation = (): Operation => ({
  operationId: 'replayCallback',
  tags: ['Callbacks'],
  summary: 'Replay a callback',
  description:
    'Sends a callback again, with the same id and the same bytes, from the beginning of the schedule. Send no body. Any callback that is kept can be replayed, delivered or not. Each signature is taken once.',
  security: [{ v2: [] }],
  parameters: [idInPath('id of the event.'), signatureStringHeader],
  responses: {
    202: {
      description: 'It will be sent.',
      headers: signedHeaders(),
      content: {
        'application/json': {
          schema: ref('ReplayAnswer'),
          example: { id: exampleEventId, state: 'pending' },
        },
      },
    },
    ...problemResponses(answers.replay),
  },
})

const sandboxTransferOperation = (publicUrl: string): Operation => ({
  operationId: 'sandboxTransfer',
  tags: ['Test mode'],
  summary: 'Send test money',
  description:
    "Test mode only: a fake bank sends money for a deposit of yours. It is matched like a real bank's: the answer says by which rule, and shows the deposit afterwards. Money that no rule ties to a deposit stays `unmatched`. Without bank_id, and with revoked, each signature is taken once. For a live merchant this address does not exist.",
  security: [{ v2: [] }],
  parameters: [signatureStringHeader],
  requestBody: bodyOf('SandboxTransferRequest', exampleSandboxTransfer),
  responses: {
    201: sandboxPaidResponse('The bank has told of it.', publicUrl),
    200: sandboxPaidResponse('The bank had told of this bank_id before: this is what is new.', publicUrl),
    ...problemResponses(answers.sandboxTransfer),
  },
})

const sandboxPaidResponse = (description: string, publicUrl: string): Response => ({
  description,
  headers: signedHeaders(),
  content: {
    'application/json': { schema: ref('SandboxTransferAnswer'), example: exampleSandboxPaid(publicUrl) },
  },
})

const sandboxClockOperation = (): Operation => ({
  operationId: 'sandboxClock',
  tags: ['Test mode'],
  summary: 'Let time pass',
  description:
    'Test mode only: the deadlines of your open deposits, and of expired ones that still take late money, come closer by so many minutes. What is over then expires within seconds, with its event. Each signature is taken once. In production, and for a live merchant, this address does not exist.',
  security: [{ v2: [] }],
  parameters: [signatureStringHeader],
  requestBody: bodyOf('SandboxClockRequest', { minutes: 31 }),
  responses: {
    200: {
      description: 'The time has passed.',
      headers: signedHeaders(),
      content: {
        'application/json': { schema: ref('SandboxClockAnswer'), example: { minutes: 31, deposits: 1 } },
      },
    },
    ...problemResponses(answers.sandboxClock),
  },
})

const sandboxStatementOperation = (): Operation => ({
  operationId: 'sandboxStatement',
  tags: ['Test mode'],
  summary: "Read the fake bank's statement",
  description: `Test mode only: the transfers that the fake bank booked for you, as a bank's file. At most ${bounds.sandboxStatementRows} at once, and ${bounds.sandboxStatementRate.perSecond} file per second. What the bank took back is not on it.`,
  security: [{ v2: [] }],
  parameters: [
    {
      ...query(
        'format',
        '`1c`: 1CClientBankExchange in windows-1251. `camt`: camt.053.001.08. `csv`: UTF-8. `xlsx`: an Excel workbook. `mt940`: MT940 in UTF-8.',
        {
          enum: ['1c', 'camt', 'csv', 'xlsx', 'mt940'],
        },
      ),
      required: true,
    },
    query('from', 'Booked on this day of the bank or later.', { type: 'string', format: 'date' }),
    query('to', 'Booked on this day of the bank or earlier.', { type: 'string', format: 'date' }),
    query('account', 'Only this receiving account. A CSV file or a workbook is of one account.', {
      type: 'string',
    }),
    signatureStringHeader,
  ],
  responses: {
    200: {
      description: 'The file.',
      headers: signedHeaders(),
      content: Object.fromEntries(
        [
          'text/plain',
          'application/xml',
          'text/csv',
          'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        ].map((type) => [type, { schema: { type: 'string' } }]),
      ),
    },
    ...problemResponses(answers.sandboxStatement),
  },
})

// What we send

/** When each event happens, as one sentence. */
export const eventMeanings: Record<EventType, string> = {
  'deposit.confirmed': 'The money is there.',
  'deposit.rejected': 'The deposit was refused, or the customer gave up.',
  'deposit.expired': 'The deadline passed without enough money. Late money may still confirm it.',
  'deposit.canceled': 'The deposit was withdrawn.',
  'deposit.reversed': 'The bank took back money that had been confirmed.',
  'deposit.underpaid': 'Money arrived, but not enough. The state stays as it is.',
  'deposit.overpaid': 'More money arrived after the deposit was confirmed.',
  'deposit.review':
    'Money is there, and a person of the operator decides whether it counts: another payer, too much, or too late. Wait.',
  'deposit.method_selected': 'The customer chose a method on the payment page.',
  'deposit.claimed': 'The customer says that the money was sent. This is no proof.',
}

const webhook = (type: EventType, publicUrl: string): Webhook => ({
  operationId: `on_${type.replace('.', '_')}`,
  tags: ['Callbacks'],
  summary: eventMeanings[type],
  description: `Sent to callback_url of the request, else to the address of your account.${optionalEvents.includes(type) ? ' Only when it is chosen in your console, under Settings.' : ''}`,
  security: [{ callback: [] }],
  // The signature is described by its scheme.
  parameters: callbackHeaders.filter(({ name }) => name !== 'webhook-signature'),
  requestBody: {
    required: true,
    description: 'The same bytes at every attempt. Verify them as they came, before any parser.',
    content: {
      'application/json': { schema: ref('CallbackPayload'), example: exampleEvent(type, publicUrl) },
    },
  },
  responses: {
    '2XX': { description: `You have it. It counts within ${bounds.delivery.requestMs / 1000} seconds.` },
    410: {
      description:
        'Never again. From callback_url of a request: this callback ends as failed. From the address of your account: everything for this address is held.',
    },
    default: { description: 'Anything else, redirects too, or no answer: we send it again later.' },
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

const liveOperation = (): Operation => ({
  operationId: 'live',
  tags: ['Health'],
  summary: 'Is the process there?',
  description: 'Answers as long as the process runs. Not rate-limited.',
  security: [{}],
  parameters: [],
  responses: {
    200: {
      description: 'It is.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['live'],
            properties: { live: { type: 'boolean', const: true } },
          },
          example: { live: true },
        },
      },
    },
    ...problemResponses(answers.health),
  },
})

const readiness: Schema = {
  type: 'object',
  required: ['ready', 'database'],
  properties: { ready: { type: 'boolean' }, database: { enum: ['reachable', 'away'] } },
}

const readyOperation = (): Operation => ({
  operationId: 'ready',
  tags: ['Health'],
  summary: 'Can it do its work?',
  description: 'Asks the database. Not rate-limited.',
  security: [{}],
  parameters: [],
  responses: {
    200: {
      description: 'Yes.',
      content: {
        'application/json': { schema: readiness, example: { ready: true, database: 'reachable' } },
      },
    },
    503: {
      description: 'No: the database cannot be reached.',
      content: { 'application/json': { schema: readiness, example: { ready: false, database: 'away' } } },
    },
    ...problemResponses(answers.health),
  },
})

// Shared pieces

function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

function query(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'query', required: false, description, schema }
}

const idInPath = (description: string): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', format: 'uuid' },
})

const signatureStringHeader: Parameter = {
  name: 'X-Signature-String',
  in: 'header',
  required: false,
  description:
    'Test mode only, for debugging: the string that you signed, in base64. A refusal then says where it differs from ours.',
  schema: { type: 'string' },
}

const signedHeaders = () => ({ RateLimit: { $ref: '#/components/headers/RateLimit' } })

const recordResponse = (publicUrl: string, changes: object = {}): Response => ({
  description: 'The deposit.',
  headers: signedHeaders(),
  content: {
    'application/json': {
      schema: ref('DepositRecord'),
      example: { ...exampleRecord(publicUrl), ...changes },
    },
  },
})

/** One answer per status; the codes behind it are its examples. */
function problemResponses(codes: readonly RefusalCode[]): Record<string, Response> {
  const byStatus = Map.groupBy(codes, (code) => refusals[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, together]): [string, Response] => [
      String(status),
      {
        description: together.map((code) => `\`${code}\`: ${refusals[code].title}.`).join(' '),
        ...(together.some((code) => waitStatuses.has(status) && refusals[code].retryable) && {
          headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
        }),
        content: {
          'application/problem+json': {
            schema: ref('Problem'),
            examples: Object.fromEntries(
              together.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
            ),
          },
        },
      },
    ]),
  )
}

const waitStatuses = new Set([409, 429, 503])

const headers: OpenApiDocument['components']['headers'] = {
  RateLimit: {
    description: 'The policy, how many requests remain (r), and in how many seconds all are there again (t).',
    schema: { type: 'string', examples: ['"merchant";r=399;t=1'] },
  },
  'Retry-After': { description: 'Seconds to wait before you repeat.', schema: { type: 'integer' } },
  'Idempotent-Replayed': {
    description: '`true`: the deposit existed before this request.',
    schema: { const: 'true' },
  },
}

const securitySchemes: OpenApiDocument['components']['securitySchemes'] = {
  literal: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description: `HMAC-SHA256 in lower-case hex. Key: the signing secret as displayed, UTF-8. Message: the values of the fields you send, joined by "::", in this order: ${signedFields.create.join(', ')}. For GET /api/v1/requests/limit: ${signedFields.limit.join(', ')}. A field that is not sent is not in the message. A client that cannot set headers sends the hex as the body field signature instead.`,
  },
  v2: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description: `t=<unix seconds>,kid=<key id>,v2=<hex>. The hex is HMAC-SHA256 over five lines joined by a line feed: "v2", the same t, the method, the path with its query, and the SHA-256 of the raw body in hex. t may differ from our clock by ${bounds.signatureToleranceSeconds} seconds.`,
  },
  bank: {
    type: 'http',
    scheme: 'bearer',
    description: 'Token of a bank source (inlet source add). Good for nothing else.',
  },
  callback: {
    type: 'apiKey',
    in: 'header',
    name: 'webhook-signature',
    description:
      'On what we send, as Standard Webhooks has it: v1,<base64>, several with a space between them. The base64 is HMAC-SHA256 over webhook-id, webhook-timestamp and the raw body, joined by dots. Key: what follows whsec_ in your callback secret, decoded from base64.',
  },
}

/**
 * Generators want to be told what a checker knows: how large an integer may become, of what an enum is made. Amounts
 * above 2³¹ are ordinary, so that whatever has no smaller maximum is an int64.
 */
function typed<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(typed) as Part
  if (typeof part !== 'object' || part === null) return part
  const whole = Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, typed(inner)]))
  const { type, maximum = Number.POSITIVE_INFINITY, enum: values, const: only } = part as Schema
  if (type === 'integer') whole.format = maximum < 2 ** 31 ? 'int32' : 'int64'
  if (type === undefined && (values !== undefined || only !== undefined)) whole.type = 'string'
  return whole as Part
}

/** Nested schemas that have a name of their own become references, and TypeBox's own marks disappear. */
function linked(schema: object): Schema {
  const plain = JSON.parse(JSON.stringify(schema)) as Schema
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== 'object' || node === null) return node
    const { title } = node as Schema
    if (node !== plain && title !== undefined && named.has(title)) return ref(title)
    return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, walk(inner)]))
  }
  return walk(plain) as Schema
}

const named = new Set([
  'DepositRecord',
  'PaymentData',
  'CallbackPayload',
  'CallbackRecord',
  'SandboxTransfer',
])

/** What may be sent is the request and, for clients that cannot set headers, the signature. */
function wireRequest(request: object): Schema {
  const schema = linked(request)
  return {
    ...schema,
    properties: {
      ...schema.properties,
      signature: {
        type: 'string',
        pattern: '^[0-9a-fA-F]{64}$',
        description:
          'A literal signature, for clients that cannot set the header X-Signature. It is not signed itself.',
      },
    },
  }
}

function problemSchema(): Schema {
  const schema = linked(Problem)
  const amount = (which: string): Schema => ({
    type: 'integer',
    description: `With amount_out_of_range: the ${which} amount.`,
  })
  return {
    ...schema,
    properties: {
      ...schema.properties,
      min_cents: amount('least'),
      max_cents: amount('greatest'),
      limit: {
        enum: ['customer_open_deposits', 'customer_day_cents', 'customer_month_cents'],
        description: 'With customer_limit_reached: the limit.',
      },
      free_at: {
        anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
        description:
          'With customer_limit_reached: when there is room again at the latest; null when nobody can say.',
      },
      state: { enum: [...depositStates], description: 'With state_conflict: the state of the deposit.' },
      oldest_sequence: {
        type: 'integer',
        description: 'With events_gone: the oldest event that is still kept.',
      },
      server_time: { type: 'integer', description: 'With timestamp_out_of_window: our unix time.' },
      cause: {
        type: 'string',
        enum: [...signatureCauses],
        description: 'Test mode, with signature_invalid: what is wrong; detail says it in a sentence.',
      },
      signature_string: {
        type: 'string',
        description: 'Test mode, with signature_invalid: the string that we signed.',
      },
      first_difference: {
        anyOf: [{ type: 'string' }, { type: 'null' }],
        description:
          'Test mode, when you sent X-Signature-String: the first field that differs; null when none does.',
      },
    },
  }
}
