/** GET /bill/<token>.svg. Whoever has the token may see it, on any site: shops show it as a picture. */
import { findDepositByToken } from '../deposits/store.ts'
import type { Db } from '../platform/db.ts'
import { type Http, limitedByAddress } from '../platform/http.ts'
import type { RateLimit } from '../platform/rate-limit.ts'
import { Refusal } from '../refusals.ts'
import { languageFrom } from '../web/format.ts'
import { render } from '../web/html.ts'
import { bill } from './bill.ts'

export type BillRoutes = { db: Db; limits: RateLimit }

export function billRoutes(app: Http, { db, limits }: BillRoutes): void {
  app.get('/bill/:name', { preHandler: limitedByAddress(limits) }, async (request, reply) => {
    const { name } = request.params as { name: string }
    // A malformed name is looked up as nobody's token: the same answer after the same time.
    const found = await findDepositByToken(db, /^[A-Za-z0-9_-]{22}\.svg$/.test(name) ? name.slice(0, -4) : '')
    if (!found) throw new Refusal('not_found')
    return reply
      .headers(billHeaders)
      .type('image/svg+xml; charset=utf-8')
      .send(render(bill(found, languageFrom(request.headers['accept-language']))))
  })
}

const billHeaders = {
  'content-security-policy': "default-src 'none'; style-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'x-robots-tag': 'noindex, nofollow',
  vary: 'accept-language',
}
