/** Test mode, as the OpenAPI document describes it. */

import {
  SandboxClockAnswer,
  SandboxClockRequest,
  SandboxTransfer,
  SandboxTransferAnswer,
  SandboxTransferRequest,
} from '../../../domain/sandbox/record.ts'
import { bounds } from '../../../platform/bounds.ts'
import { exampleSandboxPaid, exampleSandboxTransfer } from '../examples.ts'
import {
  anyBody,
  anyChange,
  anyQuery,
  anyRequest,
  anySigned,
  bodyOf,
  linked,
  type Paths,
  problemResponses,
  query,
  type Schemas,
  signatureStringHeader,
  signedAnswer,
  signedHeaders,
} from '../operation.ts'
import { documentedPath } from '../paths.ts'

export const sandboxPaths = (publicUrl: string): Paths => ({
  [documentedPath('/sandbox/transfers')]: {
    post: {
      operationId: 'sandboxTransfer',
      tags: ['Test mode'],
      summary: 'Send test money',
      description:
        "Test mode only: a fake bank sends money for a deposit of yours. It is matched like a real bank's: the answer says by which rule, and shows the deposit afterwards. Money that no rule ties to a deposit stays `unmatched`. Without bank_id, and with revoked, each signature is taken once. For a live merchant this address does not exist.",
      security: [{ v2: [] }],
      parameters: [signatureStringHeader],
      requestBody: bodyOf('SandboxTransferRequest', exampleSandboxTransfer),
      responses: {
        201: signedAnswer('The bank reported it.', 'SandboxTransferAnswer', exampleSandboxPaid(publicUrl)),
        200: signedAnswer(
          'The bank had already reported this bank_id: the answer shows what is new.',
          'SandboxTransferAnswer',
          exampleSandboxPaid(publicUrl),
        ),
        ...problemResponses([
          ...anyBody,
          'other_source_counts',
          'state_conflict',
          'request_repeated',
          ...anyChange,
        ]),
      },
    },
  },
  [documentedPath('/sandbox/clock')]: {
    post: {
      operationId: 'sandboxClock',
      tags: ['Test mode'],
      summary: 'Let time pass',
      description:
        'Test mode only: the deadlines of your open deposits, and of expired ones that still take late money, come closer by this many minutes. Deposits whose deadline has passed then expire within seconds, with their events. Each signature is accepted once. In production, and for a live merchant, this address does not exist.',
      security: [{ v2: [] }],
      parameters: [signatureStringHeader],
      requestBody: bodyOf('SandboxClockRequest', { minutes: 31 }),
      responses: {
        200: signedAnswer('The time has passed.', 'SandboxClockAnswer', { minutes: 31, deposits: 1 }),
        ...problemResponses([...anyBody, 'request_repeated', ...anyChange]),
      },
    },
  },
  [documentedPath('/sandbox/statement')]: {
    get: {
      operationId: 'sandboxStatement',
      tags: ['Test mode'],
      summary: "Read the fake bank's statement",
      description: `Test mode only: the transfers that the fake bank booked for you, as a bank's file: 1CClientBankExchange in windows-1251. At most ${bounds.sandboxStatementRows} entries per file, and ${bounds.sandboxStatementRate.perSecond} file per second. Revoked entries are not included.`,
      security: [{ v2: [] }],
      parameters: [
        query('from', 'Booked on this day of the bank or later.', { type: 'string', format: 'date' }),
        query('to', 'Booked on this day of the bank or earlier.', { type: 'string', format: 'date' }),
        query('account', 'Only this receiving account.', {
          type: 'string',
        }),
        signatureStringHeader,
      ],
      responses: {
        200: {
          description: 'The file.',
          headers: signedHeaders(),
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
        ...problemResponses([...anyQuery, ...anySigned, 'not_found', 'invalid_value', ...anyRequest]),
      },
    },
  },
})

export const sandboxSchemas: Schemas = {
  SandboxTransferRequest: linked(SandboxTransferRequest),
  SandboxTransfer: linked(SandboxTransfer),
  SandboxTransferAnswer: linked(SandboxTransferAnswer),
  SandboxClockRequest: linked(SandboxClockRequest),
  SandboxClockAnswer: linked(SandboxClockAnswer),
}
