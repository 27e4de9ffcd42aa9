/** The parts of the OpenAPI document that the operations share. */
import { bounds } from '../../platform/bounds.ts'
import { type RefusalCode, refusals } from '../../platform/refusals.ts'

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

/** Schemas by the name that references use. */
export type Schemas = Record<string, Schema>

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

export type Method = 'get' | 'post'

/** Operations by their address. */
export type Paths = Record<string, Partial<Record<Method, Operation>>>

export const tags = {
  Deposits: 'Create a deposit, read it, cancel it.',
  Limits: 'Available payment types and amounts.',
  Events: 'Everything that happened to your deposits, in order.',
  Callbacks: 'What Inlet sends to your server, and the results.',
  'Test mode': 'Simulate the bank; for test-mode merchants only.',
  Bank: "For the operator's bank connection, not for merchants.",
  Health: 'For monitoring.',
} as const

export type Tag = keyof typeof tags

// The codes of the refusals that every operation of a kind may return.

export const anyRequest = [
  'malformed_request',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
] as const

/** A change may conflict with concurrent ones. */
export const anyChange = [...anyRequest, 'overloaded'] as const

export const anyQuery = ['malformed_body', 'duplicate_field', 'unknown_field'] as const

export const anySigned = [
  'signature_conflict',
  'signature_invalid',
  'timestamp_out_of_window',
  'merchant_disabled',
  'rate_limited',
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

export const bodyOf = (schema: string, example: object): NonNullable<Operation['requestBody']> => ({
  required: true,
  description: `One flat object in UTF-8, at most ${bounds.bodyBytes / 1024} KiB. Each field once; unknown fields are refused.`,
  content: {
    'application/json': { schema: ref(schema), example },
    'application/x-www-form-urlencoded': { schema: ref(schema), example },
  },
})

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export function query(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'query', required: false, description, schema }
}

export const idInPath = (description: string): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', format: 'uuid' },
})

export const signatureStringHeader: Parameter = {
  name: 'X-Signature-String',
  in: 'header',
  required: false,
  description:
    'Test mode only, for debugging: the string that you signed, in base64. A refusal then says where it differs from ours.',
  schema: { type: 'string' },
}

/** What is said of an operation where it stands; the rest follows from who calls it and how. */
type Described = Pick<Operation, 'summary' | 'description'> & {
  id: string
  tag: Tag
  parameters?: Parameter[]
  body?: Operation['requestBody']
  answers: Operation['responses']
  /** The codes of its refusals. */
  refused?: readonly RefusalCode[]
}

export function operation(
  method: Method,
  security: Operation['security'],
  { id, tag, summary, description, parameters = [], body, answers, refused = [] }: Described,
): Partial<Record<Method, Operation>> {
  return {
    [method]: {
      operationId: id,
      tags: [tag],
      summary,
      description,
      security,
      parameters,
      ...(body && { requestBody: body }),
      responses: { ...answers, ...problemResponses(refused) },
    },
  }
}

/** A merchant's operation that takes v2 alone. Its own refusals stand beside those of each such operation. */
export const v2Operation = (method: Method, described: Described) =>
  operation(method, [{ v2: [] }], {
    ...described,
    parameters: [...(described.parameters ?? []), signatureStringHeader],
    refused: [
      ...(described.body ? anyBody : [...anyQuery, ...anySigned]),
      ...(described.refused ?? []),
      ...(method === 'post' ? anyChange : anyRequest),
    ],
  })

export const signedHeaders = () => ({ RateLimit: { $ref: '#/components/headers/RateLimit' } })

export const signedAnswer = (
  description: string,
  schema: string,
  example: object,
  headers = {},
): Response => ({
  description,
  headers: { ...headers, ...signedHeaders() },
  content: { 'application/json': { schema: ref(schema), example } },
})

/** One response per HTTP status; each code with that status is an example. */
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

/** Nested schemas that have a name of their own become references. */
export function linked(schema: object): Schema {
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
