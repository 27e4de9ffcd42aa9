/** GET /pay/<token>: the payment page. Opening it changes nothing. */
import { findDepositByToken } from '../deposits/store.ts'
import type { Db } from '../platform/db.ts'
import { type Http, limitedByAddress } from '../platform/http.ts'
import type { RateLimit } from '../platform/rate-limit.ts'
import { plainStyles } from '../web/assets.ts'
import { languageFrom } from '../web/format.ts'
import { render } from '../web/html.ts'
import { gonePage, payPage } from './pages.ts'

export type PayRoutes = { db: Db; publicUrl: string; limits: RateLimit }

export function payRoutes(app: Http, { db, publicUrl, limits }: PayRoutes): void {
  const { host } = new URL(publicUrl)
  app.get('/pay/:token', { preHandler: limitedByAddress(limits) }, async (request, reply) => {
    const { token } = request.params as { token: string }
    const language = languageFrom(request.headers['accept-language'])
    // A malformed token is looked up as nobody's: the same answer after the same time.
    const found = await findDepositByToken(db, /^[A-Za-z0-9_-]{22}$/.test(token) ? token : '')
    const { markup, csp } = found
      ? payPage({ ...found, host }, language, plainStyles)
      : gonePage(language, plainStyles)
    return reply
      .code(found ? 200 : 404)
      .headers({
        'content-security-policy': csp,
        'x-robots-tag': 'noindex, nofollow',
        vary: 'accept-language',
      })
      .type('text/html; charset=utf-8')
      .send(render(markup))
  })
}
