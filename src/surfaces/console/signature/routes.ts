/** HTTP routes of the signature debugger. */

import { type Operation, signedFields, signLiteral } from '../../../../sdk/signature.ts'
import { findDeposit, findOrders } from '../../../domain/deposits/read-store.ts'
import { bodyOf, type SentRequest } from '../../../domain/deposits/sent-request.ts'
import type { MerchantId } from '../../../domain/merchants/merchant.ts'
import { liveKeys } from '../../../domain/merchants/store.ts'
import { readNow } from '../../../domain/people/session-store.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { apiPath } from '../../api/paths.ts'
import { show } from '../../staff/routes.ts'
import { type ConsoleContext, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import { readHistory } from '../store.ts'
import {
  auditLine,
  type ConsoleTools,
  freshDeveloper,
  readConsoleContext,
  sectionRoutes,
  writeAuditLine,
} from '../visit.ts'
import { type Asked, curlLine, headerOf, prepare, programs, type RequestProblem } from './signature-lines.ts'
import { type Signed, signaturePage } from './signature-page.ts'

export function signatureConsole(tools: ConsoleTools): void {
  const { get } = sectionRoutes(tools, 'signature')
  const { routes, db, vault, publicUrl } = tools

  get('/signature', freshDeveloper, async (context, visit) => {
    const { merchantId } = visit
    const empty = { signed: null, problem: null }
    if (visit.query('deposit')) {
      const { asked, deposit } = await requestBehind(merchantId, visit.query('deposit'))
      return signaturePage(context, { ...empty, asked, rebuilt: deposit })
    }
    const body = exampleBody(merchantId)
    return signaturePage(context, {
      ...empty,
      asked: { operation: 'create', method: 'POST', target: '', body },
    })
  })

  /** Rebuilds the request from the deposit's id, so that no customer data appears in an address. */
  async function requestBehind(merchantId: MerchantId, id: string) {
    const found = isUuid(id) ? await findDeposit(db, { merchantId, id }) : undefined
    if (!found) throw new Refusal('not_found')
    const { flow, orderId } = found.deposit
    const [orders, history] = await Promise.all([
      findOrders(db, [{ merchantId, orderId }]),
      readHistory(db, merchantId, id),
    ])
    const isV2 = (history[0]?.evidence as SentRequest | null | undefined)?.scheme === 'v2'
    const asked = {
      operation: isV2 ? 'v2' : flow,
      method: 'POST',
      target: isV2 ? apiPath(`/requests/deposit/${flow}`) : '',
      body: bodyOf(orders[0]!),
    }
    return { asked, deposit: found.deposit }
  }

  routes.post(consolePath.route('/signature'), freshDeveloper, async (visit) => {
    const { field, merchantId } = visit
    const context = await readConsoleContext(db, visit)
    const form = {
      operation: field('operation'),
      method: field('method') === 'GET' ? ('GET' as const) : ('POST' as const),
      target: field('target'),
      body: field('body'),
    }
    const operation = (Object.keys(signedFields) as Operation[]).find((name) => name === form.operation)
    const asked: Asked = operation
      ? { scheme: 'literal', operation, body: form.body }
      : { scheme: 'v2', method: form.method, target: form.target, body: form.body }
    const tell = (problem: string) =>
      show(visit, signaturePage(context, { asked: form, signed: null, problem }), 422)
    const t = Math.floor((await readNow(db)).getTime() / 1000)
    const prepared = prepare(asked, t)
    if ('kind' in prepared) return tell(problemText(context, prepared))
    const [key] = await liveKeys(db, vault, merchantId, 'request')
    if (!key) return tell(wordsOf(context).signature.noKey)
    await writeAuditLine(
      db,
      auditLine(visit, { act: 'signature_made', after: { operation: form.operation, key: key.id } }),
    )
    const { secret, id: kid } = key
    const header =
      asked.scheme === 'v2'
        ? headerOf(prepared, { t, kid, secret })
        : signLiteral(secret, asked.operation, prepared.values)
    const signed: Signed = {
      string: prepared.string,
      header,
      keyId: kid,
      isTooWeak: key.v2Only && asked.scheme === 'literal',
      curl: curlLine(prepared, { publicUrl, header }),
      programs: programs(asked, prepared, { t, kid }),
    }
    return show(visit, signaturePage(context, { asked: form, signed, problem: null }))
  })
}

const problemText = (context: ConsoleContext, problem: RequestProblem): string => {
  const { signature: words } = wordsOf(context)
  if (problem.kind === 'separator') return words.separator(problem.field)
  return problem.kind === 'json' ? words.badJson : words.badPath
}

const exampleBody = (merchant: string): string =>
  JSON.stringify(
    {
      merchant,
      order_id: 'A-1001',
      cents: 150000,
      currency: 'RUB',
      payment_type: 'any_bank',
      customer: 'user-42',
    },
    null,
    2,
  )
