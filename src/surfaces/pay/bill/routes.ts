/**
 * GET /bill/<token>.png and .svg. The token gives access, on any site: shops embed the picture. Every
 * view is revalidated, so that an expired bill is not shown.
 */

import { billPath } from '../../../domain/deposits/page-paths.ts'
import { pageUrl } from '../../../domain/deposits/record.ts'
import { bounds } from '../../../platform/bounds.ts'
import { clientNetwork, clientSite, type Http, limitedByAddress, queryOf } from '../../../platform/http.ts'
import type { RateLimit } from '../../../platform/rate-limit.ts'
import { rateLimited } from '../../../platform/rate-limit.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { languageFrom } from '../../web/messages/languages.ts'
import { holdsTag } from '../../web/send-static.ts'
import type { FindPage } from '../find-page.ts'
import { createPainter, versionOf } from './painter.ts'

type BillRoutes = { findPage: FindPage; limits: RateLimit; publicUrl: string }

export function billRoutes(app: Http, { findPage, limits, publicUrl }: BillRoutes): void {
  const painter = createPainter()

  app.get(billPath.route('/:name'), { preHandler: limitedByAddress(limits) }, async (request, reply) => {
    const network = clientNetwork(request)
    const { name } = request.params as { name: string }
    // A malformed name is looked up like an unknown token: the same answer in the same time.
    const [, token = '', format] = /^([A-Za-z0-9_-]{30})\.(png|svg)$/.exec(name) ?? []
    const found = await findPage(token)
    if (!found) {
      const verdict = limits.take(`unknown-page:${network}`, bounds.unknownPageRate)
      if (!verdict.allowed) throw rateLimited('unknown-page', verdict)
      throw new Refusal('not_found')
    }
    const { deposit, merchantLanguage } = found
    const language = languageFrom({
      query: queryOf(request)('lang'),
      acceptLanguage: request.headers['accept-language'],
      merchant: merchantLanguage,
    })
    const { now, merchantName, testMode } = found
    const view = { deposit, now, merchantName, testMode, pageUrl: pageUrl(publicUrl, token) }
    const drawing = { view, language, format: format as 'png' | 'svg' }
    const tag = `"${versionOf(drawing)}-${format}"`
    reply.headers({
      ...billHeaders,
      etag: tag,
      'content-disposition': `inline; filename="bill-${deposit.reference ?? deposit.id}.${format}"`,
    })
    if (holdsTag(request.headers['if-none-match'], tag)) return reply.code(304).send()
    const { buffer, byteOffset, byteLength } = await painter.paint(drawing, {
      site: clientSite(request),
      mayDraw() {
        const verdict = limits.take(`bill:${network}`, bounds.billDrawRate)
        if (!verdict.allowed) throw rateLimited('bill', verdict)
      },
    })
    reply.type(format === 'svg' ? 'image/svg+xml; charset=utf-8' : 'image/png')
    return reply.send(Buffer.from(buffer, byteOffset, byteLength))
  })
}

const billHeaders = {
  'cache-control': 'private, no-cache',
  'content-security-policy': "default-src 'none'; style-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'x-robots-tag': 'noindex, nofollow',
  vary: 'accept-language',
}
