/** POST /api/v1/bank/transfers: a bank, or whoever reads it, tells of entries. */
import { bounds } from '../bounds.ts'
import type { Ledger } from '../deposits/change-deposit.ts'
import { bodyOf, encodingOf, type Http, type Request } from '../platform/http.ts'
import type { RateLimit } from '../platform/rate-limit.ts'
import { rateLimited } from '../platform/signed-request.ts'
import { Refusal } from '../refusals.ts'
import { tokenDigest } from './bank-source.ts'
import { type Pushed, readPush } from './push.ts'
import { findAccountsByNumber, findSourceByToken, type Source } from './store.ts'
import type { Pushes } from './take-pushes.ts'
import type { Incoming } from './tellings.ts'

export type TransferRoutes = { ledger: Ledger; limits: RateLimit; pushes: Pushes }

export function transferRoutes(app: Http, { ledger, limits, pushes }: TransferRoutes): void {
  app.post('/api/v1/bank/transfers', { bodyLimit: bounds.pushBytes }, async (request) => {
    const source = await sourceOf(request)
    if (encodingOf(request) !== 'json') throw new Refusal('unsupported_media_type')
    const pushed = readPush(bodyOf(request))
    return pushes.take(source, await incomingFrom(pushed, source))
  })

  /** A wrong token costs the address that sends it, as a wrong signature does. */
  async function sourceOf(request: Request): Promise<Source> {
    const [, token] = /^Bearer (bank_[A-Za-z0-9_-]{43})$/.exec(request.headers.authorization ?? '') ?? []
    const source = await findSourceByToken(ledger.db, tokenDigest(token ?? ''))
    if (source) {
      const verdict = limits.take(`source:${source.id}`, bounds.sourceRate)
      if (!verdict.allowed) throw rateLimited('source', verdict)
      return source
    }
    const verdict = limits.take(`failed:${request.ip}`, bounds.failedSignatureRate)
    if (!verdict.allowed) throw rateLimited('failed-signatures', verdict)
    throw new Refusal('bank_token_invalid')
  }

  async function incomingFrom(pushed: readonly Pushed[], { mode }: Source): Promise<Incoming[]> {
    const accounts = await findAccountsByNumber(ledger.db, mode, [
      ...new Set(pushed.map((one) => one.account)),
    ])
    const unknown = pushed.filter(({ account }) => !accounts.has(account))
    if (unknown.length > 0) {
      throw new Refusal('not_found', {
        detail: 'An account is not one of ours. Nothing was taken.',
        errors: unknown.slice(0, 100).map(({ pointer }) => ({
          pointer: `${pointer}/account`,
          code: 'not_found',
          detail: 'No receiving account has this number.',
        })),
      })
    }
    return pushed.map(({ pointer: _pointer, id, revoked, account, ...facts }) => ({
      ...facts,
      accountId: accounts.get(account)!.id,
      paidOn: null,
      purposeParts: [facts.purpose],
      bankId: id,
      bankEntry: { reference: id, cents: facts.cents },
      channel: 'push' as const,
      statementId: null,
      line: null,
      occurrence: 1,
      isRevoked: revoked,
    }))
  }
}
