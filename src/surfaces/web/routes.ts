/** GET /assets/<name>: our own scripts and styles. A name contains the hash of the bytes, so browsers keep them forever. */
import { type Http, limitedByAddress } from '../../platform/http.ts'
import type { RateLimit } from '../../platform/rate-limit.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Asset } from './assets.ts'
import { sendStatic } from './send-static.ts'

export function assetRoutes(
  app: Http,
  { assets, limits }: { assets: readonly Asset[]; limits: RateLimit },
): void {
  app.get('/assets/:name', { preHandler: limitedByAddress(limits) }, async (request, reply) => {
    const { name } = request.params as { name: string }
    const [, stem, kind] = /^([a-z]+)-[\w-]+\.(js|css)$/.exec(name) ?? []
    const asset = assets.find((asset) => asset.stem === stem && asset.kind === kind)
    if (!asset) throw new Refusal('not_found')
    // During an upgrade a page of the other release may ask here: it gets what there is, and does not keep it.
    const isOwn = name === asset.name
    reply.header('cache-control', isOwn ? 'public, max-age=31536000, immutable' : 'no-store')
    return sendStatic(request, reply, asset.answer)
  })
}
