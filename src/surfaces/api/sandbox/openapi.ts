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
  bodyOf,
  linked,
  type Paths,
  query,
  type Schemas,
  signedAnswer,
  signedHeaders,
  v2Operation,
} from '../operation.ts'
import { documentedPath } from '../paths.ts'

export const sandboxPaths = (publicUrl: string): Paths => ({
  [documentedPath('/sandbox/transfers')]: v2Operation('post', {
    id: 'sandboxTransfer',
    tag: 'Test mode',
    summary: 'Send test money',
    description:
      "Test mode only: a fake bank sends money for a deposit of yours. It is matched like a real bank's: the answer says by which rule, and shows the deposit afterwards. Money that no rule ties to a deposit stays `unmatched`. Without bank_id, and with revoked, each signature is taken once. For a live merchant this address does not exist.",
    body: bodyOf('SandboxTransferRequest', exampleSandboxTransfer),
    answers: {
      201: signedAnswer('The bank reported it.', 'SandboxTransferAnswer', exampleSandboxPaid(publicUrl)),
      200: signedAnswer(
        'The bank had already reported this bank_id: the answer shows what is new.',
        'SandboxTransferAnswer',
        exampleSandboxPaid(publicUrl),
      ),
    },
    refused: ['other_source_counts', 'state_conflict', 'request_repeated'],
  }),
  [documentedPath('/sandbox/clock')]: v2Operation('post', {
    id: 'sandboxClock',
    tag: 'Test mode',
    summary: 'Let time pass',
    description:
      'Test mode only: the deadlines of your open deposits, and of expired ones that still take late money, come closer by this many minutes. Deposits whose deadline has passed then expire within seconds, with their events. Each signature is accepted once. In production, and for a live merchant, this address does not exist.',
    body: bodyOf('SandboxClockRequest', { minutes: 31 }),
    answers: {
      200: signedAnswer('The time has passed.', 'SandboxClockAnswer', { minutes: 31, deposits: 1 }),
    },
    refused: ['request_repeated'],
  }),
  [documentedPath('/sandbox/statement')]: v2Operation('get', {
    id: 'sandboxStatement',
    tag: 'Test mode',
    summary: "Read the fake bank's statement",
    description: `Test mode only: the transfers that the fake bank booked for you, as a bank's file: 1CClientBankExchange in windows-1251. At most ${bounds.sandboxStatementRows} entries per file, and ${bounds.sandboxStatementRate.perSecond} file per second. Revoked entries are not included.`,
    parameters: [
      query('from', 'Booked on this day of the bank or later.', { type: 'string', format: 'date' }),
      query('to', 'Booked on this day of the bank or earlier.', { type: 'string', format: 'date' }),
      query('account', 'Only this receiving account.', {
        type: 'string',
      }),
    ],
    answers: {
      200: {
        description: 'The file.',
        headers: signedHeaders(),
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
    },
    refused: ['not_found', 'invalid_value'],
  }),
})

export const sandboxSchemas: Schemas = {
  SandboxTransferRequest: linked(SandboxTransferRequest),
  SandboxTransfer: linked(SandboxTransfer),
  SandboxTransferAnswer: linked(SandboxTransferAnswer),
  SandboxClockRequest: linked(SandboxClockRequest),
  SandboxClockAnswer: linked(SandboxClockAnswer),
}
