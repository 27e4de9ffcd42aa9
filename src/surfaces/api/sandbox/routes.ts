/** Test mode over HTTP: the fake bank and the clock of test merchants. For a live merchant none of it exists. */

import type { DepositContext } from '../../../domain/deposits/change-deposit.ts'
import { recordOf } from '../../../domain/deposits/record.ts'
import { message } from '../../../domain/messages/message.ts'
import { exportStatement } from '../../../domain/sandbox/export-statement.ts'
import { payByFakeBank, type Sent } from '../../../domain/sandbox/fake-bank.ts'
import { passTime } from '../../../domain/sandbox/pass-time.ts'
import {
  SandboxClockRequest,
  type SandboxTransferAnswer,
  SandboxTransferRequest,
} from '../../../domain/sandbox/record.ts'
import { isDay } from '../../../domain/transfers/bank-text/days.ts'
import { bounds } from '../../../platform/bounds.ts'
import { encodingOf, type Http, type Reply, type Request, readQuery } from '../../../platform/http.ts'
import { type RateLimit, rateLimited } from '../../../platform/rate-limit.ts'
import { type FieldProblem, Refusal } from '../../../platform/refusals.ts'
import {
  isUuid,
  type RequestSchema,
  readFields,
  refuseProblems,
  valueProblems,
} from '../../../platform/request-fields.ts'
import { useSignature } from '../../../platform/used-once.ts'
import { apiPath } from '../paths.ts'
import { type SignatureVerifier, signableRequest, withRate } from '../signed-request.ts'

type SandboxRoutes = {
  verifier: SignatureVerifier
  context: DepositContext
  limits: RateLimit
  isProduction: boolean
}

export function sandboxRoutes(app: Http, { verifier, context, limits, isProduction }: SandboxRoutes): void {
  app.post(apiPath.route('/sandbox/transfers'), async (request, reply) => {
    const values = readBody(request, SandboxTransferRequest)
    const { id: merchantId, signature } = await testMerchant(request, reply)
    const dated = values.get('booked_on')
    refuseProblems(
      [
        ...valueProblems(SandboxTransferRequest, values, () => undefined),
        ...(dated && !isDay(dated) ? [noDay('booked_on')] : []),
      ],
      'invalid_value',
    )
    const depositId = values.get('deposit')!
    if (!isUuid(depositId)) throw new Refusal('not_found', { detail: message('no_deposit_with_id') })
    const { deposit, now, sent, taken } = await payByFakeBank(context, {
      depositId,
      merchantId,
      cents: whole(values.get('cents')),
      purpose: values.get('purpose') || null,
      payerName: values.get('payer') || null,
      bookedOn: dated || null,
      delayDays: Number(values.get('delay_days') || 0),
      bankId: values.get('bank_id') || null,
      version: whole(values.get('version')),
      isRevoked: values.get('revoked') === 'true',
      signature,
    })
    return reply.code(taken.taken > 0 ? 201 : 200).send({
      transfer: transferOf(sent[0]!),
      deposit: recordOf(deposit, now, context.publicUrl),
    } satisfies SandboxTransferAnswer)
  })

  app.post(apiPath.route('/sandbox/clock'), async (request, reply) => {
    const values = readBody(request, SandboxClockRequest)
    const { id: merchantId, signature } = await testMerchant(request, reply)
    refuseProblems(
      valueProblems(SandboxClockRequest, values, () => undefined),
      'invalid_value',
    )
    const minutes = Number(values.get('minutes'))
    const passed = await passTime(
      context,
      { merchantId, minutes, isProduction },
      { check: (tx) => useSignature(tx, signature) },
    )
    return { minutes, ...passed }
  })

  app.get(apiPath.route('/sandbox/statement'), async (request, reply) => {
    const { id: merchantId } = await testMerchant(request, reply)
    const query = readQuery(request, ['from', 'to', 'account'])
    const day = (name: string) => query.get(name) || null
    refuseProblems(
      ['from', 'to'].filter((name) => day(name) && !isDay(day(name)!)).map(noDay),
      'invalid_value',
    )
    const rate = limits.take(`statement:${merchantId}`, bounds.sandboxStatementRate)
    if (!rate.allowed) throw rateLimited('statement', rate)
    const { bytes, fileName } = await exportStatement(context.db, {
      merchantId,
      from: day('from'),
      to: day('to'),
      account: query.get('account') || null,
    })
    return reply
      .type('text/plain; charset=windows-1251')
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(Buffer.from(bytes))
  })

  /** For live merchants these addresses do not exist. */
  async function testMerchant(request: Request, reply: Reply) {
    const { merchant, signature } = withRate(reply, await verifier.verifyV2(signableRequest(request)))
    if (merchant.mode !== 'test') {
      throw new Refusal('not_found', { detail: 'The fake bank serves test-mode merchants only.' })
    }
    return { id: merchant.id, signature }
  }
}

/** Before the signature. */
const readBody = (request: Request, schema: RequestSchema): Map<string, string> =>
  readFields(signableRequest(request).body, encodingOf(request), schema)

const whole = (text: string | undefined): bigint | null => (text ? BigInt(text) : null)

const problem = (name: string, detail: string): FieldProblem => ({
  pointer: `#/${name}`,
  code: 'format',
  detail,
})
const noDay = (name: string): FieldProblem => problem(name, 'It must be a day, such as 2026-11-15.')

/** Fields are listed one by one: the rest of a transfer is only for the operator. */
const transferOf = ({ transfer, bankId, rule, reason }: Sent): SandboxTransferAnswer['transfer'] => ({
  id: transfer.id,
  bank_id: bankId,
  version: Number(transfer.version),
  cents: Number(transfer.cents),
  currency: transfer.currency,
  booked_on: transfer.bookedOn,
  purpose: transfer.purpose,
  state: transfer.state,
  deposit: transfer.shares[0]?.depositId ?? null,
  rule,
  reason,
})
