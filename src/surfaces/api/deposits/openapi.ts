/** Deposits, as the OpenAPI document describes them. */

import { depositStates } from '../../../domain/deposits/deposit.ts'
import {
  BuildAnswer,
  BuildRequest,
  CreateRequest,
  DepositPage,
  DepositRecord,
  PaymentData,
} from '../../../domain/deposits/record.ts'
import { bounds } from '../../../platform/bounds.ts'
import { eventChanges, exampleBuild, exampleBuilt, exampleRecord, exampleRequest } from '../examples.ts'
import {
  anyChange,
  anyQuery,
  anySigned,
  bodyOf,
  idInPath,
  linked,
  operation,
  type Paths,
  query,
  type Response,
  type Schema,
  type Schemas,
  signatureStringHeader,
  signedAnswer,
  v2Operation,
} from '../operation.ts'
import { documentedPath } from '../paths.ts'

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

export const orderPaths = (publicUrl: string): Paths => ({
  [documentedPath('/requests/deposit/create')]: operation('post', [{ literal: [] }, { v2: [] }], {
    id: 'createDeposit',
    tag: 'Deposits',
    summary: 'Create a deposit',
    description:
      'Creates a deposit with the payment type you chose and answers with the requisites to show to your customer. Safe to repeat: the same order_id with the same data answers the deposit that exists.',
    parameters: [signatureStringHeader],
    body: bodyOf('CreateRequest', exampleRequest),
    answers: {
      201: signedAnswer('The deposit was created.', 'DepositRecord', exampleRecord(publicUrl)),
      200: replayedAnswer('DepositRecord', exampleRecord(publicUrl)),
    },
    refused: [...anyOrder, 'no_requisite_available'],
  }),
  [documentedPath('/requests/deposit/build')]: operation('post', [{ literal: [] }, { v2: [] }], {
    id: 'buildDeposit',
    tag: 'Deposits',
    summary: 'Build a payment page',
    description:
      'Creates a deposit whose method your customer chooses on the page at payment_data.url. Requisites are issued with the choice: until then the deposit is `builded`, afterwards it is like one that was created. One order_id serves create or build, never both.',
    parameters: [signatureStringHeader],
    body: bodyOf('BuildRequest', exampleBuild),
    answers: {
      201: signedAnswer(
        'The page was built. Send your customer there.',
        'BuildAnswer',
        exampleBuilt(publicUrl),
      ),
      200: replayedAnswer('BuildAnswer', exampleBuilt(publicUrl)),
    },
    refused: anyOrder,
  }),
})

export const depositPaths = (publicUrl: string): Paths => ({
  [documentedPath('/requests/deposit/:id')]: v2Operation('get', {
    id: 'readDeposit',
    tag: 'Deposits',
    summary: 'Read a deposit by its id',
    description: 'The deposit as it is now.',
    parameters: [idInPath('id of the deposit record.')],
    answers: {
      200: recordResponse(publicUrl),
    },
    refused: ['not_found'],
  }),
  [documentedPath('/requests/deposit')]: v2Operation('get', {
    id: 'readDepositByOrder',
    tag: 'Deposits',
    summary: 'Read a deposit by your order_id',
    description: 'The deposit as it is now. Use it when an answer was lost.',
    parameters: [
      {
        ...query('order_id', 'order_id of the request that created it.', { type: 'string' }),
        required: true,
      },
    ],
    answers: {
      200: recordResponse(publicUrl),
    },
    refused: ['not_found', 'invalid_value'],
  }),
  [documentedPath('/requests/deposits')]: v2Operation('get', {
    id: 'listDeposits',
    tag: 'Deposits',
    summary: 'List deposits',
    description: `Newest first, page by page. Pass next_after of a page as after to get the next one, until it is null: a page of more than ${bounds.pageBytes / 1024} KB ends before its limit.`,
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
    ],
    answers: {
      200: signedAnswer('One page.', 'DepositPage', {
        deposits: [exampleRecord(publicUrl)],
        next_after: null,
      }),
    },
    refused: ['invalid_value'],
  }),
  [documentedPath('/requests/deposit/:id/cancel')]: v2Operation('post', {
    id: 'cancelDeposit',
    tag: 'Deposits',
    summary: 'Cancel a deposit',
    description:
      'Withdraws a deposit that nobody has paid yet. Send no body. Repeated, it returns the canceled deposit. Once money has arrived, or the deposit was closed in another way, it is refused.',
    parameters: [idInPath('id of the deposit record.')],
    answers: {
      200: recordResponse(publicUrl, eventChanges['deposit.canceled']),
    },
    refused: ['not_found', 'state_conflict'],
  }),
})

export const depositSchemas: Schemas = {
  CreateRequest: wireRequest(CreateRequest),
  BuildRequest: wireRequest(BuildRequest),
  BuildAnswer: linked(BuildAnswer),
  DepositRecord: linked(DepositRecord),
  PaymentData: linked(PaymentData),
  DepositPage: linked(DepositPage),
}

const replayedAnswer = (schema: string, example: object): Response =>
  signedAnswer(
    'You already sent this order_id with the same data: this is the deposit as it is now.',
    schema,
    example,
    { 'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' } },
  )

const recordResponse = (publicUrl: string, changes: object = {}): Response =>
  signedAnswer('The deposit.', 'DepositRecord', { ...exampleRecord(publicUrl), ...changes })

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
