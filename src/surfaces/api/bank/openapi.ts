/** The bank’s push, as the OpenAPI document describes it. */

import { PushAnswer, PushedTransfer, pushedMost } from '../../../domain/transfers/push.ts'
import { bounds } from '../../../platform/bounds.ts'
import { examplePush, examplePushed } from '../examples.ts'
import { anyChange, linked, operation, type Paths, ref, type Schema, type Schemas } from '../operation.ts'
import { documentedPath } from '../paths.ts'

export const bankPaths = (): Paths => ({
  [documentedPath('/bank/transfers')]: operation('post', [{ bank: [] }], {
    id: 'pushTransfers',
    tag: 'Bank',
    summary: 'Report bank transfers',
    description: `For the operator's bank connection, not for merchants. One transfer, or \`{"transfers": [...]}\` with up to ${pushedMost}. A refusal stores none of them; after a fault, send all of them again. Each is identified by its \`id\`: the same or a lower \`version\` changes nothing, a higher one with \`revoked\` revokes the entry. A source may report the receiving accounts that the operator listed for it, and call only from its networks, if any are listed; a push with any other account is refused as a whole, as if that account did not exist, and one with an account of which another source tells early with \`other_source_counts\`. On 503 and 429 send the same push again after Retry-After.`,
    body: {
      required: true,
      description: `JSON in UTF-8, at most ${bounds.pushBytes / 1024} KiB.`,
      content: {
        'application/json': {
          schema: { anyOf: [ref('PushedTransfer'), pushedMany] },
          example: examplePush,
        },
      },
    },
    answers: {
      200: {
        description: 'Accepted: the result for each transfer.',
        content: { 'application/json': { schema: ref('PushAnswer'), example: examplePushed } },
      },
    },
    refused: [
      'malformed_body',
      'duplicate_field',
      'invalid_value',
      'not_found',
      'bank_token_invalid',
      'bank_network_refused',
      'other_source_counts',
      'rate_limited',
      'body_too_large',
      'unsupported_media_type',
      ...anyChange,
    ],
  }),
})

export const bankSchemas: Schemas = {
  PushedTransfer: linked(PushedTransfer),
  PushAnswer: linked(PushAnswer),
}

const pushedMany: Schema = {
  type: 'object',
  properties: { transfers: { type: 'array', items: ref('PushedTransfer'), maxItems: pushedMost } },
  required: ['transfers'],
  additionalProperties: false,
}
