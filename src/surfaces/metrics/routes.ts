/** Metrics over HTTP: how creates are timed on the merchants' port, and how Prometheus reads on its own. */

import { type Http, type Request, refusalFrom } from '../../platform/http.ts'
import { contentType, textOfMetrics } from '../../platform/metrics.ts'
import type { RefusalCode } from '../../platform/refusals.ts'
import { apiPath } from '../api/paths.ts'
import type { Metrics } from './metrics.ts'

const createRoute = apiPath.route('/requests/deposit/create')

/** Every create request counts, as the merchant saw it: also one whose signature was wrong. */
export function observeCreates(app: Http, metrics: Pick<Metrics, 'observeCreate'>): void {
  const refused = new WeakMap<Request, RefusalCode>()
  app.addHook('onError', (request, _reply, error, done) => {
    refused.set(request, refusalFrom(error).code)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.routeOptions.url === createRoute) {
      const code = refused.get(request)
      metrics.observeCreate(reply.elapsedTime, code ?? (reply.statusCode === 200 ? 'replayed' : 'created'))
    }
    done()
  })
}

export function metricsRoutes(app: Http, { metrics }: { metrics: Pick<Metrics, 'collect'> }): void {
  app.get('/metrics', async (_request, reply) =>
    reply.type(contentType).send(textOfMetrics(await metrics.collect())),
  )
}
