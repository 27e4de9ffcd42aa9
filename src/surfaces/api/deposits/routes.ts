/** The deposit operations over HTTP: parse, check the structure, the signature and the values, then act. */

import { type AddressRule, addressProblem } from '../../../domain/deposits/address.ts'
import { cancelDeposit, type DepositContext } from '../../../domain/deposits/change-deposit.ts'
import { type DepositState, depositStates } from '../../../domain/deposits/deposit.ts'
import type { CreateDeposit } from '../../../domain/deposits/draft.ts'
import type { GroupedCreates } from '../../../domain/deposits/group-creates.ts'
import { findDeposit, findOrders, listDeposits } from '../../../domain/deposits/read-store.ts'
import {
  BuildRequest,
  buildAnswerOf,
  CreateRequest,
  recordOf,
  requestFrom,
} from '../../../domain/deposits/record.ts'
import { message } from '../../../domain/messages/message.ts'
import { bounds } from '../../../platform/bounds.ts'
import {
  encodingOf,
  type Http,
  type Reply,
  type Request,
  readQuery,
  refusedAs,
} from '../../../platform/http.ts'
import { isRefusal, Refusal, type RefusalCode } from '../../../platform/refusals.ts'
import {
  isUuid,
  type RequestSchema,
  readFields,
  refuseProblems,
  valueProblems,
} from '../../../platform/request-fields.ts'
import { rowsThatFit } from '../page-of-rows.ts'
import { apiPath } from '../paths.ts'
import { type SignatureVerifier, signableRequest, withRate } from '../signed-request.ts'

type DepositRoutes = {
  verifier: SignatureVerifier
  creates: Pick<GroupedCreates, 'of'>
  /** Its connections are not those of creates: a merchant that asks for much does not delay the creates of others. */
  context: DepositContext
  isTrustedHost: AddressRule['isTrustedHost']
  publicUrl: string
  /** Called for every create as the merchant saw it: also for one whose signature was wrong. */
  observe: (ms: number, outcome: RefusalCode | 'created' | 'replayed') => void
}

export function depositRoutes(
  app: Http,
  { verifier, creates, context, isTrustedHost, publicUrl, observe }: DepositRoutes,
): void {
  const { db } = context
  const onResponse = (request: Request, reply: Reply, done: () => void) => {
    observe(reply.elapsedTime, refusedAs(request) ?? (reply.statusCode === 200 ? 'replayed' : 'created'))
    done()
  }
  app.post(apiPath.route('/requests/deposit/create'), { onResponse }, async (request, reply) => {
    const asked = await readRequest(request, reply, 'create')
    const { deposit, now, replayed } = await creates.of(asked).add(asked)
    return acknowledge(reply, replayed).send(recordOf(deposit, now, publicUrl))
  })

  app.post(apiPath.route('/requests/deposit/build'), async (request, reply) => {
    const asked = await readRequest(request, reply, 'build')
    const { deposit, now, replayed } = await creates.of(asked).add(asked)
    return acknowledge(reply, replayed).send(buildAnswerOf(deposit, now, publicUrl))
  })

  /** Structure, signature, values, in this order: nothing is written before the signature holds. */
  async function readRequest(
    request: Request,
    reply: Reply,
    flow: 'create' | 'build',
  ): Promise<CreateDeposit> {
    const schema = flow === 'create' ? CreateRequest : BuildRequest
    const signable = signableRequest(request)
    const values = readFields(signable.body, encodingOf(request), sentFields[flow])
    const bodySignature = values.get('signature')
    values.delete('signature')
    const signed = await verifier.verify(signable, { operation: flow, values, bodySignature })
    const { merchant, catalogue, rules, key, scheme } = withRate(reply, signed)
    const rule = { mode: merchant.mode, isTrustedHost }
    refuseProblems(
      valueProblems(schema, values, (text) => addressProblem(text, rule)),
      'invalid_value',
    )
    const sent = { request: request.id, key: key.id, scheme }
    return { flow, merchant, catalogue, rules, request: requestFrom(values), sent }
  }

  app.post(apiPath.route('/requests/deposit/:id/cancel'), async (request, reply) => {
    const { merchant } = withRate(reply, await verifier.verifyV2(signableRequest(request)))
    readQuery(request, [])
    const { id } = request.params as { id: string }
    if (!isUuid(id)) throw new Refusal('not_found', { detail: message('no_deposit_with_id') })
    const act = {
      depositId: id,
      merchantId: merchant.id,
      actor: 'merchant',
      evidence: { request: request.id },
    }
    const { deposit, now } = await cancelDeposit(context, act).catch((error) => {
      if (!isCanceledAlready(error)) throw error
      return findDeposit(db, { merchantId: merchant.id, id }).then((found) => found!)
    })
    return recordOf(deposit, now, publicUrl)
  })

  app.get(apiPath.route('/requests/deposit/:id'), async (request, reply) => {
    const { merchant } = withRate(reply, await verifier.verifyV2(signableRequest(request)))
    readQuery(request, [])
    const { id } = request.params as { id: string }
    const found = isUuid(id) ? await findDeposit(db, { merchantId: merchant.id, id }) : undefined
    if (!found) throw new Refusal('not_found', { detail: message('no_deposit_with_id') })
    return recordOf(found.deposit, found.now, publicUrl)
  })

  app.get(apiPath.route('/requests/deposit'), async (request, reply) => {
    const { merchant } = withRate(reply, await verifier.verifyV2(signableRequest(request)))
    const orderId = readQuery(request, ['order_id']).get('order_id')
    if (!orderId) throw invalid('order_id', 'required', 'This parameter is required.')
    const [found] = await findOrders(db, [{ merchantId: merchant.id, orderId }])
    if (!found) throw new Refusal('not_found', { detail: 'There is no deposit with this order_id.' })
    return recordOf(found.deposit, found.now, publicUrl)
  })

  app.get(apiPath.route('/requests/deposits'), async (request, reply) => {
    const { merchant } = withRate(reply, await verifier.verifyV2(signableRequest(request)))
    const filter = filterFrom(readQuery(request, ['state', 'from', 'to', 'after', 'limit']))
    // One more than requested shows whether another page follows.
    const found = await listDeposits(db, { ...filter, merchantId: merchant.id, limit: filter.limit + 1 })
    const records = found.values().map(({ deposit, now }) => recordOf(deposit, now, publicUrl))
    const shown = rowsThatFit(records.take(filter.limit))
    const next = found.length > shown.length ? found[shown.length - 1]!.deposit.id : null
    reply.type('application/json; charset=utf-8')
    return `{"deposits":[${shown.join(',')}],"next_after":${JSON.stringify(next)}}`
  })
}

