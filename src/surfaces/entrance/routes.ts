/** The front page over HTTP, and the page for unknown addresses. */

import {
  type Http,
  limitedByAddress,
  type Reply,
  type Request,
  type RouteConfig,
} from '../../platform/http.ts'
import type { RateLimit } from '../../platform/rate-limit.ts'
import type { Refusal } from '../../platform/refusals.ts'
import { payPageAt } from '../pay/routes.ts'
import { languageOf } from '../staff/guarded-routes.ts'
import { plainStyles as styles } from '../web/assets.ts'
import { sendPage } from '../web/send-page.ts'
import { frontPage, refusedPage } from './pages.ts'
import type { RefusedKind, Way } from './words.ts'

export function entranceRoutes(
  app: Http,
  { ways, limits }: { ways: readonly Way[]; limits: RateLimit },
): void {
  app.get('/', { preHandler: limitedByAddress(limits) }, (request, reply) =>
    sendPage(request, reply, frontPage({ language: languageOf(request), ways, styles })),
  )
}

/** A customer gets the payment page's answer, below its addresses; any other browser one that shows the ways in. */
export const pageFor =
  (ways: readonly Way[]) =>
  (request: Request): RouteConfig['asPage'] => {
    const isLooking = isBrowsing(request)
    const ofCustomer = payPageAt(request.url, isLooking)
    if (!isLooking) return request.routeOptions.url === undefined ? ofCustomer : undefined
    return ofCustomer ?? refused

    function refused({ code }: Refusal, request: Request, reply: Reply): Promise<Reply> {
      const view = { language: languageOf(request), ways, styles }
      const kind = kindOf(code, request.url, reply.statusCode)
      return sendPage(request, reply, refusedPage(view, { kind, requestId: request.id }), reply.statusCode)
    }
  }

/** A browser: it asks for HTML, unlike programs. */
const isBrowsing = ({ method, headers }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '')

function kindOf(code: Refusal['code'], url: string, status: number): RefusedKind {
  if (code === 'not_found') return 'notFound'
  if (status === 429 || status === 503) return 'busy'
  if (status >= 500) return 'fault'
  if (url.startsWith('/api/')) return 'forPrograms'
  return code === 'method_not_allowed' ? 'forForms' : 'other'
}
