/** GET /assets/<name>: our own scripts, for ever under a name that their bytes made. */
import { type Http, limitedByAddress } from '../platform/http.ts'
import type { RateLimit } from '../platform/rate-limit.ts'
import { Refusal } from '../refusals.ts'
import { scripts } from './assets.ts'
import { encodingFor } from './send-page.ts'

export function assetRoutes(app: Http, { limits }: { limits: RateLimit }): void {
  app.get('/assets/:name', { preHandler: limitedByAddress(limits) }, async (request, reply) => {
    const { name } = request.params as { name: string }
    const known = /^([a-z]+)-[\w-]+\.js$/.exec(name)?.[1]
    if (!known || !Object.hasOwn(scripts, known)) throw new Refusal('not_found')
    const script = scripts[known as keyof typeof scripts]
    const encoding = encodingFor(request)
    const bytes = encoding === 'br' ? script.brotli : encoding === 'gzip' ? script.gzip : script.bytes
    if (encoding) reply.header('content-encoding', encoding)
    return (
      reply
        // During an upgrade a page of the other release may ask here: it gets what there is, and does not keep it.
        .header('cache-control', name === script.name ? 'public, max-age=31536000, immutable' : 'no-store')
        .header('vary', 'accept-encoding')
        .type('text/javascript; charset=utf-8')
        .send(bytes)
    )
  })
}
