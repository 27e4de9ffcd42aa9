/** HTTP routes for pushes: a bank, or a program that reads its accounts, reports entries. */

import type { DepositContext } from '../../../domain/deposits/change-deposit.ts'
import { sourceUse, tokenDigest } from '../../../domain/transfers/bank-source.ts'
import type { Entry } from '../../../domain/transfers/entry.ts'
import { type Pushed, readPush } from '../../../domain/transfers/push.ts'
import type { Source } from '../../../domain/transfers/source.ts'
import { findPushedAccounts, findSourcesByTokens } from '../../../domain/transfers/source-store.ts'
import type { TakePush } from '../../../domain/transfers/take-transfers.ts'
import { batched } from '../../../platform/batched.ts'
import { bounds } from '../../../platform/bounds.ts'
import { bodyOf, clientNetwork, encodingOf, type Http, type Request } from '../../../platform/http.ts'
import { inStretches } from '../../../platform/in-stretches.ts'
import type { Log } from '../../../platform/log.ts'
import { isInside } from '../../../platform/network.ts'
import type { RateLimit } from '../../../platform/rate-limit.ts'
import { rateLimited } from '../../../platform/rate-limit.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { apiPath } from '../paths.ts'

type TransferRoutes = { context: DepositContext; limits: RateLimit; takePush: TakePush; log: Log }

export function transferRoutes(app: Http, { context, limits, takePush, log }: TransferRoutes): void {
  const noteUse = sourceUse(context.db, log)
  const sources = new WeakMap<Request, Source>()
  // Anybody may invent tokens: a flood of them takes one connection, not all.
  const findSource = batched((digests) => findSourcesByTokens(context.db, digests))
  /** Before the body is read: megabytes are kept for those alone who have a token. */
  const onRequest = async (request: Request) => {
    sources.set(request, await sourceOf(request))
  }
  app.post(apiPath.route('/bank/transfers'), { bodyLimit: bounds.pushBytes, onRequest }, async (request) => {
    const source = sources.get(request)!
    if (encodingOf(request) !== 'json') throw new Refusal('unsupported_media_type')
    const pushed = await inStretches(readPush(bodyOf(request)), (entry) => entry)
    // Only rows of files are parked.
    const { parked: _none, ...taken } = await takePush(source, await incomingFrom(pushed, source, request))
    return taken
  })

  /**
   * A wrong token, or a right one from a wrong network, is counted against the sender's network, like a wrong signature. A
   * right one counts against its source only.
   */
  async function sourceOf(request: Request): Promise<Source> {
    const [, token] = /^Bearer (bank_[A-Za-z0-9_-]{43})$/.exec(request.headers.authorization ?? '') ?? []
    const source = token === undefined ? undefined : await findSource(tokenDigest(token).toString('hex'))
    const isHere = source !== undefined && isInside(request.ip, source.networks)
    if (!isHere) {
      if (source)
        log.warn('push from outside of its networks', { ...where(request, source), address: request.ip })
      const verdict = limits.take(`failed:${clientNetwork(request)}`, bounds.failedSignatureRate)
      if (!verdict.allowed) throw rateLimited('failed-signatures', verdict)
      throw new Refusal(source ? 'bank_network_refused' : 'bank_token_invalid')
    }
    const verdict = limits.take(`source:${source.id}`, bounds.sourceRate)
    if (!verdict.allowed) throw rateLimited('source', verdict)
    noteUse(source.id)
    return source
  }

  /** An account that the source may not report looks as if it did not exist. */
  async function incomingFrom(pushed: readonly Pushed[], source: Source, request: Request): Promise<Entry[]> {
    const numbers = [...new Set(pushed.flatMap((entry) => [entry.account, entry.payerNumber]))]
    const accounts = await findPushedAccounts(context.db, source, numbers)
    const refused = pushed.filter(({ account }) => !accounts.get(account)?.isAllowed)
    if (refused.length > 0) {
      const foreign = refused.filter(({ account }) => accounts.has(account)).length
      const message = foreign > 0 ? 'push for accounts of others' : 'push for accounts that are not here'
      log.warn(message, { ...where(request, source), count: foreign || refused.length })
      throw new Refusal('not_found', {
        detail: 'This source may not report one of the accounts. Nothing was stored.',
        errors: refused.slice(0, 100).map(({ pointer }) => ({
          pointer: `${pointer}/account`,
          code: 'not_found',
          detail: 'This source has no receiving account with this number.',
        })),
      })
    }
    return pushed.map(({ pointer: _pointer, id, revoked, account, payerNumber, ...facts }) => ({
      ...facts,
      accountId: accounts.get(account)!.id,
      paidOn: null,
      purposeParts: [facts.purpose],
      bankId: id,
      channel: 'push' as const,
      line: null,
      isReversal: revoked,
      isInternal: facts.direction === 'credit' && payerNumber !== account && accounts.has(payerNumber),
    }))
  }
}

const where = (request: Request, source: Source) => ({ request_id: request.id, source: source.id })
