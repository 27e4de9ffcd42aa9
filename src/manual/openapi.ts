/**
 * The OpenAPI 3.1 document of the API. Shapes come from the very schemas that check requests, refusals from the one
 * registry; written here is only what neither of them says: which operation answers what. The readable reference
 * is made from this document, so the two cannot disagree.
 */

import { signedFields } from '../../sdk/signature.ts'
import { bounds } from '../bounds.ts'
import { LimitAnswer } from '../catalogue/limit.ts'
import { depositStates } from '../deposits/deposit.ts'
import { CreateRequest, DepositPage, DepositRecord, PaymentData, Problem } from '../deposits/record.ts'
import { problemOf, Refusal, type RefusalCode, type RefusalDetails, refusals } from '../refusals.ts'

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
  summary: string
  description: string
  security: Record<string, never[]>[]
  parameters: Parameter[]
  requestBody?: { required: true; description: string; content: Record<string, Media> }
  responses: Record<string, Response>
}

export type Method = 'get' | 'post'

export type OpenApiDocument = {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: { url: string }[]
  paths: Record<string, Partial<Record<Method, Operation>>>
  components: {
    schemas: Record<string, Schema>
    examples: Record<string, { summary: string; value: object }>
    headers: Record<string, { description: string; schema: Schema }>
    securitySchemes: Record<string, { type: 'apiKey'; in: 'header'; name: string; description: string }>
  }
}

/** The answer's schema of GET …/limit lives beside its route, which is no pure file: so it is handed in. */
export function openApiDocument({ publicUrl }: { publicUrl: string }): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Inlet: Deposit Request API',
      version: '1',
      description:
        'Ask for a deposit, get the requisites of a bank transfer, show them to your customer, learn the result. Under /api/v1 fields may be added to answers; none is removed or renamed.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    paths: {
      '/api/v1/requests/deposit/create': { post: createOperation(publicUrl) },
      '/api/v1/requests/limit': { get: limitOperation() },
      '/api/v1/requests/deposit/{id}': { get: readOperation(publicUrl) },
      '/api/v1/requests/deposit': { get: readByOrderOperation(publicUrl) },
      '/api/v1/requests/deposits': { get: listOperation(publicUrl) },
      '/health/live': { get: liveOperation() },
      '/health/ready': { get: readyOperation() },
    },
    components: {
      schemas: {
        CreateRequest: wireRequest(),
        DepositRecord: linked(DepositRecord),
        PaymentData: linked(PaymentData),
        DepositPage: linked(DepositPage),
        LimitAnswer: linked(LimitAnswer),
        Problem: problemSchema(),
      },
      examples: Object.fromEntries(answeredCodes().map((code) => [code, problemExample(code, publicUrl)])),
      headers,
      securitySchemes,
    },
  }
}

/** The request of the worked example in the reference: vector 1 of test/vectors/signature.json. */
export const exampleRequest = {
  merchant: '3f0c9a52-7d1e-4b86-9c2a-5e8f1d20b647',
  order_id: 'A-1001',
  cents: 150000,
  currency: 'RUB',
  payment_type: 'any_bank',
  customer: 'user-42',
} as const

// Which refusals each operation can answer with, beside those of any address (404, 405).

const anyRequest = ['headers_too_large', 'internal_error', 'service_unavailable'] as const
const anyQuery = ['malformed_body', 'duplicate_field', 'unknown_field'] as const
const anySigned = [
  'signature_conflict',
  'signature_invalid',
  'timestamp_out_of_window',
  'merchant_disabled',
  'rate_limited',
] as const

const answers = {
  create: [
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
    'currency_not_supported',
    'payment_type_not_supported',
    'url_not_allowed',
    'order_id_reused',
    'no_requisite_available',
    'overloaded',
    ...anyRequest,
  ],
  limit: [...anyQuery, ...anySigned, 'scheme_too_weak', ...anyRequest],
  read: [...anyQuery, ...anySigned, 'not_found', ...anyRequest],
  readByOrder: [...anyQuery, ...anySigned, 'not_found', 'invalid_value', ...anyRequest],
  list: [...anyQuery, ...anySigned, 'invalid_value', ...anyRequest],
} as const satisfies Record<string, readonly RefusalCode[]>

