/**
 * GET /logo/<digest>.png: the logos of merchants, from our origin. An address always has the same bytes, so browsers cache
 * them. The picture is always one that we encoded ourselves.
 */
import { logoPath } from '../../domain/deposits/page-paths.ts'
import { findLogos } from '../../domain/merchants/brand-store.ts'
import { batched } from '../../platform/batched.ts'
import { bounds } from '../../platform/bounds.ts'
import type { Db } from '../../platform/db.ts'
import { clientNetwork, type Http, limitedByAddress } from '../../platform/http.ts'
import { keptBytes } from '../../platform/kept-bytes.ts'
import { ownBytes } from '../../platform/own-bytes.ts'
import { type RateLimit, rateLimited } from '../../platform/rate-limit.ts'
import { Refusal } from '../../platform/refusals.ts'

type LogoRoutes = { db: Db; limits: RateLimit }

export function logoRoutes(app: Http, { db, limits }: LogoRoutes): void {
  const find = cachedLogos(db)

  app.get(logoPath.route('/:name'), { preHandler: limitedByAddress(limits) }, async (request, reply) => {
    const { name } = request.params as { name: string }
    const [, digest] = /^([A-Za-z0-9_-]{22})\.png$/.exec(name) ?? []
    const logo = digest && (await find(digest))
    if (!logo) {
      const verdict = limits.take(`unknown-page:${clientNetwork(request)}`, bounds.unknownPageRate)
      if (!verdict.allowed) throw rateLimited('unknown-page', verdict)
      throw new Refusal('not_found')
    }
    return reply.headers(logoHeaders).type('image/png').send(logo)
  })
}

const logoHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
}

/**
 * Caches logos, because every customer of a shop requests the same one. A removed logo stays until its space is needed; no page
 * refers to it.
 */
function cachedLogos(db: Db): (digest: string) => Promise<Buffer | undefined> {
  const read = batched((digests) => findLogos(db, digests))
  const kept = keptBytes<Buffer>(bounds.logosKeptBytes)
  return async (digest) => {
    const known = kept.get(digest)
    if (known) return known
    const logo = await read(digest)
    if (logo) kept.set(digest, ownBytes(logo))
    return logo
  }
}
