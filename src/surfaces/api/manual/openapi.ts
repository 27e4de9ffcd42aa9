/**
 * The OpenAPI 3.1 document of the API. Shapes come from the very schemas that check requests, refusals from the one
 * registry; what neither of them says, which operation answers what, stands beside the routes in their `openapi.ts`. The
 * readable reference is made from this document, so the two cannot disagree.
 */

import { signedFields } from '../../../../sdk/signature.ts'
import { type EventType, eventTypes } from '../../../domain/callbacks/callback.ts'
import { depositStates } from '../../../domain/deposits/deposit.ts'
import { Problem } from '../../../domain/deposits/record.ts'
import { customerLimits } from '../../../domain/rules/customer-limit.ts'
import { bounds } from '../../../platform/bounds.ts'
import { type RefusalCode, refusals } from '../../../platform/refusals.ts'
import { bankPaths, bankSchemas } from '../bank/openapi.ts'
import { callbackPaths, callbackSchemas, type Webhook, webhook } from '../callbacks/openapi.ts'
import { limitPaths, limitSchemas } from '../catalogue/openapi.ts'
import { depositPaths, depositSchemas, orderPaths } from '../deposits/openapi.ts'
import { problemExample } from '../examples.ts'
import { linked, type Paths, type Schema, type Schemas, type Tag, tags } from '../operation.ts'
import { apiPath, apiRoot } from '../paths.ts'
import { signatureCauses } from '../refused-signature.ts'
import { sandboxPaths, sandboxSchemas } from '../sandbox/openapi.ts'
import { healthPaths } from './health-openapi.ts'

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
  paths: Paths
  webhooks: Record<EventType, { post: Webhook }>
  components: {
    schemas: Schemas
    examples: Record<string, { summary: string; value: object }>
    headers: Record<string, { description: string; schema: Schema }>
    securitySchemes: Record<string, SecurityScheme>
  }
}

export function openApiDocument({ publicUrl }: { publicUrl: string }): OpenApiDocument {
  const paths = {
    ...orderPaths(publicUrl),
    ...limitPaths(),
    ...depositPaths(publicUrl),
    ...callbackPaths(publicUrl),
    ...sandboxPaths(publicUrl),
    ...bankPaths(),
    ...healthPaths(),
  }
  return typed({
    openapi: '3.1.1',
    info: {
      title: 'Inlet: Deposit Request API',
      version: '1',
      description: `Create a deposit, get the requisites for a bank transfer, show them to your customer, get the result. Under ${apiRoot} fields may be added to answers; none is removed or renamed.`,
      contact: { name: 'The operator of this installation', url: `${publicUrl}/docs` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name: name as Tag, description })),
    paths,
    webhooks: Object.fromEntries(
      eventTypes.map((type) => [type, { post: webhook(type, publicUrl) }]),
    ) as OpenApiDocument['webhooks'],
    components: {
      schemas: {
        ...depositSchemas,
        ...limitSchemas,
        ...callbackSchemas,
        ...sandboxSchemas,
        ...bankSchemas,
        Problem: problemSchema(),
      },
      examples: Object.fromEntries(
        answeredCodes(paths).map((code) => [code, problemExample(code, publicUrl)]),
      ),
      headers: answerHeaders,
      securitySchemes,
    },
  })
}

/** The refusals that operations answer with, in the order of their registry. */
const answeredCodes = (paths: OpenApiDocument['paths']): RefusalCode[] => {
  const answers = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.values(responses))
  const answered = new Set(
    answers.flatMap(({ content }) => Object.keys(content?.['application/problem+json']?.examples ?? {})),
  )
  return (Object.keys(refusals) as RefusalCode[]).filter((code) => answered.has(code))
}

const answerHeaders: OpenApiDocument['components']['headers'] = {
  RateLimit: {
    description:
      'The policy, how many requests remain (r), and the seconds until the full budget is available again (t).',
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
    description: `HMAC-SHA256 in lower-case hex. Key: the signing secret as displayed, UTF-8. Message: the values of the fields you send, joined by "::", in this order: ${signedFields.create.join(', ')}. For GET ${apiPath('/requests/limit')}: ${signedFields.limit.join(', ')}. A field that is not sent is not in the message. A client that cannot set headers sends the hex as the body field signature instead.`,
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
    description: 'Token of a bank source (inlet source add). It works for this operation only.',
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
 * Code generators need explicit formats: the size of integers, the type of enums. Amounts
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
      min_cents: amount('minimum'),
      max_cents: amount('maximum'),
      limit: {
        enum: [...customerLimits],
        description: 'With customer_limit_reached: the limit.',
      },
      free_at: {
        anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
        description:
          'With customer_limit_reached: when the customer can pay again at the latest; null if unknown.',
      },
      state: { enum: [...depositStates], description: 'With state_conflict: the state of the deposit.' },
      oldest_sequence: {
        type: 'integer',
        description: 'With events_gone: the oldest event still stored.',
      },
      server_time: { type: 'integer', description: 'With timestamp_out_of_window: our unix time.' },
      cause: {
        type: 'string',
        enum: Object.keys(signatureCauses),
        description: 'Test mode, with signature_invalid: what is wrong; detail explains it.',
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