const answeredCodes = (): RefusalCode[] => {
  const answered = new Set<RefusalCode>(Object.values(answers).flat())
  return (Object.keys(refusals) as RefusalCode[]).filter((code) => answered.has(code))
}

// Operations

const createOperation = (publicUrl: string): Operation => ({
  operationId: 'createDeposit',
  summary: 'Create a deposit',
  description:
    'Creates a deposit with the payment type you chose and answers with the requisites to show to your customer. Safe to repeat: the same order_id with the same data answers the deposit that exists.',
  security: [{ literal: [] }, { v2: [] }],
  parameters: [signatureHeader(false), signatureStringHeader],
  requestBody: {
    required: true,
    description: `One flat object in UTF-8, at most ${bounds.bodyBytes / 1024} KiB. Each field once; unknown fields are refused.`,
    content: {
      'application/json': { schema: ref('CreateRequest'), example: exampleRequest },
      'application/x-www-form-urlencoded': { schema: ref('CreateRequest'), example: exampleRequest },
    },
  },
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

const limitOperation = (): Operation => ({
  operationId: 'readLimits',
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
    signatureHeader(false),
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

const readOperation = (publicUrl: string): Operation => ({
  operationId: 'readDeposit',
  summary: 'Read a deposit by its id',
  description: 'The deposit as it is now.',
  security: [{ v2: [] }],
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'id of the deposit record.',
      schema: { type: 'string', format: 'uuid' },
    },
    signatureHeader(true),
    signatureStringHeader,
  ],
  responses: { 200: recordResponse(publicUrl), ...problemResponses(answers.read) },
})

const readByOrderOperation = (publicUrl: string): Operation => ({
  operationId: 'readDepositByOrder',
  summary: 'Read a deposit by your order_id',
  description: 'The deposit as it is now. Use it when an answer was lost.',
  security: [{ v2: [] }],
  parameters: [
    { ...query('order_id', 'order_id of the request that created it.', { type: 'string' }), required: true },
    signatureHeader(true),
    signatureStringHeader,
  ],
  responses: { 200: recordResponse(publicUrl), ...problemResponses(answers.readByOrder) },
})

const listOperation = (publicUrl: string): Operation => ({
  operationId: 'listDeposits',
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
    signatureHeader(true),
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

const liveOperation = (): Operation => ({
  operationId: 'live',
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
  },
})

const readiness: Schema = {
  type: 'object',
  required: ['ready', 'database'],
  properties: { ready: { type: 'boolean' }, database: { enum: ['reachable', 'away'] } },
}

const readyOperation = (): Operation => ({
  operationId: 'ready',
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
  },
})

// Shared pieces

function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

function query(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'query', required: false, description, schema }
}

const signatureHeader = (required: boolean): Parameter => ({
  name: 'X-Signature',
  in: 'header',
  required,
  description: required
    ? 'A v2 signature.'
    : 'A literal or a v2 signature. A client that cannot set headers sends a literal one in the field signature instead.',
  schema: { type: 'string' },
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

const recordResponse = (publicUrl: string): Response => ({
  description: 'The deposit.',
  headers: signedHeaders(),
  content: { 'application/json': { schema: ref('DepositRecord'), example: exampleRecord(publicUrl) } },
})

/** One answer per status; the codes behind it are its examples. */
function problemResponses(codes: readonly RefusalCode[]): Record<string, Response> {
  const byStatus = Map.groupBy(codes, (code) => refusals[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, together]): [string, Response] => [
      String(status),
      {
        description: together.map((code) => `\`${code}\`: ${refusals[code].title}.`).join(' '),
        ...(waitCodes.has(status) && {
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

const waitCodes = new Set([409, 429, 503])

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
    description: `HMAC-SHA256 in lower-case hex. Key: the signing secret as displayed, UTF-8. Message: the values of the fields you send, joined by "::", in this order: ${signedFields.create.join(', ')}. For GET /api/v1/requests/limit: ${signedFields.limit.join(', ')}. A field that is not sent is not in the message.`,
  },
  v2: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description: `t=<unix seconds>,kid=<key id>,v2=<hex>. The hex is HMAC-SHA256 over five lines joined by a line feed: "v2", the same t, the method, the path with its query, and the SHA-256 of the raw body in hex. t may differ from our clock by ${bounds.signatureToleranceSeconds} seconds.`,
  },
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

const named = new Set(['DepositRecord', 'PaymentData'])

/** What may be sent is the request and, for clients that cannot set headers, the signature. */
function wireRequest(): Schema {
  const schema = linked(CreateRequest)
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
      server_time: { type: 'integer', description: 'With timestamp_out_of_window: our unix time.' },
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

const field = (name: string, code: string, detail: string) => ({ pointer: `#/${name}`, code, detail })

/** Where a refusal says more than its code, an example shows it. */
const exampleDetails: Partial<Record<RefusalCode, RefusalDetails>> = {
  unknown_field: { errors: [field('orderid', 'unknown_field', 'This operation has no such field.')] },
  invalid_type: { errors: [field('customer', 'invalid_type', 'It must be a string, not a number.')] },
  separator_in_value: {
    errors: [field('customer', 'separator_in_value', 'It contains "::" or has ":" at an edge.')],
  },
  timestamp_out_of_window: { more: { server_time: 1794700000 } },
  invalid_value: { errors: [field('customer', 'required', 'This field is required.')] },
  amount_out_of_range: {
    detail: 'cents must lie between 10000 and 10000000 for any_bank in RUB.',
    errors: [
      field('cents', 'amount_out_of_range', 'cents must lie between 10000 and 10000000 for any_bank in RUB.'),
    ],
    more: { min_cents: 10000, max_cents: 10000000 },
  },
  order_id_reused: {
    detail: 'Differs in: cents.',
    errors: [field('cents', 'differs', 'It differs from the first request with this order_id.')],
  },
}

const problemExample = (code: RefusalCode, publicUrl: string) => ({
  summary: refusals[code].title,
  value: problemOf(new Refusal(code, exampleDetails[code]), 'req_T0kq0mJ3v9wXc1Zs', publicUrl),
})

const exampleRecord = (publicUrl: string) => ({
  id: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803',
  merchant: exampleRequest.merchant,
  external_id: exampleRequest.order_id,
  state: 'created',
  kind: 'deposit',
  amount_cents: exampleRequest.cents,
  amount_currency: exampleRequest.currency,
  seller: 'IP Petrov I. A.',
  buyer: exampleRequest.customer,
  payment_data: {
    number: '2200990000000006',
    name: 'PETROV IVAN',
    bank_name: 'Test Bank',
    url: `${publicUrl}/pay/q1LhJ0x2mS9nV4tYc7Bz3A`,
  },
  payment_bill_url: `${publicUrl}/bill/q1LhJ0x2mS9nV4tYc7Bz3A.svg`,
  payment_type: exampleRequest.payment_type,
  is_final: false,
  final_at: null,
  labels: [],
  received_cents: 0,
  created_at: '2026-11-15T09:00:00.000Z',
  expires_at: '2026-11-15T09:30:00.000Z',
})

const exampleLimits = {
  currencies: ['RUB'],
  payment_types: ['any_bank', 'sbp'],
  limits: [
    {
      operation: 'create',
      currency: 'RUB',
      payment_type: 'any_bank',
      min_cents: 10000,
      max_cents: 10000000,
      available: true,
    },
    {
      operation: 'create',
      currency: 'RUB',
      payment_type: 'sbp',
      min_cents: 10000,
      max_cents: 10000000,
      available: false,
    },
  ],
}
