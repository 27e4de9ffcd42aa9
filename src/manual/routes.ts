/** The manual over HTTP: the OpenAPI document, the pages made from it, and the guides. Nothing is loaded from elsewhere. */
import { readFile } from 'node:fs/promises'
import { type Http, limitedByAddress, type Reply } from '../platform/http.ts'
import type { RateLimit } from '../platform/rate-limit.ts'
import { Refusal } from '../refusals.ts'
import { plainStyles } from '../web/assets.ts'
import { type Markup, render } from '../web/html.ts'
import { guidePage, guides } from './guide.ts'
import { openApiDocument } from './openapi.ts'
import { errorsPage, referencePage } from './page.ts'

export type ManualRoutes = { publicUrl: string; limits: RateLimit }

export function manualRoutes(app: Http, { publicUrl, limits }: ManualRoutes): void {
  const limited = { preHandler: limitedByAddress(limits) }
  // Nothing here depends on the request: all three are made once.
  const document = openApiDocument({ publicUrl })
  const json = JSON.stringify(document)
  const reference = finished(referencePage(document, plainStyles))
  const errors = finished(errorsPage(document, plainStyles))

  app.get('/openapi.json', limited, (_request, reply) =>
    reply.headers(cached).type('application/json; charset=utf-8').send(json),
  )
  app.get('/docs', limited, (_request, reply) => sendPage(reply, reference))
  app.get('/docs/errors', limited, (_request, reply) => sendPage(reply, errors))
  for (const name of guides) {
    app.get(`/docs/guides/${name}`, limited, async (_request, reply) =>
      sendPage(reply, finished(guidePage(await readFile(inDocs(`${name}.md`), 'utf8'), plainStyles))),
    )
  }
  app.get('/docs/screenshots/:name', limited, async (request, reply) => {
    const { name } = request.params as { name: string }
    if (!/^[a-z0-9-]+\.png$/.test(name)) throw new Refusal('not_found')
    const picture = await readFile(inDocs(`screenshots/${name}`)).catch(() => {
      throw new Refusal('not_found')
    })
    return reply.headers(cached).type('image/png').send(picture)
  })
}

const inDocs = (name: string): URL => new URL(`../../docs/${name}`, import.meta.url)

const cached = { 'cache-control': 'public, max-age=300' }

const finished = ({ markup, csp }: { markup: Markup; csp: string }) => ({ text: render(markup), csp })

const sendPage = (reply: Reply, { text, csp }: { text: string; csp: string }) =>
  reply.headers(cached).header('content-security-policy', csp).type('text/html; charset=utf-8').send(text)
