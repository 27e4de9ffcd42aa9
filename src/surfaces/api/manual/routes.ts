/** The manual over HTTP: the OpenAPI document, the pages made from it, and the guides. Nothing is loaded from elsewhere. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Http, limitedByAddress } from '../../../platform/http.ts'
import type { RateLimit } from '../../../platform/rate-limit.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { lazy } from '../../../platform/remembered.ts'
import { plainStyles } from '../../web/assets.ts'
import { render } from '../../web/html.ts'
import type { FinishedPage } from '../../web/page.ts'
import { pageHeaders } from '../../web/send-page.ts'
import { type StaticAnswer, sendStatic, staticAnswer } from '../../web/send-static.ts'
import { guidePage, guides, picturesIn } from './guide.ts'
import { openApiDocument } from './openapi.ts'
import { errorsPage, referencePage } from './page.ts'

type ManualRoutes = { publicUrl: string; limits: RateLimit }

export function manualRoutes(app: Http, { publicUrl, limits }: ManualRoutes): void {
  const limited = { preHandler: limitedByAddress(limits) }
  const documented = () => openApiDocument({ publicUrl })
  const pages: Record<string, () => StaticAnswer> = {
    '/openapi.json': () =>
      staticAnswer(() => JSON.stringify(documented()), {
        type: 'application/json; charset=utf-8',
        headers: cached,
      }),
    '/docs': () => staticPage(referencePage(documented(), plainStyles)),
    '/docs/errors': () => staticPage(errorsPage(documented(), plainStyles)),
  }
  for (const name of guides)
    pages[`/docs/guides/${name}`] = () => staticPage(guidePage(name, guideText(name), plainStyles))
  // Made when they are first asked for: few starts ever are.
  for (const [path, make] of Object.entries(pages)) {
    const answer = lazy(make)
    app.get(path, limited, (request, reply) => sendStatic(request, reply, answer()))
  }

  const pictures = lazy(
    () => new Map(guides.flatMap((name) => picturesIn(guideText(name))).map((name) => [name, picture(name)])),
  )
  app.get('/docs/screenshots/:name', limited, (request, reply) => {
    const answer = pictures().get((request.params as { name: string }).name)
    if (!answer) throw new Refusal('not_found')
    return sendStatic(request, reply, answer)
  })
}

const guideText = (name: string): string => readFileSync(inDocs(`${name}.md`), 'utf8')

const inDocs = (name: string): URL => new URL(`../../../../docs/${name}`, import.meta.url)

const cached = { 'cache-control': 'public, max-age=300' }

const staticPage = ({ markup, csp }: FinishedPage): StaticAnswer =>
  staticAnswer(() => render(markup), {
    type: 'text/html; charset=utf-8',
    headers: { ...cached, ...pageHeaders(csp) },
  })

const picture = (name: string): StaticAnswer =>
  staticAnswer(() => readFile(inDocs(`screenshots/${name}`)), { type: 'image/webp', headers: cached })