/** A client that did not get the first answer may repeat the request. */
const isCanceledAlready = (error: unknown): boolean =>
  isRefusal(error, 'state_conflict') && error.details.more?.state === 'canceled'

/** 201 for a new deposit, 200 for an existing one. */
const acknowledge = (reply: Reply, replayed: boolean): Reply =>
  replayed ? reply.code(200).header('idempotent-replayed', 'true') : reply.code(201)

/** A signature of the first kind may stand in the body. */
const withSignature = ({ properties }: RequestSchema) => ({
  properties: { ...properties, signature: { type: 'string' } },
})
const sentFields = { create: withSignature(CreateRequest), build: withSignature(BuildRequest) }

function filterFrom(query: ReadonlyMap<string, string>) {
  const state = query.get('state') || null
  const after = query.get('after') || null
  const limit = Number(query.get('limit') || bounds.pageSizeDefault)
  if (state && !(depositStates as readonly string[]).includes(state)) {
    throw invalid('state', 'format', `It must be one of ${depositStates.join(', ')}.`)
  }
  if (after && !isUuid(after)) throw invalid('after', 'format', 'It must be the next_after of a page.')
  if (!Number.isInteger(limit) || limit < 1 || limit > bounds.pageSize) {
    throw invalid('limit', 'range', `It must lie between 1 and ${bounds.pageSize}.`)
  }
  return {
    state: state as DepositState | null,
    from: timeOf(query, 'from'),
    to: timeOf(query, 'to'),
    after,
    limit,
  }
}

function timeOf(query: ReadonlyMap<string, string>, name: string): string | null {
  const text = query.get(name)
  if (!text) return null
  // Date.parse lets 30 February pass as 2 March; the day must come out as it went in.
  const day = text.slice(0, 10)
  if (
    !timeShape.test(text) ||
    Number.isNaN(Date.parse(text)) ||
    new Date(day).toISOString().slice(0, 10) !== day
  ) {
    throw invalid(name, 'format', 'It must be a time with zone, such as 2026-11-15T00:00:00Z.')
  }
  return text
}

const timeShape = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/

const invalid = (name: string, code: string, detail: string) =>
  new Refusal('invalid_value', {
    detail: `${name}: ${detail}`,
    errors: [{ pointer: `#/${name}`, code, detail }],
  })
