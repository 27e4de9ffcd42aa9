/** Limits, as the OpenAPI document describes them. */

import { LimitAnswer } from '../../../domain/catalogue/limit.ts'
import { bounds } from '../../../platform/bounds.ts'
import { exampleLimits } from '../examples.ts'
import {
  anyQuery,
  anyRequest,
  anySigned,
  linked,
  operation,
  type Paths,
  query,
  type Schemas,
  signatureStringHeader,
  signedAnswer,
} from '../operation.ts'
import { documentedPath } from '../paths.ts'

export const limitPaths = (): Paths => ({
  [documentedPath('/requests/limit')]: operation('get', [{}, { literal: [] }, { v2: [] }], {
    id: 'readLimits',
    tag: 'Limits',
    summary: 'Read limits and payment types',
    description:
      'Without a signature: the public catalogue. With merchant, timestamp and a signature: your own limits. A v2 signature carries its own time and needs no timestamp.',
    parameters: [
      query('currency', 'Only this currency.', { type: 'string' }),
      query('payment_type', 'Only this payment type.', { type: 'string' }),
      query('merchant', 'Your merchant id, when the request is signed.', {
        type: 'string',
        format: 'uuid',
      }),
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
    answers: {
      200: signedAnswer('Available payment types and amounts.', 'LimitAnswer', exampleLimits),
    },
    refused: [...anyQuery, 'separator_in_value', ...anySigned, 'scheme_too_weak', ...anyRequest],
  }),
})

export const limitSchemas: Schemas = {
  LimitAnswer: linked(LimitAnswer),
}
